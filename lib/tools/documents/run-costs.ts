import { type OperationName, operations } from "../../operations/operations.ts";
import type { Operation } from "../../operations/types.ts";
import type { knownResources } from "./billed-resources.ts";
import { prices, type Run, runs } from "./price-table.ts";

export const { perMillion, monthly } = prices;
export const million = 1_000_000;
export const monthHours = 30 * 24;
export const monthMinutes = monthHours * 60;
export const monthSeconds = monthMinutes * 60;

export type Cost = { item: string; calculation: string; cost: number };

export type Functions = Partial<
  Record<OperationName, { gigabytes: number; enabled: boolean; shards: number }>
>;

/** Lists the templates' functions by row, and whether their schedules are enabled. */
export function functionsIn(resources: ReturnType<typeof knownResources>): Functions {
  const rules = resources.filter(({ resource }) => resource.Type === "AWS::Events::Rule");
  return Object.fromEntries(
    resources
      .filter(({ resource }) => resource.Type === "AWS::Lambda::Function")
      .map(({ id, resource: { Properties = {} } }) => {
        const rule = rules.find(({ resource }) => JSON.stringify(resource.Properties).includes(`"${id}"`));
        const { Variables } = (Properties.Environment ?? {}) as { Variables?: Record<string, unknown> };
        const entry = {
          gigabytes: Math.round((Number(Properties.MemorySize) / 1024) * 100) / 100,
          enabled: rule?.resource.Properties?.State === "ENABLED",
          shards: Number(Variables?.CHANNEL_SHARDS ?? 0),
        };
        return [id.replace(/Function[0-9A-F]{8}$/, ""), entry];
      }),
  );
}

/** Lists the functions of all rows, even if they are not deployed. */
export function functionsOfRows(): Functions {
  const rows = Object.entries<Operation>(operations);
  return Object.fromEntries(
    rows.map(([name, { memoryMB }]) => [
      name,
      { gigabytes: Math.round((memoryMB / 1024) * 100) / 100, enabled: false, shards: 0 },
    ]),
  );
}

export const sum = (costs: readonly { cost: number }[]) => costs.reduce((total, { cost }) => total + cost, 0);

export const dollars = (amount: number) => `$${amount.toFixed(2)}`;

export const grouped = (count: number) => count.toLocaleString("en-US");

export const timeCost = (gigabytes: number, ms: number) => gigabytes * (ms / 1000) * prices.gigabyteSecond;

/** Bytes that one read unit covers. */
export const readBytes = 4096;

export const tableCost = ({ reads = 0, writes = 0 }: { reads?: number; writes?: number }) =>
  (reads * perMillion.reads + writes * perMillion.writes) / million;

export const lambdaCost = (name: OperationName, functions: Functions, { ms }: Run = runs[name]) =>
  perMillion.functionRuns / million + timeCost(functions[name]?.gigabytes ?? 0, ms);

/** Computes the cost of one run of a function, including its calls to the table. */
export const runCost = (name: OperationName, functions: Functions, run: Run = runs[name]) =>
  lambdaCost(name, functions, run) + tableCost(run);

export const rowOf = ({ item, calculation, cost }: Cost) => [item, calculation, dollars(cost)];

export const table = (head: string[], rows: string[][], last?: string[]) =>
  [head, head.map(() => "---"), ...rows, ...(last ? [last] : [])].map((cells) => `| ${cells.join(" | ")} |`);
