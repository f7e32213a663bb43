import { type OperationName, operations, operationsOf } from "../../operations/operations.ts";
import type { Operation } from "../../operations/types.ts";
import { atRest, type CostTemplate, knownResources } from "./billed-resources.ts";
import { buyCosts, hostTable, orderRunCost, orderTable, solPart } from "./order-costs.ts";
import {
  followedTokens,
  idleRuns,
  logKilobytes,
  priceMessageBytes,
  prices,
  runs,
  runWithoutNews,
  usage,
} from "./price-table.ts";
import {
  type Cost,
  dollars,
  type Functions,
  functionsIn,
  functionsOfRows,
  grouped,
  lambdaCost,
  million,
  monthHours,
  monthly,
  monthMinutes,
  perMillion,
  rowOf,
  runCost,
  sum,
  table,
  tableCost,
} from "./run-costs.ts";
import { clientCosts, clientTable, marketCosts, marketPart, priceCosts } from "./stream-costs.ts";

/**
 * Makes docs/costs.md from the synthesized templates: the fixed costs and the costs of use.
 *
 * @param trading Templates with trading on four chains.
 * @throws Error for a type of resource without an entry about its costs
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

const withTrading = ({ deployed }: Operation) => deployed === "with trading";

const tradingRequests = operationsOf("rest").flatMap(([name, row]) =>
  withTrading(row) || row.deployed === "with markets" ? [name] : [],
);

/** Describes the fixed costs that trading would add if it is not deployed. */
function tradingAtRest(functions: Functions, deployed: Functions): string[] {
  const missing = operationsOf("schedule").filter(([name, row]) => withTrading(row) && !deployed[name]);
  const cost = missing.reduce(
    (total, [name, { everyMinutes }]) => total + (monthMinutes / everyMinutes) * runCost(name, functions),
    0,
  );
  const names = missing.map(([name]) => name).join(" and ");
  // Counts two addresses, because the KMS endpoint has one in each of two subnets.
  const walls = 2 * monthly.endpointAddress;
  return missing.length === 0
    ? []
    : [
        `- With trading on four chains, ${names} cost up to ${dollars(cost)} a month, without [hosts](#hosts) and the reads of waiting orders.`,
        "  readChains runs only while orders wait.",
        `  The signer's network costs ${dollars(walls)}, and the key of orders ${dollars(monthly.key)}.`,
      ];
}

/** Lists monthly costs by the number of users. */
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

/** Makes the table row of an operation. Returns undefined unless callers can use the operation. */
function millionOf(name: OperationName, functions: Functions): string[][] | undefined {
  const row: Operation = operations[name];
  if (row.kind !== "rest" && row.kind !== "websocket" && name !== "recordExecutions") return undefined;
  const parts = partsOfMillion(name, functions);
  const cells = parts.map(({ cost }) => (cost === 0 ? "" : dollars(cost)));
  return [[name, ...cells, dollars(sum(parts))]];
}

/** Computes what a million calls of an operation cost, by service. */
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
  // Adds a read, because publishChanges reads which connections the user has.
  const items = tableCost({ ...run, reads: (run.reads ?? 0) + (run.publishes ? 1 : 0) }) * million;
  const { keyCalls = 0, keyAgreements = 0 } = run;
  const keys = keyCalls * perMillion.keyCalls + keyAgreements * perMillion.keyAgreements;
  const logs = row.kind === "internal" ? 0 : logKilobytes * prices.logGigabyte;
  return [gateway, lambda, items, keys, logs].map((cost) => ({ cost }));
}
