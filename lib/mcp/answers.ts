import type { RestError } from "trading-terminal-client";

/** A refusal: the service's code and message, and what to do next. */
export type Problem = {
  code: string;
  message: string;
  next: string;
  field?: string;
  details?: unknown;
  retryAfterSeconds?: number;
};

/** Result of a tool. Only refusals have a `problem`. */
export type Answer = { data: object; problem?: undefined } | { problem: Problem };

const stop = "Stop, and tell the user what `message` and `details` say";

/** Advice after an error, by its code. For other codes, the message has to suffice. */
const nextSteps: Readonly<Record<string, string>> = {
  INVALID_REQUEST: "Correct the argument that the message names, and call again.",
  WALLET_NOT_FOUND: "Call list_wallets, and use an address of this chain from there.",
  TOKEN_NOT_FOUND: "Call find_tokens with the token's name or symbol, and use an address from there.",
  ORDER_NOT_FOUND: "Call list_orders, and use an orderId from there.",
  ORDER_NOT_CANCELLABLE: "Call get_order: the order has ended already.",
  INSUFFICIENT_BALANCE: "Call list_balances. Trade less, or ask the user to add coins to the wallet.",
  TOKEN_UNSAFE: `${stop}. It may be a honeypot: buy with allowUnsafe only if the user insists after that.`,
  PRICE_IMPACT_TOO_HIGH: "Trade less, since the token's pools are too small for this amount.",
  AMOUNT_TOO_SMALL: "Trade more, or not at all.",
  NO_ROUTE: `${stop}: no pool trades this token with the coin.`,
  WOULD_FIRE_NOW: "Name a price that is further from the one in `details`.",
  POLICY_LIMIT: `${stop}. Only the user can change the limits of a wallet.`,
  KEY_LIMIT: `${stop}. Only the user can make a key with other limits.`,
  SCOPE_MISSING: `${stop}. Only the user can make a key with this scope.`,
  SIGN_IN_REQUIRED: `${stop}. Only the user can do this, in the console.`,
  UNAUTHORIZED: `${stop}. The key or token is invalid or no longer valid: the user has to make a new one.`,
  KEY_REFUSED: `${stop}. The key is revoked, has ended, or is another one: the user has to make a new one.`,
  CLOCK_WRONG: stop,
  TRADING_DISABLED: `${stop}. Orders can still be cancelled.`,
  UNSUPPORTED_CHAIN: "Use one of the chains in `details`.",
  CHAIN_UNAVAILABLE:
    "Nothing was placed. Call again after `retryAfterSeconds`; use another chain only if asked to.",
  RATE_LIMITED: "Call again after `retryAfterSeconds`.",
  WALLET_BUSY: "Wait until some of the wallet's open orders have ended: call wait_for_order.",
  IDEMPOTENCY_KEY_REUSED: "Call list_orders: this quote has placed another order.",
  QUOTE_EXPIRED: "Call again without quoteId for a new quote.",
  QUOTE_DIFFERS: "Call again with exactly the arguments of the quote, or without quoteId for a new one.",
};

/** The outcome is uncertain: the service may have done what it did not confirm. */
const uncertain = "Call again with the same arguments and the same quoteId: nothing happens twice.";

export function problemOf(error: RestError | Omit<Problem, "next">): { problem: Problem } {
  const { code, message, ...rest } = error as Omit<Problem, "next"> & { status?: number };
  const isUncertain = code === "NETWORK_ERROR" || (rest.status ?? 0) >= 500;
  const next = nextSteps[code] ?? (isUncertain ? uncertain : `${stop}.`);
  const { field, details, retryAfterSeconds } = rest;
  return {
    problem: {
      code,
      message,
      next,
      ...(field !== undefined && { field }),
      ...(details !== undefined && { details }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    },
  };
}

/** Turns the result of a call into that of a tool. */
export const answerOf = (result: { data?: unknown; error?: RestError | undefined }): Answer =>
  result.error ? problemOf(result.error) : { data: Object(result.data) };
