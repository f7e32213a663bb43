import type { Network, Position, TerminalState } from "trading-terminal-client";
import { plus, product } from "../exact.ts";
import { chainName, coinOf } from "../format.ts";
import { inDollars, worthNow } from "../market/totals.ts";

/** Coin in all wallets of a chain, or why it is unknown. */
export type Coins = { amount: string } | { problem: string };

/** A position as the service lists it, with the price that it has stored of the token. */
type Listed = { positionId: string; price?: string; priceAsOf?: string };

export type ChainWorth = {
  chain: Network;
  /** Coin in the wallets. Absent while it is unknown. */
  coins?: string;
  /** Value in coin of the open positions that have a price. */
  positions: string;
  /** Value of both in dollars. Absent while the coin has no price. */
  usd?: string;
};

export type Worth = {
  byChain: readonly ChainWorth[];
  /** Value in dollars of all that is known. */
  usd: string;
  /** Chains whose wallets are being read. */
  reading: readonly string[];
  /** Names what else `usd` lacks. */
  lacking: readonly string[];
  /** Number of positions that are valued by a stored price, because the stream has none, and the oldest of these. */
  stored: { count: number; oldest?: string };
};

/**
 * Values all wallets and open positions. The stream's prices count before stored ones.
 *
 * @param coins Coin by chain. A chain that is not there yet is being read.
 */
export function worthOf(
  state: TerminalState,
  coins: ReadonlyMap<Network, Coins>,
  listed: readonly Listed[],
): Worth {
  const reading: string[] = [];
  const lacking: string[] = [];
  const ages: string[] = [];
  const listedById = new Map(listed.map((position) => [position.positionId, position]));
  const open = state.positions.filter(({ status }) => status === "open");

  const hasWallet = (chain: Network) => state.wallets.some(({ network }) => network === chain);

  function inCoin(position: Position): string | undefined {
    const live = worthNow(state, position)?.worth;
    const { price, priceAsOf } = listedById.get(position.positionId) ?? {};
    if (live !== undefined || price === undefined || priceAsOf === undefined) return live;
    ages.push(priceAsOf);
    return product(position.amount, price);
  }

  function ofChain(chain: Network): ChainWorth {
    const held = open.filter((position) => position.chain === chain);
    const values = held.flatMap((position) => inCoin(position) ?? []);
    const unpriced = held.length - values.length;
    if (unpriced > 0) {
      const what = unpriced === 1 ? "1 position" : `${unpriced} positions`;
      lacking.push(`${what} on ${chainName[chain]} without a price`);
    }
    const read = hasWallet(chain) ? (coins.get(chain) ?? "reading") : { amount: "0" };
    if (read === "reading") reading.push(chainName[chain]);
    else if ("problem" in read) lacking.push(`the coin in wallets on ${chainName[chain]}: ${read.problem}`);
    const known = read !== "reading" && "amount" in read ? read.amount : undefined;
    const positions = values.reduce(plus, "0");
    const usd = inDollars(state, chain, plus(known ?? "0", positions));
    if (usd === undefined)
      lacking.push(`everything on ${chainName[chain]}: the price of ${coinOf[chain]} in dollars is unknown`);
    return {
      chain,
      ...(known !== undefined && { coins: known }),
      positions,
      ...(usd !== undefined && { usd }),
    };
  }

  const isUsed = (chain: Network) => hasWallet(chain) || open.some((each) => each.chain === chain);
  const byChain = (Object.keys(chainName) as Network[]).filter(isUsed).map(ofChain);
  const [oldest] = ages.toSorted();
  return {
    byChain,
    usd: byChain.reduce((sum, { usd = "0" }) => plus(sum, usd), "0"),
    reading,
    lacking,
    stored: { count: ages.length, ...(oldest !== undefined && { oldest }) },
  };
}
