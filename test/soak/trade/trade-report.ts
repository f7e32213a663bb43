import { textTable } from "../../bench/text-table.ts";
import type { TradeReport } from "./trade-soak.ts";

export const countTable = (heads: string[], counts: ReadonlyMap<string, number>): string =>
  textTable(
    heads,
    [...counts].toSorted(([, a], [, b]) => b - a).map(([name, count]) => [name, `${count}`]),
  );

export function counted(names: readonly string[]): Map<string, number> {
  return new Map([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]));
}

const nameOf = (chain: string, purpose: string, isOk: boolean) =>
  `${chain} ${purpose}${isOk ? "" : " reverted"}`;

/** Formats the outcomes of requests and orders and the on-chain transactions. */
export function tradeReportOf(report: TradeReport): string {
  const {
    outcomes,
    shown,
    chains,
    sol,
    spells,
    unkindnesses,
    orders,
    wallets,
    seconds,
    crashes,
    streams,
    problems,
  } = report;
  const answers = [...outcomes].flatMap(([action, own]) =>
    [...own].map(([outcome, count]) => [`${action}: ${outcome}`, count] as const),
  );
  const ends = shown.orders.map(
    ({ order }) => `${order.chain} ${order.side} ${order.status} ${order.reasonCode ?? ""}`,
  );
  const mined = [
    ...[...chains].flatMap(([chain, { transactions }]) =>
      transactions.map(({ purpose, isOk, isForeign }) =>
        nameOf(chain, isForeign ? "foreign" : purpose, isOk),
      ),
    ),
    ...sol.chain.transactions.map(({ purpose, isOk }) => nameOf("sol", purpose, isOk)),
  ];
  const attempts = shown.orders.reduce((sum, order) => sum + order.attempts.length, 0);
  return [
    countTable(["answers", "count"], new Map(answers)),
    countTable(["orders ended", "count"], counted(ends)),
    countTable(["transactions in blocks", "count"], counted(mined)),
    countTable(["what happened on chains", "times"], spells),
    ...(unkindnesses.size === 0 ? [] : [countTable(["unkind hosts", "times"], unkindnesses)]),
    [
      `${shown.orders.length} orders (${orders} asked for) of ${wallets} wallets in ${seconds.toFixed(1)} s (${((60 * shown.orders.length) / seconds).toFixed(0)} a minute), seed ${report.seed}`,
      `${attempts} signed transactions, ${mined.length} in blocks; ${shown.positions.length} positions`,
      `${crashes} crashes of the runner, each with a restart on the same data and chains, except sol`,
      `${sol.compared} orders on sol compared before crashes, all others after the last one`,
      `${streams.count} streams: ${streams.connections} connections, ${streams.messages} messages`,
      `all settled ${report.settledAfterSeconds.toFixed(1)} s after the faults`,
      `${problems.length} problems`,
    ].join("\n"),
  ].join("\n\n");
}
