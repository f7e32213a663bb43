import { type HostError, isHostError } from "../../chains/hosts/host-fault.ts";
import { DomainError } from "../../core/domain-error.ts";
import { formatAmount } from "../../orders/decimal-text.ts";
import { wordsOfError } from "./measure.ts";
import type { HostLook, QuoteAnswer, QuoteLook } from "./report.ts";

/** A host's answer to a quote: facts about the trade, or the reason why there are none. */
export type QuoteOutcome<Facts> = Facts | DomainError | HostError;

type Comparing<Facts> = {
  /** Decimals of the received token. */
  decimals: number;
  hosts: readonly HostLook[];
  /** True if the two answers agree closely enough to place an order. */
  isAgreed: (a: Facts | DomainError, b: Facts | DomainError) => boolean;
};

/** Compares quotes as trading does. An answer is undefined if its host was not asked. */
export function comparedQuotes<Facts extends { amountOut: bigint }>(
  quotes: readonly (QuoteOutcome<Facts> | undefined)[],
  { decimals, hosts, isAgreed }: Comparing<Facts>,
): Omit<QuoteLook, "symbol"> {
  const amounts = quotes
    .flatMap((quote) => (quote === undefined || quote instanceof Error ? [] : [quote.amountOut]))
    .toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const [least = 0n, most = 0n] = [amounts[0], amounts.at(-1)];
  const failed = quotes.flatMap((quote, index) =>
    isHostError(quote) ? [`${hosts[index]?.host} ${wordsOfError(quote)}`] : [],
  );
  const given = quotes.flatMap((quote) => (quote === undefined || isHostError(quote) ? [] : [quote]));
  const words = failed[0] ?? disagreementOf<Facts>(given as (Facts | DomainError)[], isAgreed);
  return {
    answers: quotes.map((quote) => quote && answerOf(quote, decimals)),
    ...(amounts.length > 1 && {
      differenceBps: most === 0n ? 0 : Number(((most - least) * 1_000_000n) / most) / 100,
    }),
    ...(words !== undefined && { problem: { words, isFatal: true } }),
  };
}

function answerOf(quote: QuoteOutcome<{ amountOut: bigint }>, decimals: number): QuoteAnswer {
  if (quote instanceof DomainError) return { words: quote.code };
  if (quote instanceof Error) return { words: wordsOfError(quote) };
  return { amount: formatAmount(quote.amountOut, decimals) };
}

function disagreementOf<Facts>(
  [first, ...others]: readonly (Facts | DomainError)[],
  isAgreed: Comparing<Facts>["isAgreed"],
): string | undefined {
  if (first !== undefined && others.some((other) => !isAgreed(first, other)))
    return "the hosts disagree about the trade";
  return first instanceof DomainError ? `it cannot be bought: ${first.code}` : undefined;
}
