import { defaults } from "../../infra/config.ts";
import { defaultChannelShards } from "../../infra/market-context.ts";
import { defaultThrottles } from "../../infra/throttles.ts";
import { mostOnChain } from "../../markets/core/wanted-tokens.ts";
import { operations } from "../../operations/operations.ts";
import { maxFallbackKeys, roomForUsers } from "../../plans/fallback-keys.ts";
import { requestsPerMinute } from "../../plans/plan.ts";
import { defaultLaneShards } from "../../trading/items/keys.ts";
import { buyWrites, figures as f, quotas, runsOfBuy, sizes } from "./assumptions.ts";
import { figureTable, grouped, type Sum, short, sum, table } from "./sums.ts";

const buyMs = runsOfBuy.reduce((total, [, ms]) => total + ms, f.changes * f.publishMs - f.authorizerMs);
const { accountRequestsPerSecond: rate, fallbackKeys, pricesEverySeconds: every } = defaults;
const { quoteOrder, placeOrder: placing, listCandles } = defaultThrottles(rate);
const perUser = requestsPerMinute.Standard / (f.requests + f.quotes);
const { connected, onBase } = f;

const orders = sum`${f.orders} × ${f.peak} / 86,400`;
const requests = sum`${connected} × ${f.requests} / 60`;
const quotes = sum`${connected} × ${f.quotes} / 60`;
const rest = sum`${requests} + ${quotes}`;
const coins = sum`${connected} / ${every}`;
const other = sum`2 × ${connected} × ${f.pings} / 60 + ${f.changes} × ${orders}`;
const calls = sum`${rest} + ${coins} + ${other}`;
const connects = sum`${connected} / ${f.connection} / 3,600`;
const busy = sum`(${quotes} × ${f.quoteMs} + ${rest} × ${f.authorizerMs} + ${requests} × ${f.requestMs} + ${orders} × ${buyMs}) / 1,000`;
const writes = sum`${orders} × ${buyWrites}`;
const lanes = sum`${orders} × ${f.life}`;
const laneReads = sum`${lanes} × ${f.laneBytes} / 4,096`;
const reads = sum`${quotes} × ${f.quoteReads} + ${requests} + ${rest} + ${orders} × ${f.buyReads} + ${laneReads}`;
const keyCalls = sum`${orders} × ${f.buyKeyCalls}`;
const units = sum`${orders} × ${f.buyUnits} + ${quotes} × ${f.quoteUnits}`;
const laneWrites = sum`${onBase} × ${orders} × ${f.laneWrites} / ${f.partitionWrites}`;
const sending = sum`${connected} × ${f.deliverMs} / 1,000`;

/** Loads in each second of the peak, and defaults or quotas that are enough for twice as much. */
const loads: readonly (readonly [string, Sum, enough?: number])[] = [
  ["REST requests", rest],
  ["Messages with coins", coins],
  ["Pings, pongs, changes of orders", other],
  ["All requests to API Gateway", calls, rate],
  ["New connections", connects, f.connects],
  ["Buys", orders],
  ["Runs of functions at once, without long ones", busy, f.runs],
  ["Write units of the table", writes, f.newWrites],
  ["Read units of the table", reads, f.newReads],
  ["Lanes that wait", lanes],
  ["KMS requests", keyCalls, f.kms],
  ["Units of hosts", units],
  ["`channelShards`, by the time of deliver", sending, defaultChannelShards],
  ["`laneShards`, by writes", laneWrites, defaultLaneShards],
];

const milliseconds = (memoryMB: number) => sum`1,000 × ${memoryMB} / ${f.processor}`;

