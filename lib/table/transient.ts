import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { isContention } from "./write.ts";

/** Errors that may be temporary, although DynamoDB reports them with status 400, like invalid requests. */
const throttling = new Set([
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "ThrottlingException",
  "TransactionConflictException",
  "TransactionInProgressException",
]);

/** True if a failed call to AWS may succeed later. Errors that do not come from a call to AWS are not transient. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof TransactionCanceledException) return isContention(error);
  if (throttling.has(error.name)) return true;
  const { $metadata: answer } = error as { $metadata?: { httpStatusCode?: number } };
  if (answer === undefined) return false;
  // Treats a missing status as transient, because it means that no answer came.
  const { httpStatusCode: status = 503 } = answer;
  return status === 409 || status === 429 || status >= 500;
}
