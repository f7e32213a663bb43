import type { TickReport } from "./client-process.ts";
import type { ProcessorTime } from "./processor-time.ts";
import { type Spread, spreadOf } from "./statistics.ts";

/** A broadcast message, identified by its `asOf`, with its sending time. */
export type Tick = { asOf: string; sentAt: number };

/** Outcome of a series of broadcasts. */
export type Outcome = {
  sent: number;
  /** Ticks received by all clients. */
  complete: number;
  /** Messages that a client missed before receiving a later tick. */
  superseded: number;
  /** Messages of the last tick that never reached a client. */
  lost: number;
  duplicates: number;
  /** Ticks that had not reached all clients when the next one was due. */
  late: number;
  /** Messages received per second, from the first message's sending to the last one's receipt. */
  messagesPerSecond: number;
  /** Milliseconds from sending to receipt over all messages. */
  latency: Spread;
  processorTime: ProcessorTime;
  messages: number;
};

/** Milliseconds between two ticks. */
export const intervalMs = 1000;

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
    const receivers = reports.filter((report) => report.asOf === asOf);
    const receipts = receivers.flatMap(({ receivedAt }) => receivedAt);
    const latest = receipts.reduce((one, other) => Math.max(one, other), 0);
    lastReceipt = Math.max(lastReceipt, latest);
    for (const receivedAt of receipts) latencies.push(receivedAt - sentAt);
    outcome.duplicates += receivers.reduce((sum, { duplicates }) => sum + duplicates, 0);
    if (receipts.length === clients) outcome.complete++;
    else outcome[asOf === ticks.at(-1)?.asOf ? "lost" : "superseded"] += clients - receipts.length;
    if (latest - sentAt > intervalMs) outcome.late++;
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

/** Processor time per received message in microseconds. NaN if unknown. */
export function processorTimePerMessage({ processorTime, messages }: Outcome): number {
  if (processorTime === undefined) return Number.NaN;
  return (1000 * [...processorTime.values()].reduce((sum, time) => sum + time, 0)) / messages;
}
