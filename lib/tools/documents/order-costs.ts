import { evmChains } from "../../core/chain-facts.ts";
import type { OperationName } from "../../operations/operations.ts";
import { dollarsOfUnits, hostPrices, unitsOf, watchedOrders } from "./host-units.ts";
import {
  laneBytes,
  logKilobytes,
  type OrderRuns,
  prices,
  runs,
  runsOfApproval,
  runsOfBuy,
  runsOfSolBuy,
  runWithoutNews,
  solBuy,
} from "./price-table.ts";
import {
  dollars,
  type Functions,
  grouped,
  lambdaCost,
  million,
  monthly,
  monthMinutes,
  monthSeconds,
  perMillion,
  readBytes,
  runCost,
  sum,
  table,
} from "./run-costs.ts";

/** Computes the cost of a million runs of a function for an order, including the runs that follow from them. */
export function orderRunCost({ name, count, run = runs[name] }: OrderRuns, functions: Functions): number {
  const request = perMillion.restRequests + logKilobytes * prices.logGigabyte;
  const others: Partial<Record<OperationName, number>> = {
    placeOrder: request + lambdaCost("authorize", functions) * million,
    publishChanges: perMillion.streamMessages + perMillion.reads,
  };
  const { keyCalls = 0 } = run;
  return (
    count * (runCost(name, functions, run) * million + keyCalls * perMillion.keyCalls + (others[name] ?? 0))
  );
}

/** Number of times that readChains reads base until an order's outcome is final: once per second. */
const looksOfBuy = watchedOrders.lifeSeconds;

/** Computes the cost of a million orders on base, from placing until their outcomes are final. */
export function buyCosts(functions: Functions): { cells: [string, string]; cost: number }[] {
  const reads = looksOfBuy * (laneBytes / readBytes);
  return [
    ...runsOfBuy.map((each) => {
      const { name, purpose, count } = each;
      const cells: [string, string] = [purpose === undefined ? name : `${name}: ${purpose}`, `${count}`];
      return { cells, cost: orderRunCost(each, functions) };
    }),
    { cells: ["readChains: reads of the waiting order", ""], cost: reads * perMillion.reads },
  ];
}

export function orderTable(functions: Functions): string[] {
  const parts = buyCosts(functions);
  const approval = runsOfApproval.reduce((before, each) => before + orderRunCost(each, functions), 0);
  return table(
    ["Function", "Runs", "A million buys on base"],
    parts.map(({ cells, cost }) => [...cells, dollars(cost)]),
    ["**Total, about**", "", `**$${Math.round(sum(parts))}**`],
  ).concat("", `A sale that needs an approval costs $${Math.round(approval)} a million more.`);
}

