import { TransactionCanceledException, TransactionConflictException } from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  DynamoDBDocumentClient,
  PutCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { mockClient } from "aws-sdk-client-mock";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { Step } from "../../lib/table/step.ts";
import { openTable } from "../../lib/table/table.ts";
import { write, writeOnce, writeOne } from "../../lib/table/write.ts";

const key = { PK: "any", SK: "item" };

describe("contention", () => {
  const mock = mockClient(DynamoDBDocumentClient);
  const table = openTable("table", { region: "us-east-1" });
  const step: Step = [{ kind: "remove", key }];

  beforeEach(() => {
    mock.reset();
    vi.spyOn(Math, "random").mockReturnValue(0);
  });
  afterAll(() => {
    mock.restore();
    vi.restoreAllMocks();
  });

  const cancelled = (...codes: string[]) =>
    new TransactionCanceledException({
      $metadata: {},
      message: "cancelled",
      CancellationReasons: codes.map((Code) => ({ Code })),
    });
  const conflict = new TransactionConflictException({ $metadata: {}, message: "conflict" });
  const attempts = () => mock.commandCalls(TransactWriteCommand).length;

  it.each(["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"])(
    "repeats a transaction that failed with %s, and lets writeOnce give up",
    async (reason) => {
      mock.on(TransactWriteCommand).rejectsOnce(cancelled("None", reason)).resolves({});
      expect(await write(table, step)).toBe(true);
      expect(attempts()).toBe(2);
      mock.on(TransactWriteCommand).rejects(cancelled("None", reason));
      expect(await writeOnce(table, step)).toBe(false);
      expect(attempts()).toBe(3);
    },
  );

  it("repeats the checks outside the transaction, because a new attempt may come seconds later", async () => {
    const check = { kind: "check", key: { PK: "foreign", SK: "item" }, when: "absent" } as const;
    const beside = { ...table, transactionPartitions: [] };
    const found = { Responses: { table: [check.key] } };
    mock.on(BatchGetCommand).resolvesOnce({ Responses: {} }).resolves(found);
    mock.on(TransactWriteCommand).rejectsOnce(cancelled("TransactionConflict")).resolves({});
    expect(await write(beside, [...step, check])).toBe(false);
    expect(attempts()).toBe(1);
  });

  it("throws the contention after eight attempts, or after as many as requested", async () => {
    mock.on(TransactWriteCommand).rejects(cancelled("TransactionConflict"));
    await expect(write(table, step)).rejects.toThrow(TransactionCanceledException);
    expect(attempts()).toBe(8);
    await expect(write(table, step, { attempts: 1 })).rejects.toThrow(TransactionCanceledException);
    expect(attempts()).toBe(9);
  });

  it("ignores contention if a condition fails as well", async () => {
    mock.on(TransactWriteCommand).rejects(cancelled("TransactionConflict", "ConditionalCheckFailed"));
    expect(await write(table, step)).toBe(false);
    expect(attempts()).toBe(1);
  });

  it("repeats a single write, and throws after eight attempts", async () => {
    mock
      .on(UpdateCommand)
      .rejectsOnce(conflict)
      .resolves({ Attributes: { number: 1 } });
    expect(await writeOne(table, { kind: "change", key })).toMatchObject({ item: { number: 1 } });
    mock.on(PutCommand).rejects(conflict);
    await expect(write(table, { kind: "put", key, item: {} })).rejects.toBe(conflict);
    expect(mock.commandCalls(PutCommand)).toHaveLength(8);
  });

  it.each([
    ["reason", cancelled("None", "ValidationError")],
    ["error", new Error("no")],
  ])("throws any other %s at once", async (_, error) => {
    mock.on(TransactWriteCommand).rejects(error);
    await expect(write(table, step)).rejects.toBe(error);
    await expect(writeOnce(table, step)).rejects.toBe(error);
    expect(attempts()).toBe(2);
  });
});
