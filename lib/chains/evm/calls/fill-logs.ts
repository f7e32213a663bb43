import { greatest, least, sizeOf } from "../../../orders/bigints.ts";
import type { EvmConfiguration } from "../rules/configuration.ts";
import type { SwapCall } from "../rules/intent.ts";
import { checksArrival, kindOf, type SwapVenue } from "../rules/swap-venues.ts";
import { addressWord } from "./contract-questions.ts";
import type { ContractLog } from "./rpc-call.ts";

/** `Transfer(address,address,uint256)` of tokens. */
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/** `Deposit(address,uint256)` and `Withdrawal(address,uint256)` of the wrapped coin. */
const depositTopic = "0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c";
const withdrawalTopic = "0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65";

/**
 * `Swap(address,uint256,uint256,uint256,uint256,address)` of v2 pools: both amounts in, then both amounts out, each
 * pair starting with the token that has the lower address.
 */
export const v2SwapTopic = "0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822";

/**
 * `Swap(address,address,int256,int256,uint160,uint128,int24)` of v3 pools and of Slipstream: both amounts, negative if
 * they went out, the square root of the price, the liquidity and the tick.
 */
export const v3SwapTopic = "0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67";

/**
 * `Swap(address,address,int256,int256,uint160,uint128,int24,uint128,uint128)` of PancakeSwap v3, which adds the
 * protocol fees.
 */
export const pancakeSwapTopic = "0x19b47279256b2a23a1665c810c8d55a1758940ee09377d4f8d26497a3577dc83";

/**
 * `Swap(address,address,uint24,bytes32,bytes32,uint24,bytes32,bytes32)` of pools with bins: the bin, the amounts in
 * without the protocol's fees, the amounts out, the volatility, all fees, and the protocol's part of the fees. In each
 * word of amounts, the lower half belongs to the first token and the upper half to the second.
 */
const binSwapTopic = "0xad7d6f97abf51ce18e17a38f4d70e975be9c0708474987bb3e26ad21bd93ca70";

const topicOf = (address: string) => `0x${addressWord(address)}`;

/** Reads the amount that an event moved. Events of other contracts may have the same topic but a different form. */
const amountOf = ({ data }: ContractLog) => (/^0x[\da-f]{64}$/.test(data) ? BigInt(data) : 0n);

const sum = (logs: readonly ContractLog[]) => logs.reduce((total, log) => total + amountOf(log), 0n);

/**
 * Returns the amount of coin that a router unwrapped last; this payment goes to the wallet. A token may sell some of
 * its own units through the same router during its transfer, but none of its code runs after the last unwrapping.
 */
export function unwrappedBy(router: string, wrapped: string, logs: readonly ContractLog[]): bigint {
  const own = eventsOf(wrapped, withdrawalTopic, logs).filter(({ topics }) => topics[1] === topicOf(router));
  return sum(own.slice(-1));
}

/**
 * Returns the units of a token that a v2 pool or a pool with bins took in exchange for the other token. The token may
 * have sold some of its own units to the pool before. Those count only for pools with bins, because these log a swap
 * bin by bin.
 */
export function takenByPool(
  { pool, venue }: { pool: string; venue: SwapVenue },
  other: string,
  token: string,
  logs: readonly ContractLog[],
): bigint {
  if (kindOf({ venue }) === "bins")
    return eventsOf(pool, binSwapTopic, logs).reduce(
      (total, { data }) => total + bothHalves(wordOf(data, 1)) + bothHalves(wordOf(data, 5)),
      0n,
    );
  const last = eventsOf(pool, v2SwapTopic, logs).at(-1);
  return last === undefined ? 0n : wordOf(last.data, BigInt(token) < BigInt(other) ? 0 : 1);
}

const wordOf = (data: string, index: number) => {
  const hex = data.slice(2 + 64 * index, 66 + 64 * index);
  return /^[\da-f]{64}$/.test(hex) ? BigInt(`0x${hex}`) : 0n;
};

/** Adds the two halves of a word of amounts. One of them is 0, because a pool takes only one of its two tokens. */
const bothHalves = (word: bigint) => (word >> 128n) + (word & ((1n << 128n) - 1n));

const eventsOf = (address: string, topic: string, logs: readonly ContractLog[]) =>
  logs.filter((log) => log.address === address && log.topics[0] === topic);

/** Raises negative amounts to 0, because a token's events may state any numbers. */
const atLeast0 = (amount: bigint) => greatest(amount, 0n);

/**
 * Computes how much a swap spent and received: tokens from the wallet's transfer events, and native coin from the
 * amounts that the router wrapped and unwrapped.
 */
export function fillOf(
  { wrapped }: Pick<EvmConfiguration, "wrapped">,
  { side, token, ...route }: SwapCall,
  wallet: string,
  logs: readonly ContractLog[],
): { spent: bigint; received: bigint } {
  const given = givenTo(wallet, token, logs);
  if (side === "sell")
    return { spent: atLeast0(-given), received: unwrappedBy(route.router, wrapped.token, logs) };
  const deposits = eventsOf(wrapped.token, depositTopic, logs);
  const own = deposits.filter(({ topics }) => topics[1] === topicOf(route.router));
  // Ignores coin that a token wraps through the same router during its own transfer. If the payment goes straight into
  // the token's v3 pool, such a transfer comes before the payment; otherwise after it.
  const isPaidFirst = checksArrival(route) || route.bridge !== undefined;
  const spent = sum(isPaidFirst ? own.slice(0, 1) : own.slice(-1));
  return { spent, received: atLeast0(given) };
}

/**
 * Sums up the units of a token that a wallet received, according to the token's events. Negative if the wallet sent
 * more than it received.
 */
