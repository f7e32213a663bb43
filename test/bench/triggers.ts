/**
 * `npm run bench:triggers` measures resting orders: the units of hosts of a look at prices and of an order that is
 * handed over, on local chains; and how many of 1,000 stops sell in a crash, at three depths of the pool, by the rules
 * of the watcher and of fireOrders, in virtual time; and the time from a moved price to the broadcast of a limit's child,
 * beside that of market orders on the same runner. `--rounds` sets the number of both.
 */
import { parseArgs } from "node:util";
import { stopsInACrash } from "./stops-in-a-crash.ts";
import { figure, textTable } from "./text-table.ts";
import { triggerLatency } from "./trigger-latency.ts";
import { looksInMonth, triggerUnits } from "./trigger-units.ts";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "10" } } });
const rounds = Number(values.rounds);

for (const chain of ["eth", "base", "bsc", "avax"] as const) {
  const units = await triggerUnits(chain);
  const month = units.look * looksInMonth(chain);
  const quote = units.quotedLook - units.look;
  console.log(
    `\n${chain}\n${textTable(
      ["units of hosts", "once", "in a month"],
      [
        [`looks at the pools of up to 300 tokens`, figure(units.look), figure(month)],
        ["quote of a token that comes near", figure(quote), ""],
        ["a limit, first of a run", figure(units.limit[0]), ""],
        ["a limit, each other one", figure(units.limit[1]), ""],
        ["a stop, first of a run", figure(units.stop[0]), ""],
        ["a stop, each other one", figure(units.stop[1]), ""],
      ],
    )}`,
  );
}

const crashes = [20n, 200n, 2000n].map((depth) => {
  const options = { stops: 1000, users: 250, depth, fall: 15n, blockSeconds: 2 };
  return { depth, reports: [1, 2, 3].map((seed) => stopsInACrash({ ...options, seed })) };
});
const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
console.log(
  `\n1,000 stops of 250 users after a fall by 15 %, three crashes, a block each 2 s\n${textTable(
    ["coins in the pool", "sold", "possible", "coins", "possible", "waves", "longest, s", "failed"],
    crashes.map(({ depth, reports }) => [
      `${depth}`,
      ...[
        sumOf(reports.map(({ filled }) => filled.count)),
        sumOf(reports.map(({ possible }) => possible.count)),
        sumOf(reports.map(({ filled }) => filled.coins)),
        sumOf(reports.map(({ possible }) => possible.coins)),
        sumOf(reports.map(({ waves }) => waves)),
        Math.max(...reports.map(({ seconds }) => seconds)),
        sumOf(reports.map(({ failed }) => failed)),
      ].map(figure),
    ]),
  )}`,
);

const { fromMove, fromAnswer } = await triggerLatency(rounds);
console.log(
  `\n${rounds} orders each, on eth\n${textTable(
    ["from, to", "p50 ms"],
    [
      ["a moved price to the broadcast of a limit's child", figure(fromMove)],
      ["the answer to a market order to its broadcast", figure(fromAnswer)],
      [
        "the first, beyond a look of 2 s, as a multiple of the second",
        figure((fromMove - 2000) / fromAnswer),
      ],
    ],
  )}`,
);
