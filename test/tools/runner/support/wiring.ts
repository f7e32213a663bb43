import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";

const root = resolve(import.meta.dirname, "../../../..");

/** Runs a program from bin/ in its own process. */
export async function runProgram(name: "local" | "token", args: readonly string[], node = process.execPath) {
  const child = spawn(node, [resolve(root, "bin", `${name}.ts`), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const status = new Promise<number | null>((done) => child.once("exit", done));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { status: await status, out, err };
}
