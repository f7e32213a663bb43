import type { GasPreset } from "../settings.ts";
import { greatest, least } from "./bigints.ts";
import { formatAmount } from "./decimal-text.ts";
import type { Fees } from "./intent.ts";
import { chainFacts, type TradingChain } from "./trading-chain.ts";

/** The percentiles of tips that hosts are asked for, one for each preset. */
export const rewardPercentiles = [25, 50, 75, 95] as const;

/** The number of recent blocks whose tips count. */
export const feeBlocks = 5;

/** What one host says of a chain's fees. In wei for a unit of gas. */
export type FeeMarket = {
  /** Of the next block. */
  baseFee: bigint;
  /** For each recent block that took transactions, the tips paid in it at each of {@link rewardPercentiles}. */
  tips: readonly (readonly bigint[])[];
  /** `eth_maxPriorityFeePerGas`. */
  suggestedTip: bigint;
  /** `eth_gasPrice`. */
  gasPrice: bigint;
};

/**
 * By preset: which tip of a block counts, and how many quarters of the base fee a transaction may pay, so that it stays
 * good while the base fee rises.
 */
const presets: Readonly<Record<GasPreset, { percentile: number; quarters: bigint }>> = {
  slow: { percentile: 0, quarters: 5n },
  medium: { percentile: 1, quarters: 6n },
  fast: { percentile: 2, quarters: 8n },
  turbo: { percentile: 3, quarters: 12n },
};

const weiPlaces = 9;

/** A gas price of a setting, in wei. */
export const weiOfGwei = (gwei: number): bigint => BigInt(gwei.toFixed(weiPlaces).replace(".", ""));

/** A gas price in gwei, as reports have it. */
export const gweiText = (wei: bigint): string => formatAmount(wei, weiPlaces);

const ceilDivide = (dividend: bigint, divisor: bigint) => (dividend + divisor - 1n) / divisor;

function median(values: readonly bigint[]): bigint {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return sorted[Math.floor(sorted.length / 2)] ?? 0n;
}

/**
 * The fees of a transaction by preset, not yet capped. The tip is never 0, since relays drop a transaction without one,
 * and an idle chain would suggest just that.
 */
export function feesFor(chain: TradingChain, preset: GasPreset, market: FeeMarket): Fees {
  const { percentile, quarters } = presets[preset];
  const paid = median(market.tips.map((block) => block[percentile] ?? 0n));
  const floor = chainFacts[chain].isGasPriceFloor ? market.gasPrice - market.baseFee : 0n;
  const tip = greatest(paid, market.suggestedTip / 10n, floor, 1n);
  return {
    maxFeePerGas: ceilDivide(market.baseFee * quarters, 4n) + tip,
    maxPriorityFeePerGas: tip,
  };
}

/** The cost of a transaction's data on layer 1. 0 for chains other than base. */
export type L1Fee = bigint;

/**
 * What a unit of gas costs in the next block, the part for layer 1 spread over the gas. It is rounded up, so it exceeds a
 * limit exactly if the cost does.
 */
export const gasPriceNow = (baseFee: bigint, tip: bigint, gasLimit: bigint, l1Fee: L1Fee): bigint =>
  baseFee + tip + ceilDivide(l1Fee, gasLimit);

/** What a unit of gas may cost at most, so that with the part for layer 1 it is within the highest gas price. */
export const feeCap = (maxGasPrice: bigint, gasLimit: bigint, l1Fee: L1Fee): bigint =>
  maxGasPrice - ceilDivide(l1Fee, gasLimit);

/**
 * Fees that keep a transaction within the highest gas price, with its part for layer 1. Undefined if the next block costs
 * more than that: then nothing may be sent, as it would wait in the pool until the price falls.
 */
export function feesWithin(
  maxGasPrice: bigint,
  fees: Fees,
  baseFee: bigint,
  gasLimit: bigint,
  l1Fee: L1Fee,
): Fees | undefined {
  const { maxFeePerGas, maxPriorityFeePerGas } = fees;
  if (gasPriceNow(baseFee, maxPriorityFeePerGas, gasLimit, l1Fee) > maxGasPrice) return undefined;
  const cap = feeCap(maxGasPrice, gasLimit, l1Fee);
  return { maxFeePerGas: least(maxFeePerGas, cap), maxPriorityFeePerGas };
}

/**
 * The gas limit for what a simulated transaction has used. Up to a fifth of what it spends is refunded at its end, so on the
 * way it may need a quarter more than that: sales on v2 do. The limit leaves another fifth for pools that have moved. Above
 * twice the estimate, avax would charge for gas that is not used.
 */
export const gasLimitFor = (estimate: bigint): bigint => ceilDivide(estimate * 3n, 2n);

/** A transaction that is still to be sent. */
export type PlannedGas = { estimate: bigint; gasLimit: bigint; l1Fee: L1Fee };

/** In wei. `max` is reserved: the fees may rise to it, and the part for layer 1 by a quarter. */
export type NetworkFee = { expected: bigint; max: bigint; l1: bigint };

/** What transactions cost in network fees if the next block takes them, and at most. */
export function networkFee(transactions: readonly PlannedGas[], fees: Fees, baseFee: bigint): NetworkFee {
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

/** The most that transactions can cost in network fees. */
export function mostFee(transactions: readonly Omit<PlannedGas, "estimate">[], fees: Fees): bigint {
  const gas = transactions.reduce((sum, { gasLimit }) => sum + gasLimit, 0n);
  const l1 = transactions.reduce((sum, { l1Fee }) => sum + l1Fee, 0n);
  return gas * fees.maxFeePerGas + ceilDivide(l1 * 5n, 4n);
}
