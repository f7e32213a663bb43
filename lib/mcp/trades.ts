import type { Quote, RestAnswer, RestData, Terminal } from "trading-terminal-client";
import { type Answer, problemOf } from "./answers.ts";
import {
  chain,
  choice,
  decimal,
  type Fields,
  flag,
  number,
  optional,
  text,
  token,
  wallet,
} from "./fields.ts";
import type { QuoteBook } from "./quote-book.ts";
import type { Tool } from "./reads.ts";

type Terms = Readonly<Record<string, string | number | boolean>>;

type Placed = Extract<RestData<"placeOrder">, { order: object }>;
type Trial = Extract<RestData<"placeOrder">, { dryRun: true }>;

const place = { chain, wallet, token };
const slippage = optional(number("Percent below the quote at which it no longer trades", [0.0001, 50]));
const quoteId = optional(text("Confirms the quote of this id, with exactly the same other arguments"));
const tokens = {
  amount: optional(decimal("Tokens to sell")),
  percent: optional(number("In place of amount: the percentage of what the wallet holds", [0.0001, 100])),
};
const price = (what: string) => optional(decimal(`${what}, in coins for one token`));

const fields = {
  buy: {
    ...place,
    amount: decimal("Coin to spend"),
    slippage,
    allowUnsafe: optional(
      flag("Buys a token that cannot be sold or is taxed above 25 %. Ask the user first"),
    ),
    quoteId,
  },
  sell: { ...place, ...tokens, slippage, quoteId },
  place_resting_order: {
    ...place,
    type: choice(
      ["limit", "stop", "oco", "trailing_stop", "twap"],
      "limit needs price; stop needs stopPrice; oco needs takeProfitPrice and stopPrice; trailing_stop needs " +
        "trailPercent; twap needs slices and intervalSeconds",
    ),
    side: choice(["buy", "sell"], "stop, oco and trailing_stop only sell"),
    ...tokens,
    amount: optional(decimal("Coin to spend, or tokens to sell")),
    price: price("Where a limit fires, or the worst price of the others"),
    stopPrice: price("Where a stop sells"),
    takeProfitPrice: price("Where an oco takes its profit"),
    trailPercent: optional(number("How far below its highest price a trailing_stop sells", [0.5, 90])),
    slices: optional(number("Number of equal parts of a twap", [2, 100])),
    intervalSeconds: optional(number("From one slice of a twap to the next", [60, 604_800])),
    expiresInSeconds: optional(number("When it ends without a fill; 30 days by default", [60, 7_776_000])),
    slippage,
    quoteId,
  },
} satisfies Record<string, Fields>;

const twoSteps = (seconds: number) =>
  `Without quoteId, nothing happens: the answer is a dry run with a quoteId. Show that to the user, and call again within ` +
  `${seconds} seconds with the same arguments and the quoteId. If that answer is lost, repeat that call: nothing ` +
  "is traded twice.";

const descriptions: Record<keyof typeof fields, string> = {
  buy: "Buys a token with the chain's coin at the market.",
  sell: "Sells a token for the chain's coin at the market.",
  place_resting_order:
    "Places an order that waits for a price (limit, stop, oco, trailing_stop) or trades in slices.",
};

/** Writes the body of an order from the arguments of a tool. */
const bodies: Record<keyof typeof fields, (terms: Terms) => Terms | object> = {
  buy: (terms) => ({ type: "market", side: "buy", ...terms }),
  sell: (terms) => ({ type: "market", side: "sell", ...terms }),
  place_resting_order({ takeProfitPrice, stopPrice, ...terms }) {
    if (terms.type !== "oco")
      return { ...terms, ...(stopPrice && { stopPrice }), ...(takeProfitPrice && { takeProfitPrice }) };
    return { ...terms, takeProfit: { price: takeProfitPrice }, stopLoss: { stopPrice } };
  },
};

