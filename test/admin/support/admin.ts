import { Writable } from "node:stream";
import type { Admin } from "../../../lib/admin/admin.ts";
import { runAdmin } from "../../../lib/admin/program.ts";
import type { Target } from "../../../lib/admin/target.ts";
import { printed } from "./secrets.ts";

/** How a run of the program ended. */
export type Finished = { code: number | null; out: string; err: string };

/** A Wednesday. */
export const now = new Date("2026-11-18T12:00:00.000Z");

/** Runs a command in this process, on that target. */
export async function run(target: Target, args: string[], world: Partial<Admin> = {}): Promise<Finished> {
  const stdout = collector();
  const stderr = collector();
  const code = await runAdmin([...args, "--local", "3000"], {
    stdout,
    stderr,
    openTarget: async () => target,
    openFunctions: async () => Promise.reject(new Error("This run has no functions")),
    openPlans: async () => Promise.reject(new Error("This run has no plans")),
    interruption: () => new AbortController().signal,
    now: () => now,
    ...world,
  });
  return printed({ code, out: stdout.text(), err: stderr.text() });
}

/** An output that keeps what is written to it. */
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
