import type * as v from "valibot";
import type { Wei } from "../../../core/units.ts";
import { greatest } from "../../../orders/bigints.ts";
import type { Block } from "../../../orders/block.ts";
import type { SendFailure } from "../../../orders/effects.ts";
import {
  bothAnswered,
  bothSay,
  type EvmReceipt,
  type EvmSnapshot,
  type EvmSnapshots,
  isSameReceipt,
  receiptOf,
} from "./host-snapshot.ts";
import type { evmAttempt, evmSlot } from "./schemas.ts";
import { areFinal, blocksSeen } from "./seen-blocks.ts";

/** One signed transaction for a slot's nonce. Only one of a slot's attempts can ever be mined. */
export type EvmAttempt = v.InferOutput<typeof evmAttempt>;

/** Highest network fee of a nonce's transactions. Only one of them can ever be mined. */
export type SignedFee = { most: Wei };

/**
 * A nonce of a wallet, taken for one transaction of an order:
 *
 * | state   | meaning                                                             | next                  |
 * | ------- | ------------------------------------------------------------------- | --------------------- |
 * | planned | nothing is signed                                                   | signed, or removed    |
 * | signed  | the attempts may be anywhere                                        | mined, taken          |
 * | mined   | a block has one of the attempts                                     | signed, or final      |
 * | taken   | the nonce is used by none of the attempts: another program has it   | signed, mined, final  |
 *
 * Final slots are removed when their order settles.
 */
export type EvmSlot = v.InferOutput<typeof evmSlot>;

const hashesOf = ({ attempts }: EvmSlot): string[] => attempts.map(({ hash }) => hash);

/** Computes the most that a transaction may pay the network, without an L1 fee. */
export const mostFeeOf = ({ gasLimit, maxFeePerGas }: Pick<EvmAttempt, "gasLimit" | "maxFeePerGas">): Wei =>
  gasLimit * maxFeePerGas;

/** Computes what has been signed at each nonce of these slots. */
export const feesSigned = (slots: readonly EvmSlot[]): Record<number, SignedFee> =>
  Object.fromEntries(
    slots.map(({ place, attempts }) => {
      return [place, { most: greatest(0n, ...attempts.map(mostFeeOf)) }];
    }),
  );

/** Returns the newest attempt, which replaces the others. */
export const newestAttempt = ({ attempts }: EvmSlot): EvmAttempt | undefined => attempts.at(-1);

/** Returns the attempt that is in a block. */
export const minedAttempt = ({ attempts, receipt }: EvmSlot): EvmAttempt | undefined =>
  attempts.find(({ hash }) => hash === receipt?.hash);

/**
 * Updates the slot from the hosts' answers. One host's receipt is enough, because the other host may not have seen the
 * block yet; a wrong receipt is corrected before it becomes final.
 */
export function observedEvm(slot: EvmSlot, snapshots: EvmSnapshots): EvmSlot {
  if (slot.state === "planned") return slot;
  const isPossible = (receipt: EvmReceipt) =>
    snapshots.every((snapshot) => !rulesOut(slot, receipt, snapshot));
  const receipt = receiptOf(hashesOf(slot), snapshots, isPossible, slot.receipt);
  if (receipt !== undefined)
    return inState(slot, "mined", { receipt: judged(receipt, slot.receipt, snapshots) });
  // Requires clear answers from both hosts as proof that a transaction is in no block.
  if (!bothAnswered(snapshots)) return slot;
  const isUsed = bothSay(snapshots, ({ nonce }) => nonce.latest > slot.place);
  if (!isUsed) return inState(slot, "signed");
  const isStill = slot.takenIn !== undefined && areFinal(slot.takenIn, snapshots) !== false;
  const takenIn = isStill ? slot.takenIn : blocksSeen(snapshots);
  return inState(slot, "taken", takenIn && { takenIn });
}

/** Hosts keep old balances for some minutes, but only for seconds on fast chains. */
const rememberedMs = 20_000;

/** How long to keep asking hosts that disagree. A token may deliberately show each host a different balance. */
const mostDisputedMs = 10 * 60_000;

/**
 * True if a block is final according to both hosts, and their latest final blocks are younger by at least the given
 * time.
 */
const isFinalFor = (ms: number, { number, time }: Block, snapshots: EvmSnapshots): boolean =>
  bothSay(snapshots, ({ finalized }) => finalized.number >= number && (finalized.time - time) * 1000 >= ms);

/**
 * Adds the amount that the wallet's balances show for a swap. The answer of one host is used provisionally, but a final
 * amount needs both hosts. The amount from the events is used if a host no longer keeps the balances by then, or if the
 * hosts disagree for too long. A host that refuses to return balances earlier may still return them later.
 */
function judged(receipt: EvmReceipt, known: EvmReceipt | undefined, snapshots: EvmSnapshots): EvmReceipt {
  if (receipt.status === "failed") return receipt;
  const { moved: _, isAgreed: __, ...logged } = receipt;
  const before = known?.status === "ok" && isSameReceipt(known, receipt) ? known : undefined;
  if (before?.isAgreed) return before;
  const seen = snapshots.flatMap((snapshot) => {
    const answer = snapshot?.receipts.get(receipt.hash);
    return answer?.status === "ok" && isSameReceipt(answer, receipt) ? [answer.moved] : [];
  });
  const named = seen.filter((moved) => moved !== undefined);
  const [first, second] = named;
  if (first !== undefined && first === second) return { ...logged, moved: first, isAgreed: true };
  const patienceMs = named.length < 2 ? rememberedMs : mostDisputedMs;
  if (seen.length === 2 && isFinalFor(patienceMs, receipt.block, snapshots)) return logged;
  const moved =
    before?.moved !== undefined && (named.length === 0 || named.includes(before.moved))
      ? before.moved
      : first;
  return moved === undefined ? logged : { ...logged, moved };
}

