import { useEffect, useRef, useState } from "preact/hooks";
import type { QuoteRequest } from "trading-terminal-client";
import { type QuoteBasis, quoteBasis, quotePauseMs } from "trading-terminal-client/markets";
import { useDesk } from "../desk.ts";
import type { Quoted } from "./verdict.ts";

/** A pause in typing of this many milliseconds starts a quote. */
const quietMs = 350;
/** Milliseconds between two checks whether a new quote is due. */
const checkMs = 500;
/** A quote fails after this many milliseconds. */
const patienceMs = 5000;

/**
 * Quotes a trade, and again when its price has changed or the quote is old, while the page is visible. A change of the
 * trade removes the quote at once, because it would mislead.
 *
 * @param progress Changes with the wallet's orders, because they affect the quote.
 */
export function useFreshQuote(trade: QuoteRequest | undefined, progress: string): Quoted | undefined {
  const { terminal, state } = useDesk();
  const newest = useRef(state);
  newest.current = state;
  const [answer, setAnswer] = useState<Quoted & { asked: string }>();
  const asked = trade && JSON.stringify(trade);
  const last = useRef<string>(undefined);

  useEffect(() => {
    if (asked === undefined) return;
    const reading = new AbortController();
    const { signal } = reading;
    let timer: ReturnType<typeof setTimeout>;
    let basis: QuoteBasis | undefined;
    let answeredMs = Number.NEGATIVE_INFINITY;
    async function ask(body: QuoteRequest) {
      const isDue = performance.now() - answeredMs >= quotePauseMs(basis, newest.current);
      if (isDue && !document.hidden) {
        await askNow(body);
        answeredMs = performance.now();
      }
      if (!signal.aborted) timer = setTimeout(ask, checkMs, body);
    }
    async function askNow(body: QuoteRequest) {
      const { data, error } = await terminal.quoteOrder({ body, signal, patienceMs });
      if (signal.aborted || asked === undefined) return;
      basis = data && quoteBasis(data.quote, newest.current);
      if (data) return setAnswer({ asked, quote: data.quote, quotedMs: Date.now() });
      // Keeps the last quote while the service does not answer. A refusal removes it.
      setAnswer((before) =>
        error.status === 0 && before?.asked === asked && before.quote !== undefined
          ? before
          : { asked, problem: error },
      );
    }
    const isNew = last.current !== asked;
    last.current = asked;
    timer = setTimeout(ask, isNew ? quietMs : 0, JSON.parse(asked));
    return () => {
      clearTimeout(timer);
      reading.abort();
    };
  }, [terminal, asked, progress]);

  return answer?.asked === asked ? answer : undefined;
}

/** Current time, updated every second, for displayed ages. */
export function useNow(): number {
  const [nowMs, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return Math.max(nowMs, Date.now() - 1000);
}
