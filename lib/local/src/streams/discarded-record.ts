import { randomUUID } from "node:crypto";
import type { Discarded } from "./process-batch.ts";

export type DiscardedFrom = { functionArn: string; shardId: string; streamArn: string; now: number };

/**
 * What Lambda tells a queue of records that it has given up: where they stand in the stream, and not what
 * they hold.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html
 */
export function discardedRecord({ changes, condition, invocations, result }: Discarded, from: DiscardedFrom) {
  const [first] = changes;
  const last = changes.at(-1) ?? first;
  return {
    requestContext: {
      requestId: randomUUID(),
      functionArn: from.functionArn,
      condition,
      approximateInvokeCount: invocations,
    },
    ...(result && {
      responseContext: {
        statusCode: 200,
        executedVersion: "$LATEST",
        ...(result.functionError && { functionError: result.functionError }),
      },
    }),
    version: "1.0",
    timestamp: new Date(from.now).toISOString(),
    DDBStreamBatchInfo: {
      shardId: from.shardId,
      startSequenceNumber: first.sequenceNumber,
      endSequenceNumber: last.sequenceNumber,
      approximateArrivalOfFirstRecord: wholeSecond(first.createdAt),
      approximateArrivalOfLastRecord: wholeSecond(last.createdAt),
      batchSize: changes.length,
      streamArn: from.streamArn,
    },
  };
}

function wholeSecond(time: number): string {
  return new Date(time).toISOString().replace(/\.\d+Z$/, "Z");
}