/** The amounts that an order's swap moved. Known once the swap is in a block. */
export type SwapResult = {
  receipt: Extract<EvmReceipt, { status: "ok" }>;
  spent: bigint;
  received: bigint;
  /** Explains why the events and the balances do not both confirm the amount of tokens. */
  doubt?: "events are odd" | "balances are unknown";
};

/**
 * Returns the result of a slot's swap: coins from the events, and tokens from the wallet's balances if these are known.
 */
export function swapResultOf(slot: EvmSlot): SwapResult | undefined {
  const { call, receipt } = slot;
  if (call.purpose !== "swap" || minedAttempt(slot)?.purpose !== "swap" || receipt?.status !== "ok")
    return undefined;
  const { spent, received, moved } = receipt;
  if (moved === undefined) return { receipt, spent, received, doubt: "balances are unknown" };
  const isOdd = moved !== (call.side === "buy" ? received : spent);
  const tokens = call.side === "buy" ? { spent, received: moved } : { spent: moved, received };
  return { receipt, ...tokens, ...(isOdd && { doubt: "events are odd" }) };
}

/** True if both hosts may still return the balances that determine the swap's amount. */
export function isToJudge(slot: EvmSlot, nowMs: number): boolean {
  const receipt = swapResultOf(slot)?.receipt;
  return receipt !== undefined && !receipt.isAgreed && nowMs < receipt.block.time * 1000 + rememberedMs;
}

/** True if a host's final chain extends past a receipt's block and has no transaction with the slot's nonce. */
const rulesOut = (
  { place }: EvmSlot,
  { hash, block }: EvmReceipt,
  snapshot: EvmSnapshot | undefined,
): boolean =>
  snapshot !== undefined &&
  !snapshot.receipts.has(hash) &&
  snapshot.finalized.number >= block.number &&
  snapshot.nonce.latest <= place;

function inState(
  slot: EvmSlot,
  state: EvmSlot["state"],
  { receipt, takenIn }: Pick<EvmSlot, "receipt" | "takenIn"> = {},
): EvmSlot {
  const { receipt: known, takenIn: knownIn, ...rest } = slot;
  const isSame =
    receipt === undefined ? known === undefined : known !== undefined && isSameResult(known, receipt);
  if (slot.state === state && isSame && takenIn === knownIn) return slot;
  const seen = { ...(receipt && { receipt }), ...(takenIn && { takenIn }) };
  return { ...rest, ...seen, state, revision: slot.revision + 1 };
}

const isSameResult = (a: EvmReceipt, b: EvmReceipt): boolean =>
  isSameReceipt(a, b) &&
  (a.status === "failed" || b.status === "failed" || (a.moved === b.moved && a.isAgreed === b.isAgreed));

/** Records when the slot's attempts were first sent, and whether anybody accepted the newest one. */
export function withEvmSendings(slot: EvmSlot, sendings: ReadonlyMap<string, number | SendFailure>): EvmSlot {
  const attempts = slot.attempts.map((attempt) => {
    const sending = sendings.get(attempt.hash);
    const isFirst = attempt.sentAtMs === undefined && typeof sending === "number";
    return isFirst ? { ...attempt, sentAtMs: sending } : attempt;
  });
  const newest = sendings.get(newestAttempt(slot)?.hash ?? "");
  const { isUndelivered = false, refusal } = newest === undefined ? slot : resultOf(newest);
  const isSame = attempts.every((attempt, index) => attempt === slot.attempts[index]);
  if (isSame && isUndelivered === (slot.isUndelivered ?? false) && refusal === slot.refusal) return slot;
  return { ...slot, attempts, isUndelivered, refusal, revision: slot.revision + 1 };
}

const resultOf = (sending: number | SendFailure): Pick<EvmSlot, "isUndelivered" | "refusal"> => ({
  isUndelivered: typeof sending !== "number",
  refusal: sending === "underpriced" || sending === "unfunded" ? sending : undefined,
});

/**
 * True if the receipt's amount can no longer change. Balances must be confirmed by two hosts, and a missing answer
 * about balances decides nothing for some time.
 */
function isDecided(slot: EvmSlot, receipt: EvmReceipt, snapshots: EvmSnapshots): boolean {
  if (receipt.status === "failed" || receipt.isAgreed) return true;
  if (receipt.moved !== undefined) return false;
  return minedAttempt(slot)?.purpose !== "swap" || isFinalFor(rememberedMs, receipt.block, snapshots);
}

/** True if, according to both hosts, no later block can change the slot. */
export function isFinalEvm(slot: EvmSlot, snapshots: EvmSnapshots): boolean {
  const { state, receipt, takenIn } = slot;
  if (state === "mined" && receipt !== undefined)
    return (
      isDecided(slot, receipt, snapshots) &&
      bothSay(snapshots, ({ receipts, finalized }) => {
        const seen = receipts.get(receipt.hash);
        return seen !== undefined && isSameReceipt(seen, receipt) && receipt.block.number <= finalized.number;
      })
    );
  if (state !== "taken" || takenIn === undefined) return false;
  // Reads only hashes, because most hosts no longer know the nonce at the final block, but still know the hashes of
  // final blocks.
  return (
    bothSay(snapshots, ({ receipts }) => hashesOf(slot).every((hash) => !receipts.has(hash))) &&
    areFinal(takenIn, snapshots) === true
  );
}
