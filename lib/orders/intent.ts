import type * as v from "valibot";
import type { Network } from "../core/network.ts";
import type { intentTerms } from "./schemas.ts";

/** A wallet on one chain. Its transactions form one sequence, even if several users have the wallet's key. */
export type LaneKey = { chain: Network; wallet: string };

/** Maximum lifetime of an order, counted from the time when it is placed. */
export const longestValidSeconds = 600;

/** How far the clocks of different functions may be apart. */
export const clocksApartMs = 5000;

/** The limits of an order on any chain. Its minimum is never lowered later. */
export type IntentTerms = v.InferOutput<typeof intentTerms>;

/**
 * Encodes an intent or a mandate as text, which is the same for equal terms. MACs are computed over this text, so a
 * change of its form voids all open orders.
 */
export const termsText = (terms: object): string => JSON.stringify(canonical(terms));

/** Sorts the fields of all objects in a value, because tables return them in any order. Encodes amounts as digits. */
function canonical(value: unknown): unknown {
  if (typeof value === "bigint") return { bigint: String(value) };
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([name, part]) => [name, canonical(part)]));
}