/** Compares a buy on sol with a buy on base. For sol, only write units and calls were measured. */
export function solPart(functions: Functions): string[] {
  const total = (of: (run: (typeof runsOfSolBuy)[number]) => number) =>
    runsOfSolBuy.reduce((before, run) => before + of(run), 0);
  const [writes, onBase] = [total((run) => run.writes), total((run) => run.onBase)];
  const saved = (onBase - writes) * perMillion.writes;
  const attempt = [
    { name: "executeOrders", writes: solBuy.executeOrders.swap.writes },
    { name: "signTransaction", writes: solBuy.signTransaction.writes },
  ] as const;
  const attemptCost = attempt.reduce(
    (before, { name, writes: units }) =>
      before + orderRunCost({ name, count: 1, run: { ...runs[name], writes: units } }, functions),
    0,
  );
  const { reads = 0, writes: lookWrites = 0 } = runs.readChains;
  // Divides by four, because the usage of readChains is given for the four EVM chains together.
  const looks =
    (monthMinutes / evmChains.length) * (reads * perMillion.reads + lookWrites * perMillion.writes);
  return [
    ...table(
      ["Function", "Write units of a buy", "On base", "Calls to two hosts"],
      runsOfSolBuy.map((run) => [
        "purpose" in run ? `${run.name}: ${run.purpose}` : run.name,
        ...[run.writes, run.onBase, run.calls].map((count) => `${count}`),
      ]),
      ["**Total**", ...[writes, onBase, total((run) => run.calls)].map((count) => `**${count}**`)],
    ),
    "",
    `- So a million buys on sol cost ${dollars(saved)} less in writes than on base; durations and reads are assumed to be the same, but outcomes are final after seconds, so readChains reads an order for a shorter time.`,
    `- Until a block has a message, it is sent again every two seconds: each time is a run of executeOrders with at least ${solBuy.executeOrders.nothingNew.calls} calls, ${dollars(orderRunCost(runWithoutNews, functions))} a million on AWS.`,
    `- Each further attempt, and a cancellation after the first, signs again: ${dollars(attemptCost)} a million.`,
    `- As a fifth chain, sol adds at most ${dollars(looks / million)} to what readChains costs in a month.`,
    "- Each call is a request of its own, which AWS does not bill and hosts do, by their own weights.",
    `- The metrics of [messages that land](operations.md#messages-that-land-on-sol) cost up to ${dollars(monthly.metric)} a month for each of two and each path, only for hours with settled orders.`,
    "- [Fees and rents](trading.md#costs-on-sol) are paid by the user's wallet.",
  ];
}

/** Calls that sweepLanes makes for its check, one to each of two hosts. */
const checkOfHosts = ["eth_getBlockByNumber", "eth_getBlockByNumber"];

/** Computes what hosts charge for orders, for quotes and for reading the newest blocks of the chains. */
export function hostTable(functions: Functions): string[] {
  const { lanes, lifeSeconds, eth, base } = watchedOrders;
  const chains = [eth, base];
  const row = (name: string, cellOf: (chain: (typeof chains)[number]) => string) => [
    name,
    ...chains.map(cellOf),
  ];
  const ordersPerMonth = (lanes / lifeSeconds) * monthSeconds;
  const times = (million * dollarsOfUnits(base.units)) / sum(buyCosts(functions));
  const millionsOf = (units: number) => `$${Math.round(million * dollarsOfUnits(units))}`;
  return [
    `Hosts are the largest cost of an order: on base, ${times.toFixed(0)} times that of AWS.`,
    "",
    ...table(
      ["Hosts of a chain", "eth", "base"],
      [
        row("Requests for a buy", ({ requests }) => requests.toFixed(0)),
        row("Units for a buy", ({ units }) => grouped(units)),
        row("A million buys", ({ units }) => millionsOf(units)),
        row("A million quotes, by one host", ({ quoteUnits }) => millionsOf(quoteUnits)),
        row("A month of the sweep's checks", () =>
          dollars(monthMinutes * dollarsOfUnits(unitsOf(checkOfHosts))),
        ),
        row("A month of looks", ({ lookUnits }) => dollars(ordersPerMonth * dollarsOfUnits(lookUnits))),
      ],
    ),
    "",
    `- Units are those of [${hostPrices.provider}'s price list](${hostPrices.source}) of ${hostPrices.readOn}, at an assumed price of $${hostPrices.perMillionUnits.toFixed(2)} a million.`,
    "  Other providers have other weights, or bill requests.",
    `- \`npm run bench:watch\` counts them in virtual time, with ${grouped(lanes)} orders that wait for final blocks 20 to 26 minutes old; [benchmarks.md](benchmarks.md#orders) has the parts.`,
    "- The sweep checks two hosts of each chain each minute, also without orders.",
    "- The reader and the sweep look at a chain while orders wait there, once for all of them; a buy includes its share.",
    "- Not included are approvals, fee increases, orders that wait for a price, repetitions after a host's failure, readBalances and inspectToken.",
    "  bsc and avax were not counted, and of sol only [its calls](#on-sol).",
  ];
}
