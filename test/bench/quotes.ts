/**
 * `npm run bench:quotes` counts what users with an open form cost in units of hosts, in virtual time: with quotes by
 * the clock and on change, and with 1, 5 and 20 containers that remember what two hosts agree on.
 */
import { parseArgs } from "node:util";
import { type LoadOptions, loadOfQuotes } from "./quote-load.ts";
import { quoteShape } from "./quote-shapes.ts";
import { figure, textTable } from "./text-table.ts";

const { values } = parseArgs({ options: { users: { type: "string", default: "40" } } });
const users = Number(values.users);

const rows: [string, Pick<LoadOptions, "asks" | "containers" | "remembers">][] = [
  ["each 2 s", { asks: 2000, containers: 1, remembers: false }],
  ["each 4 s", { asks: 4000, containers: 1, remembers: false }],
  ["on change", { asks: "on change", containers: 1, remembers: false }],
  ...[20, 5, 1].map((containers): [string, (typeof rows)[number][1]] => [
    `on change, remembered in ${containers}`,
    { asks: "on change", containers, remembers: true },
  ]),
];

console.log(`${users} users`);
for (const chain of ["eth", "base"] as const) {
  const shape = await quoteShape(chain);
  const loads = [];
  for (const [name, options] of rows)
    loads.push({ name, ...(await loadOfQuotes({ chain, users, shape, ...options })) });
  const whole = loads[0]?.units ?? 0;
  console.log(
    `\n${chain}\n${textTable(
      ["a user with an open form, in a minute", "quotes", "units of each", "units", "of the first"],
      loads.map(({ name, quotes, units }) => [
        name,
        ...[quotes, units / quotes, units, units / whole].map(figure),
      ]),
    )}`,
  );
}
