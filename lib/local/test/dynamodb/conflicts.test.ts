import {
  ConditionalCheckFailedException,
  CreateTableCommand,
  DynamoDBClient,
  TransactionCanceledException,
  TransactionConflictException,
  TransactionInProgressException,
} from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactGetCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createConflicts } from "../../src/dynamodb/conflicts.ts";
import { type Forward, openForward, operationOf } from "../../src/dynamodb/forward.ts";
import { listen } from "../../src/http/server.ts";
import { atEnd } from "../support/clean-up.ts";
import { engineStartMs, newDatabase } from "../support/dynamodb.ts";

const TableName = "notes";

/** Ends the current pause of a transaction. Without this gate, transactions do not pause. */
let gate: PromiseWithResolvers<void> | undefined;
/** Ends the current pause of forwarded single writes. */
let writeGate: PromiseWithResolvers<void> | undefined;
let chance: number;
let held = 0;
let client: DynamoDBDocumentClient;

beforeAll(async () => {
  const { endpoint, region, credentials } = await newDatabase();
  const { forward, close } = openForward(endpoint);
  const gated: Forward = async (request) => {
    if (operationOf(request) === "UpdateItem") await writeGate?.promise;
    return forward(request);
  };
  const hold = async () => {
    held++;
    await gate?.promise;
  };
  const faults: unknown[] = [];
  const proxy = await listen(0, createConflicts({ forward: gated, random: () => chance, hold }), (fault) =>
    faults.push(fault),
  );
  const base = new DynamoDBClient({ endpoint: proxy.url, region, credentials, maxAttempts: 1 });
  client = DynamoDBDocumentClient.from(base, { marshallOptions: { removeUndefinedValues: true } });
  await base.send(
    new CreateTableCommand({
      TableName,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: ["PK", "SK"].map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
      KeySchema: [
        { AttributeName: "PK", KeyType: "HASH" },
        { AttributeName: "SK", KeyType: "RANGE" },
      ],
    }),
  );
  atEnd(async () => {
    client.destroy();
    await proxy.close();
    close();
    expect(faults).toEqual([]);
  });
}, engineStartMs);

beforeEach(async () => {
  gate = undefined;
  writeGate = undefined;
  chance = 0;
  await client.send(new PutCommand({ TableName, Item: { ...key("a"), n: 1 } }));
});

const key = (PK: string) => ({ PK, SK: "note" });
const put = (PK: string, condition = {}) => ({
  Put: { TableName, Item: { ...key(PK), n: 2 }, ...condition },
});
const check = (PK: string) => ({
  ConditionCheck: { TableName, Key: key(PK), ConditionExpression: "attribute_exists(PK)" },
});
const transact = (...TransactItems: object[]) =>
  client.send(new TransactWriteCommand({ TransactItems: TransactItems as never }));
const failure = (call: Promise<unknown>) => call.then(() => undefined).catch((error: unknown) => error);
const codesOf = (error: unknown) =>
  error instanceof TransactionCanceledException && error.CancellationReasons?.map(({ Code }) => Code);

/** Runs an action while a transaction of the item `a` is in flight. */
async function during<Result>(act: () => Promise<Result>, parts: object[] = [put("a")]): Promise<Result> {
  const own = Promise.withResolvers<void>();
  gate = own;
  const before = held;
  const transaction = transact(...parts);
  await expect.poll(() => held, { interval: 2 }).toBe(before + 1);
  gate = undefined;
  try {
    return await act();
  } finally {
    own.resolve();
    await transaction;
  }
}

