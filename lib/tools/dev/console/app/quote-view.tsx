import { useEffect, useState } from "preact/hooks";
import type { Quote, QuoteRequest, Token } from "trading-terminal-client";
import { Facts } from "./controls.tsx";
import { useDesk, type Warning } from "./desk.ts";
import { feeFacts } from "./facts.ts";
import { amount, coinOf, percent, shortened, stepText, words } from "./format.ts";

/** A pause in typing that starts a quote. */
const quietMs = 350;

export type Quoted = { asked: string; quote: Quote | undefined; problem: string };

/** Quotes this trade. Undefined until the quote arrives: that of another trade would mislead. */
export function useQuote(trade: QuoteRequest | undefined, progress: string): Quoted | undefined {
  const { terminal } = useDesk();
  const [quoted, setQuoted] = useState<Quoted>();
  const asked = trade && JSON.stringify(trade);

  // The wallet's orders change the quote.
  useEffect(() => {
    if (asked === undefined) return;
    const reading = new AbortController();
    const { signal } = reading;
    const timer = setTimeout(async () => {
      const { data, error } = await terminal.quoteOrder({ body: JSON.parse(asked), signal });
      if (signal.aborted) return;
      const problem = error ? `${words(error.code)}: ${error.message}` : "";
      setQuoted({ asked, quote: data?.quote, problem });
    }, quietMs);
    return () => {
      clearTimeout(timer);
      reading.abort();
    };
  }, [terminal, asked, progress]);

  return quoted?.asked === asked ? quoted : undefined;
}

export function Warnings({ about, warnings }: { about: string; warnings: readonly Warning[] }) {
  if (warnings.length === 0) return null;
  return (
    <ul class="flags" aria-label={`Warnings about ${about}`}>
      {warnings.map((warning) => (
        <li key={warning} class="badge warn">
          {words(warning)}
        </li>
      ))}
    </ul>
  );
}

/** Names the pools of a route, and the tokens between them. */
const wayOf = (route: Quote["route"], tokens: readonly Token[]) =>
  route
    .map(({ tokenIn, ...step }, index) => {
      const pool = stepText(step);
      const symbol = tokens.find(({ token }) => token === tokenIn)?.symbol ?? shortened(tokenIn);
      return index === 0 ? pool : `${symbol} → ${pool}`;
    })
    .join(" → ");

/** Shows everything that a user should know before a trade. */
export function QuoteView({ quoted, tokens }: { quoted: Quoted | undefined; tokens: readonly Token[] }) {
  if (quoted?.problem) return <p class="notice bad">{quoted.problem}</p>;
  const quote = quoted?.quote;
  if (quote === undefined) return <p class="quote quiet">Asking for a quote …</p>;
  const { chain, side, symbol, route, wouldBeRefused } = quote;
  const coin = coinOf[chain];
  // `symbol` names a pair, such as MOON/ETH.
  const bought = side === "buy" ? symbol.split("/")[0] : coin;
  return (
    <div class="quote" aria-live="polite">
      <p class="receive">
        <span class="quiet">You get about</span>
        <strong>
          {amount(quote.amountOut)} {bought}
        </strong>
      </p>
      <Facts
        facts={[
          ["At least", `${amount(quote.minAmountOut)} ${bought}`],
          ["Price impact", percent(Math.max(quote.priceImpact, quote.marketImpact ?? 0))],
          ...feeFacts(quote),
          ["Route", wayOf(route, tokens)],
        ]}
      />
      <Warnings about="the trade" warnings={quote.warnings} />
      {wouldBeRefused && (
        <p class="notice bad">
          Would be refused: {words(wouldBeRefused.code)}. {wouldBeRefused.message}
        </p>
      )}
    </div>
  );
}
