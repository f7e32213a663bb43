import type { Quote } from "trading-terminal-client";
import { compared, isAmount, share } from "../exact.ts";
import { amount, chainName, coinOf, unitsOf } from "../format.ts";
import { type Refusal, refusalText } from "./refusals.ts";

/** Newest answer about a trade. A quote stays until the next one arrives. */
export type Quoted = {
  quote?: Quote | undefined;
  /** When the quote arrived, in milliseconds. */
  quotedMs?: number | undefined;
  /** Reason why there is no newer quote. */
  problem?: Refusal | undefined;
  /** Terms of a resting order as they would be now. */
  resting?: RestingTerms | undefined;
};

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

type RestingTerms = {
  price: string;
  worst: string;
  expiresAt: string;
  maxNetworkFee: string;
  rents?: string;
};

export type Asked = {
  chain: Quote["chain"];
  side: Quote["side"];
  symbol: string;
  /** Text of the button, such as "Buy 0.1 ETH of MOON". */
  deed: string;
  /** Wallet that trades. Undefined if the chain has none, or until the wallets are known. */
  wallet: string | undefined;
  isReading: boolean;
  hasToken: boolean;
  given: string;
  /** Name of a field that cannot be sent, if any. The field has the reason. */
  wrong?: string | undefined;
  /** True if a field shows why the service would refuse the order. */
  isExplained?: boolean;
  /** True if the order still needs a price. */
  lacksPrice?: boolean;
  /** True if the wallet has nothing of what the trade spends. */
  isEmpty?: boolean;
  /** Output that the user has seen and accepted since the last change of the trade. */
  agreed: string | undefined;
  isBusy: boolean;
  /** True if an earlier order was not answered, so nobody knows if it was placed. */
  isUnanswered: boolean;
  isStale: boolean;
};

/** State of the button that places an order, with a reason. The button cannot be pressed for `none`. */
export type Verdict = {
  act: "place" | "agree" | "makeWallet" | "none";
  text: string;
  reason?: string;
  /** How grave the reason is. Absent if nothing is wrong. */
  tone?: "warn" | "bad";
};

/**
 * Greatest age of a quote that can be traded, in milliseconds. The page asks for a new one after 12 seconds at the
 * latest, and the answer may take a few more.
 */
export const oldestQuoteMs = 20_000;

/** Below this percentage of the output that the user accepted, the user must agree again. */
const agreedPercent = 99;

const none = (text: string, reason?: string, tone?: Verdict["tone"]): Verdict => ({
  act: "none",
  text,
  ...(reason !== undefined && { reason, ...(tone && { tone }) }),
});

/** Decides whether an order can be placed now, and labels its button. */
export function verdictOf(asked: Asked, quoted: Quoted | undefined, nowMs: number): Verdict {
  const { chain, side, symbol, deed, wallet, agreed } = asked;
  if (asked.isBusy) return none("Placing the order …");
  if (asked.isStale) return none("Offline", "Nothing can be placed until the service answers again.", "bad");
  if (asked.isUnanswered)
    return none("An order was not answered", "Send it again or leave it, under Trade.", "warn");
  if (asked.isReading) return none("Reading the wallets …");
  if (wallet === undefined)
    return {
      act: "makeWallet",
      text: `Make a wallet on ${chainName[chain]}`,
      reason: "Or import one that you have, under Wallets.",
    };
  if (!asked.hasToken) return none("Pick a token");
  if (asked.isEmpty) return none(`No ${side === "buy" ? coinOf[chain] : symbol} to spend`);
  if (!isAmount(asked.given)) return none("Enter an amount");
  if (asked.wrong !== undefined) return none(`Check the ${asked.wrong}`);
  if (asked.lacksPrice) return none("Enter a price");
  const { quote, quotedMs = 0, problem } = quoted ?? {};
  const refusal = problem ?? quote?.wouldBeRefused;
  if (refusal !== undefined)
    return none(`Cannot ${side} ${symbol}`, asked.isExplained ? undefined : refusalText(refusal), "bad");
  if (quote === undefined) return none("Asking for a quote …");
  if (nowMs - quotedMs > oldestQuoteMs) return none("The quote is too old", "Asking for a new one.");
  if (agreed !== undefined && compared(quote.amountOut, share(agreed, agreedPercent)) < 0)
    return {
      act: "agree",
      text: "Agree to the new price",
      reason: `The price moved: you would get ${amount(quote.amountOut)} ${unitsOf(quote).received} instead of ${amount(agreed)}.`,
      tone: "warn",
    };
  return { act: "place", text: deed };
}

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
