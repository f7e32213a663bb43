import { arn } from "../account.ts";
import type { InvokeResult } from "./invoke.ts";

export type Condition = "RetriesExhausted" | "EventAgeExceeded";

/** An event that nobody waits for, and what came of it so far. */
export type FailedEvent = { id: string; event: unknown; failures: InvokeResult[] };

/**
 * What Lambda tells a queue of an event that it has given up, the event included.
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html
 */
export function invocationRecord(
  functionName: string,
  { id, event, failures }: FailedEvent,
  condition: Condition,
  now: number,
) {
  const last = failures.at(-1);
  return {
    version: "1.0",
    timestamp: new Date(now).toISOString(),
    requestContext: {
      requestId: id,
      functionArn: `${arn("lambda", `function:${functionName}`)}:$LATEST`,
      condition,
      approximateInvokeCount: failures.length,
    },
    requestPayload: event,
    ...(last && {
      responseContext: { statusCode: 200, executedVersion: "$LATEST", functionError: last.functionError },
      responsePayload: JSON.parse(last.payload),
    }),
  };
}
