import type { Lamports, TokenUnits } from "../../../core/units.ts";
import { coinText, formatAmount } from "../../../orders/decimal-text.ts";
import { shortfallPercent, submissionOf } from "../../../orders/order-details.ts";
import type { TradeOrder } from "../../../orders/trade-order.ts";
import { nativeToken } from "../../../orders/trading-chain.ts";
import type { Sol } from "./family.ts";
import { priorityLamportsOf } from "./fees.ts";
import { isSameSolRoute } from "./intent.ts";
import { solRouteStep } from "./route-step.ts";
import type { ShownSolAttempt, SolDetails, SolFillReport } from "./shown-details.ts";
import { effectiveAttempt, type SolAttempt, type SolSlot, successOf } from "./slot.ts";

const solText = (lamports: Lamports) => coinText("sol", lamports);

/** @param own The order's own slots: one, or none before anything is signed. */
export function solDetails(order: TradeOrder<Sol>, [slot]: readonly SolSlot[]): SolDetails {
  if (slot === undefined) return { attempts: [] };
  const report = reportOf(order, slot);
  return {
    attempts: slot.attempts.map((attempt, index) => shownAttempt(slot, attempt, index + 1)),
    ...(report && { report }),
  };
}

function shownAttempt(slot: SolSlot, attempt: SolAttempt, number: number): ShownSolAttempt {
  const { purpose, hash, tipLamports, computeUnitLimit, lastValidBlockHeight, sentAtMs } = attempt;
  return {
    attempt: number,
    purpose,
    txHash: hash,
    priorityFee: solText(priorityLamportsOf(attempt)),
    tip: solText(tipLamports),
    computeUnitLimit,
    lastValidBlockHeight,
    submission: submissionOf({ ...slot, isPrivate: slot.isPrivate && purpose === "swap" }),
    ...(sentAtMs !== undefined && { sentAt: new Date(sentAtMs).toISOString() }),
    outcome: outcomeOf(slot, attempt),
  };
}

function outcomeOf(slot: SolSlot, { hash }: SolAttempt): ShownSolAttempt["outcome"] {
  const receipt = slot.receipts.find((each) => each.hash === hash);
  if (receipt !== undefined) return receipt.status === "ok" ? "mined" : "reverted";
  // An attempt that is in no block can have no effect once another attempt has made the marker.
  return slot.state === "signed" ? "pending" : "expired";
}

function reportOf({ intent, placed, quoted }: TradeOrder<Sol>, slot: SolSlot): SolFillReport | undefined {
  const receipt = successOf(slot);
  const attempt = effectiveAttempt(slot);
  if (receipt === undefined || attempt?.purpose !== "swap") return undefined;
  const tokens = (units: TokenUnits) => formatAmount(units, placed.decimals);
  const isBuy = intent.side === "buy";
  const [inText, outText] = isBuy ? [solText, tokens] : [tokens, solText];
  const { spent, received, rent, computeUnits, block } = receipt;
  const [spentIn, receivedIn] = isBuy ? [nativeToken, intent.token] : [intent.token, nativeToken];
  return {
    spent: { token: spentIn, amount: inText(spent) },
    received: { token: receivedIn, amount: outText(received) },
    quotedAmountOut: outText(intent.quotedOut),
    slippage: shortfallPercent(intent.quotedOut, received),
    ...(quoted.priceImpact !== undefined && { priceImpact: quoted.priceImpact }),
    ...(quoted.marketImpact !== undefined && { marketImpact: quoted.marketImpact }),
    ...routeTaken({ intent, quoted }, attempt),
    networkFee: feesPaid(slot),
    rent: solText(rent),
    ...(computeUnits !== undefined && { computeUnits }),
    submission: submissionOf(slot),
    block: block.number,
    blockTime: new Date(block.time * 1000).toISOString(),
  };
}

/** Names the exchange that an attempt traded on. */
function routeTaken(
  { intent, quoted }: Pick<TradeOrder<Sol>, "intent" | "quoted">,
  { route }: SolAttempt,
): Pick<SolFillReport, "route"> {
  const index = intent.routes.findIndex((each) => route && isSameSolRoute(each, route));
  const feeBps = quoted.feesBps?.[index];
  if (route === undefined || feeBps === undefined) return {};
  // The fee of a pool to which the token has moved since the quote is not known.
  return { route: [solRouteStep(intent, route, feeBps === 0 ? undefined : feeBps)] };
}

/** Sums up what all messages that are in blocks have paid. */
function feesPaid({ attempts, receipts }: SolSlot): SolFillReport["networkFee"] {
  const paid = receipts.flatMap((receipt) =>
    attempts.filter(({ hash }) => hash === receipt.hash).map((attempt) => ({ attempt, receipt })),
  );
  const sum = (of: (each: (typeof paid)[number]) => Lamports) =>
    solText(paid.reduce((total, each) => total + of(each), 0n));
  const feeFor = (purpose: SolAttempt["purpose"]) =>
    sum(({ attempt, receipt }) => (attempt.purpose === purpose ? receipt.fee : 0n));
  return {
    total: sum(({ receipt }) => receipt.fee),
    swap: feeFor("swap"),
    clear: feeFor("clear"),
    priority: sum(({ attempt }) => priorityLamportsOf(attempt)),
    tip: sum(({ receipt }) => receipt.tip),
  };
}
