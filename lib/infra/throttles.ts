import {
  operationsOf,
  type RestOperationName,
  restMethods,
  type WebSocketOperationName,
} from "../operations/operations.ts";
import { walletRows } from "../operations/wallet-rows.ts";
import type { Throttle } from "../plans/plan.ts";

/** What has a throttle: each method of the REST API, the preflight of each path, and each route of the WebSocket API. */
export type ThrottledName = RestOperationName | WebSocketOperationName | "preflight";

/** What all callers together may do. A user's plan limits what one of them may do. */
export type Throttles = Readonly<Record<ThrottledName, Throttle>>;

/** The part of the account's requests that both stages may take. The rest is left to pushes, and to other APIs. */
export const stagesShare = 0.8;

/** Parts of the account's requests per second. An account may have half of a second's requests at once, by default. */
const shares = {
  method: { rate: 0.02, burst: 0.5 },
  // Users list their wallets all the time, and seldom change them. A session lasts as long as its token.
  seldomMethod: { rate: 0.005, burst: 0.1 },
  preflight: { rate: 0.005, burst: 0.05 },
  // After an outage, all clients come back at once.
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

/** The throttles that apply if the context does not say otherwise. */
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

/** The requests per second that both stages take at most. */
export function totalRate(throttles: Throttles): number {
  const rates = [...methods, ...routes].map((name) => throttles[name].rateLimit);
  return rates.reduce((sum, rate) => sum + rate, paths.size * throttles.preflight.rateLimit);
}
