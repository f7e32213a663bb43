import { otherUnits } from "../../chains/hosts/spent-units.ts";
import { mostAccounts } from "../../chains/sol/calls/rpc-call.ts";
import { evmChains } from "../../core/chain-facts.ts";
import { defaults } from "../../infra/config.ts";
import { defaultChannelShards } from "../../infra/market-context.ts";
import { mostTogether } from "../../markets/chain-runs.ts";
import { mostOnChain } from "../../markets/core/wanted-tokens.ts";
import { mostHistoryCalls } from "../../markets/evm/read-history.ts";
import { turnMs } from "../../markets/items/new-tokens.ts";
import { mostLists } from "../../markets/sol/load-history.ts";
import { mostSignatures } from "../../markets/sol/rules/swap-count.ts";
import { type OperationName, operations, operationsOf } from "../../operations/operations.ts";
import {
  buyWrites,
  figures as f,
  hostPrices,
  idleRuns,
  measured,
  prices,
  runsOfBuy,
  runsOfFiring,
  sizes,
  solBuy,
  user,
  writesOfCredit,
  writesOfExit,
  writesOfLimit,
} from "./assumptions.ts";
import { atRest, type CostTemplate, knownResources } from "./billed-resources.ts";
import { figureTable, grouped, type Sum, sum, table } from "./sums.ts";
import { firstWalls } from "./walls.ts";

/** A monthly cost in dollars, by who bills it. */
type Cost = { item: string; aws: Sum; hosts: Sum | undefined };

const cost = (item: string, aws: Sum, hosts?: Sum): Cost => ({ item, aws, hosts });

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
const { placeOrder: placingMs = 0 } = Object.fromEntries(runsOfBuy);
const { placeOrder: restingWrites, fireOrders, executeOrders, signTransaction } = writesOfLimit;
const firingWrites = total([...Object.values(fireOrders), executeOrders, signTransaction]);
const firingRuns = total(runsOfFiring.map(([name, ms]) => lambda(name, ms)));
const { swap, end } = solBuy.executeOrders;
const onSol = [solBuy.placeOrder, swap, end, solBuy.signTransaction];
const solWrites = total(onSol.map(({ writes }) => writes));
const sending = lambda("deliver", f.deliverMs) - functionRuns;
const traffic = (bytes: number) => (bytes * prices.edgeGigabyte) / 1000;
const deliver = lambda("deliver", f.deliverRunMs) + reads;

const ofRequest = sum`${restRequests} + ${edgeRequests} + ${logs} + ${authorizer}`;
const ofBuy = sum`${ofRequest} + ${buyRuns - authorizer} + ${f.buyReads} × ${reads} + ${f.buyKeyCalls} × ${keyCalls} + ${publishing}`;
const laneUnits = (f.life * f.laneBytes) / 4096;
const historyMs = 1000 * f.historySeconds;

/** Costs of a million times something. */
const millions = {
  request: cost(
    "Requests such as listWallets",
    sum`${ofRequest} + ${lambda("listWallets", f.requestMs)} + ${reads}`,
  ),
  quote: cost(
    "Quotes",
    sum`${ofRequest} + ${lambda("quoteOrder", f.quoteMs)} + ${f.quoteReads} × ${reads}`,
    sum`${f.quoteUnits} × ${unitPrice}`,
  ),
  buy: cost(
    "Buys on base",
    sum`${ofBuy} + ${buyWrites} × ${writes} + ${laneUnits} × ${reads}`,
    sum`(${f.buyUnits} - ${f.lookUnits}) × ${unitPrice}`,
  ),
  exit: cost(
    "Exits of buys, placed",
    sum`${writesOfExit} × ${writes} + ${keyCalls} + ${publishing / f.changes}`,
  ),
  resting: cost(
    "Resting orders, placed, without hosts",
    sum`${ofRequest} + ${lambda("placeOrder", placingMs)} + ${f.quoteReads} × ${reads} + ${restingWrites} × ${writes} + ${keyCalls} + ${publishing / f.changes}`,
  ),
  credit: cost(
    "Trades that earn, each credited by itself",
    sum`${writesOfCredit.executeOrders + writesOfCredit.creditTrades} × ${writes} + 2 × ${reads} + ${publishing / f.changes}`,
  ),
  firing: cost(
    "Limits that fire on eth",
    sum`${firingRuns} + ${f.firingReads} × ${reads} + ${firingWrites} × ${writes} + ${f.firingKeyCalls} × ${keyCalls} + ${publishing}`,
    sum`${f.firingUnits} × ${unitPrice}`,
  ),
  onSol: cost("Buys on sol, without hosts", sum`${ofBuy} + ${solWrites} × ${writes}`),
  coins: cost(
    `Messages with coins, one in ${every} seconds`,
    sum`${streamMessages} + ${traffic(f.coinBytes)} + ${sending} + ${f.subscriberBytes / 4096} × ${reads}`,
  ),
  tokens: cost(
    "Messages with tokens, one a second",
    sum`${streamMessages} + ${traffic(f.tokenBytes)} + ${sending}`,
  ),
  history: cost(
    "Tokens that nobody has followed before",
    sum`${lambda("loadHistory", historyMs)} + ${f.historyWrites} × ${writes}`,
    sum`${mostHistoryCalls} × ${logUnits} × ${unitPrice}`,
  ),
  turn: cost(
    "Turns of new pools, every other one with a look at a token",
    sum`${ofRequest} + ${lambda("listNewTokens", f.newPoolMs)} + ${f.newPoolWrites / 4} × ${reads} + ${f.newPoolWrites} × ${writes}`,
    sum`(${f.newPoolUnits} + 2 × (${blockUnits} + ${logUnits}) + ${callUnits}) / 2 × ${unitPrice}`,
  ),
  quietTurn: cost(
    "Turns of new pools without one",
    sum`${ofRequest} + ${lambda("listNewTokens", f.newPoolMs)} + ${f.newPoolWrites / 4} × ${reads} + ${f.newPoolWrites} × ${writes}`,
    sum`(2 × (${blockUnits} + ${logUnits}) + ${callUnits}) × ${unitPrice}`,
  ),
  token: cost(
    "Minutes of a followed token, which is traded",
    sum`${f.tokenWrites} × ${writes}`,
    sum`60 × (${f.marketUnits} - ${callUnits}) / ${f.marketTokens} × ${unitPrice}`,
  ),
};

