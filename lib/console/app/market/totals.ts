import type { Network, Position, TerminalState } from "trading-terminal-client";
import { isSameToken, marketOf, valueOf as valuationOf } from "trading-terminal-client/markets";
import { compared, minus, plus, product } from "../exact.ts";

/** Value of an open position, as shown on the page. */
export type Shown = {
  /** Value in coin: the amount at the current price, or the proceeds of a sale if the pool is thin. */
  worth: string;
  /** Gain after the network fees of the purchases, and before them. */
  gain?: string;
  gross?: string;
  /** Gain as a percentage of the cost and these fees. */
  percent?: number;
  /** Amount at the current price. Present only for a thin pool, where a sale would get less. */
  atPrice?: string;
};

/** Values an open position. Returns undefined while its market is unknown or stale. */
export function worthNow(state: TerminalState | undefined, position: Position): Shown | undefined {
  const { status } = position;
  if (state === undefined || status !== "open") return undefined;
  const valued = valuationOf(position, marketOf(state, position));
  if (valued.status !== "valued") return undefined;
  const { value, exitValue, isThin } = valued;
  // A thin pool pays much less for a sale than its price suggests.
  if (isThin && exitValue !== undefined)
    return { worth: exitValue, atPrice: value, ...gainOf(exitValue, position) };
  return { worth: value, ...gainOf(value, position) };
}

function gainOf(
  worth: string,
  { cost, costFees = "0" }: Position,
): Pick<Shown, "gain" | "gross" | "percent"> {
  if (cost === undefined) return {};
  const paid = plus(cost, costFees);
  const gain = minus(worth, paid);
  const percent = compared(paid, "0") > 0 ? { percent: (Number(gain) / Number(paid)) * 100 } : {};
  return { gain, gross: minus(worth, cost), ...percent };
}

/** Says what a profit was before network fees. Undefined if there were none, or if nobody knows. */
export const beforeFees = (net: string | undefined, gross: string | undefined): string | undefined =>
  net === undefined || gross === undefined || compared(net, gross) === 0 ? undefined : gross;

/** Converts coins to dollars. Returns undefined while the coin's price is unknown. */
export function inDollars(state: TerminalState | undefined, chain: Network, coins: string) {
  const prices: Partial<Record<Network, { price: string }>> = state?.prices ?? {};
  const { price } = prices[chain] ?? {};
  return price === undefined ? undefined : product(coins, price);
}

export type Total = { worth: string; gain: string; worthUsd?: string; gainUsd?: string };

export type Totals = {
  byChain: ReadonlyMap<Network, Total>;
  /** Total value in dollars. Absent while the price of one of the coins is unknown. */
  worthUsd?: string;
  gainUsd?: string;
  /** Number of open positions. `valued` counts those with a known value. */
  open: number;
  valued: number;
};

/** Sums up the open positions that have a value. Gains include only positions with a known cost. */
export function totalsOf(state: TerminalState | undefined): Totals {
  const open = (state?.positions ?? []).filter(({ status }) => status === "open");
  const byChain = new Map<Network, Total>();
  let valued = 0;
  for (const position of open) {
    const shown = worthNow(state, position);
    if (shown === undefined) continue;
    valued++;
    const { worth, gain } = byChain.get(position.chain) ?? { worth: "0", gain: "0" };
    byChain.set(position.chain, { worth: plus(worth, shown.worth), gain: plus(gain, shown.gain ?? "0") });
  }
  for (const [chain, total] of byChain) {
    const worthUsd = inDollars(state, chain, total.worth);
    const gainUsd = inDollars(state, chain, total.gain);
    if (worthUsd !== undefined && gainUsd !== undefined) byChain.set(chain, { ...total, worthUsd, gainUsd });
  }
  const all = [...byChain.values()];
  const isKnown = all.length > 0 && all.every(({ worthUsd }) => worthUsd !== undefined);
  return {
    byChain,
    open: open.length,
    valued,
    ...(isKnown && {
      worthUsd: all.reduce((sum, { worthUsd = "0" }) => plus(sum, worthUsd), "0"),
      gainUsd: all.reduce((sum, { gainUsd = "0" }) => plus(sum, gainUsd), "0"),
    }),
  };
}

/** Computes the average purchase price of a token's open positions. */
export function entryOf(positions: readonly Position[], name: { chain: Position["chain"]; token: string }) {
  const held = positions.filter(
    ({ status, chain, token }) =>
      status === "open" && token !== undefined && isSameToken({ chain, token }, name),
  );
  const tokens = held.reduce((sum, { amount: each }) => sum + Number(each), 0);
  const paid = held.reduce((sum, each) => sum + Number(each.amount) * Number(each.averageEntryPrice), 0);
  return tokens > 0 ? paid / tokens : undefined;
}
