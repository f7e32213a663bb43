import { readFile } from "node:fs/promises";
import { OperatorError } from "./operator-error.ts";

/**
 * Reads a JSON file.
 *
 * @param quote True if error messages may quote the file. Otherwise, they give the position of the error, if known.
 * @throws {OperatorError} if the file cannot be read or is not JSON.
 */
export async function readJSONFile(path: string, { quote }: { quote: boolean }): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    throw new OperatorError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    const { message } = error as Error;
    const place = /\(line \d+ column \d+\)$/.exec(message)?.[0];
    const detail = quote ? `: ${message.replace(/\s+/g, " ")}` : place === undefined ? "" : ` ${place}`;
    throw new OperatorError(`${path} is not JSON${detail}`);
  }
}
