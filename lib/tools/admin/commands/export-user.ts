import { rename, rm, writeFile } from "node:fs/promises";
import type { Command } from "commander";
import { OperatorError } from "../operator-error.ts";
import { targeted } from "../options.ts";
import type { AdminDeps, TargetOptions } from "../target.ts";
import { print } from "../terminal.ts";
import { exportOf } from "../user-export.ts";
import { existingProfile } from "./set-user.ts";

export function exportUser(program: Command, deps: AdminDeps): void {
  targeted(
    program
      .command("export-user <id> <file>")
      .description(
        "Write all of a user's data except secrets to a JSON file that only you can read, and print what it has. " +
          "Replaces the file.",
      ),
  ).action(async (userID: string, file: string, options: TargetOptions) => {
    const { table } = await deps.openTarget(options);
    await existingProfile(table, userID);
    const data = await exportOf(table, userID);
    const content = { userID, exportedAt: deps.now().toISOString(), ...data };
    await writeWhole(file, `${JSON.stringify(content, null, 2)}\n`);
    const counts = Object.entries(data).map(([section, items]) => `${section} ${items.length}`);
    print(deps.stdout, `${file}: ${counts.join(", ")}`);
  });
}

/**
 * Writes a file under another name first, so that an interrupted run leaves no part of a file behind its name.
 *
 * @throws {OperatorError} if the file cannot be written.
 */
async function writeWhole(file: string, text: string): Promise<void> {
  const unfinished = `${file}.part`;
  try {
    await rm(unfinished, { force: true });
    await writeFile(unfinished, text, { mode: 0o600, flag: "wx" });
    await rename(unfinished, file);
  } catch (error) {
    throw new OperatorError(`${file} cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
}
