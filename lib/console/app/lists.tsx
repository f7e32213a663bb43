import { useMemo, useRef, useState } from "preact/hooks";
import { useDesk } from "./desk.ts";
import { isOpen, isResting } from "./format.ts";
import { KeptContext } from "./kept.ts";
import { Fills, Orders, Resting } from "./orders.tsx";
import { Positions } from "./positions.tsx";

const lists = [
  ["positions", "Positions", Positions],
  ["resting", "Resting", Resting],
  ["orders", "Orders", Orders],
  ["history", "History", Fills],
] as const;

export type List = (typeof lists)[number][0];

type ListsProps = { list: List; onPick: (list: List) => void };

/** Shows one of the user's lists under the chart. Arrow keys move between their tabs. */
export function Lists({ list, onPick }: ListsProps) {
  const { state } = useDesk();
  const [kept] = useState(() => new Map<string, unknown>());
  const bar = useRef<HTMLDivElement>(null);
  const [, , Shown] = lists.find(([name]) => name === list) ?? lists[0];
  const { orders = [], positions = [] } = state ?? {};
  const open = useMemo((): Partial<Record<List, number>> => {
    const resting = orders.filter(isResting).length;
    return {
      positions: positions.filter(({ status }) => status === "open").length,
      resting,
      orders: orders.filter(isOpen).length - resting,
    };
  }, [state?.orders, state?.positions]);
  function onKey(event: KeyboardEvent) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const index = lists.findIndex(([name]) => name === list) + step + lists.length;
    const [next] = lists[index % lists.length] ?? lists[0];
    onPick(next);
    bar.current?.querySelector<HTMLElement>(`#tab-${next}`)?.focus();
  }
  return (
    <div class="lists">
      <div class="list-tabs">
        <div ref={bar} role="tablist" aria-label="Lists" onKeyDown={onKey}>
          {lists.map(([name, text]) => (
            <button
              key={name}
              id={`tab-${name}`}
              type="button"
              role="tab"
              aria-selected={name === list}
              aria-controls="list"
              tabIndex={name === list ? 0 : -1}
              onClick={() => onPick(name)}
            >
              {text}
              {Boolean(open[name]) && <small> {open[name]}</small>}
            </button>
          ))}
        </div>
        <ChartCredit />
      </div>
      <div id="list" class="list" role="tabpanel" aria-labelledby={`tab-${list}`}>
        <KeptContext.Provider value={kept}>
          <Shown />
        </KeptContext.Provider>
      </div>
    </div>
  );
}

const tabs = [
  ["trade", "Trade"],
  ["positions", "Positions"],
  ["orders", "Orders"],
  ["wallets", "Wallets"],
  ["more", "More"],
] as const;

export type Tab = (typeof tabs)[number][0];

/** Sections of the desk. A phone shows one of them at a time. */
export function Tabs({ tab, onPick }: { tab: Tab; onPick: (tab: Tab) => void }) {
  const { state } = useDesk();
  const open = {
    positions: state?.positions.filter(({ status }) => status === "open").length,
    orders: state?.orders.filter(isOpen).length,
  };
  return (
    <nav class="tabs" aria-label="Parts of the desk">
      {tabs.map(([name, text]) => (
        <button
          key={name}
          type="button"
          aria-current={name === tab ? "page" : undefined}
          onClick={() => onPick(name)}
        >
          {text}
          {name in open && Boolean(open[name as keyof typeof open]) && (
            <small> {open[name as keyof typeof open]}</small>
          )}
        </button>
      ))}
    </nav>
  );
}

/** Names the makers of the chart, as their licence asks. */
export const ChartCredit = () => (
  <small class="quiet credit">
    Charts by{" "}
    <a href="https://www.tradingview.com/" rel="noopener noreferrer" target="_blank">
      TradingView
    </a>
  </small>
);
