import type { Context, DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from "aws-lambda";
import type { BackgroundOperationName } from "../operations/operations.ts";
import { logFault, withoutStack } from "./log.ts";
import { InvalidRequest } from "./validate.ts";

/**
 * Wraps a function that no client waits for: a row that runs after changes, on a schedule, or is invoked directly. Logs
 * a fault by its name and fails the invocation; the trigger decides about retries. If an event is unreadable, reports
 * the reason to the invoker and logs nothing.
 */
export function background<Args extends readonly unknown[], Result>(
  operation: BackgroundOperationName,
  handle: (...args: Args) => Promise<Result>,
) {
  return async (...args: Args): Promise<Result> => {
    try {
      return await handle(...args);
    } catch (error) {
      if (error instanceof InvalidRequest) throw Object.assign(error, { stack: "" });
      logFault(operation, error);
      throw withoutStack(`${operation} failed`);
    }
  };
}

/**
 * Wraps a function in the isolated network. Ignores the daily scheduled event, whose only purpose is to make Lambda
 * keep the function's network interfaces.
 */
export const walled = <Result>(
  operation: BackgroundOperationName,
  handle: (event: unknown, context?: Context) => Promise<Result>,
) =>
  background(operation, async (event: unknown, context?: Context) =>
    isScheduled(event) ? undefined : handle(event, context),
  );

/** True if the event comes from a schedule. */
export const isScheduled = (event: unknown) =>
  (event as { source?: unknown } | null)?.source === idleEvent.source;

/** An event that starts a walled function's process and does nothing else, like that of its schedule. */
export const idleEvent = { source: "aws.events" } as const;

/**
 * Computes the time after which a run must not start more work. The reserve leaves time to finish work that has already
 * begun.
 */
export const deadlineOf = (context: Pick<Context, "getRemainingTimeInMillis">, reserveMs: number): Date =>
  new Date(Date.now() + context.getRemainingTimeInMillis() - reserveMs);

/**
 * Wraps a function that runs after changes of the table.
 *
 * @param handle Returns the sequence numbers of the records to retry. Lambda retries the first of them and all later ones.
 */
export function onChanges<Rest extends readonly unknown[]>(
  operation: BackgroundOperationName,
  handle: (records: readonly DynamoDBRecord[], ...rest: Rest) => Promise<Iterable<string>>,
) {
  return background(
    operation,
    async ({ Records }: DynamoDBStreamEvent, ...rest: Rest): Promise<DynamoDBBatchResponse> => {
      const failed = await handle(Records, ...rest);
      return { batchItemFailures: Array.from(failed, (itemIdentifier) => ({ itemIdentifier })) };
    },
  );
}
