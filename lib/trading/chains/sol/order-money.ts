import { isDeepStrictEqual } from "node:util";
import { ceilDivide } from "../../core/bigints.ts";
import type { Objection } from "../../core/effects.ts";
import type { MessageTerms } from "./message-terms.ts";

/** The most messages of one order. Each of them makes the order's marker, so at most one has an effect. */
const mostAttempts = 3;
const mostClears = 1;

/** The limits of what an order pays, fixed when it was placed, with the terms of the messages signed before. */
export type SolLedger = {
  /** The most for priority fees and tips. */
  budgetLamports: bigint;
  /** The most for base fees. */
  baseFeesLamports: bigint;
  signed: readonly MessageTerms[];
};

/** Returns the number of signatures: the wallet's, and that of Jupiter's helper. */
export const signatureCountOf = (terms: MessageTerms): number =>
  terms.purpose === "swap" && terms.venue.kind === "jupiter" ? 2 : 1;

/**
 * Computes the most that a message pays for being in a block, in lamports. A transaction that fails pays it too, except
 * for its tip.
 *
 * @param baseFeeCapLamports The configured highest base fee for each signature.
 */
export function mostFeeLamportsOf(terms: MessageTerms, baseFeeCapLamports: bigint): bigint {
  const { microLamportsPerUnit, computeUnitLimit } = terms;
  const priorityLamports = ceilDivide(microLamportsPerUnit * BigInt(computeUnitLimit), 1_000_000n);
  const tipLamports = terms.purpose === "swap" ? (terms.tip?.lamports ?? 0n) : 0n;
  return BigInt(signatureCountOf(terms)) * baseFeeCapLamports + priorityLamports + tipLamports;
}

const refused = (reason: string): Objection => ({ refused: reason });

/**
 * Returns the reason why an order may have no such message in addition to those signed before. Their fees are summed,
 * as any of them may be charged.
 */
export function objectionToSpending(
  terms: MessageTerms,
  { budgetLamports, baseFeesLamports, signed }: SolLedger,
  baseFeeCapLamports: bigint,
): Objection | undefined {
  const all = [...signed, terms];
  const [first] = all.map(orderOf);
  if (all.some((each) => !isDeepStrictEqual(orderOf(each), first)))
    return refused("the message is another order's");
  const [trade, ...others] = all.flatMap((each) => (each.purpose === "swap" ? [tradeOf(each)] : []));
  if (others.some((other) => !isDeepStrictEqual(other, trade)))
    return refused("the attempt trades something else than the one before");
  const attempts = all.filter(({ purpose }) => purpose === "swap").length;
  if (attempts > mostAttempts) return refused("the order has had all its attempts");
  if (all.length - attempts > mostClears) return refused("the order has had its clear");
  const feesLamports = all.reduce((sum, each) => sum + mostFeeLamportsOf(each, baseFeeCapLamports), 0n);
  return feesLamports > budgetLamports + baseFeesLamports
    ? refused("the fees of all the order's messages are above its budget")
    : undefined;
}

const orderOf = ({ wallet, orderId }: MessageTerms) => ({ wallet, orderId });

/** The amount may shrink to the wallet's balance, and the minimum of a route may be higher. */
const tradeOf = ({ side, mint, tokenProgram }: Extract<MessageTerms, { purpose: "swap" }>) => ({
  ...{ side, mint, tokenProgram },
});
