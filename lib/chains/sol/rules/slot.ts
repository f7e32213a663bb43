import { isDeepStrictEqual } from "node:util";
import type * as v from "valibot";
import {
  bothConfirm,
  bothSeen,
  type ReadReceipt,
  type SolReceipt,
  type SolSnapshot,
  type SolSnapshots,
} from "./host-snapshot.ts";
import type { messageFees, purpose, solAttempt, solSlot } from "./schemas.ts";

export type SolPurpose = v.InferOutput<typeof purpose>;

/** The price that a message offers for its place in a block. */
export type SolFees = v.InferOutput<typeof messageFees>;

/** A signed message of an order. Its hash is the wallet's signature. */
export type SolAttempt = v.InferOutput<typeof solAttempt>;

/**
 * All messages of one order. Each of them makes the order's marker, so at most one has an effect, whatever else is in
 * a block:
 *
 * | state  | meaning                                                            | next           |
 * | ------ | ------------------------------------------------------------------ | -------------- |
 * | signed | one of the messages may still get into a block                     | mined, lapsed  |
 * | mined  | a block has one that made the marker                               | signed, final  |
 * | lapsed | both hosts say that no block has, or will have, one that made it   | signed, mined, final |
 */
export type SolSlot = v.InferOutput<typeof solSlot>;

/** Returns the result that made the marker. */
export const successOf = ({ receipts }: Pick<SolSlot, "receipts">) =>
  receipts.find((receipt) => receipt.status === "ok");

/** Returns the attempt that made the marker. */
export const effectiveAttempt = (slot: Pick<SolSlot, "attempts" | "receipts">): SolAttempt | undefined =>
  slot.attempts.find(({ hash }) => hash === successOf(slot)?.hash);

/** Returns the last block height that can contain any of the slot's messages. */
export const lastValidOf = ({ attempts }: Pick<SolSlot, "attempts">): number =>
  Math.max(0, ...attempts.map(({ lastValidBlockHeight }) => lastValidBlockHeight));

export const countOf = ({ attempts }: Pick<SolSlot, "attempts">, purpose: SolPurpose): number =>
  attempts.filter((attempt) => attempt.purpose === purpose).length;

const hasMarker = ({ orderId }: Pick<SolSlot, "orderId">, { markers }: SolSnapshot) =>
  markers.get(orderId) === true;

/** True if any host shows the order's marker. Then no further message can have an effect. */
export const isMarked = (slot: Pick<SolSlot, "orderId">, snapshots: SolSnapshots): boolean =>
  snapshots.some((snapshot) => snapshot !== undefined && hasMarker(slot, snapshot));

/** True if, according to both hosts, a message of one of these slots has made the marker. */
export const haveMarked = (slots: readonly Pick<SolSlot, "attempts">[], snapshots: SolSnapshots): boolean =>
  slots.some(({ attempts }) =>
    attempts.some(({ hash }) =>
      bothConfirm(snapshots, ({ receipts }) => receipts.get(hash)?.status === "ok"),
    ),
  );

/**
 * Updates the slot from the hosts' answers. The result is provisional until the slot is final.
 *
 * @param siblings Other slots whose messages make the same marker.
 */
export function observedSol(
  slot: SolSlot,
  snapshots: SolSnapshots,
  siblings: readonly SolSlot[] = [],
): SolSlot {
  const receipts = slot.attempts.flatMap(({ hash }) => receiptFor(slot, hash, snapshots, siblings) ?? []);
  const state = stateWith({ ...slot, receipts }, snapshots, siblings);
  if (state === slot.state && isDeepStrictEqual(receipts, slot.receipts)) return slot;
  return { ...slot, receipts, state, revision: slot.revision + 1 };
}

const receiptOf = ({ isBelowMinimum: _, ...receipt }: ReadReceipt): SolReceipt => receipt;

/**
 * Returns an attempt's receipt. One host's receipt is enough, because the other host may not have seen the block yet. A
 * known receipt is dropped once both hosts answer without it, unless both show the marker: then they have only
 * forgotten the receipt.
 */
function receiptFor(
  slot: SolSlot,
  hash: string,
  snapshots: SolSnapshots,
  siblings: readonly SolSlot[],
): SolReceipt | undefined {
  const known = slot.receipts.find((receipt) => receipt.hash === hash);
  const seen = snapshots
    .flatMap((snapshot) => snapshot?.receipts.get(hash) ?? [])
    .filter((receipt) => isCredible(slot, receipt, snapshots))
    .map(receiptOf);
  const same = seen.find((receipt) => isDeepStrictEqual(receipt, known));
  if (same !== undefined || seen[0] !== undefined) return same ?? seen[0];
  if (known === undefined) return undefined;
  if (!bothSeen(snapshots)) return known;
  const isForgotten = bothConfirm(snapshots, (snapshot) => hasMarker(slot, snapshot));
  return isForgotten && !hasOtherSuccess([slot, ...siblings], hash, snapshots) ? known : undefined;
}

/**
 * True unless the other host contradicts a receipt. If a fill is below the minimum, both hosts must have the receipt,
 * because one of them may lie.
 */
const isCredible = (slot: SolSlot, receipt: ReadReceipt, snapshots: SolSnapshots): boolean =>
  receipt.isBelowMinimum
    ? bothConfirm(snapshots, (snapshot) => hasReceipt(snapshot, receiptOf(receipt)))
    : snapshots.every((snapshot) => !rulesOut(slot, receipt, snapshot));

