import { evmChains } from "../../core/chain-facts.ts";
import { defaults } from "../../infra/config.ts";
import { defaultChannelShards } from "../../infra/market-context.ts";
import { mostHistoryCalls } from "../../markets/evm/read-history.ts";
import { type OperationName, operations, operationsOf } from "../../operations/operations.ts";
import type { Operation } from "../../operations/types.ts";
import { atRest, type CostTemplate, knownResources } from "./billed-resources.ts";
import { dollarsOfUnits, followedMarkets, hostPrices, unitsOf, watchedOrders } from "./host-units.ts";
import {
  deliveryMs,
  followedTokens,
  idleRuns,
  laneBytes,
  logKilobytes,
  needlessReaders,
  type OrderRuns,
  priceMessageBytes,
  prices,
  type Run,
  readToken,
  runs,
  runsOfApproval,
  runsOfBuy,
  runsOfSolBuy,
  runWithoutNews,
  solBuy,
  subscriberBytes,
  usage,
} from "./price-table.ts";

const { perMillion, monthly } = prices;
const million = 1_000_000;
const monthHours = 30 * 24;
const monthMinutes = monthHours * 60;
const monthSeconds = monthMinutes * 60;

/**
 * Makes docs/costs.md: the costs of the synthesized templates, at rest and in use.
 *
 * @param trading the templates with trading on four chains.
 * @throws Error if it is not known whether AWS bills a resource
 */
export function costsPage(templates: readonly CostTemplate[], trading: readonly CostTemplate[]): string {
  const resources = knownResources(templates);
  const deployed = functionsIn(resources);
  const functions = { ...functionsOfRows(), ...deployed };
  const fixed = fixedCosts(resources);
  const scheduled = scheduledCosts(functions);
  const total = sum([...fixed, ...scheduled]);
  const count = (type: string) => resources.filter(({ resource }) => resource.Type === type).length;
  return [
    "# Costs",
    "",
    "Generated from the synthesized stacks by `npm run documents`.",
    "Do not edit this page.",
    "",
    `These are list prices of ${prices.region} as of ${prices.asOf}, without free tiers and for months of 30 days.`,
    "Prices, durations and calls are in [price-table.ts](../lib/tools/documents/price-table.ts).",
    "The durations are estimates, so check a real bill before you plan a budget.",
    "",
    "## A month",
    "",
    ...monthTable(templates, trading),
    "",
    `- A user has a connection with prices for ${usage.hours} hours, sends ${grouped(usage.requests)} requests like getUserData, and with trading on four chains places ${usage.orders} buys on base.`,
    `  As soon as there are users, somebody subscribes and an order waits at all times, and with trading ${followedTokens} tokens are followed.`,
    "- Not included are RPC [hosts](#hosts), which cost more than AWS, gas, taxes, support plans, free tiers, mails, the firewall, storage of the table and of logs, and metrics of failures.",
    "",
    "## At rest",
    "",
    ...table(["Item", "Calculation", "A month"], [...fixed, ...scheduled].map(rowOf), [
      "**Total, about**",
      "",
      `**$${Math.round(total)}**`,
    ]),
    "",
    "- A key costs $1 more after each of its first two rotations.",
    "- Prices cost nothing while nobody subscribes to them.",
    `- The table costs ${dollars(monthly.storedGigabyte)} for each GB, and ${dollars(monthly.backedUpGigabyte)} for its point-in-time recovery.`,
    `- Logs cost ${dollars(monthly.storedLogGigabyte)} for each GB, and are kept for a month.`,
    ...(count("AWS::Cognito::UserPool") > 0
      ? [`- A user pool costs $${monthly.poolUser} for each user who signs in during a month.`]
      : []),
    ...tradingAtRest(functions, deployed),
    `- A metric of failures costs up to ${dollars(monthly.metric)} a month, only for hours with failures.`,
    "",
    "## A million of each operation",
    "",
    ...table(
      ["Operation", "API Gateway", "Lambda", "Table", "KMS", "Logs", "Total"],
      (Object.keys(operations) as OperationName[]).flatMap((name) => millionOf(name, functions) ?? []),
    ),
    "",
    "- The column Lambda includes the authorizer, and publishChanges for what is published.",
    "- A change of settings and a recorded order or position include one push to one connection.",
    "- Each process of an authorizer caches a user for a minute: with few processes, most runs read nothing.",
    "  With many, most runs read the table once, $0.13 a million.",
    "- Connections cost $0.25 for a million minutes.",
    `- At the edge, a request costs ${dollars(perMillion.edgeRequests)} a million more, and a GB sent ${dollars(prices.edgeGigabyte)}; without it (context \`edge\`), API Gateway sends for about the same.`,
    `- Its firewall (context \`firewall\`) costs ${dollars(monthly.webAcl)} a month, and ${dollars(perMillion.firewallRequests)} a million requests.`,
    `- These functions exist only with trading, and RPC hosts charge separately: ${tradingRequests.join(", ")}.`,
    "",
    "## A million orders",
    "",
    ...orderTable(functions),
    "",
    `- Each check of an order that waits to be sent takes one more run of executeOrders, ${dollars(orderRunCost(runWithoutNews, functions))} a million.`,
    "  Each fee increase takes a run that signs.",
    "- Each change that the user sees includes one push to one connection.",
    "- A test counts the write units; durations and reads are estimates.",
    "- Not included are gas, which the user's wallet pays, the runs at rest, and hosts.",
    "",
    "### On sol",
    "",
    ...solPart(functions),
    "",
    "### Hosts",
    "",
    ...hostTable(functions),
    "",
    "## A thousand clients on prices for a month",
    "",
    ...clientTable(functions),
    "",
    "- The interval is `pricesEverySeconds`; a message counts as up to 32 KB.",
    `- With all five prices, it has ${priceMessageBytes} bytes; it has fewer if some have not changed.`,
    "  The bytes of frames, TLS and TCP around it are not included.",
    "- API Gateway's account quota of 10,000 requests a second includes every push.",
    "  Ask AWS to raise it before you have that many clients on prices.",
    "",
    "## Markets of tokens for a month",
    "",
    ...marketPart(functions),
    "",
    "## API keys and usage plans",
    "",
    "Keys and plans are free.",
    `mirrorPlans costs ${dollars(10_000 * runCost("mirrorPlans", functions))} for 10,000 new users.`,
    `For 10,000 active users, freeIdleKeys reads twice for each of them every day: ${dollars(600_000 * (perMillion.reads / million))} a month.`,
    "A referred user costs three more write units than another one.",
    "",
  ].join("\n");
}

