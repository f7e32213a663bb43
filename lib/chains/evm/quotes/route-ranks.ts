import { greatest } from "../../../orders/bigints.ts";
import { type EvmRoute, isSameEvmRoute } from "../rules/intent.ts";

/** Payments of a route for each amount, with taxes. An amount that it cannot trade pays 0. */
export type PaidByRoute = { route: EvmRoute; outs: readonly bigint[] };

/** A route that paid best for an amount. */
export type First = { route: EvmRoute; amount: bigint };

/**
 * Number of routes that are asked in one call. More routes get a call each, so that a hostile pool uses up the gas of
 * its own route only.
 */
export const mostInCall = 3;

export const routesIn = (entries: readonly { route: EvmRoute }[]): EvmRoute[] => [
  ...new Set(entries.map(({ route }) => route)),
];

export const hasRoute = (routes: readonly EvmRoute[], route: EvmRoute): boolean =>
  routes.some((each) => isSameEvmRoute(each, route));

export const bestFirst = (best: readonly EvmRoute[], routes: readonly EvmRoute[]): EvmRoute[] => [
  ...best,
  ...routes.filter((route) => !hasRoute(best, route)),
];

/**
 * Lists the routes that must answer before the price of an amount counts: those that paid best for at least half of it.
 * Anybody may own a pool that pays best for less, and could make it fail.
 */
export const expectedFor = (firsts: readonly First[], amount: bigint): EvmRoute[] =>
  routesIn(firsts.filter((first) => 2n * first.amount >= amount));

/** Lists the routes that trade an amount, the one that pays most first. */
const payersOf = (paid: readonly PaidByRoute[], index: number): EvmRoute[] =>
  routesIn(
    paid
      .filter(({ outs }) => (outs[index] ?? 0n) > 0n)
      .toSorted((a, b) => compared(b.outs[index] ?? 0n, a.outs[index] ?? 0n)),
  );

const compared = (a: bigint, b: bigint): number => Number(a > b) - Number(a < b);

/** Selects the route that pays most for each amount. */
export const firstsOf = (paid: readonly PaidByRoute[], amounts: readonly bigint[]): First[] =>
  amounts.flatMap((amount, index) =>
    payersOf(paid, index)
      .slice(0, 1)
      .map((route) => ({ route, amount })),
  );

/** Selects the routes that pay most for the largest amount and for the smallest one, and the best one for each other. */
export function leadersOf(paid: readonly PaidByRoute[], amounts: readonly bigint[]): EvmRoute[] {
  const [large, small] = [payersOf(paid, amounts.length - 1), payersOf(paid, 0)];
  const turns = large.flatMap((route, index) => [route, small[index]].filter((each) => each !== undefined));
  const most = [...new Set([...turns, ...small])].slice(0, mostInCall);
  return [...new Set([...most, ...routesIn(firstsOf(paid, amounts))])];
}

/** Returns the output of the best route for an amount, or undefined if no route trades it. */
export function bestOut(paid: readonly PaidByRoute[], index: number): bigint | undefined {
  const out = greatest(0n, ...paid.map(({ outs }) => outs[index] ?? 0n));
  return out > 0n ? out : undefined;
}
