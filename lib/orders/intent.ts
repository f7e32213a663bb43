import type * as v from "valibot";
import type { Network } from "../core/network.ts";
import type { intentTerms } from "./schemas.ts";

/** A wallet on one chain. Its transactions form one sequence, even if several users have the wallet's key. */
export type LaneKey = { chain: Network; wallet: string };

/** Maximum lifetime of an order, counted from the time when it is placed. */
export const longestValidSeconds = 600;

/** The limits of an order on any chain. Its minimum is never lowered later. */
export type IntentTerms = v.InferOutput<typeof intentTerms>;
