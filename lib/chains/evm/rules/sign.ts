import { greatest } from "../../../orders/bigints.ts";
import {
  type Objection,
  type Procedure,
  perform,
  type SignAnswer,
  type SigningView,
  type SignRequest,
} from "../../../orders/effects.ts";
import { type Added, stepOfProgram } from "../../../orders/program-signing.ts";
import { type ChildEntry, childEntry } from "../../../orders/resting/child-signing.ts";
import { objectionToOwner } from "../../../orders/signing-state.ts";
import {
  bytesExpireAt,
  checksOfFill,
  readForSigning,
  revisionOf,
  unchangedSlot,
} from "../../../orders/signing-step.ts";
import type { Ledger, TradeStep } from "../../../orders/table-step.ts";
import type { TradeOrder } from "../../../orders/trade-order.ts";
import { counted } from "../../../orders/wallet-policy.ts";
import type { Evm } from "./family.ts";
import { clearGas } from "./fees.ts";
import type { EvmCall, EvmIntent, UnsignedEvmTransaction } from "./intent.ts";
import { emptyEvmLedger } from "./ledger.ts";
import {
  addedToDay,
  childTransaction,
  feeRise,
  isFirstSwap,
  isSameFees,
  objectionToTransaction,
} from "./signing-rules.ts";
import { type EvmSlot, mostFeeOf } from "./slot.ts";

/**
 * Signs the next attempt at a slot. Records the signed bytes before it returns them, so that every signature is on
 * record. If asked again, it produces the same bytes and counts nothing.
 */
export function* signEvmTransaction(request: SignRequest<Evm>): Procedure<SignAnswer<Evm>> {
  const { nowMs, view, isGenuine } = yield* readForSigning<Evm>(request);
  const { slot, order } = view;
  if (slot === undefined || order === undefined) return { later: "the slot is gone" };
  const mismatch = mismatchOf(request, order, slot);
  if (mismatch !== undefined) return mismatch;
  const transaction = transactionFor(request, slot);
  if (transaction === undefined) return { later: "the slot is for another purpose" };
  const objection = objectionToTransaction(transaction, view, isGenuine, nowMs);
  if (objection !== undefined) return objection;
  const bytes = yield* perform<"signBytes", Evm>({
    do: "signBytes",
    intent: order.intent,
    unsigned: transaction,
  });
  if (!("raw" in bytes)) return bytes;
  const { hash, raw } = bytes;
  const { chain, wallet, gasLimit } = transaction;
  const expiresAt = bytesExpireAt(order.intent, nowMs);
  const recorded = { kind: "put", of: "bytes", item: { chain, wallet, hash, raw, expiresAt } } as const;
  // Only the signer can have made this hash, so the signature is already recorded and counted.
  if (slot.attempts.some((attempt) => attempt.hash === hash)) {
    yield* perform({ do: "write", step: [recorded] });
    return { slot, raw };
  }
  const attempt = { ...request.fees, purpose: request.purpose, hash, gasLimit, signedAtMs: nowMs };
  const signed: EvmSlot = {
    ...slot,
    state: "signed",
    attempts: [...slot.attempts, attempt],
    revision: slot.revision + 1,
  };
  const entry = childEntry(view, childTransaction(transaction, view, isGenuine), nowMs);
  const step = [recorded, ...signingStep(transaction, view, { order, slot, signed, hash, entry, nowMs })];
  const isWritten = yield* perform({ do: "write", step });
  return isWritten ? { slot: signed, raw } : { later: "the order or its slot has changed" };
}

/** The executor can write orders and slots, so the signer treats them as hints and trusts only the intent. */
function mismatchOf(request: SignRequest<Evm>, order: TradeOrder<Evm>, slot: EvmSlot): Objection | undefined {
  const { orderId, userID, chain, wallet, place } = request;
  const foreign = objectionToOwner(request, order);
  if (foreign !== undefined) return foreign;
  if (slot.chain !== chain || slot.wallet !== wallet || slot.place !== place)
    return { refused: "the slot is of another nonce or wallet" };
  const isOwn = slot.orderId === orderId && slot.userID === userID;
  return isOwn ? undefined : { later: "the slot is another order's" };
}

