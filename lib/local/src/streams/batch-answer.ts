import * as v from "valibot";
import { jsonObject } from "../http/json.ts";
import type { InvokeResult } from "../lambda/invoke.ts";

/** Absent and null count as an empty list. */
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
 * What a function has made of a batch.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html
 *
 * @param sequenceNumbers of the batch, in order
 * @param reportsItemFailures whether what the function answers counts
 * @returns the index of the first record that failed: of the first one of all when the function threw, or
 * gave an answer that cannot be understood; undefined when none failed
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
  // One that is not of this batch is at -1: then nothing is sure, and all of it has failed.
  return failed.length === 0 ? undefined : Math.max(0, Math.min(...failed));
}
