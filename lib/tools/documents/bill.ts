import { evmChains } from "../../core/chain-facts.ts";
import { defaults } from "../../infra/config.ts";
import { defaultChannelShards } from "../../infra/market-context.ts";
import { mostOnChain } from "../../markets/core/wanted-tokens.ts";
import { mostHistoryCalls } from "../../markets/evm/read-history.ts";
import { type OperationName, operations, operationsOf } from "../../operations/operations.ts";
import {
  buyWrites,
  figures as f,
  hostPrices,
  idleRuns,
  measured,
  prices,
  runsOfBuy,
  sizes,
  solBuy,
  user,
} from "./assumptions.ts";
import { atRest, type CostTemplate, knownResources } from "./billed-resources.ts";
import { figureTable, grouped, type Sum, sum, table } from "./sums.ts";
import { firstWalls } from "./walls.ts";

/** A monthly cost in dollars, by who bills it. */
type Cost = { item: string; aws: Sum; hosts?: Sum };

const { monthly } = prices;
const {
  restRequests,
  streamMessages,
  connectionMinutes,
  edgeRequests,
  functionRuns,
  reads,
  writes,
  keyCalls,
} = prices.perMillion;
const logs = f.logKilobytes * prices.logGigabyte;
const unitPrice = hostPrices.perMillionUnits;
const { eth_call: callUnits, eth_getLogs: logUnits, eth_getBlockByNumber: blockUnits } = hostPrices.units;
const chains = evmChains.length;
const minutes = 30 * 24 * 60;
const every = defaults.pricesEverySeconds;

/** Computes the price of a million runs of a function. */
const lambda = (name: OperationName, ms: number) =>
  functionRuns + (operations[name].memoryMB / 1024) * ms * prices.gigabyteSecond * 1000;
const total = (amounts: readonly number[]) => amounts.reduce((before, amount) => before + amount, 0);

const authorizer = lambda("authorize", f.authorizerMs);
const publishing = f.changes * (streamMessages + lambda("publishChanges", f.publishMs) + reads);
const buyRuns = total(runsOfBuy.map(([name, ms]) => lambda(name, ms)));
const { swap, fill, end } = solBuy.executeOrders;
const onSol = [solBuy.placeOrder, swap, fill, end, solBuy.signTransaction];
const solWrites = total(onSol.map(({ writes }) => writes));
const sending = lambda("deliver", f.deliverMs) - functionRuns;
const traffic = (bytes: number) => (bytes * prices.edgeGigabyte) / 1000;
const deliver = lambda("deliver", f.deliverRunMs) + reads;

/** Costs of a million times something in dollars. */
const ofRequest = sum`${restRequests} + ${edgeRequests} + ${logs} + ${authorizer}`;
const ofBuy = sum`${ofRequest} + ${buyRuns - authorizer} + ${f.buyReads} × ${reads} + ${f.buyKeyCalls} × ${keyCalls} + ${publishing}`;
const millions = {
  request: {
    item: "Requests such as listWallets",
    aws: sum`${ofRequest} + ${lambda("listWallets", f.requestMs)} + ${reads}`,
  },
  quote: {
    item: "Quotes",
    aws: sum`${ofRequest} + ${lambda("quoteOrder", f.quoteMs)} + ${f.quoteReads} × ${reads}`,
    hosts: sum`${f.quoteUnits} × ${unitPrice}`,
  },
  buy: {
    item: "Buys on base",
    aws: sum`${ofBuy} + ${buyWrites} × ${writes} + ${(f.life * f.laneBytes) / 4096} × ${reads}`,
    hosts: sum`(${f.buyUnits} - ${f.lookUnits}) × ${unitPrice}`,
  },
  onSol: { item: "Buys on sol, without hosts", aws: sum`${ofBuy} + ${solWrites} × ${writes}` },
  coins: {
    item: `Messages with coins, one in ${every} seconds`,
    aws: sum`${streamMessages} + ${traffic(f.coinBytes)} + ${sending} + ${f.subscriberBytes / 4096} × ${reads}`,
  },
  tokens: {
    item: "Messages with tokens, one a second",
    aws: sum`${streamMessages} + ${traffic(f.tokenBytes)} + ${sending}`,
  },
  history: {
    item: "Tokens that nobody has followed before",
    aws: sum`${lambda("loadHistory", 1000 * f.historySeconds)} + ${f.historyWrites} × ${writes}`,
    hosts: sum`${mostHistoryCalls} × ${logUnits} × ${unitPrice}`,
  },
  token: {
    item: "Minutes of a followed token, which is traded",
    aws: sum`${f.tokenWrites} × ${writes}`,
    hosts: sum`60 × (${f.marketUnits} - ${callUnits}) / ${f.marketTokens} × ${unitPrice}`,
  },
} satisfies Record<string, Cost>;