/** Limits, the number of users at which each is reached, and a remedy. */
const walls: readonly (readonly [string, Sum, string])[] = [
  [
    "Tokens read on base",
    sum`${mostOnChain} / (${connected} × ${onBase} × ${f.tokens} × ${f.ownTokens})`,
    "`marketTokens`; further ones show no price",
  ],
  ["Hosts, by contract", sum`${f.hosts} / ${units}`, "A larger contract, then own nodes"],
  [
    "Processor of readChains",
    sum`${milliseconds(operations.readChains.memoryMB)} / ${f.laneMs} / ${lanes}`,
    "[`readChainsMemoryMB`](#the-reader-of-chains)",
  ],
  [
    "API keys of users' own",
    sum`${roomForUsers(fallbackKeys)}`,
    "[Sharing](plans.md#fallback-keys) begins by itself",
  ],
  ["Throttle of candles", sum`${listCandles.rateLimit} × 60 / ${f.charts} / ${connected}`, "`throttles`"],
  [
    "Followers of readMarkets, as measured",
    sum`${f.followers} / ${connected}`,
    "[Measure again](#the-reader-of-markets)",
  ],
  [
    "API Gateway's rate, if all follow tokens",
    sum`${rate} / (${rest} + ${connected} + ${other})`,
    "The quota, or `every` 5",
  ],
  ["Writes of a new table", sum`${f.newWrites} / ${writes}`, "`warmThroughput`"],
  ["Reads of a new table", sum`${f.newReads} / ${reads}`, "`warmThroughput`"],
  ["API Gateway's rate", sum`${rate} / ${calls}`, "The quota, then `accountRequestsPerSecond`"],
  ["deliver takes a second", sum`${defaultChannelShards} / ${sending}`, "`channelShards`"],
  [
    "Reads of followers",
    sum`${defaultChannelShards} × ${f.partitionReads} × 4,096 / ${f.followerBytes} / ${connected}`,
    "`channelShards`",
  ],
  ["Throttle of quoteOrder", sum`${quoteOrder.rateLimit} / ${quotes}`, "`throttles`"],
  [
    "Reads of the lanes of base",
    sum`${defaultLaneShards} × ${f.partitionReads} / (${onBase} × ${laneReads})`,
    "`laneShards`",
  ],
  ["Runs of functions at once", sum`${f.runs} / ${busy}`, "The quota"],
  ["Reads of a table", sum`${f.table} / ${reads}`, "The quota"],
  ["Fallback keys", sum`${fallbackKeys} × ${perUser} / ${connected}`, "`fallbackKeys`"],
  ["Throttle of placeOrder", sum`${placing.rateLimit} / ${orders}`, "`throttles`"],
  ["Writes of the lanes of base", sum`${defaultLaneShards} / ${laneWrites}`, "`laneShards`"],
  [
    "Reads of the stop of base",
    sum`${f.partitionReads} / (${onBase} × (${quotes} + ${f.stopReads} × ${orders}))`,
    "Remember it in quoteOrder",
  ],
  ["Writes of a table", sum`${f.table} / ${writes}`, "The quota"],
  [
    "Reads of subscribers",
    sum`${defaultChannelShards} × ${f.partitionReads} × 2 × 4,096 / ${f.subscriberBytes} / ${connected}`,
    "`channelShards`",
  ],
  [
    "Most fallback keys",
    sum`${maxFallbackKeys} × ${perUser} / ${connected}`,
    "[Cells](plans.md#the-limit-of-10000-keys)",
  ],
  ["KMS", sum`${f.kms} / ${keyCalls}`, "The quota"],
  ["Requests to a distribution", sum`${f.edge} / ${rest}`, "The quota"],
  ["New connections", sum`${f.connects} / ${connects}`, "The quota"],
];

const sorted = walls.toSorted(([, one], [, other]) => one.value - other.value);

/** Names the first three limits on the way to a number of users from the next lower one, or else the next limit. */
export function firstWalls(users: number): string {
  if (users === 0) return `${f.newRuns} runs at once in a new account`;
  const before = sizes.findLast((size) => size < users) ?? 0;
  const ahead = sorted.filter(([, { value }]) => value > before);
  const met = ahead.filter(([, { value }]) => value <= users).slice(0, 3);
  const named = met.length > 0 ? met : ahead.slice(0, 1);
  return named.map(([limit, { value }]) => `${limit} at ${short(value)}`).join("; ");
}

/** Doubles a load, and rounds it up to two digits. Returns "default" if that is enough. */
function needed(load: number, enough: number): string {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(2 * load)) - 1);
  return 2 * load <= enough ? "default" : short(Math.ceil((2 * load) / step) * step);
}

/** Makes the generated parts of docs/scale.md, by their names. */
export const scaleParts = (): Record<string, string> => ({
  loads: table(
    ["Each second of the peak", "For one user", ...sizes.map(short)],
    loads.map(([name, { text, value }]) => [name, text, ...sizes.map((size) => short(size * value))]),
  ),
  walls: table(
    ["Users", "Limit", "Arithmetic", "What to do"],
    sorted.map(([limit, { text, value }, remedy]) => [short(value), limit, text, remedy]),
  ),
  needs: table(
    ["Twice the load", "Default, or enough", ...sizes.map(short)],
    loads.flatMap(([name, { value }, enough]) =>
      enough === undefined
        ? []
        : [[name, grouped(enough), ...sizes.map((size) => needed(size * value, enough))]],
    ),
  ),
  quotas: figureTable(quotas),
});
