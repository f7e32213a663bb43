import {
  BadRequestException,
  NotFoundException,
  TooManyRequestsException,
} from "@aws-sdk/client-api-gateway";
import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { describe, expect, it } from "vitest";
import { readUserKeyRecord } from "../../lib/plans/user-key-records.ts";
import { openTable } from "../../lib/table/table.ts";
import { isTransient } from "../../lib/table/transient.ts";

const answered = (httpStatusCode: number) => ({ $metadata: { httpStatusCode }, message: "no" });
const named = (name: string, httpStatusCode: number) =>
  Object.assign(new Error("no"), { name, $metadata: { httpStatusCode } });
const cancelled = (...codes: string[]) =>
  new TransactionCanceledException({
    ...answered(400),
    CancellationReasons: codes.map((Code) => ({ Code })),
  });

describe("isTransient", () => {
  it.each([
    ["throttling by API Gateway", new TooManyRequestsException(answered(429))],
    ["throttling by DynamoDB", named("ThrottlingException", 400)],
    ["a failure of the service", named("InternalServerError", 500)],
    ["a conflict", named("ConflictException", 409)],
    ["a cancelled transaction that conflicted with another one", cancelled("None", "TransactionConflict")],
  ])("accepts %s", (_, error) => {
    expect(isTransient(error)).toBe(true);
  });

  it.each([
    ["an invalid request", new BadRequestException(answered(400))],
    ["a resource that does not exist", new NotFoundException(answered(404))],
    ["a missing right", named("AccessDeniedException", 403)],
    ["an invalid cancelled transaction", cancelled("ValidationError", "None")],
    ["an error of our own", new TypeError("no")],
    ["a value other than an error", "no"],
  ])("rejects %s", (_, error) => {
    expect(isTransient(error)).toBe(false);
  });

  it("accepts an unreachable service", async () => {
    const credentials = { accessKeyId: "a", secretAccessKey: "s" };
    // Nothing listens on port 1.
    const table = openTable("table", {
      endpoint: "http://127.0.0.1:1",
      region: "us-east-1",
      credentials,
      maxAttempts: 1,
    });
    const error = await readUserKeyRecord(table, "alice").catch((error: unknown) => error);
    expect(error).toBeInstanceOf(Error);
    expect(isTransient(error)).toBe(true);
  });
});