describe("a transaction in flight", () => {
  it("cancels another transaction on the same item, with the reason at the item's index", async () => {
    const error = await during(() => failure(transact(put("b"), put("a"), check("c"))));
    expect(codesOf(error)).toEqual(["None", "TransactionConflict", "None"]);
    expect(error).toMatchObject({
      message: expect.stringContaining("[None, TransactionConflict, None]"),
      CancellationReasons: [{}, { Message: "Transaction is ongoing for the item" }, {}],
    });
    expect((await client.send(new GetCommand({ TableName, Key: key("b") }))).Item).toBeUndefined();
  });

  it("keeps items in flight that a transaction only checks", async () => {
    const error = await during(() => failure(transact(check("a"))), [check("a")]);
    expect(codesOf(error)).toEqual(["TransactionConflict"]);
  });

  it.each([
    ["PutItem", () => new PutCommand({ TableName, Item: key("a") })],
    ["DeleteItem", () => new DeleteCommand({ TableName, Key: key("a") })],
    ["UpdateItem", () => new UpdateCommand({ TableName, Key: key("a") })],
    [
      "UpdateItem by the table's ARN",
      () =>
        new UpdateCommand({
          TableName: `arn:aws:dynamodb:us-east-1:000000000000:table/${TableName}`,
          Key: key("a"),
        }),
    ],
  ])("makes %s of an item fail while a transaction on it is in flight", async (_, command) => {
    const error = await during(() => failure(client.send(command() as PutCommand)));
    expect(error).toBeInstanceOf(TransactionConflictException);
    expect(error).toMatchObject({ message: "Transaction is ongoing for the item" });
  });

  it("cancels TransactGetItems of an item in flight", async () => {
    const Get = (PK: string) => ({ Get: { TableName, Key: key(PK) } });
    const read = () => failure(client.send(new TransactGetCommand({ TransactItems: [Get("b"), Get("a")] })));
    expect(codesOf(await during(read))).toEqual(["None", "TransactionConflict"]);
    expect(await read()).toBeUndefined();
  });

  it("lets plain reads pass during a transaction", async () => {
    await during(async () => {
      const { Item } = await client.send(new GetCommand({ TableName, Key: key("a"), ConsistentRead: true }));
      expect(Item).toMatchObject({ n: 1 });
      const ExpressionAttributeValues = { ":a": "a" };
      const query = { TableName, KeyConditionExpression: "PK = :a", ExpressionAttributeValues };
      expect((await client.send(new QueryCommand(query))).Count).toBe(1);
      const batch = new BatchGetCommand({ RequestItems: { [TableName]: { Keys: [key("a")] } } });
      expect((await client.send(batch)).Responses?.[TableName]).toHaveLength(1);
    });
  });

  it("lets writes of other items pass during a transaction", async () => {
    await during(async () => {
      await transact(put("b"));
      await client.send(new PutCommand({ TableName, Item: { PK: "a", SK: "other" } }));
    });
  });

  it("frees a transaction's items with its answer, even an error", async () => {
    const impossible = { ConditionExpression: "attribute_not_exists(PK)" };
    expect(codesOf(await failure(transact(put("a", impossible))))).toEqual(["ConditionalCheckFailed"]);
    await transact(put("a"));
    await client.send(new PutCommand({ TableName, Item: key("a") }));
  });

  it("makes a call with the same token fail with TransactionInProgressException", async () => {
    const repeated = (PK: string) =>
      client.send(new TransactWriteCommand({ TransactItems: [put(PK)], ClientRequestToken: "token" }));
    const own = Promise.withResolvers<void>();
    gate = own;
    const before = held;
    const first = repeated("a");
    await expect.poll(() => held, { interval: 2 }).toBe(before + 1);
    expect(await failure(repeated("a"))).toBeInstanceOf(TransactionInProgressException);
    own.resolve();
    await first;
    await repeated("a");
  });
});

