import * as v from "valibot";
import type { Clock } from "../clock.ts";
import { jsonObject } from "../http/json.ts";
import type { InvokeResult } from "../lambda/invoke.ts";
import type { Change } from "./change.ts";

export type BatchOptions = {
  /** True if the function reports the records that it could not handle. */
  reportsItemFailures: boolean;
  /** True if a failed batch is split before it is retried. */
  bisects: boolean;
  /** Infinity if retries are unlimited. */
  maximumRetries: number;
  /** Age at which records are given up. */
  maximumAgeMs: number;
};

export type BatchDeps = {
  /** Invokes the function. Rejects if that is impossible, but not if the function fails. */
  invoke(changes: readonly Change[]): Promise<InvokeResult>;
  /** Called with records that are finished, whether handled or given up. */
  done(changes: readonly Change[]): void;
  /** Called with records that are given up, before `done`. */
  discard(discarded: Discarded): void;
  clock: Clock;
  /** Once aborted, no record is reported as done or discarded. */
  signal: AbortSignal;
};

/** Records given up together. */
export type Discarded = {
  changes: readonly [Change, ...Change[]];
  condition: "RetryAttemptsExhausted" | "RecordAgeExceeded";
  /** Approximate number of invocations with these records. */
  invocations: number;
  /** Result of the last invocation, if there was one. */
  result: InvokeResult | undefined;
};

/** Records passed to the function together. `retries` counts from the first attempt at its first record. */
type Unit = {
  changes: readonly Change[];
  retries: number;
  invocations: number;
  result: InvokeResult | undefined;
};

/** The pause before a retry doubles from `least` to `most`. */
const PAUSE_MS = { least: 100, most: 5_000 };

/**
 * Handles a batch. Resolves once each record is handled or given up, or the signal is aborted. As in Lambda, a split
 * does not count as a retry, and a batch that may be split is split down to the failing record before anything is given
 * up.
 */
export async function processBatch(
  changes: readonly Change[],
  options: BatchOptions,
  deps: BatchDeps,
): Promise<void> {
  const { clock, signal } = deps;
  const units: Unit[] = [{ changes, retries: 0, invocations: 0, result: undefined }];

  for (let unit = units.shift(); unit !== undefined && !signal.aborted; unit = units.shift()) {
    const rest = giveUpOld(unit, options, deps);
    if (rest.changes.length === 0) continue;
    let result: InvokeResult;
    try {
      result = await deps.invoke(rest.changes);
    } catch {
      // Waits without counting a retry, since the function did not fail.
      await clock.pause(PAUSE_MS.most, signal);
      units.unshift(rest);
      continue;
    }
    // Leaves these records to the next run, because stopping the runner may have caused the failure.
    if (signal.aborted) return;

    const sequenceNumbers = rest.changes.map(({ sequenceNumber }) => sequenceNumber);
    const failed = firstFailure(result, sequenceNumbers, options.reportsItemFailures);
    deps.done(rest.changes.slice(0, failed));
    if (failed === undefined) continue;

    const remaining: Unit = {
      changes: rest.changes.slice(failed),
      retries: failed > 0 ? 0 : rest.retries,
      invocations: rest.invocations + 1,
      result,
    };
    if (options.bisects && remaining.changes.length > 1) {
      units.unshift(...(failed > 0 ? [remaining] : halves(remaining)));
    } else if (remaining.retries >= options.maximumRetries) {
      giveUp(remaining, "RetryAttemptsExhausted", deps);
    } else {
      await clock.pause(Math.min(PAUSE_MS.least * 2 ** remaining.retries, PAUSE_MS.most), signal);
      units.unshift({ ...remaining, retries: remaining.retries + 1 });
    }
  }
}

function halves(unit: Unit): Unit[] {
  const middle = Math.ceil(unit.changes.length / 2);
  return [unit.changes.slice(0, middle), unit.changes.slice(middle)].map((changes) => ({ ...unit, changes }));
}

/** Gives up the leading records that are too old, and returns the rest. */
function giveUpOld(unit: Unit, { maximumAgeMs }: BatchOptions, deps: BatchDeps): Unit {
  const oldest = deps.clock.now() - maximumAgeMs;
  const young = unit.changes.findIndex(({ createdAt }) => createdAt >= oldest);
  if (young === 0) return unit;
  const old = young === -1 ? unit.changes : unit.changes.slice(0, young);
  giveUp({ ...unit, changes: old }, "RecordAgeExceeded", deps);
  return { ...unit, changes: unit.changes.slice(old.length), retries: 0 };
}

function giveUp({ changes, ...rest }: Unit, condition: Discarded["condition"], deps: BatchDeps): void {
  const [first, ...others] = changes;
  if (first === undefined) return;
  deps.discard({ changes: [first, ...others], condition, ...rest });
  deps.done(changes);
}

/** Answer of the function. Null or a missing list stands for an empty list. */
const Answer = v.nullish(
  v.pipe(
    jsonObject,
    v.object({
      batchItemFailures: v.nullish(
        v.array(v.object({ itemIdentifier: v.pipe(v.string(), v.nonEmpty()) })),
        [],
      ),
    }),
  ),
);

/**
 * Finds the index of the first record that a function did not handle, or undefined if it handled all. The index is 0 if
 * the function threw or its answer is malformed.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html
 *
 * @param sequenceNumbers the batch's sequence numbers, in order
 */
export function firstFailure(
  { payload, functionError }: InvokeResult,
  sequenceNumbers: readonly string[],
  reportsItemFailures: boolean,
): number | undefined {
  if (functionError !== undefined) return 0;
  if (!reportsItemFailures) return undefined;
  const answer = v.safeParse(v.pipe(v.string(), v.parseJson(), Answer), payload);
  if (!answer.success) return 0;
  const failed = (answer.output?.batchItemFailures ?? []).map(({ itemIdentifier }) =>
    sequenceNumbers.indexOf(itemIdentifier),
  );
  // Treats an unknown identifier as index -1. As in Lambda, the whole batch then counts as failed.
  return failed.length === 0 ? undefined : Math.max(0, Math.min(...failed));
}