type Cost = { item: string; calculation: string; cost: number };

type Functions = Partial<Record<OperationName, { gigabytes: number; enabled: boolean; shards: number }>>;

/** Lists the functions of the templates by row, and whether their schedule is enabled. */
function functionsIn(resources: ReturnType<typeof knownResources>): Functions {
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

/** Lists the functions of rows that may not be deployed. */
function functionsOfRows(): Functions {
  const rows = Object.entries<Operation>(operations);
  return Object.fromEntries(
    rows.map(([name, { memoryMB }]) => [
      name,
      { gigabytes: Math.round((memoryMB / 1024) * 100) / 100, enabled: false, shards: 0 },
    ]),
  );
}

const withTrading = ({ deployed }: Operation) => deployed === "with trading";

const tradingRequests = operationsOf("rest").flatMap(([name, row]) =>
  withTrading(row) || row.deployed === "with markets" ? [name] : [],
);

/** Describes the costs at rest that trading adds where it is not deployed. */
function tradingAtRest(functions: Functions, deployed: Functions): string[] {
  const missing = operationsOf("schedule").filter(([name, row]) => withTrading(row) && !deployed[name]);
  const cost = missing.reduce(
    (total, [name, { everyMinutes }]) => total + (monthMinutes / everyMinutes) * runCost(name, functions),
    0,
  );
  const names = missing.map(([name]) => name).join(" and ");
  // The endpoint of KMS has an address in each of two subnets.
  const walls = 2 * monthly.endpointAddress;
  return missing.length === 0
    ? []
    : [
        `- With trading on four chains, ${names} cost up to ${dollars(cost)} a month, without [hosts](#hosts) and the reads of waiting orders.`,
        "  readChains runs only while orders wait.",
        `  The signer's network costs ${dollars(walls)}, and the key of orders ${dollars(monthly.key)}.`,
      ];
}

/** Lists the costs of a month by the number of users. */
function monthTable(...configurations: readonly (readonly CostTemplate[])[]): string[] {
  const costs = configurations.map((templates) => {
    const resources = knownResources(templates);
    const deployed = functionsIn(resources);
    const functions = { ...functionsOfRows(), ...deployed };
    const trades = deployed.executeOrders !== undefined;
    const atRest = sum([...fixedCosts(resources), ...scheduledCosts(functions)]);
    const whileUsed =
      sum(priceCosts(functions)) +
      (trades ? monthMinutes * runCost("readChains", functions) : 0) +
      (deployed.readMarkets ? sum(marketCosts(functions)) : 0);
    const request = (sum(partsOfMillion("getUserData", functions)) + perMillion.edgeRequests) / million;
    const ofUser =
      sum(clientCosts(1, functions)) * (usage.hours / monthHours) +
      usage.requests * request +
      (trades ? (usage.orders * sum(buyCosts(functions))) / million : 0) +
      monthly.poolUser;
    return (users: number) => `$${Math.round(atRest + (users > 0 ? whileUsed : 0) + users * ofUser)}`;
  });
  return table(
    ["Users", "Trading off", "Trading on four chains"],
    [0, 100, 10_000].map((users) => [
      users === 0 ? "Nobody" : grouped(users),
      ...costs.map((costOf) => costOf(users)),
    ]),
  );
}

const sum = (costs: readonly { cost: number }[]) => costs.reduce((total, { cost }) => total + cost, 0);

const dollars = (amount: number) => `$${amount.toFixed(2)}`;

const grouped = (count: number) => count.toLocaleString("en-US");

function fixedCosts(resources: ReturnType<typeof knownResources>): Cost[] {
  return Object.entries(atRest).flatMap(([type, { units, price, name }]) => {
    const count = resources
      .filter(({ resource }) => resource.Type === type)
      .reduce((total, { resource }) => total + units(resource), 0);
    return count === 0
      ? []
      : [{ item: name, calculation: `${count} × ${dollars(price)}`, cost: count * price }];
  });
}

const timeCost = (gigabytes: number, ms: number) => gigabytes * (ms / 1000) * prices.gigabyteSecond;

/** The bytes of a read unit. */
const readBytes = 4096;

const tableCost = ({ reads = 0, writes = 0 }: { reads?: number; writes?: number }) =>
  (reads * perMillion.reads + writes * perMillion.writes) / million;

const lambdaCost = (name: OperationName, functions: Functions, { ms }: Run = runs[name]) =>
  perMillion.functionRuns / million + timeCost(functions[name]?.gigabytes ?? 0, ms);

/** Computes the cost of one run of a function, with its calls to the table. */
const runCost = (name: OperationName, functions: Functions, run: Run = runs[name]) =>
  lambdaCost(name, functions, run) + tableCost(run);

function scheduledCosts(functions: Functions): Cost[] {
  return operationsOf("schedule").flatMap(([name, { everyMinutes }]) => {
    const { enabled, gigabytes } = functions[name] ?? {};
    if (!enabled) return [];
    const times = monthMinutes / everyMinutes;
    const run = idleRuns[name] ?? runs[name];
    const calculation = `${grouped(times)} × ${grouped(run.ms)} ms of ${gigabytes} GB, and the table`;
    return [{ item: name, calculation, cost: times * runCost(name, functions, run) }];
  });
}

/** The updates of prices in a month with subscribers at all times. */
const monthUpdates = monthSeconds / defaults.pricesEverySeconds;

/** Computes the costs of prices while anybody subscribes, however many clients do. */
function priceCosts(functions: Functions): Cost[] {
  const shards = functions.publishChanges?.shards ?? 0;
  const cost = (name: OperationName, times: number): Cost => ({
    item: `${name}, for all clients`,
    calculation: `${(times / million).toFixed(2)} M × ${grouped(runs[name].ms)} ms of ${functions[name]?.gigabytes} GB, and the table`,
    cost: times * runCost(name, functions),
  });
  return [
    cost("feedPrices", monthMinutes),
    cost("publishChanges", monthUpdates),
    cost("deliver", shards * monthUpdates),
  ];
}

/** Makes the row of an operation that callers use. Undefined for the others. */
function millionOf(name: OperationName, functions: Functions): string[][] | undefined {
  const row: Operation = operations[name];
  if (row.kind !== "rest" && row.kind !== "websocket" && name !== "recordExecutions") return undefined;
  const parts = partsOfMillion(name, functions);
  const cells = parts.map(({ cost }) => (cost === 0 ? "" : dollars(cost)));
  return [[name, ...cells, dollars(sum(parts))]];
}

/** Computes the costs of a million of an operation, by service. */
function partsOfMillion(name: OperationName, functions: Functions): { cost: number }[] {
  const row: Operation = operations[name];
  const run = runs[name];
  const isHandshake = row.kind === "websocket" && ["$connect", "$disconnect"].includes(row.route);
  const received = row.kind === "websocket" && !isHandshake ? 1 : 0;
  const pushes = (run.pushes ?? 0) + (run.publishes ? 1 : 0);
  const gateway =
    (row.kind === "rest" ? perMillion.restRequests : 0) + (received + pushes) * perMillion.streamMessages;
  const others: OperationName[] = [
    ...(row.kind === "rest" ? (["authorize"] as const) : []),
    ...(name === "connect" ? (["authorizeConnection"] as const) : []),
    ...(run.publishes ? (["publishChanges"] as const) : []),
  ];
  const lambda = [name, ...others].reduce((total, each) => total + lambdaCost(each, functions) * million, 0);
  // publishChanges reads the user's connections.
  const items = tableCost({ ...run, reads: (run.reads ?? 0) + (run.publishes ? 1 : 0) }) * million;
  const { keyCalls = 0, keyAgreements = 0 } = run;
  const keys = keyCalls * perMillion.keyCalls + keyAgreements * perMillion.keyAgreements;
  const logs = row.kind === "internal" ? 0 : logKilobytes * prices.logGigabyte;
  return [gateway, lambda, items, keys, logs].map((cost) => ({ cost }));
}

/** Computes the cost of a million runs of a function for an order, with what they set off. */
function orderRunCost({ name, count, run = runs[name] }: OrderRuns, functions: Functions): number {
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

/** The looks at base while an order waits for its final outcome: one in each second. */
const looksOfBuy = watchedOrders.lifeSeconds;

/** Computes the cost of a million orders on base from their placing until their outcomes are final. */
function buyCosts(functions: Functions): { cells: [string, string]; cost: number }[] {
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

function orderTable(functions: Functions): string[] {
  const parts = buyCosts(functions);
  const approval = runsOfApproval.reduce((before, each) => before + orderRunCost(each, functions), 0);
  return table(
    ["Function", "Runs", "A million buys on base"],
    parts.map(({ cells, cost }) => [...cells, dollars(cost)]),
    ["**Total, about**", "", `**$${Math.round(sum(parts))}**`],
  ).concat("", `A sale that needs an approval costs $${Math.round(approval)} a million more.`);
}

/** Compares a buy on sol with one on base. Only write units and calls were counted. */
function solPart(functions: Functions): string[] {
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
  // Figures of the row apply to all other chains.
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

/** The calls of the sweep's check, one to each of two hosts. */
const checkOfHosts = ["eth_getBlockByNumber", "eth_getBlockByNumber"];

/** Computes what hosts charge for orders, quotes and looks. */
function hostTable(functions: Functions): string[] {
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

/** Computes the costs of clients that subscribe to prices for a month. */
function clientCosts(count: number, functions: Functions): Cost[] {
  const gigabytes = (monthUpdates * priceMessageBytes) / 1e9;
  const updates = `${(monthUpdates / million).toFixed(3)} M`;
  const each = [
    {
      item: `Messages, one in ${defaults.pricesEverySeconds} seconds`,
      calculation: `${updates} × ${dollars(perMillion.streamMessages)} / M each`,
      cost: monthUpdates * (perMillion.streamMessages / million),
    },
    {
      item: "Traffic",
      calculation: `${gigabytes.toFixed(2)} GB × $${prices.edgeGigabyte} each`,
      cost: gigabytes * prices.edgeGigabyte,
    },
    {
      item: "Connections",
      calculation: `${grouped(monthMinutes)} minutes × ${dollars(perMillion.connectionMinutes)} / M each`,
      cost: monthMinutes * (perMillion.connectionMinutes / million),
    },
    {
      item: "deliver, for each message",
      calculation: `${updates} × ${deliveryMs} ms each`,
      cost: monthUpdates * timeCost(functions.deliver?.gigabytes ?? 0, deliveryMs),
    },
    {
      item: "deliver, reads",
      calculation: `${updates} × ${subscriberBytes} bytes × $0.125 / M for 4 KB each`,
      cost: tableCost({ reads: monthUpdates * (subscriberBytes / readBytes) }),
    },
  ];
  return each.map((one) => ({ ...one, cost: count * one.cost }));
}

function clientTable(functions: Functions): string[] {
  const costs = [...priceCosts(functions), ...clientCosts(1000, functions)];
  return table(["Item", "Calculation", "A month"], costs.map(rowOf), [
    "**Total, about**",
    "",
    `**$${Math.round(sum(costs))}**`,
  ]);
}

/** Computes the costs of markets while anybody follows a token, however many clients do. */
function marketCosts(functions: Functions): Cost[] {
  const { count, run } = needlessReaders;
  const shards = functions.publishChanges?.shards || defaultChannelShards;
  const minutes = grouped(monthMinutes);
  return [
    {
      item: "readMarkets",
      calculation: `${minutes} × ${grouped(runs.readMarkets.ms)} ms of ${functions.readMarkets?.gigabytes} GB, and the table`,
      cost: monthMinutes * runCost("readMarkets", functions),
    },
    {
      item: "readMarkets, runs that find another one",
      calculation: `${grouped(count * monthMinutes)} × ${run.ms} ms, and the table`,
      cost: count * monthMinutes * runCost("readMarkets", functions, run),
    },
    {
      item: `Table, for ${followedTokens} tokens`,
      calculation: `${minutes} × ${followedTokens} × ${readToken.writes} writes and ${readToken.reads} reads`,
      cost: monthMinutes * followedTokens * tableCost(readToken),
    },
    {
      item: "deliver, at most once a second for each shard",
      calculation: `${((shards * monthSeconds) / million).toFixed(2)} M × ${runs.deliver.ms} ms of ${functions.deliver?.gigabytes} GB, and the table`,
      cost: shards * monthSeconds * runCost("deliver", functions),
    },
  ];
}

function marketPart(functions: Functions): string[] {
  const costs = marketCosts(functions);
  const { tokens, connections, units } = followedMarkets;
  const ofHosts = (each: number) => dollars(monthSeconds * dollarsOfUnits(each));
  const historyUnits = mostHistoryCalls * unitsOf(["eth_getLogs"]);
  return [
    "While nobody follows a token or asks for a market, this costs nothing: readMarkets has no schedule, and it asks no host.",
    "A run ends five minutes after the last client has gone.",
    "",
    ...table(["Watched all day", "Calculation", "A month"], costs.map(rowOf), [
      "**Total, about**",
      "",
      `**$${Math.round(sum(costs))}**`,
    ]),
    "",
    `- Hosts of a chain that is looked at each second cost at least ${ofHosts(unitsOf(["eth_call"]))} a month, by the [prices](#hosts) above: one call for all pools.`,
    `  In \`npm run bench:markets\`, they cost ${ofHosts(units)}, because a fifth of ${tokens} tokens was traded in each second: logs are asked for only where a price has changed, and once more from another host.`,
    "  eth is looked at each two seconds, and a chain without followed tokens never.",
    `- A client that follows tokens gets up to a message a second, twice as many as for [coins](#a-thousand-clients-on-prices-for-a-month): ${dollars(monthSeconds * (perMillion.streamMessages / million))} a month if it is always connected, and a fifth with \`every\` 5.`,
    `- A token that nobody has wanted before costs a run of loadHistory, $${runCost("loadHistory", functions).toFixed(5)}, and at most ${grouped(historyUnits)} units of hosts, $${dollarsOfUnits(historyUnits).toFixed(5)}.`,
    `- The durations and calls to the table are estimates; the benchmark had ${grouped(connections)} connections.`,
  ];
}

const rowOf = ({ item, calculation, cost }: Cost) => [item, calculation, dollars(cost)];

const table = (head: string[], rows: string[][], last?: string[]) =>
  [head, head.map(() => "---"), ...rows, ...(last ? [last] : [])].map((cells) => `| ${cells.join(" | ")} |`);
