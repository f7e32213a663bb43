import { chainFacts, type EvmChain } from "../../../core/chain-facts.ts";
import { emptyCallGas } from "../../../core/network-facts.ts";
import type { Wei, WeiPerGas } from "../../../core/units.ts";
import { ceilDivide, greatest, least } from "../../../orders/bigints.ts";
import { formatAmount } from "../../../orders/decimal-text.ts";
import type { ChainLimits } from "../../../orders/trading-chain.ts";
import type { GasPreset } from "../../../users/settings.ts";
import type { EvmFees } from "./intent.ts";

/** The percentiles of tips to ask hosts for, one for each preset. */
export const rewardPercentiles = [25, 50, 75, 95] as const;

/** Period whose transactions show the usual tips. At least five blocks are used, however short the period is. */
const feeSeconds = 10;

/** Computes how many recent blocks' tips to use. */
export const feeBlocks = (chain: EvmChain): number =>
  Math.max(5, Math.ceil(feeSeconds / chainFacts[chain].blockSeconds));

/** A chain's fees according to one host. */
export type FeeMarket = {
  /** The base fee of the next block. */
  baseFee: WeiPerGas;
  /** The tips paid in each recent block that had transactions, at each of {@link rewardPercentiles}. */
  tips: readonly (readonly WeiPerGas[])[];
  /** The answer to `eth_maxPriorityFeePerGas`. */
  suggestedTip: WeiPerGas;
  /** The answer to `eth_gasPrice`, on chains where it is the lowest price that validators accept. */
  gasPrice?: WeiPerGas;
};

/**
 * Presets of fees: the percentile of tips to pay, and the highest base fee to accept, in quarters of the current one.
 * The margin keeps a transaction valid while the base fee rises.
 */
const presets: Readonly<Record<GasPreset, { percentile: number; quarters: bigint }>> = {
  slow: { percentile: 0, quarters: 5n },
  medium: { percentile: 1, quarters: 6n },
  fast: { percentile: 2, quarters: 8n },
  turbo: { percentile: 3, quarters: 12n },
};

const weiPlaces = 9;

export const weiOfCoin = 10n ** 18n;

/** Converts a gas price from the settings to wei. */
export const weiOfGwei = (gwei: number): WeiPerGas => BigInt(gwei.toFixed(weiPlaces).replace(".", ""));

/** Formats a gas price in gwei, for reports. */
export const gweiText = (price: WeiPerGas): string => formatAmount(price, weiPlaces);

function median(values: readonly bigint[]): bigint {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return sorted[Math.floor(sorted.length / 2)] ?? 0n;
}

/** Fees according to one host. */
export type HostFees = EvmFees & {
  /** The lowest tip that validators accept, if the host knows it. */
  floor?: WeiPerGas;
};

/**
 * Largest plausible minimum tip, as a multiple of the chain's lowest tip. If a host reports a higher one, it is
 * ignored.
 */
const mostFloors = 10n;

/** Computes a transaction's fees by preset, before any cap. */
export function feesFor(chain: EvmChain, preset: GasPreset, market: FeeMarket): HostFees {
  const { percentile, quarters } = presets[preset];
  // Tips at least 1 wei, because relays drop transactions without a tip, and an idle chain suggests none.
  const { isGasPriceFloor, lowestTip = 1n } = chainFacts[chain];
  const paid = median(market.tips.map((block) => block[percentile] ?? 0n));
  const named = isGasPriceFloor ? (market.gasPrice ?? 0n) - market.baseFee : 0n;
  const tip = greatest(paid, market.suggestedTip / 10n, named, lowestTip);
  return {
    maxFeePerGas: ceilDivide(market.baseFee * quarters, 4n) + tip,
    maxPriorityFeePerGas: tip,
    ...(isGasPriceFloor && { floor: greatest(least(named, mostFloors * lowestTip), lowestTip) }),
  };
}

/**
 * What a transaction pays in addition to its gas: for its data on layer 1, and to the operator. 0 on chains other than
 * base.
 */
export type L1Fee = Wei;

/**
 * Computes the cost of a unit of gas in the next block, with the L1 fee spread over the gas. It is rounded up, so that
 * it exceeds a limit exactly when the total cost does.
 */
export const gasPriceNow = (baseFee: WeiPerGas, tip: WeiPerGas, gasLimit: bigint, l1Fee: L1Fee): WeiPerGas =>
  baseFee + tip + ceilDivide(l1Fee, gasLimit);

/** Limits of a transaction's fees: the order's highest gas price, and the operators' limit. */
export type FeeLimits = { maxGasPrice: WeiPerGas } & Pick<ChainLimits<Wei>, "maxNetworkFee">;

/**
 * Computes the maximum price of a unit of gas: the transaction must stay within the operators' limit and, including the
 * L1 fee, within the highest gas price.
 */