/** True if a host's receipt shows that another attempt made the marker. */
const hasOtherSuccess = (slots: readonly SolSlot[], hash: string, snapshots: SolSnapshots): boolean =>
  slots
    .flatMap(({ attempts }) => attempts)
    .some(
      (other) =>
        other.hash !== hash && snapshots.some((each) => each?.receipts.get(other.hash)?.status === "ok"),
    );

/** True if a host's chain extends past the block of a successful receipt but has no marker. */
const rulesOut = (
  slot: SolSlot,
  { hash, status, block }: ReadReceipt,
  snapshot: SolSnapshot | undefined,
): boolean =>
  snapshot !== undefined &&
  status === "ok" &&
  !snapshot.receipts.has(hash) &&
  snapshot.height.slot >= block.number &&
  snapshot.markers.get(slot.orderId) === false;

function stateWith(slot: SolSlot, snapshots: SolSnapshots, siblings: readonly SolSlot[]): SolSlot["state"] {
  if (successOf(slot) !== undefined) return "mined";
  if (!bothSeen(snapshots)) return slot.state === "mined" ? "signed" : slot.state;
  const areLapsed = snapshots.every(({ height }) => height.blockHeight > lastValidOf(slot));
  const areKnown = slot.attempts.every(({ hash }) => slot.receipts.some((receipt) => receipt.hash === hash));
  const isWithout = !isMarked(slot, snapshots) || haveMarked(siblings, snapshots);
  return (areLapsed && isWithout) || areKnown ? "lapsed" : "signed";
}

/**
 * Maps each attempt's hash to the time at which it was sent, or to the reason why it was not accepted. Hosts on Solana
 * give only some of these reasons.
 */
type Sendings = ReadonlyMap<string, number | "unreached" | "underpriced" | "unfunded">;

/** Records when the slot's attempts were first sent, and whether anybody accepted the newest one. */
export function withSolSendings(slot: SolSlot, sendings: Sendings): SolSlot {
  const attempts = slot.attempts.map((attempt) => {
    const sending = sendings.get(attempt.hash);
    const isFirst = attempt.sentAtMs === undefined && typeof sending === "number";
    return isFirst ? { ...attempt, sentAtMs: sending } : attempt;
  });
  const newest = sendings.get(slot.attempts.at(-1)?.hash ?? "");
  const isUndelivered = newest === undefined ? (slot.isUndelivered ?? false) : typeof newest !== "number";
  const isSame = attempts.every((attempt, index) => attempt === slot.attempts[index]);
  if (isSame && isUndelivered === (slot.isUndelivered ?? false)) return slot;
  return { ...slot, attempts, isUndelivered, revision: slot.revision + 1 };
}

/** True if both hosts say that no block can contain the message any more. */
export const isOutdated = ({ lastValidBlockHeight }: SolAttempt, snapshots: SolSnapshots): boolean =>
  bothConfirm(snapshots, ({ height }) => height.blockHeight > lastValidBlockHeight);

/**
 * True unless, according to both hosts, a message has filled the order, or every message is either in a block or too
 * old for one.
 */
export function mayLand({ attempts }: Pick<SolSlot, "attempts">, snapshots: SolSnapshots): boolean {
  const isIn = (hash: string) => bothConfirm(snapshots, ({ receipts }) => receipts.has(hash));
  const hadEffect = (hash: string) =>
    bothConfirm(snapshots, ({ receipts }) => receipts.get(hash)?.status === "ok");
  return (
    !attempts.some(({ hash }) => hadEffect(hash)) &&
    !attempts.every((attempt) => isOutdated(attempt, snapshots) || isIn(attempt.hash))
  );
}

/**
 * True if, according to both hosts, no later block can change the slot or its fees: each of its messages is either in a
 * block, or in none and too old for one. In addition, both hosts must have the transaction that made the
 * marker, also if it is a sibling's, or show no marker, or report every message as failed. A missing receipt alone proves nothing, because hosts
 * forget receipts, and answer without them after a fault.
 */
export function isFinalSol(
  slot: SolSlot,
  snapshots: SolSnapshots,
  siblings: readonly SolSlot[] = [],
): boolean {
  const { attempts, receipts, orderId } = slot;
  const isKnown = (hash: string) => {
    const known = receipts.find((receipt) => receipt.hash === hash);
    return known !== undefined && bothConfirm(snapshots, (snapshot) => hasReceipt(snapshot, known));
  };
  const isTooOld = (attempt: SolAttempt) => isOutdated(attempt, snapshots);
  // Requires both hosts, because one host could invent a receipt and its fee.
  const isClaimed = (attempt: SolAttempt) => receipts.some(({ hash }) => hash === attempt.hash);
  if (!attempts.every((each) => (isClaimed(each) ? isKnown(each.hash) : isTooOld(each)))) return false;
  const success = successOf(slot);
  if (success !== undefined) return isKnown(success.hash);
  const hasNoMarker = bothConfirm(snapshots, ({ markers }) => markers.get(orderId) === false);
  const isWithout = hasNoMarker || haveMarked(siblings, snapshots);
  const hasLapsed = slot.state === "lapsed" && isWithout && attempts.every(isTooOld);
  return hasLapsed || attempts.every(({ hash }) => isKnown(hash));
}

function hasReceipt({ receipts }: SolSnapshot, receipt: SolReceipt): boolean {
  const seen = receipts.get(receipt.hash);
  return seen !== undefined && isDeepStrictEqual(receiptOf(seen), receipt);
}
