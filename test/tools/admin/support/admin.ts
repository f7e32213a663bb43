import { Writable } from "node:stream";
import { runAdmin } from "../../../../lib/tools/admin/program.ts";
import type { AdminDeps, Target } from "../../../../lib/tools/admin/target.ts";
import { type Finished, printed } from "./secrets.ts";

/** Noon on a Wednesday, UTC. */
export const now = new Date("2026-11-18T12:00:00.000Z");

/** Runs a command against a target in this process. */
export async function run(target: Target, args: string[], deps: Partial<AdminDeps> = {}): Promise<Finished> {
  return runWith([...args, "--local", "3000"], { openTarget: async () => target, ...deps });
}

/** Runs the program in this process. Opens only what the dependencies provide. */
export async function runWith(args: string[], deps: Partial<AdminDeps>): Promise<Finished> {
  const stdout = collector();
  const stderr = collector();
  const unavailable = (what: string) => () => Promise.reject(new Error(`This run has no ${what}`));
  const code = await runAdmin(args, {
    stdout,
    stderr,
    openTarget: unavailable("target"),
    openFunctions: unavailable("functions"),
    openPlans: unavailable("plans"),
    openConnections: unavailable("connections"),
    openDirectory: unavailable("directory"),
    openStatus: unavailable("status"),
    openParameters: unavailable("parameters"),
    askSecret: unavailable("terminal"),
    confirm: unavailable("terminal"),
    interruption: () => new AbortController().signal,
    now: () => now,
    pauseMs: unavailable("clock"),
    ...deps,
  });
  return printed({ code, out: stdout.text(), err: stderr.text() });
}

/** Collects output as text. */
export function collector() {
  const chunks: string[] = [];
  const stream = new Writable({
    write(chunk, _, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  return Object.assign(stream, { text: () => chunks.join("") });
}

export const linesOf = (text: string): string[] => text.split("\n").filter((line) => line !== "");

/** Prints what `admin restore --fix` has done. */
export const tally = (put: number, changed: number, deleted: number, failed = 0): string =>
  `put back: ${put}\nchanged back: ${changed}\ndeleted: ${deleted}\nfailed: ${failed}\n`;
