import type { Lamports } from "../../../core/units.ts";
import { greatest } from "../../../orders/bigints.ts";
import type { Forbidden, Objection, SigningView, SignRequest } from "../../../orders/effects.ts";
import { objectionOfProgram } from "../../../orders/program-signing.ts";
import {
  type ChildTransaction,
  limitsGivenBack,
  objectionOfParent,
  takenOff,
} from "../../../orders/resting/child-signing.ts";
import { later, objectionToOwner, objectionToState, refused } from "../../../orders/signing-state.ts";
import type { Ledger } from "../../../orders/table-step.ts";
import {
  feesOfDay,
  limitsOfClears,
  objectionOf,
  objectionToFees,
  rulesAt,
} from "../../../orders/wallet-policy.ts";
import { attemptsOf, mostClears } from "./attempts.ts";
import type { Sol } from "./family.ts";
import { clearReserve, countedWithFirst, isRent, isUnitLimit, mostFeeLamports } from "./fees.ts";
import { isSameSolRoute, type SolIntent, signaturesFor } from "./intent.ts";
import type { SolLimits } from "./limits.ts";
import type { SolMessage } from "./message.ts";
import type { SolFees } from "./slot.ts";

const feesOf = ({ tip, ...message }: SolMessage): SolFees => ({
  ...message,
  tipLamports: tip?.lamports ?? 0n,
});

/** Computes the most that a message may pay for being in a block. */
export const mostFeeOfMessage = (message: SolMessage, { baseFeeLamports }: SolLimits): Lamports =>
  mostFeeLamports(feesOf(message), baseFeeLamports);

/** True if a message is the first one that can fill its order. */
export const isFirstToFill = (message: SolMessage, ledger: Ledger<Sol> | undefined): boolean =>
  message.purpose === "swap" && !ledger?.messages.some(({ purpose }) => purpose === "swap");

/**
 * Computes what a signature adds to the day's count: the message's fee and, for the first message of a buy, the buy's
 * whole amount. The first message counts the whole amount even if it spends less, because each later message may spend
 * all of it.
 */
export function addedByMessage(
  message: SolMessage,
  { side, amount }: SolIntent,
  { ledger, chainLimits }: Pick<SigningView<Sol>, "ledger" | "chainLimits">,
): Lamports {
  const spent = side === "buy" && isFirstToFill(message, ledger) ? amount : 0n;
  return spent + mostFeeOfMessage(message, chainLimits);
}

/**
 * Computes what a signature adds to the day's network fees: the message's fee and, for the first message, the rents
 * that stay and the reserve for a clear. Each message may be charged its fee, but only one of them opens accounts.
 */
export function feesAddedBy(
  message: SolMessage,
  intent: SolIntent,
  { ledger, chainLimits }: Pick<SigningView<Sol>, "ledger" | "chainLimits">,
): Lamports {
  const fee = mostFeeOfMessage(message, chainLimits);
  const { baseFeeLamports } = chainLimits;
  if (message.purpose === "clear")
    return greatest(fee - clearReserve(intent.budgetLamports, baseFeeLamports), 0n);
  return fee + (isFirstToFill(message, ledger) ? countedWithFirst(intent, baseFeeLamports) : 0n);
}

/**
 * Returns the reason not to sign a message. All messages of an order make its marker, so at most one of them has an
 * effect, whatever happens to runs, hosts and clocks. The ledger limits their number and the sum of what they pay.
 *
 * @param isGenuine True if the MAC over the intent is valid.
 */
export function objectionToMessage(
  request: SignRequest<Sol>,
  view: SigningView<Sol>,
  isGenuine: boolean,
  nowMs: number,
): Objection | Forbidden | undefined {
  const { order, ledger } = view;
  const { message, attempt } = request;
  if (order === undefined) return later("the order is gone");
  const { intent } = order;
  const earlier = ledger?.messages ?? [];
  if (!isGenuine) return refused("the intent was not made by placeOrder");
  if (message.purpose !== request.purpose) return refused("the message has another purpose");
  if (attempt !== earlier.length + 1) return later("the message is not the order's next one");
  const ofParent = () => objectionOfParent(view, childMessage(message, intent, view, isGenuine), nowMs);
  return (
    objectionToOwner(request, order) ??
    objectionToSlot(request, view) ??
    objectionToCosts(message, intent, view) ??
    (message.purpose === "clear"
      ? (objectionToClear(earlier) ?? ofParent() ?? objectionToDayOfClear(message, intent, view, nowMs))
      : (objectionToState(view, nowMs) ??
        objectionToSwap(message, intent, earlier) ??
        ofParent() ??
        objectionOfPolicy(message, intent, view, nowMs)))
  );
}

/** Returns the facts about a message that the rule about children needs. */
export function childMessage(
  message: SolMessage,
  intent: SolIntent,
  view: Pick<SigningView<Sol>, "ledger" | "chainLimits">,
  isChildGenuine: boolean,
): ChildTransaction {
  const { messages = [], swapSignedAtMs } = view.ledger ?? {};
  const adds = mostFeeOfMessage(message, view.chainLimits);
  return {
    isChildGenuine,
    purpose: message.purpose,
    isFirstSwap: isFirstToFill(message, view.ledger),
    first: swapSignedAtMs === undefined ? undefined : { signedAtMs: swapSignedAtMs },
    spends: intent.amount,
    fees: { most: messages.reduce((sum, { mostFeeLamports }) => sum + mostFeeLamports, adds), adds },
    feesOfDay: feesAddedBy(message, intent, view),
  };
}

