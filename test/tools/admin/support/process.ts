import { type ChildProcess, spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { type Finished, printed } from "./secrets.ts";

const program = new URL("../../../../bin/admin.ts", import.meta.url).pathname;

/** Removes credentials and region of the machine that runs the tests. */
const bareEnvironment = {
  HOME: "/nonexistent",
  AWS_CONFIG_FILE: "/nonexistent/config",
  AWS_SHARED_CREDENTIALS_FILE: "/nonexistent/credentials",
  AWS_EC2_METADATA_DISABLED: "true",
};

export type Running = { child: ChildProcess; finished: Promise<Finished> };

/** Starts the program in a new process. */
export function start(args: string[]): Running {
  const child = spawn(process.execPath, [program, ...args], {
    env: bareEnvironment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const finished = Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once("close", resolve)),
  ]).then(([out, err, code]) => printed({ code, out, err }));
  return { child, finished };
}
