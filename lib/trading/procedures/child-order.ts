import { placingOf } from "../../chains/families/place.ts";
import { chainFacts } from "../../core/chain-facts.ts";
import { DomainError, type DomainErrorDetails } from "../../core/domain-error.ts";
import { dayOf } from "../../core/time.ts";
import { isCutOff } from "../../orders/cutoffs.ts";
import { formatAmount, formatPrice } from "../../orders/decimal-text.ts";
import { type PlacingView, type Procedure, perform } from "../../orders/effects.ts";
import type { AttentionCode } from "../../orders/execution.ts";
import type { FamilyTypes } from "../../orders/family.ts";
import type { PlacingFamily } from "../../orders/placing-family.ts";
import { dayOfChildren, limitsGivenBack } from "../../orders/resting/child-signing.ts";
import type { AskedChildOrder, ChildRefusal, ParentView } from "../../orders/resting/firing.ts";
import { classOf, type Leg } from "../../orders/resting/mandate.ts";
import type { StoredResting } from "../../orders/resting/stored.ts";
import { feesLeft, isBeyondHalf, isOneTooMany } from "../../orders/resting/tally.ts";
import type { AskedTrade } from "../../orders/trade.ts";
import type { TradeOrder } from "../../orders/trade-order.ts";
import { nativeToken } from "../../orders/trading-chain.ts";
import { assess, type PlacingRefusal } from "./assess.ts";
import { makeOrder, type NewOrder } from "./new-order.ts";

type Asked = Omit<AskedChildOrder, "order">;

/** A request for a child of a resting order. */
export type ChildRequest = Asked & {
  parent: StoredResting;
  /** Hash of the parent's mandate. */
  mandateHash: string;
  setup: FamilyTypes["setup"];
  nowMs: number;
} & Pick<ParentView, "tally" | "ended">;

/** A child that is not yet written, with the view that its writes are based on. */
export type MadeChild = { made: NewOrder; view: PlacingView; price: string };

/** Makes a child by the checks for orders of users, and proves it. Writes nothing. */
export function* makingChild(request: ChildRequest): Procedure<MadeChild | ChildRefusal> {
  const { parent, orderId, validUntil, chosen, setup, nowMs } = request;
  const { mandate, mac: mandateMac, placed } = parent;
  const { chain, wallet, userID, side, by } = mandate;
  const family = placingOf(chain);
  const lane = { chain, wallet };
  const read = yield* perform({ do: "readPlacing", lane, day: dayOf(nowMs), userID, by });
  if (isCutOff(mandate, read.cutoffs)) return { attention: undefined };
  const limits = limitsGivenBack(read.limits, request, nowMs);
  const view = { ...read, limits, laneOrders: read.laneOrders.filter((order) => !isSibling(order, request)) };
  const leg = mandate.legs[request.leg] as Leg;
  const trade = tradeOf(family, request, leg, view.settings);
  const createdAt = new Date(nowMs).toISOString();
  const { minAmountOut, quotedOut } = chosen;
  // A buy that left no coin for its exits would leave their stops without effect.
  const exits = placed.exits?.length ?? 0;
  const asked = {
    ...lane,
    userID,
    by,
    trade,
    createdAt,
    setup,
    mayLose: true,
    isChild: true,
    quotedOut,
    exits,
  };
  const assessed = yield* assess(family, asked, view);
  if ("refused" in assessed) return { attention: attentionTo(assessed.refused, side) };
  const { facts, check } = assessed;
  const { amount } = chosen.crossed;
  // Hosts that now state other decimals, or a relay that is gone, would make a different order from the one that the
  // mandate allows.
  const isSame = facts.amount === amount && check.least === minAmountOut;
  if (!isSame || (check.submission === "private") !== mandate.isPrivate) return { attention: "NO_ROUTE" };
  if (facts.amountOut < minAmountOut) return { attention: "PRICE_BEYOND_WORST" };
  const { expected, max } = check.networkFee;
  if (side === "sell" && quotedOut <= expected) return { attention: "PRICE_BEYOND_WORST" };
  if (max > feesLeft(mandate, request.tally, request.ended, classOf(leg)))
    return { attention: "FEE_BUDGET_SPENT" };
  // A child that the signer keeps waiting would only hold up its wallet's lane.
  const { feesOfDay, newOfDay } = dayOfChildren(limits, max, assessed.setup.limits, nowMs);
  if (isOneTooMany(request.tally, newOfDay) || isBeyondHalf(classOf(leg), feesOfDay))
    return { attention: "POLICY_LIMIT" };
  const terms = {
    orderId: mandate.orderId,
    mandate: request.mandateHash,
    leg: request.leg,
    n: parent.n + 1,
    ...(parent.nextSlice !== undefined && { slice: parent.nextSlice }),
    ...(parent.dead !== undefined && { after: parent.dead }),
    ...(parent.entry && { bought: parent.entry.bought }),
  };
  const order = { ...asked, orderId, validUntil, parent: { terms, mandate, mandateMac } };
  const made = yield* makeOrder(family, order, assessed, view);
  const [coins, tokens] = side === "buy" ? [amount, quotedOut] : [quotedOut, amount];
  return { made, view, price: formatPrice(chain, coins, tokens, facts.identity.decimals) };
}

/** True for a child of the same order. Only one of them can fill, so none reserves what the other one spends. */
const isSibling = ({ intent }: TradeOrder, { parent }: ChildRequest): boolean =>
  intent.parent?.orderId === parent.mandate.orderId && parent.mandate.slices === undefined;

function tradeOf(
  family: PlacingFamily,
  { parent, chosen }: ChildRequest,
  leg: Leg,
  settings: FamilyTypes["trader"]["settings"],
): AskedTrade {
  const { mandate, placed, choices } = parent;
  const { chain, side, token, isPrivate } = mandate;
  const ofCoin = chainFacts[chain].coin.decimals;
  const [inDecimals, outDecimals] = side === "buy" ? [ofCoin, placed.decimals] : [placed.decimals, ofCoin];
  return {
    side,
    token,
    amount: formatAmount(chosen.crossed.amount, inDecimals),
    minAmountOut: formatAmount(chosen.minAmountOut, outDecimals),
    // The leg's floor takes the place of a limit.
    maxPriceImpact: Number.POSITIVE_INFINITY,
    mevProtection: isPrivate,
    ...choices,
    ...family.childFees(leg, mandate, { ...settings, ...choices }),
  };
}

const attentionOf: Readonly<Partial<Record<keyof DomainErrorDetails, AttentionCode>>> = {
  TRADING_DISABLED: "TRADING_DISABLED",
  POLICY_LIMIT: "POLICY_LIMIT",
  KEY_LIMIT: "KEY_LIMIT",
  GAS_PRICE_TOO_HIGH: "INSUFFICIENT_GAS",
  PRIORITY_FEE_TOO_LOW: "INSUFFICIENT_GAS",
  NO_ROUTE: "NO_ROUTE",
  AMOUNT_TOO_SMALL: "NO_ROUTE",
  TOKEN_NOT_FOUND: "NO_ROUTE",
  TOKEN_UNSAFE: "NO_ROUTE",
};

function attentionTo(refused: PlacingRefusal, side: AskedTrade["side"]): AttentionCode | undefined {
  if (!(refused instanceof DomainError)) return undefined;
  if (refused.code !== "INSUFFICIENT_BALANCE") return attentionOf[refused.code];
  const { token } = (refused as DomainError<"INSUFFICIENT_BALANCE">).details;
  return side === "sell" && token === nativeToken ? "INSUFFICIENT_GAS" : "INSUFFICIENT_BALANCE";
}
