import { appendFileSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { percentile } from "./statistics.ts";
import { figure, textTable } from "./text-table.ts";

/** A request that a function made, or its start, which has no end. In milliseconds since the epoch. */
type Span = { what: string; from: number; to?: number };

/** Times of an order in milliseconds since the epoch. */
export type TracedOrder = { begunAt: number; sentAt: number };

const marker = "bench-trace ";

/** Makes the functions of an assembly log their requests. */
export function followFunctions(folder: string): void {
  const follower = readFileSync(join(import.meta.dirname, "trace-function.js"), "utf8");
  for (const file of globSync(join(folder, "asset.*", "index.mjs"))) appendFileSync(file, `\n${follower}`);
}

/** Keeps a line that a followed function has logged. */
export function keepTrace(file: string, { source, line }: { source: string; line: string }): void {
  if (line.includes(marker)) appendFileSync(file, `${source} ${line}\n`);
}

/** Shows what functions did for the order whose broadcast took the median time. */
export function traceTable(file: string, orders: readonly TracedOrder[]): string {
  const timeOf = ({ begunAt, sentAt }: TracedOrder) => sentAt - begunAt;
  const median = percentile(orders.map(timeOf), 50);
  const order = orders.find((each) => timeOf(each) === median);
  if (order === undefined) return "no order was traced";
  const { begunAt, sentAt } = order;
  const rows = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => {
      const [source = ""] = line.split(" ", 1);
      const { message } = JSON.parse(line.slice(source.length + 1)) as { message: string };
      const [, name = source] = /-([a-zA-Z]+)Function\w+$/.exec(source) ?? [];
      return { name, ...(JSON.parse(message.slice(marker.length)) as Span) };
    })
    .filter(({ from }) => from >= begunAt && from <= sentAt)
    .toSorted((a, b) => a.from - b.from)
    .map(({ name, what, from, to }) => [
      `${name} ${what}`,
      figure(from - begunAt),
      to === undefined ? "" : figure(to - begunAt),
      to === undefined ? "" : figure(to - from),
    ]);
  return textTable([`the order broadcast after ${figure(median)} ms`, "from ms", "to", "took"], rows);
}
