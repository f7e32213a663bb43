import { useState } from "preact/hooks";
import type { Position } from "trading-terminal-client";
import { Panel } from "./controls.tsx";
import { useDesk } from "./desk.ts";
import { ExploredLink } from "./explored-link.tsx";
import { amount, day, exitPrices, exitsOf, pairUnits, signed, words } from "./format.ts";
import { PositionTotals, WorthCells } from "./market/worth-view.tsx";
import { QuickSale } from "./ticket/quick-sale.tsx";
import { freshSide } from "./ticket/ticket.tsx";
import { useWalletNames } from "./wallet-names.ts";

/** Maximum number of positions that are shown. */
const mostShown = 100;

export function Positions() {
  const { state } = useDesk();
  const positions = state?.positions ?? [];
  const open = positions.filter(({ status }) => status === "open");
  const shown = [...open, ...positions.filter(({ status }) => status !== "open")].slice(0, mostShown);
  return (
    <Panel title="Positions" area="positions" aside={state && <span class="quiet">{open.length} open</span>}>
      <PositionTotals />
      {state === undefined ? (
        <p class="empty">Reading the positions …</p>
      ) : shown.length === 0 ? (
        <p class="empty">No positions yet. A filled buy opens one.</p>
      ) : (
        <ul class="rows" aria-label="Positions">
          {shown.map((position) => (
            <PositionRow key={position.positionId} position={position} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

const percents = [25, 50, 100] as const;

function PositionRow({ position }: { position: Position }) {
  const { state, openTicket } = useDesk();
  const nameOf = useWalletNames();
  const exits = exitsOf(position, state?.orders ?? []);
  const [sold, setSold] = useState<number>();
  const { chain, symbol, status, token, wallet } = position;
  const { base: name, quote: coin } = pairUnits(position);
  const isTraded = status === "open" && token !== undefined;
  return (
    <li class="execution" data-position={position.positionId}>
      <span class={`side ${status}`}>{status}</span>
      <strong>{symbol}</strong>
      <span class="badge">{chain}</span>
      {position.reason !== undefined && <span class="badge warn">{words(position.reason)}</span>}
      {status === "open" && (
        <dl class="worth">
          <WorthCells position={position} />
        </dl>
      )}
      <dl>
        <dt>Amount</dt>
        <dd>
          {amount(position.amount)} {name}
        </dd>
        <dt>Entry</dt>
        <dd>
          {amount(position.averageEntryPrice)} {coin}
        </dd>
        <dt>Cost</dt>
        <dd>{position.cost === undefined ? "–" : `${amount(position.cost)} ${coin}`}</dd>
        <dt>Realized</dt>
        <dd>{signed(position.realizedPnl, coin)}</dd>
        {position.movedOut !== undefined && (
          <>
            <dt>Moved out</dt>
            <dd>
              {amount(position.movedOut)} {name}
            </dd>
          </>
        )}
        {exits.length > 0 && (
          <>
            <dt>Exits</dt>
            <dd>{exits.map((exit) => `${amount(exit.amount)} at ${exitPrices(exit)}`).join("; ")}</dd>
          </>
        )}
        <dt>Wallet</dt>
        <dd>
          <ExploredLink network={chain} kind="wallet" id={wallet} text={nameOf(position)} />
        </dd>
        <dt>Opened</dt>
        <dd>{day(position.openedAt)}</dd>
      </dl>
      {isTraded && (
        <div class="buttons">
          {percents.map((percent) => (
            <button
              key={percent}
              type="button"
              aria-pressed={sold === percent}
              onClick={() => setSold(sold === percent ? undefined : percent)}
            >
              Sell {percent} %
            </button>
          ))}
          <button
            type="button"
            class="plain"
            onClick={() => openTicket({ chain, token, wallet, ...freshSide("buy") })}
          >
            Buy more
          </button>
        </div>
      )}
      {isTraded && sold !== undefined && (
        <QuickSale
          {...{ chain, token, wallet, symbol: name }}
          percent={sold}
          onDone={() => setSold(undefined)}
        />
      )}
    </li>
  );
}
