import { useMemo } from "preact/hooks";
import type { TerminalState } from "trading-terminal-client";
import { Panel } from "../controls.tsx";
import { useDesk } from "../desk.ts";
import { useNow } from "../ticket/fresh-quote.ts";
import { dayAt } from "./calendar.ts";
import { NetProfit } from "./net-profit.tsx";
import { type Closes, closeKey } from "./periods.ts";
import { profitsOf } from "./profits.ts";
import { useCloses, useCoins, useRecords } from "./use-records.ts";
import { worthOf } from "./worth.ts";
import { WorthNow } from "./worth-now.tsx";

/** Adds the current prices, which count where no close is recorded yet. */
const withPricesOfNow = (closes: Closes, prices: TerminalState["prices"]): Closes =>
  new Map([
    ...Object.values(prices).map(({ chain, price, asOf }) => [closeKey(chain, asOf), price] as const),
    ...closes,
  ]);

/** Shows what all wallets are worth now, and the net profit of own fills over time. */
export function Portfolio() {
  const { state } = useDesk();
  const nowMs = useNow();
  const { orders, positions, listed, count, problem, again } = useRecords();
  const { coins, again: readCoins } = useCoins();
  const profits = useMemo(() => orders && positions && profitsOf(orders, positions), [orders, positions]);
  const recorded = useCloses([...new Set(profits?.days.map(({ chain }) => chain))]);
  const closes = useMemo(
    () => recorded && withPricesOfNow(recorded, state?.prices ?? {}),
    [recorded, state?.prices],
  );
  return (
    <Panel
      title="Portfolio"
      area="portfolio"
      aside={
        state && (
          <span class="quiet">
            {state.wallets.length} {state.wallets.length === 1 ? "wallet" : "wallets"}
          </span>
        )
      }
    >
      {state === undefined ? (
        <p class="empty">Reading your wallets and positions …</p>
      ) : (
        <WorthNow worth={worthOf(state, coins, listed)} onAgain={readCoins} />
      )}
      <NetProfit
        profits={profits}
        closes={closes}
        count={count}
        problem={problem}
        today={dayAt(nowMs)}
        onAgain={again}
      />
    </Panel>
  );
}
