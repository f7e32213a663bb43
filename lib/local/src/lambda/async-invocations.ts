import type { Clock } from "../clock.ts";
import type { Invoke } from "./invoke.ts";
import type { InvokeConfig } from "./invoke-config.ts";
import { CONCURRENCY, nameIn } from "./lambda.ts";

/** Accepts an event for a function (a name or ARN) and returns at once. */
export type InvokeLater = (nameOrArn: string, event: unknown) => void;

export type AsyncOptions = {
  invoke: Invoke;
  configOf: (functionName: string) => InvokeConfig;
  clock: Clock;
  /** Once aborted, starts no events, retries none and gives none up. */
  signal: AbortSignal;
  /** Called with a line about each event that is given up. */
  report: (line: string) => void;
  /** Pauses before the first and the second retry. AWS waits one minute and then two, too long for a local run. */
  pausesMs?: readonly [number, number];
  /** Number of events that one function handles at a time. Other events wait and age. */
  concurrency?: number;
  /** Milliseconds that each event waits before its first attempt. */
  queueMs?: number | undefined;
};

type Pending = { event: unknown; acceptedAt: number; failures: number };
type Queue = { waiting: Pending[]; running: number };

/**
 * Invokes functions asynchronously. Events are only in memory: those left when the runner ends are lost.
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
 */
export function createAsyncInvocations(options: AsyncOptions): InvokeLater {
  const { clock, pausesMs = [1_000, 2_000], concurrency = CONCURRENCY, queueMs = 0, signal } = options;
  const queues = new Map<string, Queue>();

  function enter(functionName: string, pending: Pending): void {
    const queue = queues.get(functionName) ?? { waiting: [], running: 0 };
    queues.set(functionName, queue);
    queue.waiting.push(pending);
    while (queue.running < concurrency) {
      const next = queue.waiting.shift();
      if (next === undefined) return;
      queue.running++;
      void work(functionName, queue, next);
    }
  }

  /** Handles an event, then those that arrived during that time. */
  async function work(functionName: string, queue: Queue, first: Pending): Promise<void> {
    for (let next: Pending | undefined = first; next !== undefined; next = queue.waiting.shift()) {
      await attempt(functionName, next);
      if (signal.aborted) return;
    }
    queue.running--;
  }

  async function attempt(functionName: string, pending: Pending): Promise<void> {
    const { maximumRetries, maximumAgeMs } = options.configOf(functionName);
    const isTooOldAt = (time: number) => time - pending.acceptedAt >= maximumAgeMs;
    if (isTooOldAt(clock.now())) return giveUp(functionName, "EventAgeExceeded");

    const isHandled = await options.invoke(functionName, pending.event).then(
      ({ functionError }) => functionError === undefined,
      () => false,
    );
    if (signal.aborted || isHandled) return;
    const pauseMs = pausesMs[pending.failures++];
    if (pauseMs === undefined || pending.failures > maximumRetries) {
      return giveUp(functionName, "RetriesExhausted");
    }
    if (isTooOldAt(clock.now() + pauseMs)) return giveUp(functionName, "EventAgeExceeded");
    void clock.pause(pauseMs, signal).then(() => signal.aborted || enter(functionName, pending));
  }

  function giveUp(functionName: string, condition: "RetriesExhausted" | "EventAgeExceeded"): void {
    options.report(`${functionName} did not handle an asynchronous event; giving up: ${condition}`);
  }

  return (nameOrArn, event) => {
    if (signal.aborted) return;
    const pending = { event, acceptedAt: clock.now(), failures: 0 };
    if (queueMs === 0) return enter(nameIn(nameOrArn), pending);
    void clock.pause(queueMs, signal).then(() => signal.aborted || enter(nameIn(nameOrArn), pending));
  };
}
