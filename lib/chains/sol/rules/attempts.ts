import { solBlockhashBlocks, solSlotSeconds } from "../../../core/network-facts.ts";
import { longestValidSeconds } from "../../../orders/intent.ts";

/** Usual time for which a message may get into a block, because its blockhash is valid for that many blocks. */
const messageLifeMs = solBlockhashBlocks * solSlotSeconds * 1000;

/** Time after which a pending message may be followed by one that pays more. */
export const bumpAfterMs = messageLifeMs / 4;

/** Time after which a pending message must be followed by another one, so that the order is never without one. */
export const succeedAfterMs = (messageLifeMs * 9) / 10;

/** Default lifetime of an order. */
export const usualSeconds = 120;

/**
 * Computes how many transactions could fill an order: enough to follow each other until its deadline, and one to pay
 * more early. Each of them makes the order's marker, so only one succeeds.
 */
export const attemptsFor = (seconds: number): number => Math.ceil((seconds * 1000) / succeedAfterMs) + 1;

/** Maximum number of transactions that could fill an order with the longest lifetime. */
export const mostAttempts = attemptsFor(longestValidSeconds);

/** The number of attempts of orders whose intents do not state it, because they were placed before it was stated. */
const unstatedAttempts = 3;

/** Returns how many transactions could fill an order. */
export const attemptsOf = ({ attempts = unstatedAttempts }: { attempts?: number }): number => attempts;

/** Maximum number of transactions per order that only make its marker, to prevent a fill. */
export const mostClears = 1;
