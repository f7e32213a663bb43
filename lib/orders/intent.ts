import type * as v from "valibot";
import type { Network } from "../core/network.ts";
import type { intentTerms } from "./schemas.ts";

/** A wallet on one chain. Its transactions form one sequence, even if several users have its key. */
export type LaneKey = { chain: Network; wallet: string };

/** Longest time after its placing in which an order may be filled. */
export const longestValidSeconds = 600;

/** The limits of an order on any chain. The minimum is never lowered later. */
export type IntentTerms = v.InferOutput<typeof intentTerms>;