export function givenTo(wallet: string, token: string, logs: readonly ContractLog[]): bigint {
  const transfers = eventsOf(token, transferTopic, logs);
  const taken = sum(transfers.filter(({ topics }) => topics[1] === topicOf(wallet)));
  return sum(transfers.filter(({ topics }) => topics[2] === topicOf(wallet))) - taken;
}

/** A wallet's transaction, with its swap if it made one. */
export type WalletTransaction = { hash: string; swap?: SwapCall | undefined; logs: readonly ContractLog[] };

/**
 * Returns the units of a token that each swap of a wallet moved in a block, by the swap's transaction hash. If the
 * token's events explain the change of the wallet's balance, they are used. If not, the change is divided among the
 * swaps according to their pools' swap events.
 *
 * @param all All of the wallet's transactions in the block.
 * @param difference The change of the wallet's balance in the block, in units.
 */
export function movedInBlock(
  { wrapped }: Pick<EvmConfiguration, "wrapped">,
  { wallet, token }: { wallet: string; token: string },
  all: readonly WalletTransaction[],
  difference: bigint,
): Map<string, bigint> {
  // A failed swap has no logs and gets no share of the change.
  const swaps = all.flatMap(({ hash, swap, logs }) =>
    swap?.token === token && logs.length > 0 ? [{ hash, swap, logs }] : [],
  );
  const signed = (swap: SwapCall, units: bigint) => (swap.side === "buy" ? units : -units);
  const logged = all.reduce((total, { logs }) => total + givenTo(wallet, token, logs), 0n);
  if (logged === difference)
    return new Map(
      swaps.map(({ hash, swap, logs }) => [hash, atLeast0(signed(swap, givenTo(wallet, token, logs)))]),
    );
  const isMixed = new Set(swaps.map(({ swap }) => swap.side)).size > 1;
  const fills = swaps.map(({ hash, swap, logs }) => {
    const traded = signed(swap, tradedByPool(swap, wrapped.token, logs));
    if (swap.side === "buy") return { hash, traded, least: 0n };
    // Routers take no more than a sale's amount, so any further shortfall means that purchases in the same block
    // brought less.
    return { hash, traded, most: 0n, ...(isMixed && { least: -swap.amountIn }) };
  });
  const shares = sharesOf(difference, fills);
  return new Map(swaps.map(({ hash, swap }) => [hash, atLeast0(signed(swap, shares.get(hash) ?? 0n))]));
}

/** The units that a swap's pool traded, negative if the wallet paid them, and the bounds of the swap's share. */
type BoundedFill = { hash: string; traded: bigint; least?: bigint; most?: bigint };

/**
 * Divides the change of the wallet's balance among the swaps, by hash. Each swap gets the units that its pool traded,
 * and a part of any unexplained remainder in proportion to its size. Sharing by net amounts instead would let a few
 * units from a stranger outweigh a purchase and a sale of equal size. Amounts beyond a swap's bounds go to the other
 * swaps.
 */
function sharesOf(difference: bigint, fills: readonly BoundedFill[]): Map<string, bigint> {
  const size = fills.reduce((sum, { traded }) => sum + sizeOf(traded), 0n);
  const unexplained = fills.reduce((left, { traded }) => left - traded, difference);
  let rest = difference;
  const shares = fills.map((fill, index) => {
    const { traded, least: low, most } = fill;
    // The last swap also gets the rounding difference, or everything unexplained if all sizes are 0.
    const part = size === 0n ? 0n : (unexplained * sizeOf(traded)) / size;
    const share = index < fills.length - 1 ? traded + part : rest;
    rest -= share;
    const raised = greatest(share, low ?? share);
    const bounded = least(raised, most ?? raised);
    return { fill, bounded, isFree: bounded === share };
  });
  const free = shares.filter(({ isFree }) => isFree).map(({ fill }) => fill);
  const isEnd = free.length === 0 || free.length === fills.length;
  const fixed = shares.filter(({ isFree }) => isEnd || !isFree);
  const left = fixed.reduce((sum, { bounded }) => sum - bounded, difference);
  return new Map([
    ...fixed.map(({ fill, bounded }) => [fill.hash, bounded] as const),
    ...(isEnd ? [] : sharesOf(left, free)),
  ]);
}

const swapTopics = [v2SwapTopic, v3SwapTopic, pancakeSwapTopic, binSwapTopic];

/**
 * Returns the units that the token's own pool paid or took, according to that pool's swap event. The own pool is the
 * last one of a buy, and for a sale the one before the bridge.
 */
function tradedByPool(
  { side, token, bridge }: SwapCall,
  wrapped: string,
  logs: readonly ContractLog[],
): bigint {
  const events = logs.filter(({ topics }) => swapTopics.includes(topics[0] ?? ""));
  const pools = [...new Set(events.map(({ address }) => address))];
  const pool = pools.at(side === "sell" && bridge !== undefined ? -2 : -1);
  const own = events.filter(({ address }) => address === pool);
  const isFirst = BigInt(token) < BigInt(bridge?.token ?? wrapped);
  const [paid, taken] = isFirst ? [2, 0] : [3, 1];
  // Pools with bins log one event for each bin.
  if (own[0]?.topics[0] === binSwapTopic)
    return own.reduce((sum, { data }) => sum + bothHalves(wordOf(data, side === "buy" ? 2 : 1)), 0n);
  const { topics = [], data = "" } = own.at(-1) ?? {};
  if (topics[0] === v2SwapTopic) return wordOf(data, side === "buy" ? paid : taken);
  const amount = BigInt.asIntN(256, wordOf(data, isFirst ? 0 : 1));
  return sizeOf(amount);
}
