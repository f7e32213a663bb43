import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from "aws-lambda";
import { background } from "./background.ts";

/**
 * The ring around a function that hears of changes of the table.
 *
 * @param handle gives the sequence numbers of the records that have to come again; everything from the first of them on will.
 */
export function changesOf(
  operation: string,
  handle: (records: readonly DynamoDBRecord[], now: Date) => Promise<string[]>,
) {
  return background(operation, async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
    const failed = await handle(Records, new Date());
    return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
  });
}
