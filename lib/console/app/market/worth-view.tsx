import { useMemo } from "preact/hooks";
import type { Position } from "trading-terminal-client";
import { marketOf } from "trading-terminal-client/markets";
import { useDesk } from "../desk.ts";
import { amount, chainName, coinOf, percentText, signed, usdText } from "../format.ts";
import { useNow } from "../ticket/fresh-quote.ts";
import { headAgeMs, oldMs, whyUnvalued } from "./markets.ts";
import { beforeFees, inDollars, totalsOf, worthNow } from "./totals.ts";

/** Names the colour of a gain or a loss. */
export const tone = (gain: string | undefined) =>
  gain === undefined || !/[1-9]/.test(gain) ? "still" : gain.startsWith("-") ? "down" : "up";

export const signedUsd = (text: string) => `${text.startsWith("-") ? "" : "+"}${usdText(text)}`;

/** Shows the value of an open position. In a thin pool, it is what a sale would get now. */
export function Worth({ position }: { position: Position }) {
  const { state } = useDesk();
  const nowMs = useNow();
  const shownAtMs = useMemo(() => Date.now(), []);
  const { chain, token, status } = position;
  if (status !== "open") return "–";
  const shown = worthNow(state, position);
  const isOld = (headAgeMs(state, chain, nowMs) ?? 0) > oldMs;
  const coin = coinOf[chain];
  const dollars = shown && inDollars(state, chain, shown.worth);
  const { flags } = (state && marketOf(state, position)) ?? {};
  if (shown === undefined)
    return <span class="quiet">{token === undefined ? "–" : whyUnvalued(flags, nowMs - shownAtMs)}</span>;
  const thin = shown.atPrice && `if sold now, thin: ${amount(shown.atPrice)} ${coin} at the price`;
  return (
    <span class={isOld ? "old" : thin && "warn"} title={thin}>
      {amount(shown.worth)} {coin}
      {dollars !== undefined && <small class="from-92"> {usdText(dollars)}</small>}
      {thin && <small class="from-120"> {thin}</small>}
    </span>
  );
}

/** Shows the profit of selling an open position now. */
export function Profit({ position }: { position: Position }) {
  const { state } = useDesk();
  const nowMs = useNow();
  const { chain } = position;
  const shown = worthNow(state, position);
  const isOld = (headAgeMs(state, chain, nowMs) ?? 0) > oldMs;
  const gainUsd = shown?.gain && inDollars(state, chain, shown.gain);
  return (
    <span class={isOld ? "profit old" : "profit"}>
      {shown?.gain === undefined ? (
        <span class="quiet">–</span>
      ) : (
        <span class={tone(shown.gain)}>
          {signed(shown.gain, coinOf[chain])}
          {shown.percent !== undefined && ` (${percentText(shown.percent)})`}
          {gainUsd && <small class="from-92"> {signedUsd(gainUsd)}</small>}
          <Gross net={shown.gain} gross={shown.gross} coin={coinOf[chain]} from={60} />
        </span>
      )}
    </span>
  );
}

type GrossProps = {
  net: string | undefined;
  gross: string | undefined;
  coin: string;
  /** Width of the table in rem from which it is shown. */
  from: 60 | 120;
};

/** Shows what a profit was before network fees, next to the net profit. */
export function Gross({ net, gross, coin, from }: GrossProps) {
  const text = beforeFees(net, gross);
  return text === undefined ? null : (
    <small class={`quiet from-${from}`}> {signed(text, coin)} before fees</small>
  );
}

/** Shows the totals of all open positions. */
export function PositionTotals() {
  const { state } = useDesk();
  const { byChain, worthUsd, gainUsd, open, valued } = totalsOf(state);
  if (open === 0) return null;
  return (
    <section class="totals" aria-label="Totals">
      <p>
        <strong class="sum">{worthUsd === undefined ? "–" : usdText(worthUsd)}</strong>{" "}
        {gainUsd !== undefined && <span class={tone(gainUsd)}>{signedUsd(gainUsd)}</span>}
        {valued < open && (
          <span class="quiet">
            {" "}
            {valued} of {open} have a value
          </span>
        )}
      </p>
      <ul>
        {[...byChain].map(([chain, { worth, gain, worthUsd: usd }]) => (
          <li key={chain}>
            <span class="quiet">{chainName[chain]}</span> {amount(worth)} {coinOf[chain]}
            {usd !== undefined && <small> {usdText(usd)}</small>}{" "}
            <span class={tone(gain)}>{signed(gain, coinOf[chain])}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
