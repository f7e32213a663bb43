import { randomUUID } from "node:crypto";
import type { Clock } from "../events/clock.ts";
import type { Queues } from "../events/queues.ts";
import { type Condition, type FailedEvent, invocationRecord } from "./invocation-record.ts";
import type { Invoke, InvokeResult } from "./invoke.ts";
import type { InvokeConfig } from "./invoke-config.ts";
import { CONCURRENCY, nameIn } from "./lambda.ts";

/** Takes on an event for a function, by its name or ARN, whatever comes of it. */
export type InvokeLater = (nameOrArn: string, event: unknown) => void;

export type AsyncOptions = {
  invoke: Invoke;
  configOf: (functionName: string) => InvokeConfig;
  queues: Pick<Queues, "send">;
  clock: Clock;
  /** Once aborted, nothing is begun or given up any more. */
  signal: AbortSignal;
  /** Hears in one line of an event that is given up. */
  report: (line: string) => void;
  /**
   * Milliseconds before the first and the second retry. On AWS it is a minute and two: nobody would wait for
   * that here.
   */
  pauses?: readonly [number, number];
  /** Events of one function that are handled at the same time. The others wait, and grow older. */
  concurrency?: number;
};

type Pending = FailedEvent & { acceptedAt: number };

/**
 * The events that nobody waits for. They are in memory only: those that are left when the runner ends are
 * lost.
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
 */
export function createAsyncInvocations(options: AsyncOptions): InvokeLater {
  const { clock, pauses = [1_000, 2_000], concurrency = CONCURRENCY, signal } = options;
  const functions = new Map<string, { waiting: Pending[]; running: number }>();

  function enter(functionName: string, pending: Pending): void {
    const known = functions.get(functionName) ?? { waiting: [], running: 0 };
    functions.set(functionName, known);
    known.waiting.push(pending);
    while (known.running < concurrency) {
      const next = known.waiting.shift();
      if (next === undefined) return;
      known.running++;
      void work(functionName, known, next);
    }
  }

  /** Handles an event, and then those that have come to wait for that. */
  async function work(
    functionName: string,
    known: { waiting: Pending[]; running: number },
    first: Pending,
  ): Promise<void> {
    for (let next: Pending | undefined = first; next !== undefined; next = known.waiting.shift()) {
      await attempt(functionName, next);
      if (signal.aborted) return;
    }
    known.running--;
  }

  async function attempt(functionName: string, pending: Pending): Promise<void> {
    const { maximumRetries, maximumAge } = options.configOf(functionName);
    const isTooOldAt = (time: number) => time - pending.acceptedAt >= maximumAge;
    if (isTooOldAt(clock.now())) return giveUp(functionName, pending, "EventAgeExceeded");

    const result = await options.invoke(functionName, pending.event).catch(notInvoked);
    if (signal.aborted || result.functionError === undefined) return;
    pending.failures.push(result);
    const pause = pauses[pending.failures.length - 1];
    if (pause === undefined || pending.failures.length > maximumRetries) {
      return giveUp(functionName, pending, "RetriesExhausted");
    }
    if (isTooOldAt(clock.now() + pause)) return giveUp(functionName, pending, "EventAgeExceeded");
    void clock.pause(pause, signal).then(() => signal.aborted || enter(functionName, pending));
  }

  function giveUp(functionName: string, pending: Pending, condition: Condition): void {
    const { onFailure } = options.configOf(functionName);
    options.report(
      `${functionName} has not handled an event that nobody waits for, given up for ${condition}`,
    );
    if (onFailure === undefined) return;
    const record = invocationRecord(functionName, pending, condition, clock.now());
    options.queues.send(onFailure, functionName, record);
  }

  return (nameOrArn, event) => {
    if (signal.aborted) return;
    enter(nameIn(nameOrArn), { id: randomUUID(), event, acceptedAt: clock.now(), failures: [] });
  };
}

function notInvoked(error: unknown): InvokeResult {
  const { name, message } = error as Error;
  return { functionError: "Unhandled", payload: JSON.stringify({ errorType: name, errorMessage: message }) };
}
