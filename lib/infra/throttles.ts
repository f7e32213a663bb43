import {
  operationsOf,
  type RestOperationName,
  restMethods,
  type ServedMethod,
  servedMethods,
  type WebSocketOperationName,
} from "../operations/operations.ts";
import { guards } from "../plans/method-throttles.ts";
import type { Throttle } from "../plans/plan.ts";

/** Names of everything that is throttled: REST methods, preflights by path, and WebSocket routes. */
export type ThrottledName = RestOperationName | WebSocketOperationName | "preflight";

/** Limits for all callers together. A user's plan limits each user. */
export type Throttles = Readonly<Record<ThrottledName, Throttle>>;

/** Part of the account's request rate that both stages together may use. Pushes and other APIs share the rest. */
export const stagesShare = 0.8;

type Share = { rate: number; burst: number };

/**
 * Shares of the account's requests per second, for the expected mix of requests: a connected user sends six a minute,
 * and a third of all requests are quotes of open order forms. By default, the account's burst limit is half of its
 * requests per second.
 */
const often = { rate: 0.02, burst: 0.5 };
const sometimes = { rate: 0.01, burst: 0.25 };
/** Share of methods that each key may rarely call. It is more than two users of Standard can send. */
const seldom = { rate: 0.004, burst: 0.5 };
/** Share of charts and markets. By default, a user opens one a minute, and 12,000 are connected. */
const charts = { rate: 0.02, burst: 0.25 };
/**
 * Share of methods that cost a few reads or writes. Keys have no throttles of these, because a plan has room for 20 only,
 * so the share is as much as 60 users of Standard send, or 12 of Pro.
 */
const cheap = { rate: 0.1, burst: 0.5 };
/** Leaves guards to the account's own limit. The plans limit each key. */
const whole = { rate: 1, burst: 0.5 };

/** Shares of methods that ask hosts, read many candles or use KMS. The plans limit each key, too. */
const costlyShares: { readonly [Name in RestOperationName]?: Share } = {
  quoteOrder: { rate: 0.1, burst: 0.5 },
  placeOrder: often,
  readBalances: often,
  storeWallet: sometimes,
  inspectToken: sometimes,
  getMarket: charts,
  listCandles: charts,
  importWallet: seldom,
  createWallet: seldom,
  exportWallet: seldom,
};

const otherShares: Readonly<Record<WebSocketOperationName | "preflight", Share>> = {
  // Allows few preflights, because browsers remember their results.
  preflight: { rate: 0.004, burst: 0.05 },
  // Allows a large burst: after an outage, all clients reconnect at once.
  connect: { rate: 0.05, burst: 0.5 },
  disconnect: { rate: 0.05, burst: 0.5 },
  subscribe: { rate: 0.05, burst: 0.5 },
  unsubscribe: { rate: 0.02, burst: 0.1 },
  ping: { rate: 0.05, burst: 0.1 },
  unknownMessage: { rate: 0.01, burst: 0.05 },
};

const methods = restMethods.map(({ name }) => name);
const routes = operationsOf("websocket").map(([name]) => name);
const paths = new Set(restMethods.map(({ path }) => path));

export const throttledNames: readonly ThrottledName[] = [...methods, "preflight", ...routes];

const shares: { readonly [Name in ThrottledName]?: Share } = { ...costlyShares, ...otherShares };

/** Methods that owners need to stop a thief. */
export const guardNames: ReadonlySet<ThrottledName> = new Set([
  ...restMethods.filter(({ path, method }) => guards.includes(`${path}/${method}`)).map(({ name }) => name),
  // Plans have no room for a throttle of this method, so only their own limits bind it.
  "deleteKey" as const,
]);

/** Throttles that apply unless the context overrides them. */
export function defaultThrottles(accountRequestsPerSecond: number): Throttles {
  const partOf = (share: number) => Math.max(1, Math.floor(share * accountRequestsPerSecond));
  return Object.fromEntries(
    throttledNames.map((name) => {
      const { rate, burst } = guardNames.has(name) ? whole : (shares[name] ?? cheap);
      return [name, { rateLimit: partOf(rate), burstLimit: partOf(burst) }];
    }),
  ) as Throttles;
}

/**
 * Gives a HEAD request a tenth of the limit of the same path's GET, which is enough for monitors. With the full limit
 * for both, no room would be left for pushes.
 */
export function throttleOfMethod(
  throttles: Throttles,
  { name, method }: Pick<ServedMethod, "name" | "method">,
): Throttle {
  const { rateLimit, burstLimit } = throttles[name];
  if (method !== "HEAD") return { rateLimit, burstLimit };
  const tenthOf = (limit: number) => Math.max(1, Math.floor(limit / 10));
  return { rateLimit: tenthOf(rateLimit), burstLimit: tenthOf(burstLimit) };
}

/**
 * Adds up the highest rates, in requests per second, that both stages accept of costly methods, preflights and routes.
 * With the other methods, 600 users of Standard can use up the account's rate, whatever the throttles.
 */
export function totalRate(throttles: Throttles): number {
  const limits = [
    ...servedMethods
      .filter(({ name }) => name in costlyShares)
      .map((served) => throttleOfMethod(throttles, served)),
    ...routes.map((name) => throttles[name]),
  ];
  return limits
    .map(({ rateLimit }) => rateLimit)
    .reduce((sum, rate) => sum + rate, paths.size * throttles.preflight.rateLimit);
}