/** Costs of a million minutes of a token of sol, and of a million of its histories. */
const ofSol = {
  looks: cost(
    "Minutes of a followed token, by calls that it shares with other tokens",
    sum`${f.tokenWrites} × ${writes}`,
    sum`2 × 60 × ${f.poolAccounts} / ${mostAccounts - 1} × ${otherUnits} × ${unitPrice}`,
  ),
  lists: cost("Minutes in which it is traded", sum`0`, sum`2 × ${otherUnits} × ${unitPrice}`),
  opened: cost(
    `Minutes with ${mostSignatures} trades, if all of them are opened`,
    sum`0`,
    sum`2 × ${mostSignatures} × ${otherUnits} × ${unitPrice}`,
  ),
  histories: cost(
    "Its history",
    sum`${lambda("loadHistory", historyMs)} + ${f.historyWrites} × ${writes}`,
    sum`(${mostLists} + 1 + 24 × 60) × ${otherUnits} × ${unitPrice}`,
  ),
};

/** Makes the cost of a number of times of something that costs this a million times. */
const times = (count: number, { item, aws, hosts }: Cost): Cost =>
  cost(item, sum`${count} × ${aws} / 1,000,000`, hosts && sum`${count} × ${hosts} / 1,000,000`);

type Uses = { trading: boolean; markets: boolean };

/** Lists the costs of a user in a month. */
function userCosts({ trading, markets }: Uses): Cost[] {
  const connected = f.hours * 60;
  const pinging = sum`${connectionMinutes} + 2 × ${f.pings} × ${streamMessages}`;
  return [
    times(connected, cost("Minutes of a connection, with pings", pinging)),
    markets ? times(60 * connected, millions.tokens) : times((60 * connected) / every, millions.coins),
    times(connected * f.requests, millions.request),
    ...(trading ? [times(connected * f.quotes, millions.quote), times(30 * f.orders, millions.buy)] : []),
    ...(markets ? [times(f.newTokens, millions.history)] : []),
    cost("User pool", sum`${monthly.poolUser}`),
  ];
}

