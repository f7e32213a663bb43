import { readFile } from "node:fs/promises";
import { OperatorError } from "./operator-error.ts";

/** @throws {OperatorError} when the file cannot be read. */
export async function readTextFile(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new OperatorError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
