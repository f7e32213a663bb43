import { Interface } from "ethers/abi";
import type { EvmChain } from "../chain-facts.ts";
import { type RandomTrader, type RoundOptions, tradeInRounds } from "../random-rounds.ts";
import { askContracts, callAnvil } from "./call-anvil.ts";
import { localAddresses } from "./deployment.ts";
import { approval } from "./uniswap.ts";

/** Account of the random trader. Nobody has its key: anvil sends its transactions unsigned. */
export const traderAccount = "0x7ADE000000000000000000000000000000000001";

const { wrapped, v2Router, moon, usdx, taxd, star } = localAddresses;

/** The path from the coin to a token, and the worth in coins of what the token's pool holds of the other asset. */
type TokenRoute = { path: readonly string[]; depthCoins: number };

/** Tokens to trade. */
const routes: ReadonlyMap<string, TokenRoute> = new Map([
  [moon.toLowerCase(), { path: [wrapped, moon], depthCoins: 100 }],
  [taxd.toLowerCase(), { path: [wrapped, taxd], depthCoins: 50 }],
  [star.toLowerCase(), { path: [wrapped, usdx, star], depthCoins: 20 }],
]);

export type WatchedToken = { chain: string; token: string };

export type RandomTraderOptions = {
  chains: readonly { chain: EvmChain; url: string }[];
  /** Lists tokens whose markets somebody is watching. */
  watched: () => Promise<readonly WatchedToken[]>;
} & Pick<RoundOptions, "onFailure"> &
  Partial<RoundOptions>;

const abi = new Interface([
  "function swapExactETHForTokensSupportingFeeOnTransferTokens(uint256, address[], address, uint256) payable",
  "function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256, uint256, address[], address, uint256)",
  "function getAmountsOut(uint256, address[]) view returns (uint256[])",
  "function balanceOf(address) view returns (uint256)",
]);

const coin = 10n ** 18n;
const forever = 2n ** 40n;
const hex = (value: bigint) => `0x${value.toString(16)}`;

/**
 * Target value of the trader's holdings in each token, as a part of its pool. Above it, the trader sells more often than
 * it buys.
 */
const likedPart = 0.02;
/**
 * Smallest and largest trade, as a part of the pool. A trade moves the price by twice as much, so ten seconds of trades
 * move it by less than 1 %: a sale that waits for its approval still gets its minimum.
 */
const tradedPart = { from: 0.0001, to: 0.00045 } as const;
const wealth = 1_000_000n * coin;

/**
 * Buys and sells small random amounts of each watched token, so that charts move. While nobody is watching, it sends
 * nothing, so the chains can rest.
 */
export function startRandomTrader(options: RandomTraderOptions): RandomTrader {
  const { chains, watched, onFailure, random = Math.random, everyMs = 1000 } = options;
  /** Chains on which the trader has coins, and tokens that it has approved for sale. */
  const prepared = new Set<string>();

  async function round(signal: AbortSignal): Promise<void> {
    const names = (await watched()).map(({ chain, token }) => `${chain} ${token.toLowerCase()}`);
    for (const { chain, url } of chains) {
      const isWatched = names.some((name) => name.startsWith(`${chain} `));
      const wanted = [...routes].filter(([token]) => names.includes(`${chain} ${token}`));
      // Trades another token if a watched one cannot be traded, because the chain's markets would be stale without new
      // blocks.
      const traded = wanted.length > 0 || !isWatched ? wanted : [...routes].slice(0, 1);
      for (const [, route] of traded) if (!signal.aborted) await trade(chain, url, route);
    }
  }

  async function trade(chain: EvmChain, url: string, { path, depthCoins }: TokenRoute): Promise<void> {
    const token = path.at(-1) as string;
    if (!prepared.has(`${chain} ${token}`)) {
      await callAnvil(url, [
        ["anvil_impersonateAccount", [traderAccount]],
        ["anvil_setBalance", [traderAccount, hex(wealth)]],
      ]);
      await send(url, approval(token, v2Router));
      prepared.add(`${chain} ${token}`);
    }
    const [held = 0n] = await read(url, token, "balanceOf", [traderAccount]);
    const back = [...path].reverse();
    const worth = held > 0n ? (await read(url, v2Router, "getAmountsOut", [held, back])).at(-1) : 0n;
    const share = Number((worth ?? 0n) / 10n ** 12n) / 1e6 / (likedPart * depthCoins);
    const part = tradedPart.from + random() ** 2 * (tradedPart.to - tradedPart.from);
    const units = BigInt(Math.round(part * depthCoins * 1e6)) * 10n ** 12n;
    if (held === 0n || worth === undefined || worth <= units || random() > share / 2)
      return buy(url, path, units);
    const sold = (held * units) / worth;
    const parameters = [sold, 0, back, traderAccount, forever];
    await send(url, {
      to: v2Router,
      data: abi.encodeFunctionData("swapExactTokensForETHSupportingFeeOnTransferTokens", parameters),
    });
  }

  const buy = (url: string, path: readonly string[], units: bigint) =>
    send(url, {
      to: v2Router,
      value: hex(units),
      data: abi.encodeFunctionData("swapExactETHForTokensSupportingFeeOnTransferTokens", [
        ...[0, path, traderAccount, forever],
      ]),
    });

  return tradeInRounds({ everyMs, random, onFailure }, round);
}

async function read(url: string, to: string, name: string, parameters: unknown[]): Promise<bigint[]> {
  const [answer] = await askContracts(url, abi, [[to, name, ...parameters]]);
  const value: bigint | bigint[] = answer?.[0];
  return typeof value === "bigint" ? [value] : [...value];
}

/** Sends a transaction for the next block. */
async function send(url: string, transaction: { to?: string; data: string; value?: unknown }): Promise<void> {
  await callAnvil(url, [
    ["eth_sendTransaction", [{ from: traderAccount, gas: hex(500_000n), ...transaction }]],
  ]);
}
