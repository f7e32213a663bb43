import { useEffect, useRef, useState } from "preact/hooks";
import type { OrderRequest, QuoteRequest, RestingOrderRequest, Terminal } from "trading-terminal-client";
import { type QuoteBasis, quoteBasis, quotePauseMs } from "trading-terminal-client/markets";
import { useDesk } from "../desk.ts";
import type { Quoted } from "./verdict.ts";

/** A pause in typing of this many milliseconds starts a quote. */
const quietMs = 350;
/** Milliseconds between two checks whether a new quote is due. */
const checkMs = 500;
/** After refusals in a row, the pause doubles up to this many times. */
const mostDoublings = 3;
/** A quote fails after this many milliseconds. */
const patienceMs = 5000;
/** Minimum milliseconds between two trials, which cost the service more than quotes. */
const trialPauseMs = 12_000;

/** Request for a preview: a trade, or an order that the service can only try, because it would rest or has exits. */
export type Preview = QuoteRequest | OrderRequest | RestingOrderRequest;

const isTrial = (preview: Preview): preview is OrderRequest | RestingOrderRequest => "type" in preview;

/** Asks for a quote, or tries an order without placing it. */
async function ask(terminal: Terminal, preview: Preview, signal: AbortSignal) {
  if (!isTrial(preview)) return terminal.quoteOrder({ body: preview, signal, patienceMs });
  const body = { ...preview, dryRun: true } as RestingOrderRequest & { dryRun: true };
  // Never repeats a trial, because its failures would look like those of the order that is being placed.
  return terminal.placeOrder<true, RestingOrderRequest["type"]>({ body, signal, patienceMs: 0 });
}

/**
 * Previews a trade, and again when its price has changed or the preview is old, while the page is visible and
 * the service answers. A change of the trade removes the preview at once, because it would mislead.
 *
 * @param progress Changes with the wallet's orders, because they affect the quote.
 */
export function useFreshQuote(trade: Preview | undefined, progress: string): Quoted | undefined {
  const { terminal, state, isStale } = useDesk();
  const newest = useRef(state);
  newest.current = state;
  const [answer, setAnswer] = useState<Quoted & { asked: string }>();
  const asked = trade && JSON.stringify(trade);
  const last = useRef<string>(undefined);

  useEffect(() => {
    if (asked === undefined || isStale) return;
    const reading = new AbortController();
    const { signal } = reading;
    let timer: ReturnType<typeof setTimeout>;
    let basis: QuoteBasis | undefined;
    let answeredMs = Number.NEGATIVE_INFINITY;
    let refusals = 0;
    async function askIfDue(preview: Preview) {
      const leastMs = basis !== undefined && isTrial(preview) ? trialPauseMs : 0;
      const doubled = 2 ** Math.min(refusals, mostDoublings);
      const pauseMs = Math.max(quotePauseMs(basis, newest.current), leastMs) * doubled;
      if (performance.now() - answeredMs >= pauseMs && !document.hidden) {
        await askNow(preview);
        answeredMs = performance.now();
      }
      if (!signal.aborted) timer = setTimeout(askIfDue, checkMs, preview);
    }
    async function askNow(preview: Preview) {
      const { data, error } = await ask(terminal, preview, signal);
      if (signal.aborted || asked === undefined) return;
      basis = data && quoteBasis(data.quote, newest.current);
      refusals = data ? 0 : refusals + 1;
      if (data)
        return setAnswer({
          asked,
          quote: data.quote,
          quotedMs: Date.now(),
          resting: "resting" in data ? (data.resting as Quoted["resting"]) : undefined,
        });
      // Keeps the last quote while the service does not answer. A refusal removes it.
      setAnswer((before) =>
        error.status === 0 && before?.asked === asked && before.quote !== undefined
          ? before
          : { asked, problem: error },
      );
    }
    const isNew = last.current !== asked;
    last.current = asked;
    timer = setTimeout(askIfDue, isNew ? quietMs : 0, JSON.parse(asked));
    return () => {
      clearTimeout(timer);
      reading.abort();
    };
  }, [terminal, asked, progress, isStale]);

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
