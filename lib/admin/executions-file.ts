import * as v from "valibot";
import { OperatorError } from "./operator-error.ts";
import { readTextFile } from "./text-file.ts";

const Records = v.array(v.unknown());
const Content = v.union([Records, v.strictObject({ records: Records })]);

/**
 * Reads records of orders and positions, in the form that recordExecutions takes or as the list alone. What each of
 * them is, the function judges.
 *
 * @throws {OperatorError} when the file cannot be read, is not JSON or has no such list; it quotes nothing of it.
 */
export async function readExecutionsFile(path: string): Promise<unknown[]> {
  const content = v.safeParse(Content, parse(await readTextFile(path), path));
  if (!content.success) {
    throw new OperatorError(
      `${path} has to hold a list of records, or an object with nothing but records: a list`,
    );
  }
  return Array.isArray(content.output) ? content.output : content.output.records;
}

function parse(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const place = /\(line \d+ column \d+\)$/.exec((error as Error).message)?.[0];
    throw new OperatorError([path, "is not JSON", place].filter(Boolean).join(" "));
  }
}
