import { useEffect, useRef, useState } from "preact/hooks";
import type { OrderRequest, QuoteRequest } from "trading-terminal-client";
import type { NetworkName } from "../controls.tsx";
import { useDesk } from "../desk.ts";
import { useEscape } from "../keyboard.tsx";
import { useFreshQuote, useNow } from "./fresh-quote.ts";
import { PlaceBar } from "./place-bar.tsx";
import { QuoteView } from "./quote-view.tsx";
import { shortSymbol, sizeOf } from "./sentence.ts";
import { useTokens } from "./use-trade.ts";
import { verdictOf } from "./verdict.ts";

type SaleProps = {
  chain: NetworkName;
  token: string;
  wallet: string;
  symbol: string;
  percent: number;
  onDone: () => void;
};

/** Sells part of a position. The proceeds are at least the minimum shown. */
export function QuickSale({ chain, token, wallet, symbol, percent, onDone }: SaleProps) {
  const { state, isStale, placing } = useDesk();
  const nowMs = useNow();
  useEscape(onDone);
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    section.current?.scrollIntoView({ block: "nearest" });
    // Gives the focus back to the button that opened the sale.
    return () => void (opener instanceof HTMLElement && opener.focus());
  }, []);
  const { placed } = placing;
  const before = useRef(placed);
  useEffect(() => {
    if (placed === before.current) return;
    before.current = placed;
    if (placed?.side === "sell" && placed.wallet === wallet && placed.token === token) onDone();
  }, [placed]);
  const progress = (state?.orders ?? [])
    .filter((order) => order.wallet === wallet)
    .map(({ version }) => version)
    .join();
  const sized = { chain, side: "sell", given: String(percent), unit: "percent" } as const;
  const trade = { chain, side: "sell", token, wallet, percent } as QuoteRequest;
  const quoted = useFreshQuote(trade, progress);
  const listed = useTokens(chain);
  const quote = quoted?.quote;
  const [agreed, setAgreed] = useState<{ percent: number; amountOut: string }>();
  const first = useRef<{ percent: number; amountOut: string }>(undefined);
  if (quote !== undefined && first.current?.percent !== percent)
    first.current = { percent, amountOut: quote.amountOut };
  const seen = agreed?.percent === percent ? agreed : first.current;
  const verdict = verdictOf(
    {
      chain,
      side: "sell",
      symbol: shortSymbol(symbol),
      deed: `Sell ${sizeOf({ ...sized, symbol: shortSymbol(symbol) })}`,
      wallet,
      given: String(percent),
      isStale,
      isBusy: placing.isBusy,
      isUnanswered: placing.unanswered !== undefined,
      hasToken: true,
      isReading: false,
      agreed: seen?.percent === percent ? seen.amountOut : undefined,
    },
    quoted,
    nowMs,
  );

  async function act() {
    if (quote === undefined) return;
    if (verdict.act === "agree") return setAgreed({ percent, amountOut: quote.amountOut });
    if (verdict.act !== "place") return;
    const body = { ...trade, type: "market", minAmountOut: quote.minAmountOut } as OrderRequest;
    await placing.place(body, `The sale of ${percent} % of the ${symbol}`);
  }

  return (
    <section ref={section} class="quick-sale" data-unsaved aria-label={`Sell ${percent} % of ${symbol}`}>
      <QuoteView quoted={quoted} tokens={listed?.tokens ?? []} nowMs={nowMs} />
      <PlaceBar side="sell" verdict={verdict} onAct={act} />
    </section>
  );
}