/** Lists the costs that all users share while at least one is connected at any time, in a month. */
function sharedCosts({ trading, markets }: Uses, users: number): Cost[] {
  const ofMinute = (name: OperationName, read: number, write: number) =>
    sum`${lambda(name, 60_000)} + ${read} × ${reads} + ${write} × ${writes}`;
  const tokens = Math.min(mostOnChain, (users * f.hours * 60 * f.tokens * f.ownTokens) / minutes / chains);
  const traded = Math.min(tokens, f.marketTokens) / f.marketTokens;
  const units = sum`60 × ${chains} × (${callUnits} + ${traded} × (${f.marketUnits} - ${callUnits})) × ${unitPrice}`;
  const looks = sum`60 × ${chains} × ${f.watched} / ${f.life} × ${f.lookUnits} × ${unitPrice}`;
  const sent = sum`${defaultChannelShards} × ${deliver}`;
  const updates = sum`${lambda("publishChanges", f.publishMs)} + ${sent}`;
  const chainRuns = ofMinute("readChains", f.chainReads, f.chainWrites);
  const runs = 1 + Math.min(chains - 1, Math.floor((users * f.connected) / mostTogether));
  const marketRuns = sum`${runs} × ${ofMinute("readMarkets", f.marketReads, f.marketWrites)}`;
  const kept = sum`${chains} × ${tokens} × ${f.tokenWrites} × ${writes}`;
  return [
    times(minutes, cost("feedPrices", ofMinute("feedPrices", f.feedReads, f.feedWrites))),
    times((60 * minutes) / every, cost("publishChanges and deliver, for coins", updates)),
    ...(trading ? [times(minutes, cost("readChains, and looks at four chains", chainRuns, looks))] : []),
    ...(markets
      ? [
          times(minutes, cost("readMarkets, and its looks", marketRuns, units)),
          times(60 * minutes, cost("deliver, for markets", sum`${runs} × ${sent}`)),
          times(minutes, cost("Writes of followed tokens", kept)),
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
    return count === 0 ? [] : [cost(name, sum`${count} × ${price}`)];
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
    const checks = name === "sweepLanes" ? sum`${chains} × 2 × ${blockUnits} × ${unitPrice}` : undefined;
    const run = sum`${lambda(name, idle[0])} + ${idle[1]} × ${reads}`;
    return [times(minutes / everyMinutes, cost(name, run, checks))];
  });
  return [...fixed, ...scheduled];
}

const totals = (costs: readonly Cost[]) => [
  total(costs.map(({ aws }) => aws.value)),
  total(costs.map(({ hosts }) => hosts?.value ?? 0)),
];

/** Computes the dollars that AWS and hosts bill for a month in which nobody uses the service. */
export function costAtRest(templates: readonly CostTemplate[]): { aws: number; hosts: number } {
  const [aws = 0, hosts = 0] = totals(restCosts(templates));
  return { aws, hosts };
}

const dollars = (amount = 0) =>
  amount === 0 ? "" : `$${amount < 0.1 ? Number(amount.toPrecision(2)) : amount.toFixed(2)}`;

function costTable(head: string, costs: readonly Cost[], hasTotal = true): string {
  const cells = (amount?: Sum) => [amount?.text ?? "", dollars(amount?.value)];
  const rows = costs.map(({ item, aws, hosts }) => [item, ...cells(aws), ...cells(hosts)]);
  const [aws, hosts] = totals(costs).map(dollars);
  const last = ["**Total**", "", `**${aws}**`, "", hosts ? `**${hosts}**` : ""];
  return table([head, "Arithmetic", "AWS", "Arithmetic", "Hosts"], hasTotal ? [...rows, last] : rows);
}

/** Templates of the default deployment, of one with trading on four chains, and of one that has markets and earning, too. */
export type Deployments = Record<"defaults" | "trading" | "markets", readonly CostTemplate[]>;

const everything = { trading: true, markets: true };

function monthTable(deployments: Deployments): string {
  const rough = (amount: number) =>
    `$${grouped(Math.round(Number(amount.toPrecision(amount < 1000 ? 3 : 2))))}`;
  const cells = (templates: readonly CostTemplate[], uses: Uses, users: number) => {
    const [rest, user] = [restCosts(templates), userCosts(uses)].map(totals);
    const shared = users === 0 ? [] : totals(sharedCosts(uses, users));
    return [0, 1].map((of) => rough((rest?.[of] ?? 0) + (shared[of] ?? 0) + users * (user?.[of] ?? 0)));
  };
  return table(
    ["Users", "AWS, no trading", "AWS, trading", "Hosts", "AWS, markets too", "Hosts", "First walls"],
    [0, ...sizes].map((users) => [
      grouped(users),
      ...cells(deployments.defaults, { trading: false, markets: false }, users).slice(0, 1),
      ...cells(deployments.trading, { trading: true, markets: false }, users),
      ...cells(deployments.markets, everything, users),
      firstWalls(users),
    ]),
  );
}

/** Makes the generated parts of docs/costs.md, by their names. */
export const costParts = (deployments: Deployments): Record<string, string> => ({
  "a month": monthTable(deployments),
  "a user": figureTable(user),
  "a user's month": costTable("A user", userCosts(everything)),
  "shared by users": costTable(`${grouped(sizes[1])} users`, sharedCosts(everything, sizes[1])),
  "a token": costTable("A token followed all month", [times(minutes, millions.token)], false),
  "a token of sol": costTable(
    "A token of sol followed all month",
    [
      ...[ofSol.looks, ofSol.lists, ofSol.opened].map((each) => times(minutes, each)),
      times(1, ofSol.histories),
    ],
    false,
  ),
  "new tokens": costTable(
    "New tokens of a chain, in a list that somebody has open all month",
    [millions.turn, millions.quietTurn].map((each) => times((60_000 * minutes) / turnMs, each)),
    false,
  ),
  "at rest": costTable("Without trading", restCosts(deployments.defaults)),
  "trading at rest": costTable(
    "Trading and markets on four chains, and trades that earn",
    restCosts(deployments.markets),
  ),
  "a million": costTable("A million", Object.values(millions), false),
  measured: figureTable(measured),
  prices: [
    `The prices of AWS are list prices of ${prices.region} as of ${prices.asOf}, without free tiers and for months of 30 days.`,
    `Units of hosts are those of [${hostPrices.provider}'s price list](${hostPrices.source}) of ${hostPrices.readOn}, at an assumed $${unitPrice.toFixed(2)} a million.`,
  ].join("\n"),
});
