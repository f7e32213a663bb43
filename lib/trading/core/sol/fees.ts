import { ceilDivide, greatest, least } from "../bigints.ts";
import { formatAmount } from "../decimal-text.ts";
import type { SolCosts } from "./trade-facts.ts";

const places = 9;

/** Converts SOL of the settings to lamports. */
export const lamportsOfSol = (sol: number): bigint => BigInt(sol.toFixed(places).replace(".", ""));

export const solText = (lamports: bigint): string => formatAmount(lamports, places);

/** An order has at most three attempts and one clear, which share its budget: 3/10 for each attempt, 1/10 for the clear. */
const parts = 10n;
const partsOfAttempt = 3n;
const mostTransactions = 4n;

/** The part of an attempt's share that a relay gets, in percent. */
const tipPercent = 30n;

/** What one transaction pays beside its base fee, in lamports. */
export type SolFees = {
  /** The most for priority. Rounding the price may leave a lamport or two of it. */
  priority: bigint;
  tip: bigint;
  /** The price of a compute unit, in millionths of a lamport. */
  microLamportsPerUnit: bigint;
};

const microLamports = 1_000_000n;

const feesOf = (priority: bigint, tip: bigint, computeUnitLimit: number): SolFees => ({
  priority,
  tip,
  microLamportsPerUnit: (priority * microLamports) / BigInt(computeUnitLimit),
});

/** Computes the share of a budget that each attempt may use. */
export const shareOfAttempt = (budget: bigint): bigint => (budget * partsOfAttempt) / parts;

/**
 * Computes what an attempt pays. Without a relay, all of its share is for priority. A relay gets a part of it as its tip,
 * at least its lowest one, as far as the share suffices.
 *
 * @param leastTip The relay's lowest tip. Absent without a relay.
 */
export function feesOfAttempt(budget: bigint, computeUnitLimit: number, leastTip?: bigint): SolFees {
  const share = shareOfAttempt(budget);
  const tip = leastTip === undefined ? 0n : least(greatest((share * tipPercent) / 100n, leastTip), share);
  return feesOf(share - tip, tip, computeUnitLimit);
}

/** Computes what the clear pays. It needs no relay, since nobody gains by trading around it. */
export const feesOfClear = (budget: bigint, computeUnitLimit: number): SolFees =>
  feesOf(budget / parts, 0n, computeUnitLimit);

/** Computes the lowest budget with which each attempt can pay a relay's lowest tip. */
export const leastBudget = (leastTip: bigint): bigint => ceilDivide(leastTip * parts, partsOfAttempt);

/**
 * The network fee of an order in lamports: expected if its first attempt fills it, and the most that all of its
 * transactions may pay. Priority and tip are those of one attempt.
 */
export type SolNetworkFee = { expected: bigint; max: bigint; priority: bigint; tip: bigint };

export const solNetworkFee = (
  budget: bigint,
  baseFee: bigint,
  { priority, tip }: SolFees,
): SolNetworkFee => ({
  expected: baseFee + shareOfAttempt(budget),
  max: budget + mostTransactions * baseFee,
  ...{ priority, tip },
});

/** Limits of units: simulated ones and a fifth, since pools move. */
const [unitParts, unitPartsOfLimit] = [5, 6];

/** The chain's limit of one transaction. */
const mostUnits = 1_400_000;

/** The limit without a simulation. */
export const usualUnits = 200_000;

/** Computes the limit of compute units. 0 stands for none. */
export const unitLimitFor = (simulated: number): number =>
  simulated === 0 ? usualUnits : Math.min(Math.ceil((simulated * unitPartsOfLimit) / unitParts), mostUnits);

/** Combines two hosts' costs: the higher ones, with which a transaction does not fail. */
export const jointCosts = (a: SolCosts, b: SolCosts): SolCosts => ({
  computeUnitLimit: Math.max(a.computeUnitLimit, b.computeUnitLimit),
  baseFee: greatest(a.baseFee, b.baseFee),
  rents: {
    empty: greatest(a.rents.empty, b.rents.empty),
    wsol: greatest(a.rents.wsol, b.rents.wsol),
    tokenAccount: greatest(a.rents.tokenAccount, b.rents.tokenAccount),
  },
  medianPrice: greatest(a.medianPrice, b.medianPrice),
});

/** Returns the middle value, or 0 of none. */
export function medianOf(values: readonly bigint[]): bigint {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return sorted[Math.floor(sorted.length / 2)] ?? 0n;
}
