import type { TickReport } from "./client-process.ts";
import type { ProcessorTime } from "./processor-time.ts";
import { type Spread, spreadOf } from "./statistics.ts";

/** A message for everybody, which `asOf` names, and when it was on its way. */
export type Tick = { asOf: string; sentAt: number };

/** What became of messages that were sent to everybody. */
export type Outcome = {
  sent: number;
  /** Ticks that everybody has received. */
  complete: number;
  /** Messages that somebody missed, in whose place came those of a later tick. */
  superseded: number;
  /** Messages that somebody missed of the last tick, which nothing replaces. */
  lost: number;
  duplicates: number;
  /** Ticks that had not reached everybody when the next one was due. */
  late: number;
  /** From the first sending to the last receipt. */
  messagesPerSecond: number;
  /** Milliseconds from sending to receipt, of every message. */
  latency: Spread;
  processorTime: ProcessorTime;
  messages: number;
};

/** Between one tick and the next, in milliseconds. */
export const interval = 1000;

export function outcomeOf(
  ticks: readonly Tick[],
  reports: readonly TickReport[],
  clients: number,
  processorTime: ProcessorTime,
): Outcome {
  const latencies: number[] = [];
  const outcome = { sent: ticks.length, complete: 0, superseded: 0, lost: 0, duplicates: 0, late: 0 };
  let lastReceipt = 0;
  for (const { asOf, sentAt } of ticks) {
    const told = reports.filter((report) => report.asOf === asOf);
    const receipts = told.flatMap(({ receivedAt }) => receivedAt);
    const latest = receipts.reduce((one, other) => Math.max(one, other), 0);
    lastReceipt = Math.max(lastReceipt, latest);
    for (const receivedAt of receipts) latencies.push(receivedAt - sentAt);
    outcome.duplicates += told.reduce((sum, { duplicates }) => sum + duplicates, 0);
    if (receipts.length === clients) outcome.complete++;
    else outcome[asOf === ticks.at(-1)?.asOf ? "lost" : "superseded"] += clients - receipts.length;
    if (latest - sentAt > interval) outcome.late++;
  }
  const seconds = (lastReceipt - (ticks[0]?.sentAt ?? 0)) / 1000;
  return {
    ...outcome,
    messages: latencies.length,
    messagesPerSecond: latencies.length / seconds,
    latency: spreadOf(latencies),
    processorTime,
  };
}

/** Microseconds of all processors for each message that arrived; NaN where it is not known. */
export function processorTimePerMessage({ processorTime, messages }: Outcome): number {
  if (processorTime === undefined) return Number.NaN;
  return (1000 * [...processorTime.values()].reduce((sum, time) => sum + time, 0)) / messages;
}
