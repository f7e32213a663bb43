import { useEffect, useRef, useState } from "preact/hooks";
import type { QuoteRequest } from "trading-terminal-client";
import { useDesk } from "../desk.ts";
import type { Quoted } from "./verdict.ts";

/** A pause in typing that starts a quote. */
const quietMs = 350;
/** The time between two quotes of the same trade. */
const everyMs = 4000;
/** A quote that takes longer has failed. */
const patienceMs = 5000;

/**
 * Quotes a trade, and again every few seconds while the page is shown. A quote of another trade would mislead, so a
 * change of the trade takes it away at once.
 *
 * @param progress Changes when the wallet's orders do, since they change the quote.
 */
export function useFreshQuote(trade: QuoteRequest | undefined, progress: string): Quoted | undefined {
  const { terminal } = useDesk();
  const [answer, setAnswer] = useState<Quoted & { asked: string }>();
  const asked = trade && JSON.stringify(trade);
  const last = useRef<string>(undefined);

  useEffect(() => {
    if (asked === undefined) return;
    const reading = new AbortController();
    const { signal } = reading;
    let timer: ReturnType<typeof setTimeout>;
    async function ask(body: QuoteRequest) {
      if (!document.hidden) await askNow(body);
      if (!signal.aborted) timer = setTimeout(ask, everyMs, body);
    }
    async function askNow(body: QuoteRequest) {
      const { data, error } = await terminal.quoteOrder({ body, signal, patienceMs });
      if (signal.aborted || asked === undefined) return;
      if (data) return setAnswer({ asked, quote: data.quote, quotedMs: Date.now() });
      // The last quote ages while the service does not answer. A refusal ends it.
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

/** The time now, once a second, for ages that are shown. */
export function useNow(): number {
  const [nowMs, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return Math.max(nowMs, Date.now() - 1000);
}
