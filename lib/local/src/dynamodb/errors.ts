import { type GatewayResponse, json } from "../http/messages.ts";

/** The reason for cancelling a part of a transaction. */
export type CancellationReason = { Code: string; Message?: string; Item?: unknown };

export const none: CancellationReason = { Code: "None" };
export const conflict: CancellationReason = {
  Code: "TransactionConflict",
  Message: "Transaction is ongoing for the item",
};

/** Formats an error as DynamoDB does. */
export function dynamoDbError(
  status: 400 | 500,
  name: string,
  message: string,
  more: object = {},
): GatewayResponse {
  const body = { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message, ...more };
  return { ...json(status, body), headers: [["Content-Type", "application/x-amz-json-1.0"]] };
}

export function transactionCanceled(reasons: readonly CancellationReason[]): GatewayResponse {
  const codes = reasons.map(({ Code }) => Code).join(", ");
  const Message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
  // Spells `Message` with a capital letter as well for this error.
  return dynamoDbError(400, "TransactionCanceledException", Message, {
    Message,
    CancellationReasons: reasons,
  });
}

export const transactionConflict = dynamoDbError(400, "TransactionConflictException", conflict.Message ?? "");

export const transactionInProgress = dynamoDbError(
  400,
  "TransactionInProgressException",
  "The transaction with the given request token is already in progress.",
);

export function conditionalCheckFailed({ Item }: CancellationReason): GatewayResponse {
  return dynamoDbError(400, "ConditionalCheckFailedException", "The conditional request failed", { Item });
}
