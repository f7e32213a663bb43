import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { LogEntry } from "../lambda/lambda.ts";

/** Appends every line to the file of its source. A line is in the file when this returns. */
export function logFiles(folder: string): (entry: LogEntry) => void {
  return ({ source, line }) => appendFileSync(join(folder, `${source}.log`), `${line}\n`, { mode: 0o600 });
}