/** Rejects a slot that differs from the ledger, because the executor can write slots. */
function objectionToSlot(
  { orderId, userID, wallet, place }: SignRequest<Sol>,
  { slot, ledger }: SigningView<Sol>,
): Objection | undefined {
  if (slot === undefined) return ledger === undefined ? undefined : later("the slot is gone");
  if (slot.orderId !== orderId || slot.userID !== userID || slot.wallet !== wallet || slot.place !== place)
    return later("the slot is another order's");
  if (slot.state === "mined") return later("a block has the order's transaction");
  const hashes = slot.attempts.map(({ hash }) => hash).join();
  return hashes === ledger?.messages.map(({ hash }) => hash).join()
    ? undefined
    : refused("the slot has other messages than the ledger");
}

function objectionToCosts(
  message: SolMessage,
  intent: SolIntent,
  { ledger, chainLimits }: SigningView<Sol>,
): Objection | undefined {
  const { signatures, computeUnitLimit, microLamportsPerUnit, markerRentLamports, tip } = message;
  if (signatures !== (message.purpose === "clear" ? 1 : signaturesFor(message.route)))
    return refused("the message has other signatures than its route needs");
  if (!isUnitLimit(computeUnitLimit)) return refused("the compute unit limit is not one of the chain's");
  if (microLamportsPerUnit < 0n || (tip !== undefined && tip.lamports <= 0n))
    return refused("a fee is negative");
  const hasRent = !("wsolRentLamports" in message) || isRent("wsol", message.wsolRentLamports);
  if (!hasRent || !isRent("marker", markerRentLamports))
    return refused("an account would get nothing, or more than keeps it alive");
  if (tip !== undefined && !(intent.isPrivate && chainLimits.relay?.tipAccounts.includes(tip.account)))
    return refused("the tip is for another account than the relay's");
  const table = tableOf(message);
  if (table !== undefined && table !== chainLimits.pumpTable)
    return refused("the lookup table is not the configured one");
  const fee = mostFeeOfMessage(message, chainLimits);
  if (fee > chainLimits.maxNetworkFee) return refused("the fee is above the limit of a transaction");
  // Adds up the fees of all messages, because even failed messages may be charged.
  const messages = ledger?.messages ?? [];
  const sum = messages.reduce((total, { mostFeeLamports: most }) => total + most, fee);
  const signed = messages.reduce((total, each) => total + each.signatures, signatures);
  const baseFees = BigInt(signed) * chainLimits.baseFeeLamports;
  if (sum > intent.budgetLamports + baseFees)
    return refused("the fees of all the order's messages are above its budget");
  // Also checks the operators' limit, because they may have lowered it since the order was placed.
  return sum > chainLimits.maxNetworkFee + baseFees
    ? later("the fees of all the order's messages are above the operators' limit")
    : undefined;
}

/** Returns the lookup table on which a message's accounts depend. Jupiter's tables hold none of the order's. */
const tableOf = (message: SolMessage): string | undefined =>
  "curve" in message ? message.curve.table : "pumpPool" in message ? message.pumpPool.table : undefined;

function objectionToClear(earlier: Ledger<Sol>["messages"]): Objection | undefined {
  if (earlier.length === 0) return refused("nothing was signed that could be cleared");
  return countIn(earlier, "clear") < mostClears ? undefined : refused("the order has had its clear");
}

/** Accepts a clear that pays no more than was reserved for it, because it adds nothing to the day's count. */
function objectionToDayOfClear(
  message: SolMessage,
  intent: SolIntent,
  view: SigningView<Sol>,
  nowMs: number,
): Objection | undefined {
  const { limits, chainLimits } = view;
  const fees = feesOfDay(limitsOfClears(limits, chainLimits), nowMs, chainLimits);
  const objection = objectionToFees(fees, feesAddedBy(message, intent, view));
  return objection && later(`the limit forbids it: ${objection.rule}`);
}

const countIn = (messages: Ledger<Sol>["messages"], wanted: SolMessage["purpose"]): number =>
  messages.filter(({ purpose }) => purpose === wanted).length;

function objectionToSwap(
  { amountIn, route }: Extract<SolMessage, { purpose: "swap" }>,
  intent: SolIntent,
  earlier: Ledger<Sol>["messages"],
): Objection | undefined {
  if (countIn(earlier, "swap") >= attemptsOf(intent)) return refused("the order has had all its attempts");
  if (countIn(earlier, "clear") > 0) return refused("the order has had its clear");
  if (!intent.routes.some((each) => isSameSolRoute(each, route))) return refused("the route is not allowed");
  if (amountIn <= 0n || amountIn > intent.amount) return refused("the amount is above the order's");
  return undefined;
}

/** Refuses only for now, because the policy and the operators may allow the same message later. */
function objectionOfPolicy(
  message: SolMessage,
  intent: SolIntent,
  view: SigningView<Sol>,
  nowMs: number,
): Objection | Forbidden | undefined {
  const { parent, limits, chainLimits } = view;
  const amount = message.purpose === "swap" ? message.amountIn : 0n;
  if (intent.side === "buy" && chainLimits.maxOrder !== undefined && amount > chainLimits.maxOrder)
    return later("the amount is above the operators' limit");
  const adds = addedByMessage(message, intent, view);
  const networkFees = feesAddedBy(message, intent, view);
  const own = limitsGivenBack(limits, parent, nowMs);
  const rules = rulesAt(own, nowMs, chainLimits);
  const objection = objectionOf(rules, { ...intent, amount, adds, networkFees });
  if (objection !== undefined) return later(`the policy forbids it: ${objection.rule}`);
  return objectionOfProgram(view, { amount, adds: adds - takenOff(limits, own) }, nowMs);
}