/** Tools that spend money. Each first answers with a dry run, and needs the id of the quote that it confirms. */
export const tradeTools = (quotes: QuoteBook): Readonly<Record<string, Tool>> =>
  Object.fromEntries(
    (Object.keys(fields) as (keyof typeof fields)[]).map((name) => {
      const run = (terminal: Terminal, { quoteId, ...terms }: Terms & { quoteId?: string }) =>
        quoteId === undefined
          ? tried({ terminal, quotes, name }, terms)
          : confirmed({ terminal, quotes, name }, terms, quoteId);
      const description = `${descriptions[name]} ${twoSteps(quotes.seconds)}`;
      return [name, { description, fields: fields[name], isRead: false, run }];
    }),
  );

type Deps = { terminal: Terminal; quotes: QuoteBook; name: keyof typeof fields };

/** Sends a body that the service checks. */
const placed = (terminal: Terminal, request: { body: object; headers?: Record<string, string> }) =>
  terminal.placeOrder(request as never) as Promise<unknown> as Promise<RestAnswer<"placeOrder">>;

async function tried({ terminal, quotes, name }: Deps, terms: Terms): Promise<Answer> {
  const body = bodies[name](terms);
  const { data, error } = await placed(terminal, { body: { ...body, dryRun: true } });
  if (error) return problemOf(error);
  const { quote, ...rest } = data as Trial;
  const isResting = "resting" in rest;
  const { percent: _, slippage: given, ...others } = body as Terms;
  const order = {
    ...others,
    amount: quote.amount,
    // The order must bring what the user has seen, however the price moves until the quote is confirmed.
    ...(isResting ? given !== undefined && { slippage: given } : { minAmountOut: quote.minAmountOut }),
  };
  const added = quotes.add(name, terms, order);
  const next = `Nothing is placed yet. To confirm, call ${name} again with the same arguments and this quoteId.`;
  return { data: { ...added, next, warnings: warningsOf(quote), ...rest, quote } };
}

async function confirmed({ terminal, quotes, name }: Deps, terms: Terms, quoteId: string): Promise<Answer> {
  const found = quotes.find(quoteId, name, terms);
  if (found === undefined) return recovered(terminal, quoteId);
  if ("differs" in found)
    return problemOf({ code: "QUOTE_DIFFERS", message: `The quote has another ${found.differs}` });
  const headers = { "Idempotency-Key": keyOf(quoteId) };
  const { data, error, headers: answered } = await placed(terminal, { headers, body: found.body });
  if (error) return problemOf(error);
  return { data: shown(data as Placed, answered.has("Idempotent-Replayed")) };
}

/**
 * Finds the order of a quote that has expired, or that an earlier process gave. Places none. Resting orders have a list
 * of their own.
 */
async function recovered(terminal: Terminal, quoteId: string): Promise<Answer> {
  for (const query of [{ status: "resting" }, { limit: 100 }] as const) {
    const { data, error } = await terminal.listOrders({ query });
    if (error) return problemOf(error);
    const order = data.orders.find(({ clientOrderId }) => clientOrderId === keyOf(quoteId));
    if (order !== undefined) return { data: shown({ order, warnings: [] }, true) };
  }
  const message = `The quote ${quoteId} is unknown or has expired, and placed no recent order`;
  return problemOf({ code: "QUOTE_EXPIRED", message, field: "quoteId" });
}

/** A quote has one key, so that confirming it again places no second order. */
const keyOf = (quoteId: string) => `mcp-${quoteId}`;

const shown = ({ order, warnings }: Placed, isReplayed: boolean) => ({
  order,
  warnings,
  ...(isReplayed && {
    replayed: "An earlier call with this quoteId has placed the order, and this one placed none.",
  }),
  next: "Call wait_for_order for its outcome; a resting order ends only when its price is reached.",
});

/** Lists all warnings about a trade, the gravest first. */
function warningsOf({ sellable, buyTax, sellTax, flags, warnings, wouldBeRefused }: Quote): string[] {
  const tax = [buyTax, sellTax].map((percent) => percent ?? 0);
  return [
    ...(sellable === false ? ["A simulated sale failed: this may be a honeypot"] : []),
    ...(sellable === null ? ["No simulation could show whether the token can be sold"] : []),
    ...(tax.some((percent) => percent > 0)
      ? [`The token takes ${tax[0]} % of buys and ${tax[1]} % of sales`]
      : []),
    ...(wouldBeRefused ? [`An order would be refused: ${wouldBeRefused.code}`] : []),
    ...flags,
    ...warnings,
  ];
}
