import type { Command } from "commander";
import { replaceCatalogue } from "../../aws/reward-records.ts";
import type { Table } from "../../aws/table.ts";
import type { Reward } from "../../domain/reward.ts";
import type { Admin } from "../admin.ts";
import { catalogueChanges } from "../catalogue-changes.ts";
import { readCatalogueFile } from "../catalogue-file.ts";
import { OperatorError } from "../operator-error.ts";
import { print } from "../output.ts";
import type { TargetOptions } from "../target.ts";
import { targeted } from "../targeted.ts";

export function putRewards(program: Command, admin: Admin): void {
  targeted(
    program
      .command("put-rewards <file>")
      .description("Make a JSON file, an array of rewards, the whole catalogue. Shows what that changed."),
  ).action(async (file: string, options: TargetOptions) => {
    const rewards = await readCatalogueFile(file);
    const { table } = await admin.openTarget(options);
    const changes = catalogueChanges(await replace(table, rewards), rewards);
    for (const line of changes) print(admin.stdout, line);
    if (changes.length === 0) print(admin.stdout, "Nothing changed");
  });
}

async function replace(table: Table, rewards: readonly Reward[]): Promise<Reward[]> {
  try {
    return await replaceCatalogue(table, rewards);
  } catch (error) {
    if (!isTooLarge(error)) throw error;
    throw new OperatorError(
      `The catalogue is too large: all of its ${rewards.length} rewards together may take 400 KB in the table`,
    );
  }
}

/** DynamoDB has no error of its own for it. */
function isTooLarge(error: unknown): boolean {
  return error instanceof Error && error.name === "ValidationException" && /item size/i.test(error.message);
}