/** Makes the cost of a number of times that something happens. */
const times = (count: number, { item, aws, hosts }: Cost): Cost => ({
  item,
  aws: sum`${count} × ${aws} / 1,000,000`,
  ...(hosts && { hosts: sum`${count} × ${hosts} / 1,000,000` }),
});

type Uses = { trading: boolean; markets: boolean };

/** Lists the costs of a user in a month. */
function userCosts({ trading, markets }: Uses): Cost[] {
  const connected = f.hours * 60;
  const aMinute = sum`${connectionMinutes} + 2 × ${f.pings} × ${streamMessages}`;
  return [
    times(connected, { item: "Minutes of a connection, with pings", aws: aMinute }),
    markets ? times(60 * connected, millions.tokens) : times((60 * connected) / every, millions.coins),
    times(connected * f.requests, millions.request),
    ...(trading ? [times(connected * f.quotes, millions.quote), times(30 * f.orders, millions.buy)] : []),
    ...(markets ? [times(f.newTokens, millions.history)] : []),
    { item: "User pool", aws: sum`${monthly.poolUser}` },
  ];
}

/** Lists the costs that all users share while at least one is connected at any time, in a month. */
function sharedCosts({ trading, markets }: Uses, users: number): Cost[] {
  const ofMinute = (name: OperationName, read: number, write: number) =>
    sum`${lambda(name, 60_000)} + ${read} × ${reads} + ${write} × ${writes}`;
  const followed = (users * f.hours * 60 * f.tokens * f.ownTokens) / minutes;
  const tokens = Math.min(mostOnChain, followed / chains);
  const traded = Math.min(tokens, f.marketTokens) / f.marketTokens;
  const units = sum`60 × ${chains} × (${callUnits} + ${traded} × (${f.marketUnits} - ${callUnits})) × ${unitPrice}`;
  const looks = sum`60 × ${chains} × ${f.watched} / ${f.life} × ${f.lookUnits} × ${unitPrice}`;
  return [
    times(minutes, { item: "feedPrices", aws: ofMinute("feedPrices", f.feedReads, f.feedWrites) }),
    times((60 * minutes) / every, {
      item: "publishChanges and deliver, for coins",
      aws: sum`${lambda("publishChanges", f.publishMs)} + ${defaultChannelShards} × ${deliver}`,
    }),
    ...(trading
      ? [
          times(minutes, {
            item: "readChains, and looks at four chains",
            aws: ofMinute("readChains", f.chainReads, f.chainWrites),
            hosts: looks,
          }),
        ]
      : []),
    ...(markets
      ? [
          times(minutes, {
            item: "readMarkets, and its looks",
            aws: ofMinute("readMarkets", f.marketReads, f.marketWrites),
            hosts: units,
          }),
          times(60 * minutes, {
            item: "deliver, for markets",
            aws: sum`${defaultChannelShards} × ${deliver}`,
          }),
          times(minutes, {
            item: "Writes of followed tokens",
            aws: sum`${chains} × ${tokens} × ${f.tokenWrites} × ${writes}`,
          }),
        ]
      : []),
  ];
}

