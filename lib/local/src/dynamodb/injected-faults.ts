import type { Faults } from "../faults.ts";
import type { GatewayResponse, Handle } from "../http/messages.ts";
import type { Random } from "../random.ts";
import {
  type CancellationReason,
  conflict,
  dynamoDbError,
  none,
  transactionCanceled,
  transactionConflict,
} from "./errors.ts";
import { operationOf, parsed } from "./forward.ts";

const writes = new Set(["PutItem", "UpdateItem", "DeleteItem"]);
const reads = new Set(["GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems"]);

/**
 * Makes a fraction of the calls on items fail. As on AWS, a write that fails with an InternalServerError may have been
 * done.
 */
export function withDynamoDbFaults(database: Handle, faults: Faults): Handle {
  const { random, strikes } = faults;
  return async (request) => {
    const operation = operationOf(request);
    const isWrite = writes.has(operation) || operation === "BatchWriteItem";
    const isTransaction = operation === "TransactWriteItems";
    if (!isWrite && !isTransaction && !reads.has(operation)) return database(request);

    if (strikes("dynamodb.throttled")) {
      if (isTransaction && random() < 0.5) return cancelled(request.body, throttling, random);
      return random() < 0.5 ? throttled : throughputExceeded;
    }
    if (strikes("dynamodb.conflicting")) {
      if (isTransaction) return cancelled(request.body, conflict, random);
      if (writes.has(operation)) return transactionConflict;
    }
    if (strikes("dynamodb.failed")) {
      if (random() < 0.5) await database(request);
      return failed;
    }
    return database(request);
  };
}

const failed = dynamoDbError(500, "InternalServerError", "Internal server error");
const throttled = dynamoDbError(400, "ThrottlingException", "Rate exceeded");
const throughputExceeded = dynamoDbError(
  400,
  "ProvisionedThroughputExceededException",
  "The level of configured provisioned throughput for the table was exceeded",
);
const throttling: CancellationReason = { Code: "ThrottlingError", Message: "Rate exceeded" };

/** Cancels a transaction because of one of its parts, chosen at random. */
function cancelled(body: Buffer, reason: CancellationReason, random: Random): GatewayResponse {
  const { TransactItems = [] } = parsed(body) as { TransactItems?: unknown[] };
  const struck = Math.floor(random() * TransactItems.length);
  return transactionCanceled(TransactItems.map((_, index) => (index === struck ? reason : none)));
}
