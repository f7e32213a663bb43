import type { Position } from "trading-terminal-client";
import { Panel } from "./controls.tsx";
import { useDesk } from "./desk.ts";
import { ExploredLink } from "./explored-link.tsx";
import { amount, day, exitPrices, exitsOf, isSelling, pairUnits, signed, words } from "./format.ts";
import { useKept } from "./kept.ts";
import { inDollars, worthNow } from "./market/totals.ts";
import { Gross, PositionTotals, Profit, Worth } from "./market/worth-view.tsx";
import { PairName } from "./pair-name.tsx";
import { type Column, RecordTable } from "./record-table.tsx";
import { freshSide } from "./ticket/fresh.ts";
import { QuickSale } from "./ticket/quick-sale.tsx";
import { useWalletNames } from "./wallet-names.ts";

const isClosed = ({ status }: Position) => status !== "open";

export function Positions() {
  const { state } = useDesk();
  const [sale, setSale] = useKept<{ id: string; percent: number } | undefined>("sale", undefined);
  const columns = useColumns();
  const positions = state?.positions ?? [];
  const open = positions.filter((position) => !isClosed(position)).length;
  return (
    <Panel title="Positions" area="positions" aside={state && <span class="quiet">{open} open</span>}>
      <PositionTotals />
      {state === undefined ? (
        <p class="empty">Reading the positions …</p>
      ) : positions.length === 0 ? (
        <p class="empty">No positions yet. A filled buy opens one.</p>
      ) : (
        <RecordTable
          name="Positions"
          rows={positions}
          isLast={isClosed}
          columns={columns}
          keyOf={({ positionId }) => positionId}
          actions={(position) => (
            <PositionActions
              position={position}
              sold={sale?.id === position.positionId ? sale.percent : undefined}
              onSell={(percent) => setSale(percent ? { id: position.positionId, percent } : undefined)}
            />
          )}
          details={(position) => {
            const { positionId, chain, token, wallet } = position;
            return (
              sale?.id === positionId &&
              token !== undefined &&
              !isClosed(position) && (
                <QuickSale
                  chain={chain}
                  token={token}
                  wallet={wallet}
                  symbol={pairUnits(position).base}
                  percent={sale.percent}
                  onDone={() => setSale(undefined)}
                />
              )
            );
          }}
        />
      )}
    </Panel>
  );
}

function useColumns(): Column<Position>[] {
  const { state } = useDesk();
  const nameOf = useWalletNames();
  const dollars = (position: Position, name: "worth" | "gain") => {
    const text = worthNow(state, position)?.[name];
    return Number(text === undefined ? undefined : inDollars(state, position.chain, text));
  };
  return [
    {
      name: "Token",
      by: ({ symbol }) => symbol,
      cell: (position) => (
        <>
          <span class={`side ${position.status}${isClosed(position) ? "" : " from-92"}`}>
            {position.status}
          </span>{" "}
          <PairName pair={position} />
          {position.reason !== undefined && <span class="badge warn">{words(position.reason)}</span>}
        </>
      ),
    },
    {
      name: "Amount",
      isNumber: true,
      by: (position) => Number(position.amount),
      cell: (position) => amount(position.amount),
    },
    {
      name: "Value",
      isNumber: true,
      by: (position) => dollars(position, "worth"),
      cell: (position) => <Worth position={position} />,
    },
    {
      name: "Profit",
      isNumber: true,
      by: (position) => dollars(position, "gain"),
      cell: (position) => <Profit position={position} />,
    },
    {
      name: "Entry",
      from: 92,
      isNumber: true,
      by: ({ averageEntryPrice }) => Number(averageEntryPrice),
      cell: (position) => `${amount(position.averageEntryPrice)} ${pairUnits(position).quote}`,
    },
    {
      name: "Cost",
      from: 120,
      isNumber: true,
      by: ({ cost }) => Number(cost),
      cell: (position) =>
        position.cost === undefined ? "–" : `${amount(position.cost)} ${pairUnits(position).quote}`,
    },
    {
      name: "Realized",
      from: 92,
      isNumber: true,
      by: ({ realizedPnl, netRealizedPnl = realizedPnl }) => Number(netRealizedPnl),
      cell: ({ realizedPnl, netRealizedPnl, ...position }) => (
        <>
          {signed(netRealizedPnl ?? realizedPnl, pairUnits(position).quote)}
          <Gross net={netRealizedPnl} gross={realizedPnl} coin={pairUnits(position).quote} from={120} />
        </>
      ),
    },
    {
      name: "Exits",
      from: 120,
      cell: (position) => <Exits position={position} />,
    },
    {
      name: "Wallet",
      from: 92,
      by: nameOf,
      cell: (position) => (
        <ExploredLink network={position.chain} kind="wallet" id={position.wallet} text={nameOf(position)} />
      ),
    },
    {
      name: "Opened",
      from: 92,
      isNumber: true,
      by: ({ openedAt }) => Date.parse(openedAt),
      cell: ({ openedAt }) => day(openedAt),
    },
  ];
}

/** Lists where parts of a position are sold, and what has left the wallet otherwise. */
function Exits({ position }: { position: Position }) {
  const { state } = useDesk();
  const exits = exitsOf(position, state?.orders ?? []);
  const texts = [
    ...exits.map((exit) => `${amount(exit.amount)} at ${exitPrices(exit)}`),
    ...(position.movedOut === undefined ? [] : [`${amount(position.movedOut)} moved out`]),
  ];
  return texts.length === 0 ? "–" : <span title={texts.join("; ")}>{texts.join("; ")}</span>;
}

const percents = [25, 50, 100] as const;

type ActionsProps = {
  position: Position;
  sold: number | undefined;
  onSell: (percent: number | undefined) => void;
};

function PositionActions({ position, sold, onSell }: ActionsProps) {
  const { openTicket, state } = useDesk();
  const { chain, token, wallet } = position;
  if (isClosed(position) || token === undefined) return null;
  return (
    <>
      <span class="quiet" role="status">
        {isSelling(position, state?.orders ?? []) ? "Selling…" : "Sell"}
      </span>
      {percents.map((percent) => (
        <button
          key={percent}
          type="button"
          aria-label={`Sell ${percent} %`}
          aria-pressed={sold === percent}
          onClick={() => onSell(sold === percent ? undefined : percent)}
        >
          {percent} %
        </button>
      ))}
      <button
        type="button"
        class="plain"
        aria-label="Buy more"
        onClick={() => openTicket({ chain, token, wallet, ...freshSide("buy") })}
      >
        Buy
      </button>
    </>
  );
}
