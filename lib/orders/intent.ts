import type * as v from "valibot";
import type { Network } from "../core/network.ts";
import type { intentTerms } from "./schemas.ts";

/** A wallet on one chain. Its transactions form one sequence, even if several users have its key. */
export type LaneKey = { chain: Network; wallet: string };

/** Longest lifetime of an order, counted from its placing. */
export const longestValidSeconds = 600;

/** The limits of an order on any chain. The minimum is never lowered later. */
export type IntentTerms = v.InferOutput<typeof intentTerms>;
