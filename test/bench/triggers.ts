/**
 * `npm run bench:triggers` measures resting orders. `--only` names some of its parts:
 * - `units` counts the units of hosts of a look at prices and of an order that is handed over, on local chains.
 * - `month` adds up a month of the watch over 100 and over 2,000 tokens, from an hour in virtual time.
 * - `load` measures memory and processor time of a run that watches 10,000 orders in DynamoDB Local.
 * - `crash` counts how many of 1,000 stops sell in a crash, by the rules of the watcher and of fireOrders, in virtual
 *   time.
 * - `firing` measures the time from a moved price to the broadcast of a limit's child, next to that of market orders on
 * the same runner, and counts the units of both. `--rounds` sets the number of both.
 * - `exits` measures the time from the block of a buy until its exits rest, on chains with the blocks of eth, base and
 *   sol, with the waits of a deployment. `--rounds` sets the number of buys.
 * - `crowd` measures memory and processor time of a run that watches 10,000 stops of one token, while their price is far
 *   and while it is reached.
 */
import { parseArgs } from "node:util";
import { chainFacts, tradingChains } from "../../lib/core/chain-facts.ts";
import { prices } from "../../lib/tools/documents/assumptions.ts";
import { dollarsOfUnits } from "../../lib/tools/documents/host-units.ts";
import { exitChains, exitWaits } from "./exit-latency.ts";
import { machine } from "./report.ts";
import { percentile } from "./statistics.ts";
import { stopsInACrash } from "./stops-in-a-crash.ts";
import { figure, textTable } from "./text-table.ts";
import { triggerLatency } from "./trigger-latency.ts";
import { triggerLoad } from "./trigger-load.ts";
import { looksInMonth, unitsOfSolLook, unitsOfTokens } from "./trigger-month.ts";
import { triggerUnits } from "./trigger-units.ts";

/** Planned figures: units of a look, dollars of hosts for a firing, and dollars of a month by tokens. */
const planned = { look: 60, firing: 0.0009, month: { 100: 180, 2000: 440 } };

async function printUnits() {
  for (const chain of ["eth", "base", "bsc", "avax"] as const) {
    const units = await triggerUnits(chain);
    console.log(
      `\n${chain}\n${textTable(
        ["units of hosts", "once", "of the planned"],
        [
          ["a look at the pools of a few tokens", figure(units.look), figure(units.look / planned.look)],
          ["quote of a token that comes near", figure(units.quotedLook - units.look), ""],
          ["a limit alone", figure(units.limit[0]), ""],
          ["a limit, one of 48 of other amounts", figure(units.limit[1]), ""],
          ["a stop alone", figure(units.stop[0]), ""],
          ["a stop, one of 48 of other amounts", figure(units.stop[1]), ""],
        ],
      )}`,
    );
  }
}

/** Parts of a month in dollars, for this many tokens on five chains. */
async function monthOf(tokens: number, orders: number, busy: number) {
  const each = tokens / tradingChains.length;
  const evm = await unitsOfTokens(each, busy / tradingChains.length);
  const solLook = await unitsOfSolLook(each);
  const looks = tradingChains.map(
    (chain) => looksInMonth(chain, each) * (chain === "sol" ? solLook : evm.look),
  );
  // On sol, quotes are computed from the last look.
  const quotes = (tradingChains.length - 1) * 30 * 24 * evm.quotesInHour;
  const readSeconds = orders >= 5000 ? 5 : 2;
  const readUnits = Math.max(40, orders * unitsOfRow);
  const parts = {
    looks: dollarsOfUnits(looks.reduce((sum, units) => sum + units, 0)),
    quotes: dollarsOfUnits(quotes),
    run: 0.5 * 30 * 86_400 * prices.gigabyteSecond,
    rows: ((30 * 86_400) / readSeconds) * readUnits * (prices.perMillion.reads / 1_000_000),
  };
  return { ...parts, total: Object.values(parts).reduce((sum, part) => sum + part, 0) };
}

/** Units of the table to read a row, as the part load measures. */
const unitsOfRow = 0.1;

async function printMonth() {
  const months = [
    { tokens: 100, orders: 500, busy: 40 },
    { tokens: 2000, orders: 10_000, busy: 100 },
  ] as const;
  const rows = [];
  for (const { tokens, orders, busy } of months) {
    const { looks, quotes, run, rows: read, total } = await monthOf(tokens, orders, busy);
    const ratio = total / planned.month[tokens];
    rows.push([
      `${tokens}, ${busy} of them each minute`,
      ...[looks, quotes, run, read, total, ratio].map(figure),
    ]);
  }
  console.log(
    `\ndollars of a month; the other tokens are traded every ten minutes\n${textTable(
      ["tokens", "looks", "quotes", "run", "rows", "sum", "of the planned"],
      rows,
    )}`,
  );
}

