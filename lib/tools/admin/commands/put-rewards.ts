import type { Command } from "commander";
import * as v from "valibot";
import { CatalogueSchema } from "../../../api/reward-schema.ts";
import { isLimited, type Reward } from "../../../rewards/reward.ts";
import { replaceCatalogue } from "../../../rewards/reward-records.ts";
import { beginStock, readStock, readStocks, setStock } from "../../../rewards/stock-records.ts";
import type { Table } from "../../../table/table.ts";
import { readJSONFile } from "../json-file.ts";
import { OperatorError } from "../operator-error.ts";
import { targeted } from "../options.ts";
import type { AdminDeps, TargetOptions } from "../target.ts";
import { print } from "../terminal.ts";
import { changeLine, changesBetween } from "./set-user.ts";

export function putRewards(program: Command, deps: AdminDeps): void {
  targeted(
    program
      .command("put-rewards <file>")
      .description("Replace the whole catalogue with a JSON file, an array of rewards. Prints the changes.")
      .option(
        "--set-stock",
        "reset the remaining stock of each reward to its stock in the file, ignoring sales",
      ),
  ).action(async (file: string, { setStock: isSet, ...options }: TargetOptions & { setStock?: true }) => {
    const rewards = await readCatalogueFile(file);
    const { table } = await deps.openTarget(options);
    const changes = [
      ...catalogueChanges(await replace(table, rewards), rewards),
      ...(await stockChanges(table, rewards, isSet ?? false)),
    ];
    for (const line of changes) print(deps.stdout, line);
    if (changes.length === 0) print(deps.stdout, "Nothing changed");
  });
}

async function replace(table: Table, rewards: readonly Reward[]): Promise<Reward[]> {
  try {
    return await replaceCatalogue(table, rewards);
  } catch (error) {
    if (!isTooLarge(error)) throw error;
    throw new OperatorError(
      `The catalogue is too large: its ${rewards.length} rewards may take up to 400 KB in the table`,
    );
  }
}

/**
 * Starts counting the stock of new rewards, and resets other stocks only on demand. Returns a line for each difference.
 */
async function stockChanges(table: Table, rewards: readonly Reward[], isSet: boolean): Promise<string[]> {
  const ids = rewards.map(({ id }) => id);
  const stocks = await readStocks(table, ids);
  const lines: string[] = [];
  for (const reward of rewards) {
    const { id, stock } = reward;
    const left = stocks.get(id);
    if (isSet) {
      await setStock(table, id, isLimited(reward) ? stock : undefined);
      if (left !== undefined && left !== stock)
        lines.push(`set the stock of ${id}: ${left} -> ${isLimited(reward) ? stock : "unlimited"}`);
    } else if (isLimited(reward)) {
      const kept = left ?? (await countFound(table, reward));
      if (kept !== stock)
        lines.push(`kept the stock of ${id}: ${kept} left, ${stock} in the file (see --set-stock)`);
    }
  }
  return lines;
}

/** Starts counting a stock, unless a sale from the previous catalogue has already done so. */
async function countFound(table: Table, { id, stock }: Reward): Promise<number | undefined> {
  return (await beginStock(table, id, stock)) ? stock : readStock(table, id);
}

/** True if an item is too large. DynamoDB has no error type for this case. */
function isTooLarge(error: unknown): boolean {
  return error instanceof Error && error.name === "ValidationException" && /item size/i.test(error.message);
}

/**
 * Reads a catalogue of rewards.
 * @throws {OperatorError} if the file is not a catalogue, with a line for each problem.
 */
async function readCatalogueFile(path: string): Promise<Reward[]> {
  const content = await readJSONFile(path, { quote: true });
  const catalogue = v.safeParse(CatalogueSchema, content);
  if (catalogue.success) return catalogue.output;
  const problems = catalogue.issues.flatMap((issue) => problemsOf(issue, content));
  throw new OperatorError(
    [`${path} is not a catalogue of rewards, and nothing was changed:`, ...problems].join("\n  "),
  );
}

function problemsOf(issue: v.BaseIssue<unknown>, content: unknown): string[] {
  const [item, field] = issue.path ?? [];
  if (item === undefined) return issue.type === "check" ? repeatedIds(content) : [issue.message];
  const place = [rewardAt(content, item.key), field?.key].filter((part) => part !== undefined).join(" ");
  return [`${place}: ${explain(issue)}`];
}

/** Names a reward by its position, counted from 1, for example `reward 3 (hoodie)`. */
function rewardAt(content: unknown, index: unknown): string {
  const id = (content as { id?: unknown }[])[Number(index)]?.id;
  return `reward ${Number(index) + 1}${typeof id === "string" ? ` (${id})` : ""}`;
}

function explain({ type, expected, received, message }: v.BaseIssue<unknown>): string {
  if (type !== "strict_object") return message;
  if (expected === "never") return "Unknown field";
  return received === "undefined" ? "Missing" : message;
}

function repeatedIds(content: unknown): string[] {
  const byId = Map.groupBy((content as Reward[]).keys(), (index) => (content as Reward[])[index]?.id);
  return [...byId]
    .filter(([, indices]) => indices.length > 1)
    .map(([id, indices]) => `rewards ${indices.map((index) => index + 1).join(", ")}: All have the id ${id}`);
}

/** Returns a line for each reward that was added, removed or changed. */
function catalogueChanges(before: readonly Reward[], after: readonly Reward[]): string[] {
  const old = new Map(before.map((reward) => [reward.id, reward]));
  const kept = new Set(after.map(({ id }) => id));
  const lines = after.flatMap((reward) => rewardChanges(old.get(reward.id), reward));
  const removed = before.filter(({ id }) => !kept.has(id)).map(({ id }) => `removed ${id}`);
  return [...lines, ...removed, ...(sameOrder(before, after) ? [] : ["changed the order"])];
}

function rewardChanges(before: Reward | undefined, after: Reward): string[] {
  if (before === undefined) return [`added ${after.id}`];
  const changes = changesBetween(before, after);
  if (changes.length === 0) return [];
  return [`changed ${after.id}`, ...changes.map((change) => `  ${changeLine(change)}`)];
}

/** True if the rewards in both catalogues have the same order. */
function sameOrder(before: readonly Reward[], after: readonly Reward[]): boolean {
  const common = (some: readonly Reward[], others: readonly Reward[]) => {
    const ids = new Set(others.map(({ id }) => id));
    return some.map(({ id }) => id).filter((id) => ids.has(id));
  };
  return common(before, after).join(" ") === common(after, before).join(" ");
}
