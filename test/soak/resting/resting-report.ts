import type { Order } from "../../../lib/orders/execution.ts";
import { counted, countTable } from "../trade/trade-report.ts";
import type { Halt } from "./incidents.ts";
import type { RestingReport } from "./resting-soak.ts";

const secondsAt = (waits: readonly number[], share: number): string => {
  const sorted = waits.toSorted((a, b) => a - b);
  return ((sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0) / 1000).toFixed(1);
};

const listOf = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([what, count]) => `${count} ${what}`)
    .join(", ");

function haltLine({ chain, fromMs, toMs }: Halt, children: readonly Order[]): string {
  const waitsOf = children
    .filter((each) => each.chain === chain)
    .map(({ createdAt }) => Date.parse(createdAt) - toMs);
  const soon = waitsOf.filter((ms) => ms >= 0 && ms < 60_000).length;
  return `${chain} made no block for ${((toMs - fromMs) / 1000).toFixed(0)} s; ${soon} orders fired in the minute after it`;
}

/** Formats the outcomes of requests and orders, the firings and their times. */
export function restingReportOf(report: RestingReport): string {
  const {
    outcomes,
    shown,
    spells,
    moves,
    judgement: { firings, births },
    orders,
    users,
    seconds,
    crashes,
    streams,
    problems,
  } = report;
  const answers = [...outcomes].flatMap(([action, own]) =>
    [...own].map(([outcome, count]) => [`${action}: ${outcome}`, count] as const),
  );
  const parents = shown.orders.filter(({ order }) => order.type !== "market").map(({ order }) => order);
  const children = shown.orders
    .map(({ order }) => order)
    .filter(({ parentOrderId, type }) => parentOrderId !== undefined && type === "market");
  const ends = parents.map(({ chain, type, side, status }) => `${chain} ${type} ${side} ${status}`);
  const outcomesOfChildren = children.map(
    ({ chain, status, reasonCode = "" }) => `${chain} ${status} ${reasonCode}`,
  );
  const filled = parents.filter(({ status }) => status === "filled").length;
  const waits = Object.entries(firings.waits)
    .filter(([, own]) => own.length > 0)
    .map(([kind, own]) => {
      const [half, most, all] = [0.5, 0.95, 1].map((share) => `${secondsAt(own, share)} s`);
      return `${kind} ${half} (p50), ${most} (p95), ${all} at most`;
    });
  return [
    countTable(["answers", "count"], new Map(answers)),
    countTable(["resting orders ended", "count"], counted(ends)),
    countTable(["children ended", "count"], counted(outcomesOfChildren)),
    countTable(["what happened on chains", "times"], spells),
    countTable(["moves of prices", "times"], moves),
    [
      `${parents.length} resting orders at the end (${orders} asked for) of ${users} users in ${seconds.toFixed(0)} s, seed ${report.seed}`,
      `${children.length} firings, ${filled} orders filled`,
      `by the judge's lists, prices were reached this often: ${listOf(firings.listed)}; orders fired: ${listOf(firings.firings)}`,
      `by the judge's prices, exits of filled buys: ${listOf(births)}`,
      `from a reached price to the firing: ${waits.join("; ")}`,
      ...report.halts.map((each) => haltLine(each, children)),
      `${report.delays} of the requests that are made each second were slow or failed; such times are not judged`,
      `${crashes} crashes of the runner, each with a restart on the same data and chains, except sol: ${report.comparedOnSol} of its orders compared before`,
      `${streams.count} streams: ${streams.connections} connections, ${streams.messages} messages`,
      `${problems.length} problems`,
    ].join("\n"),
  ].join("\n\n");
}