async function printLoad() {
  const { ofSecond, ofLook, memoryMB, faults, readUnits } = await triggerLoad(10_000, 2000, 60);
  console.log(
    `\n10,000 orders of 2,000 tokens on one chain\n${textTable(
      ["", ""],
      [
        ["processor time of a second, ms, of 290 that 512 MB have", figure(ofSecond)],
        ["processor time for each look, ms", figure(ofLook)],
        ["memory, MB", figure(memoryMB)],
        ["units of the table for a reading of all rows", figure(readUnits)],
        ["faults", figure(faults)],
      ],
    )}`,
  );
}

function printCrash() {
  const crashes = [20n, 200n, 2000n].map((depth) => {
    const options = { stops: 1000, users: 250, depth, fall: 15n, blockSeconds: 2 };
    // Ten crashes of the smallest pool, because each lets only about 20 stops sell.
    const seeds = Array.from({ length: depth === 20n ? 10 : 3 }, (_, index) => index + 1);
    return { depth, reports: seeds.map((seed) => stopsInACrash({ ...options, seed })) };
  });
  const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
  console.log(
    `\n1,000 stops of 250 users after a fall by 15 %, a block each 2 s\n${textTable(
      [
        "coins",
        "crashes",
        "sold",
        "of possible",
        "coins",
        "of possible",
        "left",
        "waves",
        "longest, s",
        "failed",
      ],
      crashes.map(({ depth, reports }) => {
        const sold = sumOf(reports.map(({ filled }) => filled.count));
        const coins = sumOf(reports.map(({ filled }) => filled.coins));
        return [
          `${depth}`,
          ...[
            reports.length,
            sold,
            sold / sumOf(reports.map(({ possible }) => possible.count)),
            coins,
            coins / sumOf(reports.map(({ possible }) => possible.coins)),
            sumOf(reports.map(({ left }) => left)),
            sumOf(reports.map(({ waves }) => waves)),
            Math.max(...reports.map(({ seconds }) => seconds)),
            sumOf(reports.map(({ failed }) => failed)),
          ].map(figure),
        ];
      }),
    )}`,
  );
}

async function printCrowd() {
  const orders = 10_000;
  const rows = [];
  for (const isReached of [false, true]) {
    const { ofSecond, memoryMB, heapMB, handedOver, faults } = await triggerLoad(orders, 1, 60, isReached);
    rows.push([
      isReached ? "reached" : "far",
      ...[ofSecond, memoryMB, heapMB, handedOver, faults].map(figure),
    ]);
  }
  console.log(
    `\n${orders} stops of one token on one chain\n${textTable(
      [
        "price",
        "processor, ms a second of 290",
        "memory, MB of 512",
        "heap, MB",
        "handed over a second",
        "faults",
      ],
      rows,
    )}`,
  );
}

async function printExits() {
  const rows = [];
  for (const chain of exitChains) {
    const blockMs = 1000 * chainFacts[chain].blockSeconds;
    const mostMs = 2 * blockMs + 4000;
    const waits = await exitWaits(chain, rounds);
    const [half, most, longest] = [50, 95, 100].map((percent) => percentile(waits, percent)) as [
      number,
      number,
      number,
    ];
    rows.push([
      chain,
      ...[waits.length, half / 1000, most / 1000, longest / 1000, mostMs / 1000].map(figure),
      ...[half / blockMs, longest / mostMs].map(figure),
    ]);
  }
  console.log(
    `\nfrom the block of a buy until its exits rest\n${textTable(
      ["chain", "buys", "p50, s", "p95", "most", "limit", "p50, in blocks", "most, of the limit"],
      rows,
    )}`,
  );
}

async function printFiring() {
  const { fromMove, fromAnswer, units } = await triggerLatency(rounds);
  const spread = (values: readonly number[]) => [50, 95].map((percent) => percentile(values, percent));
  const [moved, answered] = [spread(fromMove), spread(fromAnswer)];
  const dollars = dollarsOfUnits(units.limit);
  console.log(
    `\n${rounds} orders each, on eth, where a look follows each 2 s\n${textTable(
      ["from, to", "p50", "p95"],
      [
        ["a moved price to the broadcast of a limit's child, ms", ...moved.map(figure)],
        ["the answer to a market order to its broadcast, ms", ...answered.map(figure)],
        [
          "the first beyond one look, at p95 two, as a multiple of the second",
          ...moved.map((ms, index) => figure((ms - 2000 * (index + 1)) / (answered[index] as number))),
        ],
      ],
    )}

units of a market order, and of a limit that fires, until settled: ${figure(units.market)}, ${figure(units.limit)}
dollars of the limit, and of the planned: ${dollars.toFixed(5)}, ${figure(dollars / planned.firing)}`,
  );
}

const parts = {
  units: printUnits,
  month: printMonth,
  load: printLoad,
  crash: printCrash,
  firing: printFiring,
  exits: printExits,
  crowd: printCrowd,
};

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "20" },
    only: { type: "string", multiple: true, default: Object.keys(parts) },
  },
});
const rounds = Number(values.rounds);

console.log(machine());
for (const [name, print] of Object.entries(parts)) if (values.only.includes(name)) await print();
