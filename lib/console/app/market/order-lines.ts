import type { Order, RestingOrderRequest, TokenName } from "trading-terminal-client";
import { isSameToken } from "trading-terminal-client/markets";
import { compared } from "../exact.ts";
import { amount, isResting, unitsOf } from "../format.ts";
import { inProportion } from "./line-price.ts";

type Part = "limit" | "takeProfit" | "stop";

/** A price at which a resting order fires, as a line in the chart. */
export type OrderLine = {
  order: Order;
  part: Part;
  /** Price in coin. */
  price: string;
  /** Names what the order does at this price, without the price. */
  text: string;
  /** True if the price can be changed: by a new order in place of this one. */
  canMove: boolean;
  /** Why the order has nothing to sell, as far as the page knows. */
  lack?: string | undefined;
};

const names: Readonly<Record<Part, string>> = { limit: "limit", takeProfit: "take profit", stop: "stop" };

/** A new order rests for at least this many milliseconds. */
const leastLifeMs = 60_000;

/** True for an order that a new one can replace. Only the service moves a trailing stop, and slices continue. */
const canReplace = ({ type, status, stage, expiresAt }: Order, nowMs: number) =>
  ["limit", "stop", "oco"].includes(type) &&
  status === "open" &&
  stage === "resting" &&
  expiresAt !== undefined &&
  Date.parse(expiresAt) - nowMs >= leastLifeMs;

function pricesOf({
  type,
  price,
  stopPrice,
  takeProfit,
  stopLoss,
  trailing,
}: Order): [Part, string | undefined][] {
  const stop = type === "stop" ? stopPrice : (stopLoss ?? trailing)?.stopPrice;
  if (type === "limit" || type === "twap")
    return [
      ["limit", price],
      ["stop", stop],
    ];
  return [
    ["takeProfit", takeProfit?.price],
    ["stop", stop],
  ];
}

/** Lists the lines of a token's resting orders, from the highest price down. */
export function linesOf(orders: readonly Order[], name: TokenName, nowMs: number): OrderLine[] {
  return orders
    .filter((order) => {
      const { chain, token } = order;
      return isResting(order) && token !== undefined && isSameToken({ chain, token }, name);
    })
    .flatMap((order) => {
      const canMove = canReplace(order, nowMs);
      const kind = order.type === "trailing_stop" || order.trailing ? "trailing stop" : undefined;
      return pricesOf(order).flatMap(([part, price]) => {
        if (price === undefined) return [];
        const what = part === "stop" ? (kind ?? names.stop) : order.type === "twap" ? "slices" : names[part];
        const verb = order.side === "buy" ? "Buy" : "Sell";
        const text = `${verb} ${amount(order.amount, 4)} ${unitsOf(order).spent}, ${what}`;
        return [{ order, part, price, text, canMove: canMove && kind === undefined }];
      });
    })
    .sort((a, b) => compared(b.price, a.price));
}

/** Exits in a request: the percentages or prices that were asked for, without what the service has added. */
const askedExits = ({ side, type, exits = [] }: Order) =>
  // Without the field, the service would add the exits of the preset.
  side === "buy" && type === "limit" && { exits: exits.map(({ orderId: _, ...exit }) => exit) };

/**
 * Describes the order that takes the place of a resting one, with another price of one of its parts. It has the same
 * amount, end and limits, and the worst price of a stop moves with it. Gas is as in the settings, because the record of
 * an order does not show it.
 */
export function movedOrder({ order, part }: OrderLine, price: string, nowMs: number): RestingOrderRequest {
  const { chain, wallet, side, token, type, slippage, maxNetworkFee, expiresAt = "" } = order;
  const stopAt = (at: { stopPrice?: string; price?: string } | undefined) => {
    const stopPrice = at?.stopPrice ?? "";
    const worst = at?.price;
    if (part !== "stop") return { stopPrice, ...(worst !== undefined && { price: worst }) };
    return { stopPrice: price, ...(worst !== undefined && { price: inProportion(worst, stopPrice, price) }) };
  };
  const prices = {
    limit: () => ({ price, ...askedExits(order) }),
    stop: () => stopAt(order),
    oco: () => ({
      takeProfit: { price: part === "takeProfit" ? price : order.takeProfit?.price },
      stopLoss: stopAt(order.stopLoss),
    }),
  }[type as "limit" | "stop" | "oco"];
  return {
    chain,
    wallet,
    side,
    token,
    type,
    amount: order.amount,
    ...prices(),
    ...(slippage !== undefined && { slippage }),
    ...(maxNetworkFee !== undefined && { maxNetworkFee }),
    expiresInSeconds: Math.floor((Date.parse(expiresAt) - nowMs) / 1000),
  } as RestingOrderRequest;
}

/**
 * Moves labels apart, so that none covers another, and into the chart.
 *
 * @param tops Where the labels would be, from top to bottom
 * @returns where they are, in the same order. Labels for which there is no place have none.
 */
export function spreadLabels(
  tops: readonly number[],
  labelHeight: number,
  height: number,
): (number | undefined)[] {
  const places = Math.max(0, Math.floor(height / labelHeight));
  const shown = tops.slice(0, places);
  let free = 0;
  const down = shown.map((top) => {
    const at = Math.max(free, top);
    free = at + labelHeight;
    return at;
  });
  let end = height - labelHeight;
  const up = down.toReversed().map((top) => {
    const at = Math.min(end, top);
    end = at - labelHeight;
    return at;
  });
  return [...up.toReversed(), ...tops.slice(places).map(() => undefined)];
}
