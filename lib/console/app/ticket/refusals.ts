import { amount, type Failure, words } from "../format.ts";
import type { TermName } from "./order-types.ts";

/** A field of the ticket, at which a message can stand. */
export type FieldName =
  | TermName
  | "token"
  | "amount"
  | "least"
  | "slippage"
  | "maxGasPrice"
  | "priorityFee"
  | "exits";

/** Problems of fields, in words. */
export type Problems = Partial<Readonly<Record<FieldName, string>>>;

/** Names of fields within a sentence. */
export const fieldWords: Readonly<Record<FieldName, string>> = {
  token: "token",
  amount: "amount",
  least: "least amount",
  slippage: "slippage",
  maxGasPrice: "gas price",
  priorityFee: "priority fee",
  exits: "exits",
  price: "price",
  stopPrice: "stop price",
  takeProfit: "take profit",
  worst: "least price",
  trailPercent: "distance",
  slices: "parts",
  minutes: "time between parts",
  days: "days",
};

/** A refusal, with the details that its code has. */
export type Refusal = Pick<Failure, "code" | "message"> & { details?: unknown };

/** Fields that cause refusals, by their code. */
const fieldsByCode: Readonly<Record<string, FieldName>> = {
  AMOUNT_TOO_SMALL: "amount",
  EXITS_UNAVAILABLE: "exits",
  GAS_PRICE_TOO_HIGH: "maxGasPrice",
  INSUFFICIENT_BALANCE: "amount",
  NO_REFERENCE: "least",
  NO_ROUTE: "token",
  POLICY_LIMIT: "amount",
  PRICE_IMPACT_TOO_HIGH: "amount",
  PRIORITY_FEE_TOO_LOW: "priorityFee",
  TOKEN_NOT_FOUND: "token",
  TOKEN_UNSAFE: "token",
};

/** Fields of the ticket, by their names in requests. */
const fieldsByName: Readonly<Record<string, FieldName>> = {
  amount: "amount",
  percent: "amount",
  token: "token",
  minAmountOut: "least",
  slippage: "slippage",
  maxGasPrice: "maxGasPrice",
  priorityFee: "priorityFee",
  stopPrice: "stopPrice",
  stopLoss: "stopPrice",
  takeProfit: "takeProfit",
  trailPercent: "trailPercent",
  slices: "slices",
  intervalSeconds: "minutes",
  expiresInSeconds: "days",
  exits: "exits",
};

/** Finds the field that a refusal is about, if the ticket has one. */
export function fieldOf({ code, details }: Refusal, type: string): FieldName | undefined {
  const { field, exit } = (details ?? {}) as { field?: unknown; exit?: unknown };
  if (code === "WOULD_FIRE_NOW")
    return exit !== undefined ? "exits" : type === "trailing_stop" ? "trailPercent" : "stopPrice";
  if (typeof field !== "string") return fieldsByCode[code];
  const [first = "", second] = field.split(/[.[]/);
  // A stop's least price has the name that a limit's price has.
  if (first === "price") return type === "limit" ? "price" : "worst";
  if (first === "stopLoss" && second === "price") return "worst";
  return fieldsByName[first] ?? fieldsByCode[code];
}

type Details = {
  symbol?: string;
  needed?: string;
  available?: string;
  forExits?: string;
  price?: string;
  roundTrip?: string;
};

/** Explains to the user why a trade would be refused. */
export function refusalText({ code, message, details }: Refusal): string {
  const { symbol, needed, available, price, roundTrip } = (details ?? {}) as Details;
  if (code === "INSUFFICIENT_BALANCE" && symbol !== undefined && needed !== undefined)
    return Number(available) === 0
      ? `The wallet has no ${symbol} to spend.`
      : `This needs ${amount(needed)} ${symbol}, fees included, but only ${amount(available)} ${symbol} can be spent.`;
  if (code === "WOULD_FIRE_NOW" && price !== undefined)
    return roundTrip === undefined
      ? `The price is ${amount(price)} now, so this would sell at once. Set it lower.`
      : `Selling at once would bring ${amount(roundTrip)} for one, and a stop must lie at least 3 % below that.`;
  if (code === "TOKEN_UNSAFE") return `${message.split(". To buy")[0]}.`;
  if (code === "NO_REFERENCE")
    return "No market is deep enough to price this token: type the minimum that you accept.";
  const sentence = message.endsWith(".") ? message : `${message}.`;
  return code === "INVALID_REQUEST" ? sentence : `${capital(words(code))}: ${sentence}`;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Says how an empty wallet gets coins. */
export const fundingText = (coin: string, chain: string, isSale: boolean) =>
  isSale
    ? "The wallet has none of this token to sell. Buy some first, or pick another wallet."
    : `The wallet has no ${coin} to spend. Send some to its address on ${chain}, which Wallets shows.`;
