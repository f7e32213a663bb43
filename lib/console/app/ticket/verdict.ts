import type { Quote } from "trading-terminal-client";
import { compared, isAmount, share } from "../exact.ts";
import { amount, chainName, unitsOf, words } from "../format.ts";

/** Newest answer about a trade. A quote stays until the next one arrives. */
export type Quoted = {
  quote?: Quote | undefined;
  /** When the quote arrived, in milliseconds. */
  quotedMs?: number | undefined;
  /** Reason why there is no newer quote. */
  problem?: Failure | undefined;
};

export type Failure = { code: string; message: string; details?: unknown };

type Answered = { status?: number; retryAfterSeconds?: number | undefined };

const isRefusal = ({ status = 0 }: Answered) => status >= 400 && status < 500;

/** A 503 with Retry-After shows that the service has recorded nothing. */
const isUnavailable = ({ status, retryAfterSeconds }: Answered) =>
  status === 503 && retryAfterSeconds !== undefined;

/** True if the service answered without looking for the order. */
const isBlind = (failure: Answered) =>
  isUnavailable(failure) || [401, 403, 429].includes(failure.status ?? 0);

/**
 * True if an order may have been placed although no response confirmed it.
 *
 * @param failures Failures of all tries, in order
 * @param isRepeated True if an earlier response was lost
 */
export function mayBePlacedAfter(failures: readonly Answered[], isRepeated: boolean): boolean {
  const isLost = (failure: Answered) => !isRefusal(failure) && !isUnavailable(failure);
  const last = failures.at(-1);
  return last !== undefined && (isLost(last) || (isBlind(last) && (isRepeated || failures.some(isLost))));
}

export type Asked = {
  chain: Quote["chain"];
  side: Quote["side"];
  symbol: string;
  /** Wallet that trades. Undefined if the chain has none, or until the wallets are known. */
  wallet: string | undefined;
  isReading: boolean;
  hasToken: boolean;
  given: string;
  /** Label of a limit that is not a number, if any. */
  wrongLimit?: string | undefined;
  /** Output that the user has seen and accepted since the last change of the trade. */
  agreed: string | undefined;
  isBusy: boolean;
  /** True if an earlier order was not answered, so nobody knows if it was placed. */
  isUnanswered: boolean;
  isStale: boolean;
};

/** State of the button that places an order, with a reason. The button can be pressed only for `place` and `agree`. */
export type Verdict = { act: "place" | "agree" | "none"; text: string; reason?: string };

/**
 * Greatest age of a quote that can be traded, in milliseconds. The page asks for a new one after 12 seconds at the
 * latest, and the answer may take a few more.
 */
export const oldestQuoteMs = 20_000;

/** Below this percentage of the output that the user accepted, the user must agree again. */
const agreedPercent = 99;

const none = (text: string, reason?: string): Verdict => ({
  act: "none",
  text,
  ...(reason !== undefined && { reason }),
});

/** Decides whether an order can be placed now, and labels its button. */
export function verdictOf(asked: Asked, quoted: Quoted | undefined, nowMs: number): Verdict {
  const { chain, side, symbol, wallet, agreed } = asked;
  const verb = side === "buy" ? "Buy" : "Sell";
  if (asked.isBusy) return none("Placing the order …");
  if (asked.isStale) return none("Offline", "Nothing can be placed until the service answers again.");
  if (asked.isUnanswered) return none("An order was not answered", "Send it again or leave it, under Trade.");
  if (asked.isReading) return none("Reading the wallets …");
  if (wallet === undefined)
    return none(`No wallet on ${chainName[chain]}`, "Create or import one under Wallets.");
  if (!asked.hasToken) return none("Pick a token");
  if (!isAmount(asked.given)) return none("Enter an amount");
  if (asked.wrongLimit)
    return none("Check the limits", `${asked.wrongLimit.replace(/,.*/, "")} takes a number, such as 1.5.`);
  const { quote, quotedMs = 0, problem } = quoted ?? {};
  if (problem !== undefined) return none(`Cannot ${verb.toLowerCase()} ${symbol}`, refusalText(problem));
  if (quote === undefined) return none("Asking for a quote …");
  if (quote.wouldBeRefused !== undefined)
    return none(`Cannot ${verb.toLowerCase()} ${symbol}`, refusalText(quote.wouldBeRefused));
  if (nowMs - quotedMs > oldestQuoteMs) return none("The quote is too old", "Asking for a new one.");
  if (agreed !== undefined && compared(quote.amountOut, share(agreed, agreedPercent)) < 0)
    return {
      act: "agree",
      text: "Agree to the new price",
      reason: `The price moved: you would get ${amount(quote.amountOut)} ${unitsOf(quote).received} instead of ${amount(agreed)}.`,
    };
  return { act: "place", text: `${verb} ${symbol}` };
}

type Shortfall = { symbol?: string; needed?: string; available?: string };

/** Explains to the user why a trade would be refused. */
export function refusalText({ code, message, details }: Failure): string {
  const { symbol, needed, available } = (details ?? {}) as Shortfall;
  if (code === "INSUFFICIENT_BALANCE" && symbol !== undefined && needed !== undefined)
    return Number(available) === 0
      ? `The wallet has no ${symbol} to spend.`
      : `This needs ${amount(needed)} ${symbol}, fees included, but only ${amount(available)} ${symbol} can be spent.`;
  if (code === "TOKEN_UNSAFE") return `${message.split(". To buy")[0]}.`;
  if (code === "NO_REFERENCE")
    return "No market is deep enough to price this token: type the least that you accept, under Trade.";
  const sentence = message.endsWith(".") ? message : `${message}.`;
  return code === "INVALID_REQUEST" ? sentence : `${capital(words(code))}: ${sentence}`;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

export type Tier = "calm" | "warn" | "bad";

const tier =
  (warn: number, bad: number) =>
  (percent: number | null | undefined): Tier =>
    (percent ?? 0) >= bad ? "bad" : (percent ?? 0) >= warn ? "warn" : "calm";

/**
 * Rates the difference between a trade's price and the market price, in percent. Orders above 15 % are rejected by
 * default.
 */
export const impactTier = tier(1, 5);
/** Rates the tax of a token, in percent of the trade. Purchases above 25 % are rejected. */
export const taxTier = tier(0.01, 10);
/** Rates the network fee, in percent of the trade. */
export const feeTier = tier(2, 20);