/** Lists the costs of a month in which nobody uses the service. */
function restCosts(templates: readonly CostTemplate[]): Cost[] {
  const resources = knownResources(templates);
  const fixed = Object.entries(atRest).flatMap(([type, { name, price, units = () => 1 }]) => {
    const all = resources.filter(({ resource }) => resource.Type === type);
    const count = total(all.map(({ resource }) => units(resource)));
    return count === 0 ? [] : [{ item: name, aws: sum`${count} × ${price}` }];
  });
  const enabled = resources
    .filter(
      ({ resource: { Type, Properties } }) => Type === "AWS::Events::Rule" && Properties?.State === "ENABLED",
    )
    .map(({ resource }) => JSON.stringify(resource.Properties));
  const scheduled = operationsOf("schedule").flatMap(([name, { everyMinutes }]) => {
    if (!enabled.some((rule) => rule.includes(`"${name}Function`))) return [];
    const idle = idleRuns[name];
    if (idle === undefined)
      throw new Error(`Add an idle run of ${name} to lib/tools/documents/assumptions.ts`);
    const run = { item: name, aws: sum`${lambda(name, idle[0])} + ${idle[1]} × ${reads}` };
    const checks = { ...run, hosts: sum`${chains} × 2 × ${blockUnits} × ${unitPrice}` };
    return [times(minutes / everyMinutes, name === "sweepLanes" ? checks : run)];
  });
  return [...fixed, ...scheduled];
}

const totals = (costs: readonly Cost[]) => [
  total(costs.map(({ aws }) => aws.value)),
  total(costs.map(({ hosts }) => hosts?.value ?? 0)),
];

const dollars = (amount = 0) =>
  amount === 0 ? "" : `$${amount < 0.1 ? Number(amount.toPrecision(2)) : amount.toFixed(2)}`;

function costTable(head: string, costs: readonly Cost[], hasTotal = true): string {
  const rows = costs.map(({ item, aws, hosts }) => [
    item,
    aws.text,
    dollars(aws.value),
    hosts?.text ?? "",
    dollars(hosts?.value),
  ]);
  const [aws, hosts] = totals(costs).map(dollars);
  const last = ["**Total**", "", `**${aws}**`, "", hosts ? `**${hosts}**` : ""];
  return table([head, "Arithmetic", "AWS", "Arithmetic", "Hosts"], hasTotal ? [...rows, last] : rows);
}

/** Templates of the default deployment, of one with trading on four chains, and of one that has markets, too. */
export type Deployments = Record<"defaults" | "trading" | "markets", readonly CostTemplate[]>;

const usesOf: Record<keyof Deployments, Uses> = {
  defaults: { trading: false, markets: false },
  trading: { trading: true, markets: false },
  markets: { trading: true, markets: true },
};

function monthTable(deployments: Deployments): string {
  const rough = (amount: number) =>
    `$${grouped(Math.round(Number(amount.toPrecision(amount < 1000 ? 3 : 2))))}`;
  const cells = (name: keyof Deployments, users: number) => {
    const [rest, shared, each] = [
      restCosts(deployments[name]),
      users === 0 ? [] : sharedCosts(usesOf[name], users),
      userCosts(usesOf[name]),
    ].map(totals);
    return [0, 1].map((of) => rough((rest?.[of] ?? 0) + (shared?.[of] ?? 0) + users * (each?.[of] ?? 0)));
  };
  return table(
    ["Users", "AWS, no trading", "AWS, trading", "Hosts", "AWS, markets too", "Hosts", "First walls"],
    [0, ...sizes].map((users) => [
      grouped(users),
      cells("defaults", users)[0] ?? "",
      ...cells("trading", users),
      ...cells("markets", users),
      firstWalls(users),
    ]),
  );
}

/** Makes the generated parts of docs/costs.md, by their names. */
export const costParts = (deployments: Deployments): Record<string, string> => ({
  "a month": monthTable(deployments),
  "a user": figureTable(user),
  "a user's month": costTable("A user", userCosts(usesOf.markets)),
  "shared by users": costTable(`${grouped(sizes[1])} users`, sharedCosts(usesOf.markets, sizes[1])),
  "at rest": costTable("Without trading", restCosts(deployments.defaults)),
  "trading at rest": costTable("Trading and markets on four chains", restCosts(deployments.markets)),
  "a million": costTable("A million", Object.values(millions), false),
  measured: figureTable(measured),
  prices: [
    `The prices of AWS are list prices of ${prices.region} as of ${prices.asOf}, without free tiers and for months of 30 days.`,
    `Units of hosts are those of [${hostPrices.provider}'s price list](${hostPrices.source}) of ${hostPrices.readOn}, at an assumed $${unitPrice.toFixed(2)} a million.`,
  ].join("\n"),
});