describe("a call with a failing condition that meets a transaction", () => {
  const failing = {
    ConditionExpression: "attribute_not_exists(PK) AND #n <> :n",
    ExpressionAttributeNames: { "#n": "n" },
    ExpressionAttributeValues: { ":n": 7 },
  };

  it.each([
    ["the conflict", 0.2, ["TransactionConflict", "None"]],
    ["the condition", 0.7, ["ConditionalCheckFailed", "None"]],
  ])("answers with %s by chance when condition and conflict concern the same item", async (_, at, codes) => {
    const error = await during(() => {
      chance = at;
      return failure(transact(put("a", failing), put("b")));
    });
    expect(codesOf(error)).toEqual(codes);
  });

  it("answers with both reasons if they concern different items", async () => {
    await client.send(new PutCommand({ TableName, Item: key("d") }));
    const error = await during(() => {
      chance = 0.7;
      return failure(transact(put("a"), put("d", failing)));
    });
    expect(codesOf(error)).toEqual(["TransactionConflict", "ConditionalCheckFailed"]);
  });

  it.each([
    ["the conflict", 0.2, TransactionConflictException],
    ["the condition", 0.7, ConditionalCheckFailedException],
  ])("answers a single write with %s", async (_, at, type) => {
    const update = new UpdateCommand({
      TableName,
      Key: key("a"),
      UpdateExpression: "SET #m = :m",
      ConditionExpression: "#n > :n",
      ExpressionAttributeNames: { "#n": "n", "#m": "m" },
      ExpressionAttributeValues: { ":n": 1, ":m": 2 },
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    });
    const error = await during(() => {
      chance = at;
      return failure(client.send(update));
    });
    expect(error).toBeInstanceOf(type);
    if (at > 0.5) expect(error).toHaveProperty("Item.n", { N: "1" });
  });

  it("answers with the conflict if the condition is true", async () => {
    const error = await during(() => {
      chance = 0.7;
      return failure(transact(put("a", { ConditionExpression: "attribute_exists(PK)" })));
    });
    expect(codesOf(error)).toEqual(["TransactionConflict"]);
  });
});

describe("a single write in flight", () => {
  it("makes a transaction on its item wait and cancels TransactGetItems", async () => {
    writeGate = Promise.withResolvers();
    const order: string[] = [];
    const update = {
      TableName,
      Key: key("a"),
      UpdateExpression: "ADD n :one",
      ExpressionAttributeValues: { ":one": 1 },
    };
    const write = client.send(new UpdateCommand(update)).then(() => order.push("write"));
    const Get = { TableName, Key: key("a") };
    const read = () => failure(client.send(new TransactGetCommand({ TransactItems: [{ Get }] })));
    await expect.poll(async () => codesOf(await read()), { interval: 2 }).toEqual(["TransactionConflict"]);
    const before = held;
    const transaction = transact(put("a")).then(() => order.push("transaction"));
    await transact(put("b"));
    expect(held).toBe(before + 2);
    writeGate.resolve();
    await Promise.all([write, transaction]);
    expect(order).toEqual(["write", "transaction"]);
  });

  it("lets other single writes pass", async () => {
    writeGate = Promise.withResolvers();
    const write = client.send(new UpdateCommand({ TableName, Key: key("a") }));
    await client.send(new PutCommand({ TableName, Item: key("a") }));
    await client.send(
      new BatchWriteCommand({ RequestItems: { [TableName]: [{ PutRequest: { Item: key("a") } }] } }),
    );
    writeGate.resolve();
    await write;
  });
});

describe("calls without conflicts", () => {
  it.each([
    [
      "a table that does not exist",
      new PutCommand({ TableName: "none", Item: key("a") }),
      "ResourceNotFoundException",
    ],
    ["no table", new PutCommand({ TableName: undefined, Item: key("a") }), "ValidationException"],
    ["a missing key attribute", new PutCommand({ TableName, Item: { PK: "a" } }), "ValidationException"],
    ["no parts", new TransactWriteCommand({ TransactItems: [] }), "ValidationException"],
  ])("pass on DynamoDB's own error for %s", async (_, command, name) => {
    expect(await failure(client.send(command as PutCommand))).toMatchObject({ name });
  });
});
