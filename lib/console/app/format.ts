import type { Network } from "trading-terminal-client";

/** Shortens an address to its beginning and end. */
export const shortened = (address: string) =>
  address.length > 14 ? `${address.slice(0, 6)}…${address.slice(-4)}` : address;

/** Separates the thousands of a whole number, as in all numbers of the page, by spaces at which no line breaks. */
const separated = (whole: string) => whole.replaceAll(/\B(?=(\d{3})+$)/g, "\u00a0");

/** Formats a decimal number with at least `digits` significant digits and separated thousands. */
export function amount(text: string | undefined, digits = 6): string {
  if (text === undefined) return "–";
  const [, sign = "", whole = "0", fraction = ""] = /^(-?)(\d+)(?:\.(\d*))?$/.exec(text) ?? [];
  const grouped = separated(whole);
  const places = whole === "0" ? (/^0*/.exec(fraction)?.[0].length ?? 0) : -whole.length;
  const shown = fraction.slice(0, Math.max(0, places + digits)).replace(/0+$/, "");
  return `${sign === "-" ? "−" : ""}${grouped}${shown && `.${shown}`}`;
}

export const coinOf = { eth: "ETH", base: "ETH", bsc: "BNB", avax: "AVAX", sol: "SOL" } as const;

/** Names of chains as people know them. */
export const chainName = {
  eth: "Ethereum",
  base: "Base",
  bsc: "BNB Chain",
  avax: "Avalanche",
  sol: "Solana",
} as const;

/** Label that Jupiter's terms require. */
const venueNames: Readonly<Record<string, string>> = {
  "raydium-cpmm": "Raydium CPMM",
  pump: "Pump",
  pumpswap: "PumpSwap",
  "jupiter-metis": "Metis, Powered by Jupiter",
};

/** Returns the name by which people know an exchange. */
const venueName = (venue: string) => venueNames[venue] ?? venue;

/**
 * Names the pool of a step in a route, with the pool's fee. For routes through Jupiter, returns only the label that
 * Jupiter requires.
 */
export const stepText = ({ venue, feeBps }: { venue: string; feeBps?: number }) =>
  feeBps === undefined ? venueName(venue) : `${venueName(venue)} ${feeBps / 100} %`;

/** Formats a number without an exponent. Browsers would show a lamport of SOL as 1e-9. */
export const plainNumber = (value: number) =>
  value.toLocaleString("en", { useGrouping: false, maximumFractionDigits: 20 });

/** Formats a price in USD. */
export const usd = (price: number) => fixed(price, price < 10 ? 4 : 2);

/** Formats a number with at least two decimal places. */
function fixed(value: number, mostPlaces = 2): string {
  const places = { minimumFractionDigits: 2, maximumFractionDigits: mostPlaces };
  const [whole = "", fraction] = value.toLocaleString("en", { useGrouping: false, ...places }).split(".");
  return `${separated(whole)}.${fraction}`;
}

/** Formats an amount of dollars with cents. Below a dollar, it gets five significant digits. */
export function usdText(text: string): string {
  const value = Math.abs(Number(text));
  const shown = value >= 1 || value === 0 ? fixed(value) : plainNumber(Number(value.toPrecision(5)));
  return `${text.startsWith("-") ? "−" : ""}$${shown}`;
}

/** Formats a large amount of dollars with three digits, such as $27.3M. */
export const shortUsd = (value: number) =>
  `$${value.toLocaleString("en", { notation: "compact", maximumSignificantDigits: 3 })}`;

export const clock = (time: string | number) =>
  new Date(time).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });

