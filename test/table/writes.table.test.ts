import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionConflictException,
} from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, PutCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { mockClient } from "aws-sdk-client-mock";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { openTable } from "../../lib/table/table.ts";
import { afterConflicts, transact, writeIf } from "../../lib/table/writes.ts";

const db = mockClient(DynamoDBDocumentClient);
const table = openTable("table", { region: "us-east-1" });

beforeEach(() => {
  db.reset();
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterAll(() => {
  db.restore();
  vi.restoreAllMocks();
});

const cancelled = (...codes: string[]) =>
  new TransactionCanceledException({
    $metadata: {},
    message: "cancelled",
    CancellationReasons: codes.map((Code) => ({ Code })),
  });
const attempts = () => db.commandCalls(TransactWriteCommand).length;

describe("transact", () => {
  it.each(["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"])(
    "retries after the reason %s",
    async (reason) => {
      db.on(TransactWriteCommand).rejectsOnce(cancelled("None", reason)).resolves({});
      expect(await transact(table, [])).toBe(true);
      expect(attempts()).toBe(2);
    },
  );

  it("throws after five attempts", async () => {
    db.on(TransactWriteCommand).rejects(cancelled("TransactionConflict"));
    await expect(transact(table, [])).rejects.toThrow(TransactionCanceledException);
    expect(attempts()).toBe(5);
  });

  it("returns false at once if a condition fails, even beside a conflict", async () => {
    db.on(TransactWriteCommand).rejects(cancelled("TransactionConflict", "ConditionalCheckFailed"));
    expect(await transact(table, [])).toBe(false);
    expect(attempts()).toBe(1);
  });

  it.each([
    ["another reason", cancelled("None", "ValidationError")],
    ["another error", new Error("no")],
  ])("throws at once for %s", async (_, error) => {
    db.on(TransactWriteCommand).rejects(error);
    await expect(transact(table, [])).rejects.toBe(error);
    expect(attempts()).toBe(1);
  });
});

describe("afterConflicts", () => {
  const conflict = new TransactionConflictException({ $metadata: {}, message: "conflict" });

  it("repeats a write that met a transaction", async () => {
    const write = vi.fn().mockRejectedValueOnce(conflict).mockResolvedValue("written");
    expect(await afterConflicts(write)).toBe("written");
  });

  it("throws after five attempts, and any other error at once", async () => {
    const write = vi.fn().mockRejectedValue(conflict);
    await expect(afterConflicts(write)).rejects.toBe(conflict);
    expect(write).toHaveBeenCalledTimes(5);
    const error = new Error("no");
    write.mockReset().mockRejectedValue(error);
    await expect(afterConflicts(write)).rejects.toBe(error);
    expect(write).toHaveBeenCalledTimes(1);
  });
});

describe("writeIf", () => {
  const put = new PutCommand({ TableName: "table", Item: {} });

  it("returns whether the condition held", async () => {
    db.on(PutCommand).resolvesOnce({});
    expect(await writeIf(table, put)).toBe(true);
    db.on(PutCommand).rejects(new ConditionalCheckFailedException({ $metadata: {}, message: "no" }));
    expect(await writeIf(table, put)).toBe(false);
  });

  it("throws any other error", async () => {
    const error = new Error("no");
    db.on(PutCommand).rejects(error);
    await expect(writeIf(table, put)).rejects.toBe(error);
  });
});
