import type { Clock } from "../events/clock.ts";
import type { InvokeResult } from "../lambda/invoke.ts";
import { firstFailure } from "./batch-answer.ts";
import type { Change } from "./change.ts";

export type BatchSettings = {
  /** Whether the function tells which records it could not handle. */
  reportsItemFailures: boolean;
  /** Whether a batch that failed is split before it is tried again. */
  bisects: boolean;
  /** How often to try again; may be Infinity. */
  maximumRetries: number;
  /** Milliseconds. Older records are given up. */
  maximumAge: number;
};

export type BatchPort = {
  /** Rejects when the function could not even be invoked. */
  invoke(changes: readonly Change[]): Promise<InvokeResult>;
  /** Hears of records that are through, one way or the other. */
  done(changes: readonly Change[]): void;
  /** Hears of records that are given up, before `done` does. */
  discard(discarded: Discarded): void;
  clock: Clock;
  /** Once aborted, nothing is done or discarded any more. */
  signal: AbortSignal;
};

/** Records that were given up together. */
export type Discarded = {
  changes: readonly [Change, ...Change[]];
  condition: "RetryAttemptsExhausted" | "RecordAgeExceeded";
  /** How often the function was invoked with them, roughly. */
  invocations: number;
  /** What came of the last time, if there was one. */
  result: InvokeResult | undefined;
};

/**
 * Records that are handed over together. `retries` counts those of the first record since it is the first.
 */
type Unit = {
  changes: readonly Change[];
  retries: number;
  invocations: number;
  result: InvokeResult | undefined;
};

/** Milliseconds before a batch is tried again: doubled each time. */
const PAUSE = { least: 100, most: 5_000 };

/**
 * Sees a batch through: resolves when each of its records is handled or given up, or the signal is aborted.
 * As Lambda does it, splitting a batch does not count as a retry, and what a batch of several records fails
 * on is looked for before anything is given up, if it may be split.
 */
export async function processBatch(
  changes: readonly Change[],
  settings: BatchSettings,
  port: BatchPort,
): Promise<void> {
  const { clock, signal } = port;
  const units: Unit[] = [{ changes, retries: 0, invocations: 0, result: undefined }];

  for (let unit = units.shift(); unit !== undefined && !signal.aborted; unit = units.shift()) {
    const rest = giveUpOld(unit, settings, port);
    if (rest.changes.length === 0) continue;
    let result: InvokeResult;
    try {
      result = await port.invoke(rest.changes);
    } catch {
      // Not the function's failure, so it is no retry either.
      await clock.pause(PAUSE.most, signal);
      units.unshift(rest);
      continue;
    }
    // What a function answers while everything ends may be that end. The records come again.
    if (signal.aborted) return;

    const sequenceNumbers = rest.changes.map(({ sequenceNumber }) => sequenceNumber);
    const failed = firstFailure(result, sequenceNumbers, settings.reportsItemFailures);
    port.done(rest.changes.slice(0, failed));
    if (failed === undefined) continue;

    const remaining: Unit = {
      changes: rest.changes.slice(failed),
      retries: failed > 0 ? 0 : rest.retries,
      invocations: rest.invocations + 1,
      result,
    };
    if (settings.bisects && remaining.changes.length > 1) {
      units.unshift(...(failed > 0 ? [remaining] : halves(remaining)));
    } else if (remaining.retries >= settings.maximumRetries) {
      giveUp(remaining, "RetryAttemptsExhausted", port);
    } else {
      await clock.pause(Math.min(PAUSE.least * 2 ** remaining.retries, PAUSE.most), signal);
      units.unshift({ ...remaining, retries: remaining.retries + 1 });
    }
  }
}

function halves(unit: Unit): Unit[] {
  const middle = Math.ceil(unit.changes.length / 2);
  return [unit.changes.slice(0, middle), unit.changes.slice(middle)].map((changes) => ({ ...unit, changes }));
}

/** Gives up the records at the beginning that are too old, and gives the rest. */
function giveUpOld(unit: Unit, { maximumAge }: BatchSettings, port: BatchPort): Unit {
  const oldest = port.clock.now() - maximumAge;
  const young = unit.changes.findIndex(({ createdAt }) => createdAt >= oldest);
  if (young === 0) return unit;
  const old = young === -1 ? unit.changes : unit.changes.slice(0, young);
  giveUp({ ...unit, changes: old }, "RecordAgeExceeded", port);
  return { ...unit, changes: unit.changes.slice(old.length), retries: 0 };
}

function giveUp({ changes, ...rest }: Unit, condition: Discarded["condition"], port: BatchPort): void {
  const [first, ...others] = changes;
  if (first === undefined) return;
  port.discard({ changes: [first, ...others], condition, ...rest });
  port.done(changes);
}
