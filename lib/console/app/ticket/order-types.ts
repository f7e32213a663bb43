import type { Network, Order } from "trading-terminal-client";
import { compared, isAmount, product } from "../exact.ts";

export type Side = Order["side"];

/** The types of orders that the service places, with the sides on which it has them. */
export const orderTypes = [
  { type: "market", label: "Market", sides: ["buy", "sell"], fields: [] },
  { type: "limit", label: "Limit", sides: ["buy", "sell"], fields: ["price", "days"] },
  { type: "stop", label: "Stop", sides: ["sell"], fields: ["stopPrice", "worst", "days"] },
  { type: "oco", label: "Pair", sides: ["sell"], fields: ["takeProfit", "stopPrice", "worst", "days"] },
  { type: "trailing_stop", label: "Trailing", sides: ["sell"], fields: ["trailPercent", "worst", "days"] },
  { type: "twap", label: "Slices", sides: ["buy", "sell"], fields: ["slices", "minutes", "worst"] },
] as const satisfies readonly {
  type: string;
  label: string;
  sides: readonly Side[];
  fields: readonly TermName[];
}[];

export type OrderType = (typeof orderTypes)[number]["type"];

/** Terms of an order besides its amount, as the user types them. `worst` is a price; if empty, the service has one. */
export type Terms = {
  price: string;
  stopPrice: string;
  takeProfit: string;
  worst: string;
  trailPercent: string;
  slices: string;
  minutes: string;
  days: string;
};

export type TermName = keyof Terms;

export const freshTerms: Terms = {
  price: "",
  stopPrice: "",
  takeProfit: "",
  worst: "",
  trailPercent: "10",
  slices: "4",
  minutes: "15",
  days: "30",
};

export const ofType = (type: OrderType) =>
  orderTypes.find((each) => each.type === type) as (typeof orderTypes)[number];

export const hasSide = (type: OrderType, side: Side): boolean =>
  ofType(type).sides.some((each) => each === side);

/** Fields with a price that the user must type. */
const neededPrices: readonly TermName[] = ["price", "stopPrice", "takeProfit"];

/** True if the user has not typed a price yet that the order needs. */
export const lacksPrice = (type: OrderType, terms: Terms): boolean =>
  ofType(type).fields.some((name) => neededPrices.includes(name) && terms[name] === "");

const ranges = {
  trailPercent: [0.5, 90, "%"],
  slices: [2, 100, "parts"],
  minutes: [1, 10_080, "minutes"],
  days: [1, 90, "days"],
} as const;
/** On Solana, each slice leaves a rent behind, so the service allows fewer. */
const mostSlicesOfSol = 24;
/** The service ends an order with slices within this many minutes. */
const mostMinutesOfSlices = 128_160;

/** Returns what is wrong with each field, in words. An empty price that is still to be typed is not wrong. */
export function wrongTerms(
  chain: Network,
  type: OrderType,
  terms: Terms,
): Partial<Readonly<Record<TermName, string>>> {
  const problems: Partial<Record<TermName, string>> = {};
  for (const name of ofType(type).fields) {
    const problem = wrongTerm(chain, type, name, terms);
    if (problem !== undefined) problems[name] = problem;
  }
  return problems;
}

function wrongTerm(chain: Network, type: OrderType, name: TermName, terms: Terms): string | undefined {
  const text = terms[name];
  const range = name in ranges ? ranges[name as keyof typeof ranges] : undefined;
  if (range === undefined) {
    if (text === "") return undefined;
    if (!isAmount(text)) return "Write a price above 0 with a point, such as 0.5.";
    return wrongPrice(type, name, terms);
  }
  const [least, usualMost, unit] = range;
  const most = name === "slices" && chain === "sol" ? mostSlicesOfSol : usualMost;
  const isNumber = (name === "trailPercent" ? /^\d+(\.\d{1,4})?$/ : /^\d+$/).test(text);
  if (!isNumber || Number(text) < least || Number(text) > most)
    return `Write ${name === "trailPercent" ? "a" : "a whole"} number from ${least} to ${most} ${unit}.`;
  if (name === "minutes" && Number(terms.slices) * Number(text) > mostMinutesOfSlices)
    return `All parts together may take ${mostMinutesOfSlices / 1440} days at most.`;
  return undefined;
}

/** Compares prices of one order. The service compares the others with the market. */
function wrongPrice(
  type: OrderType,
  name: TermName,
  { stopPrice, takeProfit, worst }: Terms,
): string | undefined {
  const isKnown = isAmount(stopPrice) && (type === "stop" || type === "oco");
  if (!isKnown) return undefined;
  if (name === "takeProfit" && compared(takeProfit, stopPrice) <= 0)
    return "The take profit must be above the stop.";
  if (name !== "worst") return undefined;
  if (compared(worst, stopPrice) >= 0 || compared(worst, product(stopPrice, "0.01")) < 0)
    return "The least must be below the stop, and at least a hundredth of it.";
  return undefined;
}

/**
 * Returns the fields of a request that make an order one of its type.
 *
 * @param worst The worst price as the user has seen it, for types whose default would follow the market.
 */
export function termsOf(type: OrderType, terms: Terms, worst?: string): Record<string, unknown> {
  const least = terms.worst || worst;
  const price = least === undefined ? {} : { price: least };
  const stop = { stopPrice: terms.stopPrice, ...(terms.worst && { price: terms.worst }) };
  const expires = { expiresInSeconds: Number(terms.days) * 86_400 };
  switch (type) {
    case "market":
      return { type };
    case "limit":
      return { type, price: terms.price, ...expires };
    case "stop":
      return { type, ...stop, ...expires };
    case "oco":
      return { type, takeProfit: { price: terms.takeProfit }, stopLoss: stop, ...expires };
    case "trailing_stop":
      return { type, trailPercent: Number(terms.trailPercent), ...price, ...expires };
    case "twap":
      return { type, slices: Number(terms.slices), intervalSeconds: Number(terms.minutes) * 60, ...price };
  }
}
