import type { Position } from "trading-terminal-client";
import { marketOf } from "trading-terminal-client/markets";
import { useDesk } from "../desk.ts";
import { amount, chainName, coinOf, percentText, signed, usdText } from "../format.ts";
import { useNow } from "../ticket/fresh-quote.ts";
import { headAgeMs, oldMs } from "./markets.ts";
import { inDollars, totalsOf, worthNow } from "./totals.ts";

const tone = (gain: string | undefined) =>
  gain === undefined || !/[1-9]/.test(gain) ? "still" : gain.startsWith("-") ? "down" : "up";

const signedUsd = (text: string) => `${text.startsWith("-") ? "" : "+"}${usdText(text)}`;

/** Explains why a value is missing. */
function whyUnknown(flags: readonly string[] | undefined): string {
  if (flags === undefined) return "waiting for its market";
  if (flags.includes("STALE")) return "its market is stale";
  return flags.includes("NO_POOL") ? "no pool pays a price" : "its price is unknown";
}

/** Shows the value of an open position and the profit of selling it now. */
export function WorthCells({ position }: { position: Position }) {
  const { state } = useDesk();
  const nowMs = useNow();
  const { chain, token } = position;
  const shown = worthNow(state, position);
  const isOld = (headAgeMs(state, chain, nowMs) ?? 0) > oldMs;
  const coin = coinOf[chain];
  const dollars = shown && inDollars(state, chain, shown.worth);
  const gainUsd = shown?.gain && inDollars(state, chain, shown.gain);
  const { flags } = (state && marketOf(state, position)) ?? {};
  return (
    <>
      <dt>{shown?.atPrice === undefined ? "Value" : "If sold now, about"}</dt>
      <dd class={isOld ? "old" : undefined}>
        {shown === undefined ? (
          <span class="quiet">{token === undefined ? "–" : whyUnknown(flags)}</span>
        ) : (
          <>
            {amount(shown.worth)} {coin}
            {dollars !== undefined && <small> {usdText(dollars)}</small>}
            {shown.atPrice !== undefined && (
              <small class="warn">
                {" "}
                thin: {amount(shown.atPrice)} {coin} at the price
              </small>
            )}
          </>
        )}
      </dd>
      <dt>Profit</dt>
      <dd class={isOld ? "profit old" : "profit"}>
        {shown?.gain === undefined ? (
          <span class="quiet">–</span>
        ) : (
          <span class={tone(shown.gain)}>
            {signed(shown.gain, coin)}
            {shown.percent !== undefined && ` (${percentText(shown.percent)})`}
            {gainUsd && <small> {signedUsd(gainUsd)}</small>}
          </span>
        )}
      </dd>
    </>
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