/** Formats a time. The day is added unless it is today. */
export function day(time: string | number): string {
  const then = new Date(time);
  const isToday = then.toDateString() === new Date().toDateString();
  return isToday
    ? clock(time)
    : then.toLocaleString("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
}

type Pair = { chain: Network; symbol: string; baseSymbol?: string; quoteSymbol?: string; token?: string };

/**
 * Returns the symbols of a pair. Orders of other engines may have none. A pair's name cannot be parsed instead, because
 * a token's symbol may contain a slash.
 */
export function pairUnits({ chain, symbol, baseSymbol, quoteSymbol, token }: Pair) {
  const [base, quote] = token === undefined ? ["", ""] : [symbol, coinOf[chain]];
  return { base: baseSymbol ?? base, quote: quoteSymbol ?? quote };
}

/**
 * Returns the units of a trade's amount, its proceeds and its price. Other engines count the amount in the pair's first
 * symbol.
 */
export function unitsOf(trade: Pair & { side: "buy" | "sell" }) {
  const { base, quote } = pairUnits(trade);
  const isBuy = trade.side === "buy";
  return {
    spent: isBuy && trade.token !== undefined ? quote : base,
    received: isBuy ? base : quote,
    price: quote,
  };
}

type Prices = {
  type: string;
  price?: string | undefined;
  stopPrice?: string | undefined;
  takeProfit?: { price?: string } | undefined;
  stopLoss?: { stopPrice?: string } | undefined;
  trailing?: { stopPrice?: string } | undefined;
};

/** Lists the prices at which a resting order fires, each as `show` formats it. Empty for other orders. */
export function firesAt(
  { type, price, stopPrice, takeProfit, stopLoss, trailing }: Prices,
  show: (level: string) => string = amount,
): string[] {
  const stop = type === "stop" ? stopPrice : (stopLoss ?? trailing)?.stopPrice;
  const limit = type === "limit" || type === "twap" ? price : takeProfit?.price;
  return [
    ...(limit === undefined ? [] : [show(limit)]),
    ...(stop === undefined ? [] : [`stop ${show(stop)}`]),
  ];
}

type Slices = { slices?: number | undefined; slicesDone?: number | undefined; nextAt?: string | undefined };

/** Says how many slices of an order have filled, and when the next one is due. Undefined for other orders. */
export const slicesText = ({ slices, slicesDone = 0, nextAt }: Slices): string | undefined =>
  slices === undefined
    ? undefined
    : `${slicesDone} of ${slices} slices${nextAt === undefined ? "" : `, next ${day(nextAt)}`}`;

/** Lists how far the market's price is from those at which a resting order fires. */
export const distancesFrom = (market: string, order: Prices): string[] =>
  firesAt(order, (level) => percentText((Number(level) / Number(market) - 1) * 100));

export const isOpen = ({ status }: { status: string }) => status === "open" || status === "partially_filled";

/** True for an open order that waits for a price. The stream has all of them. */
export const isResting = (order: Prices & { status: string }) => isOpen(order) && firesAt(order).length > 0;

type Place = { chain: string; wallet: string; token?: string | undefined; status: string };

/** Selects the open exits that sell an open position. Only exits have a `maxAmount`. */
export const exitsOf = <Order extends Place & { maxAmount?: string | undefined }>(
  { chain, wallet, token, status }: Place,
  orders: readonly Order[],
): Order[] =>
  orders.filter(
    (order) =>
      [status, order.status].every((each) => each === "open") &&
      order.maxAmount !== undefined &&
      order.chain === chain &&
      order.wallet === wallet &&
      order.token === token,
  );

const stagesOfSale: readonly (string | undefined)[] = ["queued", "waiting", "approving", "sent"];

/** True while part of a position is being sold. An exit that waits for its price sells nothing. */
export const isSelling = (
  { chain, wallet, token }: Place,
  orders: readonly (Place & { side: string; stage?: string | undefined })[],
): boolean =>
  orders.some(
    (order) =>
      order.side === "sell" &&
      stagesOfSale.includes(order.stage) &&
      order.chain === chain &&
      order.wallet === wallet &&
      order.token === token,
  );

/** Shows where an exit sells, or that it waits for its buy or its owner. */
export const exitPrices = (exit: Prices & { stage?: string | undefined }): string =>
  exit.stage === "pending" || exit.stage === "suspended" ? `(${exit.stage})` : firesAt(exit).join(", ");

/** Formats a gain or loss with its sign, or 0 as a dash. */
export function signed(text: string, unit: string): string {
  if (/^-?0*\.?0*$/.test(text)) return "–";
  return `${text.startsWith("-") ? "" : "+"}${amount(text)} ${unit}`;
}

/** Formats a change in percent with its sign and at most two decimal places. */
export const percentText = (change: number) =>
  `${change > 0 ? "+" : change < 0 ? "−" : ""}${Math.abs(Number(change.toFixed(2)))} %`;

export const percent = (value: number | null | undefined) =>
  value === undefined || value === null ? "unknown" : `${value} %`;

/** Turns an error code such as `GAS_PRICE_TOO_HIGH` into words. */
export const words = (code: string) => code.toLowerCase().replaceAll("_", " ");

export type Failure = {
  code: string;
  message: string;
  status?: number;
  retryAfterSeconds?: number;
  cause?: unknown;
};

/** Describes a failed call to the user. */
export function failureText({ code, message, status, cause }: Failure): string {
  if (code === "TOKEN_ERROR" && cause instanceof Error) return cause.message;
  if (status === 0 && code === "NETWORK_ERROR")
    return "The service did not answer. It may have carried out the request: look before you repeat it. Repeating the same request carries it out only once.";
  return code === "INVALID_REQUEST" || code === "VALIDATION_ERROR" ? message : `${words(code)}: ${message}`;
}
