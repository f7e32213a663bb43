import { coinText, formatAmount, formatPrice } from "../decimal-text.ts";
import type { Order } from "../execution.ts";
import { percentFrom, whole } from "../percent.ts";
import { shownAlike } from "../trade-order.ts";
import { shownAttention } from "./attention.ts";
import { amountOf, endsAt } from "./exits/entry.ts";
import { type Firing, type RestingOrder, stageOf } from "./life.ts";
import type { Leg } from "./mandate.ts";
import { priceText, type Ratio } from "./prices.ts";
import { nextDueAt } from "./slices.ts";
import type { StoredResting } from "./stored.ts";
import { pricedLeg } from "./trailing.ts";

export function statusOf({ state, end, mandate, firings }: RestingOrder): Order["status"] {
  if (state === "filled" || (state === "done" && end === undefined)) return "filled";
  const isPart = mandate.slices !== undefined && firings.some(({ outcome }) => outcome === "filled");
  return end?.status ?? (isPart ? "partially_filled" : "open");
}

/** True unless an order has filled or ended. */
export const mayStillFill = ({ state, end }: Pick<RestingOrder, "state" | "end">): boolean =>
  state !== "filled" && state !== "done" && end === undefined;

const mostShown = 100;

export const shownFirings = ({ firings }: Pick<RestingOrder, "firings">): Firing[] =>
  firings.slice(0, mostShown);

/** Returns a resting order as clients and streams see it. Its children are orders of their own. */
export function shownResting(order: StoredResting): Order {
  const { mandate, placed, facts, state, end, firings, version, updatedAt } = order;
  const { chain, exit, feesLimit, feesStop } = mandate;
  const amount = amountOf(order);
  const { networkFee, feesSpent, fill = { spent: 0n } } = facts;
  const [newest] = firings;
  return {
    ...shownAlike(mandate, placed, { ...fill, amount, networkFee, reasonCode: end?.reasonCode }),
    ...termsOf(order),
    status: statusOf(order),
    stage: stageOf(order),
    settled: state === "done",
    ...(exit && { parentOrderId: exit.of, maxAmount: formatAmount(mandate.amount, placed.decimals) }),
    ...(state !== "pending" && { expiresAt: new Date(endsAt(order) * 1000).toISOString() }),
    maxNetworkFee: coinText(chain, feesLimit + feesStop),
    feesSpent: { limit: coinText(chain, feesSpent.limit), stop: coinText(chain, feesSpent.stop) },
    ...(newest !== undefined && { childOrderId: newest.orderId }),
    // Nothing keeps an order from firing any more once it has filled or ended.
    attention: mayStillFill(order) ? shownAttention(order.attention) : [],
    updatedAt,
    version,
  };
}

/**
 * Shows the prices as they were given, in whole coins for one whole token. Prices that depend on a fill or a mark have
 * 18 digits, and are missing before the fill.
 */
function termsOf(order: StoredResting): Pick<Order, "type"> & Partial<Order> {
  const { mandate } = order;
  if (mandate.slices !== undefined)
    return { type: "twap", ...legTerms(order, 0).prices, ...progressOf(order) };
  const shown = mandate.legs.map((_, at) => legTerms(order, at));
  const named = Object.assign({}, ...shown.map(({ named }) => named)) as Partial<Order>;
  const [only, other] = shown;
  if (only === undefined || other !== undefined) return { type: "oco", ...named };
  return { type: only.type, ...only.prices, ...(mandate.exit || only.type === "trailing_stop" ? named : {}) };
}

type LegTerms = {
  type: Order["type"];
  prices: Pick<Order, "price" | "stopPrice">;
  named: Pick<Order, "takeProfit" | "stopLoss" | "trailing">;
};

/** Shows a leg under its name, with its prices as those of an order without another leg. */
function legTerms(order: StoredResting, at: number): LegTerms {
  const { mandate, mark, placed, entry } = order;
  const { chain } = mandate;
  const leg = mandate.legs[at] as Leg;
  const priced = pricedLeg(order, at);
  const exact = (price: Ratio) => priceText(chain, price, placed.decimals);
  const rounded = ({ coins, tokens }: Ratio) => formatPrice(chain, coins, tokens, placed.decimals);
  const isOfFill = leg.kind === "gain" || leg.kind === "loss";
  const percent = isOfFill ? { percent: percentFrom(leg.ppm - whole) } : {};
  const text = isOfFill ? rounded : exact;
  const isKnown = mandate.exit === undefined || entry !== undefined || !isOfFill;
  if (priced.kind === "limit") {
    const prices = isKnown ? { price: text(priced.price) } : {};
    return { type: "limit", prices, named: { takeProfit: { ...percent, ...prices } } };
  }
  const { trigger, worst } = priced;
  if (leg.kind === "trailing") {
    const moving = mark && { mark: rounded(mark.price), stopPrice: rounded(trigger) };
    const trailing = { trailPercent: percentFrom(leg.trailPpm), ...moving };
    const least = mandate.exit === undefined ? exact(worst) : rounded(worst);
    return { type: "trailing_stop", prices: mark ? { price: least } : {}, named: { trailing } };
  }
  const prices = isKnown ? { stopPrice: text(trigger), price: text(worst) } : {};
  return { type: "stop", prices, named: { stopLoss: { ...percent, ...prices } } };
}

/** Shows how many slices have filled, and the time of the next one while the order is open. */
function progressOf(order: StoredResting): Partial<Order> {
  const { mandate, firings } = order;
  const dueAt = mayStillFill(order) ? nextDueAt(order) : undefined;
  return {
    ...(mandate.slices && { slices: mandate.slices.count }),
    slicesDone: firings.filter(({ outcome }) => outcome === "filled").length,
    ...(dueAt !== undefined && { nextAt: new Date(dueAt * 1000).toISOString() }),
  };
}
