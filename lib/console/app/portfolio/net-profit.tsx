import { useMemo, useState } from "preact/hooks";
import type { Network } from "trading-terminal-client";
import { Choice, Select, Unread } from "../controls.tsx";
import { amount, chainName, coinOf, type Failure, signed, usdText } from "../format.ts";
import { signedUsd, tone } from "../market/worth-view.tsx";
import { type Column, RecordTable } from "../record-table.tsx";
import { dayText, periodText, type Span, spans, startOf, startsUntil } from "./calendar.ts";
import { type Closes, inDollarsOf, type Period, periodsOf } from "./periods.ts";
import { ProfitPlot } from "./profit-plot.tsx";
import type { Profits } from "./profits.ts";

/** Dollars, or the chain in whose coin profits are shown. */
type Unit = "usd" | Network;

/** Number of periods that the plot shows at once. */
const mostBars = 60;

const current: Readonly<Record<Span, string>> = { day: "today", week: "this week", month: "this month" };

type NetProfitProps = {
  /** Absent until all orders have been read. */
  profits: Profits | undefined;
  /** Absent until they have been read. */
  closes: Closes | undefined;
  /** Number of records that have been read. */
  count: number;
  problem: Failure | undefined;
  /** Current day in UTC. */
  today: string;
  onAgain: () => void;
};

/** Shows the net profit of own fills, or why it is unknown. */
export function NetProfit({ profits, closes, count, problem, today, onAgain }: NetProfitProps) {
  if (problem?.code === "TOO_MANY_RECORDS")
    return (
      <p class="empty">
        {problem.message} orders, too many to sum up on this page. The history saves all fills as CSV.
      </p>
    );
  if (problem !== undefined) return <Unread what="orders and positions" onRetry={onAgain} />;
  if (profits?.days.length === 0)
    return (
      <p class="empty">
        No fills yet. The first sale of tokens that you bought here brings a profit or a loss.
      </p>
    );
  if (profits === undefined || closes === undefined)
    return (
      <p class="empty" role="status">
        Reading all orders and positions: {amount(`${count}`, 15)} so far …
      </p>
    );
  return <KnownProfit profits={profits} closes={closes} today={today} />;
}

type KnownProps = { profits: Profits; closes: Closes; today: string };

/** Shows net profit by day, week or month, as a plot and as a table. */
function KnownProfit({ profits, closes, today }: KnownProps) {
  const [span, setSpan] = useState<Span>("day");
  const [unit, setUnit] = useState<Unit>("usd");
  const { days, unpriced } = useMemo(
    () =>
      unit === "usd"
        ? inDollarsOf(profits.days, closes)
        : { days: profits.days.filter(({ chain }) => chain === unit), unpriced: 0 },
    [profits, closes, unit],
  );
  const periods = useMemo(() => periodsOf(days, span), [days, span]);
  const rows = useMemo(() => periods.toReversed(), [periods]);
  const nets = new Map(periods.map(({ start, net }) => [start, net]));
  const netOf = (start: string) => nets.get(start) ?? "0";
  const show = (text: string) => (unit === "usd" ? shownUsd(text) : signed(text, coinOf[unit]));
  const now = netOf(startOf(today, span));
  const name = `Net profit by ${span} ${unit === "usd" ? "in dollars" : `in ${coinOf[unit]} on ${chainName[unit]}`}`;
  const [first, last = today] = [days[0]?.day, days.at(-1)?.day];
  // The device's clock may be behind.
  const starts = first === undefined ? [] : startsUntil(last > today ? last : today, span, first, mostBars);
  const chains = [...new Set(profits.days.map(({ chain }) => chain))];
  return (
    <section aria-label="Net profit">
      <header class="figure">
        <h3>Net profit</h3>
        <strong class={`sum ${tone(now)}`}>{show(now)}</strong>
        <span class="quiet">{current[span]}</span>
      </header>
      <div class="list-tools">
        <Choice label="Period" name="profit-span" value={span} options={spans} onPick={setSpan} />
        <Select
          label="Of"
          value={unit}
          options={[
            ["usd", "all chains, in dollars"],
            ...chains.map((chain) => [chain, `${chainName[chain]}, in ${coinOf[chain]}`] as const),
          ]}
          onPick={setUnit}
        />
      </div>
      {starts.length > 0 && (
        <ProfitPlot
          name={name}
          span={span}
          bars={starts.map((start) => ({ start, net: netOf(start), text: show(netOf(start)) }))}
        />
      )}
      <div class="list">
        <RecordTable
          name={name}
          rows={rows}
          columns={columnsOf(span, unit, show)}
          keyOf={({ start }) => start}
        />
      </div>
      <Notes profits={profits} first={first} unpriced={unpriced} isInDollars={unit === "usd"} />
    </section>
  );
}

const shownUsd = (text: string) => (/[1-9]/.test(text) ? signedUsd(text) : "–");

function columnsOf(span: Span, unit: Unit, show: (text: string) => string): Column<Period>[] {
  const gain = (text: string) => <span class={tone(text)}>{show(text)}</span>;
  return [
    {
      name: spans.find(([name]) => name === span)?.[1] ?? "",
      by: ({ start }) => start,
      cell: ({ start }) => periodText(start, span),
    },
    { name: "Net profit", isNumber: true, by: ({ net }) => Number(net), cell: ({ net }) => gain(net) },
    {
      name: "Before fees",
      isNumber: true,
      by: ({ gross }) => Number(gross),
      cell: ({ gross }) => show(gross),
    },
    {
      name: "Network fees",
      isNumber: true,
      by: ({ fees }) => Number(fees),
      cell: ({ fees }) => (unit === "usd" ? usdText(fees) : `${amount(fees)} ${coinOf[unit]}`),
    },
    { name: "Fills", isNumber: true, by: ({ fills }) => fills, cell: ({ fills }) => fills },
    { name: "In all", isNumber: true, cell: ({ total }) => gain(total) },
  ];
}

type NotesProps = { profits: Profits; first: string | undefined; unpriced: number; isInDollars: boolean };

/** Says how profits are counted, and what they leave out. */
function Notes({ profits: { leftOut, undated }, first, unpriced, isInDollars }: NotesProps) {
  const { foreign, uncosted, feeless } = leftOut;
  const texts = [
    first === undefined
      ? ""
      : `Known from ${dayText(first)} on. Days begin at midnight UTC, and weeks on Monday.`,
    "A sale brings its proceeds less its share of what was paid for the wallet's tokens, and less the network fees of both, as in Positions. It counts on the day its order was placed. Fees of orders without a fill count, too.",
    isInDollars ? "Coins count in dollars at their price at the end of the day." : "",
    unpriced === 0
      ? ""
      : `No dollar price is recorded of ${unpriced} ${unpriced === 1 ? "day" : "days"} with fills, which this view leaves out. Choose a chain to see them.`,
    uncosted === 0
      ? ""
      : `${fillsText(uncosted, "sale")} sold tokens that were not bought here. Nobody knows their cost, so their proceeds are no profit.`,
    foreign === 0 ? "" : `${fillsText(foreign, "fill")} of other programs cannot be counted.`,
    feeless === 0 ? "" : `The network fee of ${fillsText(feeless, "fill")} is not known yet.`,
    ...[...undated].map(
      ([chain, text]) =>
        `${signed(text, coinOf[chain])} on ${chainName[chain]} belongs to no day: tokens left a wallet in part, or orders filled in another order than they were placed.`,
    ),
  ];
  return (
    <ul class="quiet notes">
      {texts.filter(Boolean).map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );
}

const fillsText = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;