function transactionFor(
  { purpose, fees, clearGas: asked = clearGas }: SignRequest<Evm>,
  slot: EvmSlot,
): UnsignedEvmTransaction | undefined {
  const { chain, wallet, place: nonce } = slot;
  const call: EvmCall = purpose === "clear" ? { purpose } : slot.call;
  if (call.purpose !== purpose) return undefined;
  if (purpose !== "clear") return { chain, wallet, nonce, call, gasLimit: slot.gasLimit, ...fees };
  // Gives the same bytes for the same fees, though hosts may estimate another amount of gas by now.
  const same = slot.attempts.find((attempt) => attempt.purpose === purpose && isSameFees(attempt, fees));
  return { chain, wallet, nonce, call, gasLimit: same?.gasLimit ?? asked, ...fees };
}

/** A signature that is about to be recorded. */
type Signature = {
  order: TradeOrder<Evm>;
  slot: EvmSlot;
  /** The slot with the signature. */
  signed: EvmSlot;
  hash: string;
  entry: ChildEntry | undefined;
  nowMs: number;
};

/** If two buys are signed at the same time, only one of them finds the day's count unchanged. */
function signingStep(
  transaction: UnsignedEvmTransaction,
  view: SigningView<Evm>,
  { order, slot, signed, hash, entry, nowMs }: Signature,
): TradeStep {
  const { ledger } = view;
  const { intent } = order;
  const recorded: TradeStep = [
    { kind: "put", of: "slot", item: signed, when: unchangedSlot(slot) },
    {
      kind: "put",
      of: "ledger",
      item: entered(ledger ?? emptyEvmLedger(intent), transaction, { hash, nowMs }),
      when: revisionOf(ledger),
    },
    ...(entry?.step ?? []),
  ];
  const added = addedBy(transaction, intent, ledger, entry, nowMs);
  const counting = countingWrites(intent, view, added, entry);
  if (transaction.call.purpose === "clear") return [...recorded, ...counting];
  return [...recorded, ...counting, ...checksOfFill(order, view), ...stepOfProgram(order, view, added)];
}

const addedBy = (
  transaction: UnsignedEvmTransaction,
  intent: EvmIntent,
  ledger: Ledger<Evm> | undefined,
  entry: ChildEntry | undefined,
  nowMs: number,
): Added => ({
  adds: addedToDay(transaction, intent, ledger) - (entry?.givenBack ?? 0n),
  fees: feeRise(transaction, ledger),
  swapOf: isFirstSwap(transaction.call, ledger) ? intent.orderId : undefined,
  nowMs,
});

/** Adds a signature to the day's count, unless an earlier one at the same nonce already counted as much. */
function countingWrites(
  intent: EvmIntent,
  { limits: { count } }: SigningView<Evm>,
  added: Added,
  entry: ChildEntry | undefined,
): TradeStep {
  if (added.adds === 0n && entry === undefined) return [];
  const item = counted(intent, count, { ...added, children: entry?.children });
  return [{ kind: "put", of: "day", item, when: revisionOf(count) }];
}

/** Names each signature by its hash. By these hashes, fireOrders finds out whether a child, or the buy of an exit, has filled. */
function entered(
  ledger: Ledger<Evm>,
  transaction: UnsignedEvmTransaction,
  { hash, nowMs }: Pick<Signature, "hash" | "nowMs">,
): Ledger<Evm> {
  const { nonce, call, maxFeePerGas, maxPriorityFeePerGas } = transaction;
  const most = greatest(ledger.fees[nonce]?.most ?? 0n, mostFeeOf(transaction));
  const isNewApproval = call.purpose === "approve" && !ledger.approveNonces.includes(nonce);
  return {
    ...ledger,
    ...(isNewApproval && { approveNonces: [...ledger.approveNonces, nonce] }),
    ...(call.purpose === "swap" && { swap: { nonce, call } }),
    signatures: [...(ledger.signatures ?? []), { nonce, purpose: call.purpose, hash }],
    ...(isFirstSwap(call, ledger) && { swapSignedAtMs: nowMs }),
    fees: { ...ledger.fees, [nonce]: { maxFeePerGas, maxPriorityFeePerGas, most } },
    revision: ledger.revision + 1,
  };
}
