/**
 * `npm run bench:quotes` counts what users with an open form cost in units of hosts, in virtual time: with quotes by
 * the clock and on change.
 */
import { parseArgs } from "node:util";
import { type LoadOptions, loadOfQuotes } from "./quote-load.ts";
import { quoteShape } from "./quote-shapes.ts";
import { figure, textTable } from "./text-table.ts";

const { values } = parseArgs({ options: { users: { type: "string", default: "40" } } });
const users = Number(values.users);

const rows: [string, LoadOptions["asks"]][] = [
  ["each 2 s", 2000],
  ["each 4 s", 4000],
  ["on change", "on change"],
];

console.log(`${users} users`);
for (const chain of ["eth", "base"] as const) {
  const shape = await quoteShape(chain);
  const loads = [];
  for (const [name, asks] of rows)
    loads.push({ name, ...(await loadOfQuotes({ chain, users, shape, asks })) });
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
