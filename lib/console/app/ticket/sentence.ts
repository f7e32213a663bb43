import type { Network } from "trading-terminal-client";
import { compared, isAmount, minus, product, quotient } from "../exact.ts";
import { amount, coinOf } from "../format.ts";
import type { Reference } from "./market-difference.ts";
import type { OrderType, Side, Terms } from "./order-types.ts";

/** An order as the ticket has it. */
export type Written = {
  chain: Network;
  side: Side;
  type: OrderType;
  symbol: string;
  given: string;
  unit: "amount" | "percent";
  terms: Terms;
};

/** Facts about an order from a quote and the wallet. */
export type Known = {
  /** Coins or tokens that it spends, if the user gave a percentage. */
  amount?: string | undefined;
  /** Price that the order would have now. */
  now?: Reference | undefined;
  /** Price from which its distances count. */
  reference?: Reference | undefined;
  /** Amount that the order would bring now, and the minimum that it must bring. */
  amountOut?: string | undefined;
  minAmountOut?: string | undefined;
  /** The worst price at which it fills, of a resting order. */
  worst?: string | undefined;
};

type Sized = Omit<Written, "type" | "terms">;

/** Maximum number of characters of a symbol in a sentence or on a button. */
const mostCharacters = 12;

/**
 * Prepares a token's symbol for a sentence: shortens it, and keeps letters that run from right to left from turning the
 * numbers around them.
 */
export function shortSymbol(symbol: string): string {
  const characters = [...symbol];
  if (characters.length === 0) return "token";
  const short =
    characters.length > mostCharacters ? `${characters.slice(0, mostCharacters - 1).join("")}…` : symbol;
  return /^[ -~]*…?$/.test(short) ? short : `\u2068${short}\u2069`;
}

/** Shows all digits of what the user has typed. */
const exact = (given: string) => amount(given, 80);

/** Says how much an order spends, such as "0.1 ETH" or "50 % of MOON". */
export function sizeOf({ chain, side, symbol, given, unit }: Sized): string {
  if (unit === "percent") return given === "100" ? `all ${symbol}` : `${given} % of ${symbol}`;
  return side === "buy" ? `${exact(given)} ${coinOf[chain]}` : `${exact(given)} ${symbol}`;
}

/** Says in a few words what a button does. */
export function deedOf({ type, terms, ...order }: Written): string {
  const size = sizeOf(order);
  const deed = order.side === "buy" ? `Buy ${size} of ${order.symbol}` : `Sell ${size}`;
  switch (type) {
    case "market":
      return deed;
    case "limit":
      return `${deed} at ${amount(terms.price)}`;
    case "stop":
      return `${deed} at ${amount(terms.stopPrice)}`;
    case "oco":
      return `${deed} at ${amount(terms.takeProfit)} or ${amount(terms.stopPrice)}`;
    case "trailing_stop":
      return `${deed} ${terms.trailPercent} % below the top`;
    case "twap":
      return `${deed} in ${terms.slices} parts`;
  }
}

/** Says in one sentence what an order will do. */
export function sentenceOf(order: Written, known: Known): string {
  const { chain, side, type, symbol, given, unit, terms } = order;
  const { now, reference } = known;
  const spent = unit === "amount" ? given : known.amount;
  const [inCoin, inToken] = [coinOf[chain], symbol];
  const received = side === "buy" ? inToken : inCoin;
  const size =
    side === "buy"
      ? `Buys ${inToken} for ${exact(given)} ${inCoin}`
      : unit === "amount"
        ? `Sells ${exact(given)} ${inToken}`
        : `Sells ${given === "100" ? "all" : `${given} %`} of your ${inToken}${spent ? `, ${amount(spent)},` : ""}`;
  const coins = (text: string) => `${amount(text)} ${inCoin}`;
  /** Computes the minimum that the order brings if it fills at a price. */
  const least = (price: string) =>
    spent === undefined || !isAmount(price)
      ? undefined
      : `${amount(side === "buy" ? quotient(spent, price) : product(spent, price))} ${received}`;
  const promise = (price: string | undefined) => {
    const text = price && least(price);
    return text ? `; you get at least ${text}` : "";
  };
  const within = ` within ${terms.days} ${terms.days === "1" ? "day" : "days"}`;
  const worst = terms.worst || known.worst;
  const stopWorst = terms.worst || product(terms.stopPrice, "0.8");
  const from = (price: string) => awayText(price, reference);
  switch (type) {
    case "market":
      return known.amountOut === undefined || known.minAmountOut === undefined
        ? `${size} now.`
        : `${size} now: about ${amount(known.amountOut)} ${received}, and at least ${amount(known.minAmountOut)}.`;
    case "limit": {
      const [verb, isReached] =
        side === "buy"
          ? ["falls", now !== undefined && compared(now.price, terms.price) <= 0]
          : ["rises", now !== undefined && compared(now.price, terms.price) >= 0];
      const when = isReached
        ? `at once, as ${now?.name} is ${coins(now?.price ?? "")} already`
        : `as soon as the price ${verb} to ${coins(terms.price)}${from(terms.price)}${within}`;
      return `${size} ${when}${promise(terms.price)}.`;
    }
    case "stop":
      return `${size} as soon as the price falls to ${coins(terms.stopPrice)}${from(terms.stopPrice)}${within}${promise(stopWorst)}, or nothing is sold.`;
    case "oco":
      return `${size} as soon as the price rises to ${coins(terms.takeProfit)}${from(terms.takeProfit)}${forAtLeast(least(terms.takeProfit))}, or falls to ${coins(terms.stopPrice)}${from(terms.stopPrice)}${forAtLeast(least(stopWorst))}, whichever comes first${within}.`;
    case "trailing_stop": {
      const first =
        now === undefined
          ? ""
          : `, at first ${coins(product(now.price, minus("1", product(terms.trailPercent, "0.01"))))},`;
      return `${size} as soon as the price has fallen ${terms.trailPercent} % below its highest from now on${first}${within}${worst ? `${promise(worst)}, or nothing is sold` : ""}.`;
    }
    case "twap": {
      const part = spent && `${amount(quotient(spent, terms.slices))} ${side === "buy" ? inCoin : inToken}`;
      const minutes = Number(terms.minutes);
      const last = spanText(minutes * (Number(terms.slices) - 1));
      const bound = worst && ` at ${coins(worst)} or ${side === "buy" ? "less" : "more"}`;
      return `${size} in ${terms.slices} parts${part ? ` of ${part}` : ""}, one every ${spanText(minutes).replace(/^1 /, "")}, the first now and the last in ${last}, each${bound || " near the price now"}${worst ? `${promise(worst)} if all are filled` : ""}.`;
    }
  }
}

const forAtLeast = (text: string | undefined) => (text === undefined ? "" : `, for at least ${text}`);

/** Says how far a price is from the reference, which it names. */
function awayText(price: string, reference: Reference | undefined): string {
  if (reference === undefined || !isAmount(price) || !isAmount(reference.price)) return "";
  const change = (Number(price) / Number(reference.price) - 1) * 100;
  return ` (${Number(Math.abs(change).toFixed(2))} % ${change < 0 ? "below" : "above"} ${reference.name})`;
}

/** Formats a time in the largest unit that divides it. */
function spanText(minutes: number): string {
  for (const [unit, size] of [
    ["day", 1440],
    ["hour", 60],
  ] as const)
    if (minutes % size === 0) return plural(minutes / size, unit);
  return plural(minutes, "minute");
}

const plural = (count: number, unit: string) => `${count} ${unit}${count === 1 ? "" : "s"}`;
