import * as v from "valibot";
import { CatalogueSchema } from "../api/reward-schema.ts";
import type { Reward } from "../domain/reward.ts";
import { OperatorError } from "./operator-error.ts";
import { readTextFile } from "./text-file.ts";

/**
 * Reads a catalogue of rewards.
 *
 * @throws {OperatorError} when the file cannot be read, is not JSON or is not a catalogue; then with a line for each
 * thing that is wrong with it.
 */
export async function readCatalogueFile(path: string): Promise<Reward[]> {
  const content = parse(await readTextFile(path), path);
  const catalogue = v.safeParse(CatalogueSchema, content);
  if (catalogue.success) return catalogue.output;
  const problems = catalogue.issues.flatMap((issue) => problemsOf(issue, content));
  throw new OperatorError(
    [`${path} is not a catalogue of rewards, and nothing was changed:`, ...problems].join("\n  "),
  );
}

function parse(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new OperatorError(`${path} is not JSON: ${(error as Error).message.replace(/\s+/g, " ")}`);
  }
}

function problemsOf(issue: v.BaseIssue<unknown>, content: unknown): string[] {
  const [item, field] = issue.path ?? [];
  if (item === undefined) return issue.type === "check" ? sharedIds(content) : [issue.message];
  const where = [rewardAt(content, item.key), field?.key].filter((part) => part !== undefined).join(" ");
  return [`${where}: ${explain(issue)}`];
}

/** For example `reward 3 (hoodie)`, counted from 1. */
function rewardAt(content: unknown, index: unknown): string {
  const id = (content as { id?: unknown }[])[Number(index)]?.id;
  return `reward ${Number(index) + 1}${typeof id === "string" ? ` (${id})` : ""}`;
}

function explain({ type, expected, received, message }: v.BaseIssue<unknown>): string {
  if (type !== "strict_object") return message;
  if (expected === "never") return "There is no such field";
  return received === "undefined" ? "It is missing" : message;
}

function sharedIds(content: unknown): string[] {
  const byId = Map.groupBy((content as Reward[]).keys(), (index) => (content as Reward[])[index]?.id);
  return [...byId]
    .filter(([, indices]) => indices.length > 1)
    .map(([id, indices]) => `rewards ${indices.map((index) => index + 1).join(", ")}: All have the id ${id}`);
}
