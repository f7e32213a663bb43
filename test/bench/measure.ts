import { setTimeout as pause } from "node:timers/promises";
import type { Crowd } from "./crowd.ts";
import { intervalMs, type Outcome, outcomeOf, type Tick } from "./outcome.ts";
import { processorTime, timeBetween } from "./processor-time.ts";

export type Broadcast = {
  crowd: Crowd;
  clients: number;
  /** Ticks to measure. */
  ticks: number;
  /** Id of the process to measure together with its descendants. */
  server: number;
  /** Sends a tick to all clients. */
  send: () => Promise<Tick>;
};

/** Warm-up ticks, which start processes and compile code before measuring. */
const warmUp = 3;

/** Sends a tick each second, even before earlier ones have arrived, then waits for all of them. */
export async function measure({ crowd, clients, ticks, server, send }: Broadcast): Promise<Outcome> {
  await everySecond(warmUp, send);
  await crowd.settle(warmUp);

  const before = processorTime(server);
  const sent = await everySecond(ticks, send);
  let after = processorTime(server);
  await crowd.settle(warmUp + ticks, () => {
    after = processorTime(server);
  });
  const { ticks: reports, closed } = await crowd.report();
  if (closed > 0) throw new Error(`${closed} clients lost their connections`);
  return outcomeOf(sent, reports, clients, timeBetween(before, after));
}

async function everySecond(times: number, send: () => Promise<Tick>): Promise<Tick[]> {
  const begun = Date.now();
  const sent: Promise<Tick>[] = [];
  for (let index = 0; index < times; index++) {
    await pause(Math.max(0, begun + index * intervalMs - Date.now()));
    sent.push(send());
  }
  return Promise.all(sent);
}
