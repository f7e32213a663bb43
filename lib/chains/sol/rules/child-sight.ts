import type { ChildSight, OutChild } from "../../../orders/resting/life.ts";

/** The messages of a child, by the signer's ledgers, and those of others that make the same marker. */
export type SignedMessages = {
  own: readonly SentMessage[];
  /** Swaps of the other children of the order. */
  siblings: readonly string[];
  /** Clears of the order, which make the marker and trade nothing. */
  clears: readonly SentMessage[];
};

/** A message with the last block that may have it. */
type SentMessage = { signature: string; lastHeight: number };

export type MessageWord = {
  /** Time of the newest block, in seconds. */
  time: number;
  finalHeight: number;
  /** True if the marker has data. Lamports prove nothing, because anybody may pay them in. */
  isMarked: boolean;
  /** Receipts of messages, by signature, with the height of their block, or of a later final one. */
  receipts: ReadonlyMap<string, { height: number; status: "ok" | "failed" }>;
};

type MessageWords = readonly [MessageWord | undefined, MessageWord | undefined];

/**
 * Decides what is certain about a child on Solana. Its marker lets only one child of an order fill, so a wrong answer
 * costs time but no money: no proof in a block is needed before another child goes out.
 */
export function sightOfMessages(
  { validUntil }: OutChild,
  signed: SignedMessages | undefined,
  [a, b]: MessageWords,
  nowMs: number,
): ChildSight {
  if (a === undefined || b === undefined) return { is: "unclear" };
  const words = [a, b];
  if (signed === undefined) {
    const isPast = words.every(({ time }) => time > validUntil) && nowMs > validUntil * 1000;
    if (!isPast) return { is: "out" };
    return { is: "dead", outcome: "unsent", ...(words.every(({ isMarked }) => isMarked) && usedUp) };
  }
  const own = signed.own.map(({ signature }) => signature);
  const clears = signed.clears.map(({ signature }) => signature);
  const hasRun = (signatures: readonly string[]) =>
    signatures.some((signature) => words.every((word) => hasFilled(word, signature)));
  if (hasRun(own)) return { is: "filled" };
  if (own.some((signature) => words.some((word) => hasFilled(word, signature)))) return { is: "unclear" };
  const areOver = (messages: readonly SentMessage[]) =>
    words.every((word) => messages.every((message) => isOver(word, message)));
  if (!areOver(signed.own)) return { is: "out" };
  if (hasRun(signed.siblings)) return { is: "dead", outcome: "replaced" };
  if (hasRun(clears)) return { is: "dead", outcome: "lapsed", ...usedUp };
  // A clear may still make the marker.
  if (!areOver(signed.clears)) return { is: "out" };
  // Waits until both hosts show which child has made the marker.
  if (words.some(({ isMarked }) => isMarked)) return { is: "unclear" };
  const hasFailed = own.some((signature) => a.receipts.get(signature)?.status === "failed");
  return { is: "dead", outcome: hasFailed ? "failed" : "lapsed" };
}

const usedUp = { isUsedUp: true } as const;

const hasFilled = ({ receipts }: MessageWord, signature: string): boolean =>
  receipts.get(signature)?.status === "ok";

/** True if a message has failed in a final block, or is too old for any further block. */
const isOver = ({ receipts, finalHeight }: MessageWord, { signature, lastHeight }: SentMessage): boolean =>
  (receipts.get(signature)?.height ?? lastHeight + 1) <= finalHeight;