export const feeCap = (
  { maxGasPrice, maxNetworkFee }: FeeLimits,
  { gasLimit, l1Fee }: Pick<PlannedGas, "gasLimit" | "l1Fee">,
): WeiPerGas => least(maxGasPrice - ceilDivide(l1Fee, gasLimit), maxNetworkFee / gasLimit);

/**
 * Caps a transaction's fees at {@link feeCap}. Undefined if the next block costs more, because the transaction would
 * then wait in the pool until the price falls.
 */
export function feesWithin(
  limits: FeeLimits,
  fees: EvmFees,
  baseFee: WeiPerGas,
  gas: Pick<PlannedGas, "gasLimit" | "l1Fee">,
): EvmFees | undefined {
  const { maxFeePerGas, maxPriorityFeePerGas } = fees;
  const cap = feeCap(limits, gas);
  if (baseFee + maxPriorityFeePerGas > cap) return undefined;
  return { maxFeePerGas: least(maxFeePerGas, cap), maxPriorityFeePerGas };
}

/** Gas of an empty transaction from a wallet to itself, unless hosts estimate more. No other transaction uses less. */
export const clearGas = emptyCallGas;

/**
 * Maximum gas limit of a clear, since a lying host may estimate any amount. It is so low that a clear with the fees of
 * a replacement usually costs no more than what was signed for an approval or a swap.
 */
export const mostClearGas = 2n * clearGas;

/** Computes the gas limit of a clear. The highest estimate counts, because no block includes one with too little gas. */
export const clearGasFor = (estimates: readonly bigint[]): bigint =>
  least(greatest(clearGas, ...estimates), mostClearGas);

/**
 * Computes the gas limit from the gas that a simulation used. A lying host may report 0, so at least the gas of an
 * empty transaction counts. A refund at the end returns up to a fifth of the gas spent, so a transaction may need a
 * quarter more while it runs, as sales on v2 do. The limit adds another fifth because pools change. It stays below
 * twice the estimate, because avax charges for unused gas above that.
 */
export const gasLimitFor = (estimate: bigint): bigint => ceilDivide(greatest(estimate, clearGas) * 3n, 2n);

/** Gas assumed for transactions that cannot be simulated. */
export const usualGas = { approve: 60_000n, swap: 200_000n } as const;

export const usualGasLimit = {
  approve: gasLimitFor(usualGas.approve),
  swap: gasLimitFor(usualGas.swap),
} as const;

/** The gas and L1 fee of a transaction that is still to be sent. */
export type PlannedGas = { estimate: bigint; gasLimit: bigint; l1Fee: L1Fee };

/**
 * The network fee of transactions. `max` is the amount to reserve: it lets the gas fees rise to their maximum, and the
 * L1 fee by a quarter.
 */
export type EvmNetworkFee = { expected: Wei; max: Wei; l1: Wei };

/** Computes the network fees that transactions are expected to pay in the next block, and the highest possible ones. */
export function evmNetworkFee(
  transactions: readonly PlannedGas[],
  fees: EvmFees,
  baseFee: WeiPerGas,
): EvmNetworkFee {
  const sum = (of: (transaction: PlannedGas) => bigint) =>
    transactions.reduce((total, transaction) => total + of(transaction), 0n);
  const l1 = sum(({ l1Fee }) => l1Fee);
  const price = baseFee + fees.maxPriorityFeePerGas;
  return {
    expected: sum(({ estimate }) => estimate) * price + l1,
    max: mostFee(transactions, fees),
    l1,
  };
}

/**
 * Computes what selling a buy's tokens may cost, with the approval.
 *
 * @param swap The buy's own swap, which uses about as much gas as a sale.
 * @param attempts Number of swaps.
 */
export function feeOfSale(swap: PlannedGas, fees: EvmFees, attempts = 1): Wei {
  const approve = { gasLimit: usualGasLimit.approve, l1Fee: swap.l1Fee };
  return mostFee([approve, ...Array<PlannedGas>(attempts).fill(swap)], fees);
}

/** Computes what the sales of exits may cost: two attempts for each exit, at a gas price that has risen by half. */
export const feeOfExits = (exits: number, swap: PlannedGas, fees: EvmFees): Wei =>
  (BigInt(exits) * feeOfSale(swap, fees, 2) * 3n) / 2n;

/** Computes the highest possible network fees of transactions. */
export function mostFee(transactions: readonly Omit<PlannedGas, "estimate">[], fees: EvmFees): Wei {
  const gas = transactions.reduce((sum, { gasLimit }) => sum + gasLimit, 0n);
  const l1 = transactions.reduce((sum, { l1Fee }) => sum + l1Fee, 0n);
  return gas * fees.maxFeePerGas + ceilDivide(l1 * 5n, 4n);
}
