import { type Chart, chart, type Figure } from "./chart.ts";

/** A chart of a table in a page. */
type Plot = Omit<Chart, "rows"> & {
  page: string;
  /** Beginning of the table's first line. */
  head: string;
  /** Unit of all figures, as their cells write it. */
  unit?: string;
  /** Makes rows of the chart of a row of the table. */
  rowsOf: (...cells: string[]) => { name: string; cells: string[] }[];
};

const benchmarks = "docs/benchmarks.md";

const plots: Record<string, Plot> = {
  requests: {
    page: benchmarks,
    head: "| Operation | At once | Runner |",
    title: "Time of a request, on the local runner and in one process",
    axis: "median in milliseconds, on a logarithmic axis",
    isLogarithmic: true,
    series: ["runner", "one box"],
    unit: "ms",
    rowsOf: (operation, atOnce, _rate, _boxRate, _ratio, p50, boxP50) => [
      { name: `${operation}, ${atOnce} at once`, cells: [p50, boxP50] },
    ],
  },
  "cold-starts": {
    page: benchmarks,
    head: "| To the first answer | Load |",
    title: "Processor time from a cold start to the first answer",
    axis: "milliseconds",
    isLogarithmic: false,
    series: ["measured, on a whole processor", "estimated, with the share that Lambda gives"],
    unit: "ms",
    rowsOf: (name, _load, _call, sum, _ratio, onLambda) => [{ name, cells: [sum, onLambda] }],
  },
  orders: {
    page: benchmarks,
    head: "| p50 of orders, from the request |",
    title: "Time of an order, and of one process that signs and sends",
    axis: "median in milliseconds",
    isLogarithmic: false,
    series: ["order", "one process"],
    unit: "ms",
    rowsOf: (name, eth, ethAlone, _ratio, sol, solAlone) => [
      { name: `eth, ${name}`, cells: [eth, ethAlone] },
      { name: `sol, ${name}`, cells: [sol, solAlone] },
    ],
  },
  limits: {
    page: "docs/scale.md",
    head: "| Users | Limit |",
    title: "Users at which each limit is reached",
    axis: "users, on a logarithmic axis",
    isLogarithmic: true,
    series: ["users"],
    rowsOf: (users, name) => [{ name, cells: [users] }],
  },
  costs: {
    page: "docs/costs.md",
    head: "| Users | AWS, no trading |",
    title: "Costs of a month, by the number of users",
    axis: "dollars a month, on a logarithmic axis",
    isLogarithmic: true,
    series: ["AWS, no trading", "AWS, trading and markets", "hosts, trading and markets"],
    rowsOf: (users, aws, _trading, _hosts, awsOfMarkets, hostsOfMarkets) => [
      { name: `${users} users`, cells: [aws, awsOfMarkets, hostsOfMarkets] },
    ],
  },
};

/** Draws each plot from the table of its page, by the path of its file. */
export const plotFiles = (read: (path: string) => string): { path: string; text: string }[] =>
  Object.entries(plots).map(([name, { page, head, unit, rowsOf, ...rest }]) => ({
    path: `docs/pictures/${name}.svg`,
    text: chart({
      ...rest,
      rows: tableOf(read(page), head)
        .flatMap((cells) => rowsOf(...cells))
        .map(({ name, cells }) => ({ name, figures: cells.map((cell) => figureOf(cell, unit)) })),
    }),
  }));

/** @throws {Error} if the page has no such table, or several */
function tableOf(page: string, head: string): string[][] {
  const [, table, ...others] = page.split(`\n${head}`);
  if (table === undefined || others.length > 0) throw new Error(`A page must have one table ${head}`);
  const [rows = ""] = table.split("\n\n");
  return rows
    .split("\n")
    .slice(2)
    .map((row) =>
      row
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

const factors: Record<string, number> = { k: 1e3, M: 1e6 };

/**
 * Reads a figure such as 1,200, $38, 86k or 12 ms. An empty cell has none.
 *
 * @throws {Error} if it has another unit than the others of its plot
 */
function figureOf(text: string, unit = ""): Figure | undefined {
  if (text === "") return undefined;
  const [, digits, factor = "", written = ""] = /^\$?([\d.,]+)([kM]?) ?(.*)$/.exec(text) ?? [];
  if (digits === undefined || written.split(" ")[0] !== unit)
    throw new Error(`A plot needs a figure in ${unit || "no unit"}, not ${text}`);
  return { text, value: Number(digits.replaceAll(",", "")) * (factors[factor] ?? 1) };
}
