import {
  type Procedure,
  perform,
  type SignAnswer,
  type SigningView,
  type SignRequest,
} from "../../../orders/effects.ts";
import { stepOfProgram } from "../../../orders/program-signing.ts";
import { type ChildEntry, childEntry } from "../../../orders/resting/child-signing.ts";
import { later } from "../../../orders/signing-state.ts";
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
import type { Sol } from "./family.ts";
import { emptySolLedger } from "./ledger.ts";
import {
  addedByMessage,
  childMessage,
  feesAddedBy,
  isFirstToFill,
  mostFeeOfMessage,
  objectionToMessage,
} from "./signing-rules.ts";
import type { SolAttempt, SolSlot } from "./slot.ts";

/**
 * Signs the next message of an order on Solana. Records the signed bytes before it returns them, so that every
 * signature is on record. If its answer is lost, the run finds the attempt in the slot.
 */
export function* signMessage(request: SignRequest<Sol>): Procedure<SignAnswer<Sol>> {
  const { nowMs, view, isGenuine } = yield* readForSigning<Sol>(request);
  const { order } = view;
  if (order === undefined) return later("the order is gone");
  const objection = objectionToMessage(request, view, isGenuine, nowMs);
  if (objection !== undefined) return objection;
  const { message, helperSignature } = request;
  const bytes = yield* perform<"signBytes", Sol>({
    do: "signBytes",
    intent: order.intent,
    unsigned: { message, helperSignature },
  });
  if (!("raw" in bytes)) return bytes;
  // Counts a message only once. Signing the same message again gives the same signature.
  if (view.ledger?.messages.some(({ hash }) => hash === bytes.hash))
    return later("the message is signed already");
  const signed = signedSlot(request, order, view, { hash: bytes.hash, nowMs });
  const isWritten = yield* perform({
    do: "write",
    step: stepOf(request, order, view, {
      signed,
      raw: bytes.raw,
      entry: childEntry(view, childMessage(message, order.intent, view, isGenuine), nowMs),
      nowMs,
    }),
  });
  return isWritten ? { slot: signed, raw: bytes.raw } : later("the order or its slot has changed");
}

function signedSlot(
  { place, message }: SignRequest<Sol>,
  { intent }: TradeOrder<Sol>,
  { slot }: SigningView<Sol>,
  { hash, nowMs }: { hash: string; nowMs: number },
): SolSlot {
  const { purpose, signatures, computeUnitLimit, microLamportsPerUnit, tip, lastValidBlockHeight } = message;
  const attempt: SolAttempt = {
    purpose,
    hash,
    lastValidBlockHeight,
    signatures,
    computeUnitLimit,
    microLamportsPerUnit,
    tipLamports: tip?.lamports ?? 0n,
    ...(message.purpose === "swap" && { amountIn: message.amountIn, route: message.route }),
    signedAtMs: nowMs,
  };
  const { chain, wallet, orderId, userID, isPrivate } = intent;
  const fresh = { chain, wallet, place, orderId, userID, isPrivate, attempts: [], receipts: [], revision: 0 };
  const { isUndelivered: _, ...known } = slot ?? { ...fresh, state: "signed" as const };
  return {
    ...known,
    state: "signed",
    attempts: [...known.attempts, attempt],
    revision: known.revision + 1,
  };
}

/** A signature that is about to be recorded. */
type Signature = { signed: SolSlot; raw: string; entry: ChildEntry | undefined; nowMs: number };

function stepOf(
  { message, purpose }: SignRequest<Sol>,
  order: TradeOrder<Sol>,
  view: SigningView<Sol>,
  { signed, raw, entry: ofChild, nowMs }: Signature,
): TradeStep {
  const { slot, ledger, limits, chainLimits } = view;
  const { intent } = order;
  const { chain, wallet } = intent;
  const { hash } = signed.attempts.at(-1) as SolAttempt;
  const { signatures } = message;
  const entry = {
    purpose,
    hash,
    signatures,
    mostFeeLamports: mostFeeOfMessage(message, chainLimits),
    ...(intent.parent && { lastValidBlockHeight: message.lastValidBlockHeight }),
  };
  const known = ledger ?? emptySolLedger(intent);
  const added = {
    adds: addedByMessage(message, intent, view) - (ofChild?.givenBack ?? 0n),
    fees: feesAddedBy(message, intent, view),
    swapOf: isFirstToFill(message, ledger) ? intent.orderId : undefined,
    nowMs,
  };
  const entered: Ledger<Sol> = {
    ...known,
    messages: [...known.messages, entry],
    ...(intent.parent && isFirstToFill(message, ledger) && { swapSignedAtMs: nowMs }),
    revision: known.revision + 1,
  };
  return [
    {
      kind: "put",
      of: "bytes",
      item: { chain, wallet, hash, raw, expiresAt: bytesExpireAt(intent, nowMs) },
    },
    { kind: "put", of: "slot", item: signed, when: unchangedSlot(slot) },
    {
      kind: "put",
      of: "ledger",
      item: entered,
      when: revisionOf(ledger),
    },
    {
      kind: "put",
      of: "day",
      item: counted(intent, limits.count, { ...added, children: ofChild?.children }),
      when: revisionOf(limits.count),
    },
    ...(ofChild?.step ?? []),
    ...(purpose === "clear" ? [] : [...checksOfFill(order, view), ...stepOfProgram(order, view, added)]),
  ];
}
