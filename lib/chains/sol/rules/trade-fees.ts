import { chainFacts } from "../../../core/chain-facts.ts";
import type { Lamports } from "../../../core/units.ts";
import { greatest, greatestEach } from "../../../orders/bigints.ts";
import { formatAmount } from "../../../orders/decimal-text.ts";
import { mostClears } from "./attempts.ts";
import { budgetFor, feesOfShare, mostComputeUnits, shareOf } from "./fees.ts";
import { type SolRoute, signaturesFor } from "./intent.ts";
import type { SolCosts } from "./trade-facts.ts";

/** Converts an amount of SOL from the settings to lamports. */
export const lamportsOfSol = (sol: number): Lamports =>
  BigInt(sol.toFixed(chainFacts.sol.coin.decimals).replace(".", ""));

export const solText = (lamports: Lamports): string => formatAmount(lamports, chainFacts.sol.coin.decimals);

/**
 * Computes how many base fees an order may pay: those of its attempts and a clear.
 *
 * @param signatures Maximum number per attempt.
 */
const mostBaseFees = (attempts: number, signatures: number): bigint =>
  BigInt(attempts * signatures + mostClears);

/** Payments of the first attempt in addition to its base fee. */
export type SolTradeFees = {
  /** Limits the priority fee. Rounding the price may leave a lamport or two unused. */
  priority: Lamports;
  tip: Lamports;
  /** The price of a compute unit, in millionths of a lamport. */
  microLamportsPerUnit: bigint;
};

/** @param leastTip The relay's lowest tip. Absent if there is no relay. */
export function feesOfFirst(budget: Lamports, computeUnitLimit: number, leastTip?: Lamports): SolTradeFees {
  const share = shareOf(budget, 1, 0);
  const { tipLamports: tip, microLamportsPerUnit } = feesOfShare(share, computeUnitLimit, leastTip);
  return { priority: share - tip, tip, microLamportsPerUnit };
}

/** Computes the lowest budget from which the first attempt can pay the relay's lowest tip. */
export const leastBudget = (leastTip: Lamports): Lamports => budgetFor(leastTip);

/**
 * The network fee of an order: the amount expected if the first attempt fills it, and the most that all of its
 * transactions may pay. Priority fee and tip are those of one attempt.
 */
export type SolNetworkFee = { expected: Lamports; max: Lamports; priority: Lamports; tip: Lamports };

/**
 * @param terms.attempts Maximum number of the order's attempts.
 * @param terms.routes The order's possible routes, best first.
 */
export const solNetworkFee = (
  budget: Lamports,
  baseFee: Lamports,
  { priority, tip }: SolTradeFees,
  { attempts, routes }: { attempts: number; routes: readonly [SolRoute, ...SolRoute[]] },
): SolNetworkFee => ({
  expected: BigInt(signaturesFor(routes[0])) * baseFee + priority + tip,
  max: budget + mostBaseFees(attempts, Math.max(...routes.map(signaturesFor))) * baseFee,
  priority,
  tip,
});

/** Compute unit limit: the simulated units plus a fifth, because pools change. */
const [unitParts, unitPartsOfLimit] = [5, 6];

/** The compute unit limit if there is no simulation. */
export const usualUnits = 200_000;

/** Computes the compute unit limit. 0 units means that there is no simulation. */
export const unitLimitFor = (simulated: number): number =>
  simulated === 0
    ? usualUnits
    : Math.min(Math.ceil((simulated * unitPartsOfLimit) / unitParts), mostComputeUnits);

/** Combines two hosts' costs. Takes the higher ones, so that a transaction does not fail for lack of them. */
export const jointCosts = (a: SolCosts, b: SolCosts): SolCosts => ({
  computeUnitLimit: Math.max(a.computeUnitLimit, b.computeUnitLimit),
  baseFee: greatest(a.baseFee, b.baseFee),
  rents: greatestEach(a.rents, b.rents),
  marketPrice: greatest(a.marketPrice, b.marketPrice),
});

/**
 * Lowest price of a compute unit with which transactions usually get into a block soon, in millionths of a lamport.
 * Most hosts know no percentiles, so quotes compare with this price.
 */
export const leastMarketPrice = 10_000n;

/** Returns the median, or 0 for an empty list. */
export function medianOf(values: readonly bigint[]): bigint {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return sorted[Math.floor(sorted.length / 2)] ?? 0n;
}
