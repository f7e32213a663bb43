import {
  operationsOf,
  type RestOperationName,
  restMethods,
  type WebSocketOperationName,
} from "../operations/operations.ts";
import { walletRows } from "../operations/wallet-rows.ts";
import type { Throttle } from "../plans/plan.ts";

/** Everything with a throttle: REST methods, preflights by path, and WebSocket routes. */
export type ThrottledName = RestOperationName | WebSocketOperationName | "preflight";

/** Limits over all callers. A user's plan limits each user. */
export type Throttles = Readonly<Record<ThrottledName, Throttle>>;

/** The part of the account's request rate that both stages may take. Pushes and other APIs share the rest. */
export const stagesShare = 0.8;

/**
 * Shares of the account's requests per second. By default, an account may burst to half of a second's
 * requests.
 */
const shares = {
  method: { rate: 0.02, burst: 0.5 },
  // Users list their wallets often but seldom change them. A session lasts as long as its token.
  seldomMethod: { rate: 0.005, burst: 0.1 },
  preflight: { rate: 0.005, burst: 0.05 },
  // After an outage, all clients reconnect at once.
  connect: { rate: 0.05, burst: 0.5 },
  disconnect: { rate: 0.05, burst: 0.5 },
  subscribe: { rate: 0.05, burst: 0.5 },
  unsubscribe: { rate: 0.02, burst: 0.1 },
  ping: { rate: 0.05, burst: 0.1 },
  unknownMessage: { rate: 0.01, burst: 0.05 },
} satisfies Record<
  WebSocketOperationName | "method" | "seldomMethod" | "preflight",
  { rate: number; burst: number }
>;

const methods = restMethods.map(({ name }) => name);
const routes = operationsOf("websocket").map(([name]) => name);
const paths = new Set(restMethods.map(({ path }) => path));

export const throttledNames: readonly ThrottledName[] = [...methods, "preflight", ...routes];

const everyday = new Set<ThrottledName>(["storeWallet", "listWallets", "listWalletsV2"]);

const ofSessions = new Set<ThrottledName>(["startSession", "endSession"]);

const shareOfMethod = (name: ThrottledName) =>
  ofSessions.has(name) || (name in walletRows && !everyday.has(name)) ? "seldomMethod" : "method";

/** The throttles that apply unless the context overrides them. */
export function defaultThrottles(accountRequestsPerSecond: number): Throttles {
  const of = ({ rate, burst }: { rate: number; burst: number }): Throttle => ({
    rateLimit: Math.max(1, Math.floor(rate * accountRequestsPerSecond)),
    burstLimit: Math.max(1, Math.floor(burst * accountRequestsPerSecond)),
  });
  return Object.fromEntries(
    throttledNames.map((name) => [
      name,
      of(shares[name in shares ? (name as keyof typeof shares) : shareOfMethod(name)]),
    ]),
  ) as Throttles;
}

/** The most requests per second that both stages accept together. */
export function totalRate(throttles: Throttles): number {
  const rates = [...methods, ...routes].map((name) => throttles[name].rateLimit);
  return rates.reduce((sum, rate) => sum + rate, paths.size * throttles.preflight.rateLimit);
}
