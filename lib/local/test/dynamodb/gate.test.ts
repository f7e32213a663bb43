import { once } from "node:events";
import { connect } from "node:net";
import {
  BatchWriteItemCommand,
  CreateTableCommand,
  DynamoDBClient,
  ExecuteStatementCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Gate, openGate } from "../../src/dynamodb/gate.ts";
import { accountValues, type Caller, readTemplatePolicy } from "../../src/iam/caller.ts";
import { newDatabase } from "../support/dynamodb.ts";

const TableName = "ledger";
const table = `arn:aws:dynamodb:us-east-1:000000000000:table/${TableName}`;
const writes = ["PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem", "BatchWriteItem"].map(
  (name) => `dynamodb:${name}`,
);
const sessionArn = "arn:aws:sts::000000000000:assumed-role/executor-role/executor";

/** A role like an executor's: it may write everything except the signer's partitions, and may only check rules. */
const policy = readTemplatePolicy({
  Statement: [
    { Effect: "Allow", Action: [...writes, "dynamodb:GetItem", "dynamodb:Query"], Resource: table },
    {
      Effect: "Deny",
      Action: writes,
      Resource: table,
      Condition: { "ForAnyValue:StringLike": { "dynamodb:LeadingKeys": ["SIGNED#*", "TRADING"] } },
    },
    {
      Effect: "Deny",
      Action: "dynamodb:PutItem",
      Resource: table,
      Condition: { "ForAnyValue:StringLike": { "dynamodb:LeadingKeys": "RULES#*" } },
    },
  ],
});

let gate: Gate;
let announced = 0;
let operator: DynamoDBClient;
let executor: DynamoDBClient;
let stranger: DynamoDBClient;
let strictGate: Gate;
let strict: DynamoDBClient;

beforeAll(async () => {
  const { endpoint, region, credentials } = await newDatabase();
  const key = (name: string) => ({ accessKeyId: name.padEnd(16, "0"), secretAccessKey: "any" });
  const caller: Caller = {
    credentials: key("executor"),
    roleArn: "arn:aws:iam::000000000000:role/executor-role",
    sessionArn,
    policy,
    values: accountValues,
  };
  const options = {
    endpoint,
    credentials,
    callers: { find: (name: string) => (name === caller.credentials.accessKeyId ? caller : undefined) },
    tables: new Map([[TableName, { table: "PK", indexes: {} }]]),
  };
  gate = await openGate({ ...options, onWrite: () => announced++ });
  strictGate = await openGate({ ...options, leadingKeys: "whole-request" });
  operator = new DynamoDBClient({ endpoint, region, credentials });
  const behindGate = (name: string, { endpoint }: Gate = gate) =>
    new DynamoDBClient({ endpoint, region, credentials: key(name), maxAttempts: 1 });
  executor = behindGate("executor");
  stranger = behindGate("stranger");
  strict = behindGate("executor", strictGate);
  await operator.send(
    new CreateTableCommand({
      TableName,
      BillingMode: "PAY_PER_REQUEST",
      KeySchema: [{ AttributeName: "PK", KeyType: "HASH" }],
      AttributeDefinitions: [{ AttributeName: "PK", AttributeType: "S" }],
    }),
  );
});

afterAll(async () => {
  for (const client of [operator, executor, stranger, strict]) client.destroy();
  await Promise.all([gate.stop(), strictGate.stop()]);
});

const put = (PK: string, more = {}) => ({ TableName, Item: { PK: { S: PK }, ...more } });
const keyOf = (PK: string) => ({ TableName, Key: { PK: { S: PK } } });
const stored = async (PK: string) => (await operator.send(new GetItemCommand(keyOf(PK)))).Item;
const denied = (action: string, reason = "with an explicit deny in an identity-based policy") => ({
  name: "AccessDeniedException",
  message: `User: ${sessionArn} is not authorized to perform: ${action} on resource: ${table} ${reason}`,
  $metadata: { httpStatusCode: 400 },
});

describe("openGate", () => {
  it("forwards allowed calls to the operator's database", async () => {
    await executor.send(new PutItemCommand(put("LANE#1", { n: { N: "1" } })));
    expect(await stored("LANE#1")).toEqual({ PK: { S: "LANE#1" }, n: { N: "1" } });
    const query = {
      TableName,
      KeyConditionExpression: "PK = :p",
      ExpressionAttributeValues: { ":p": { S: "LANE#1" } },
    };
    expect((await executor.send(new QueryCommand(query))).Count).toBe(1);
  });

  it("announces each write after its answer, but no reads or refused writes", async () => {
    const transaction = { TransactItems: [{ Put: put("LANE#8") }] };
    const before = announced;
    await executor.send(new PutItemCommand(put("LANE#7")));
    expect(announced).toBe(before + 1);
    await executor.send(new TransactWriteItemsCommand(transaction));
    expect(announced).toBe(before + 2);
    await expect(executor.send(new PutItemCommand(put("TRADING")))).rejects.toThrow();
    await executor.send(new GetItemCommand(keyOf("LANE#7")));
    expect(announced).toBe(before + 2);
  });

  it("refuses every kind of write to a denied partition without executing it", async () => {
    await operator.send(new PutItemCommand(put("SIGNED#1")));
    const update = {
      ...keyOf("SIGNED#1"),
      UpdateExpression: "SET n = :n",
      ExpressionAttributeValues: { ":n": { N: "1" } },
    };
    await expect(executor.send(new PutItemCommand(put("TRADING")))).rejects.toMatchObject(
      denied("dynamodb:PutItem"),
    );
    await expect(executor.send(new UpdateItemCommand(update))).rejects.toMatchObject(
      denied("dynamodb:UpdateItem"),
    );
    const transaction = { TransactItems: [{ Put: put("LANE#2") }, { Delete: keyOf("SIGNED#1") }] };
    await expect(executor.send(new TransactWriteItemsCommand(transaction))).rejects.toMatchObject(
      denied("dynamodb:DeleteItem"),
    );
    const batch = {
      RequestItems: {
        [TableName]: [{ PutRequest: put("LANE#3") }, { DeleteRequest: keyOf("SIGNED#1") }].map(
          ({ PutRequest, DeleteRequest }) => ({
            ...(PutRequest && { PutRequest: { Item: PutRequest.Item } }),
            ...(DeleteRequest && { DeleteRequest: { Key: DeleteRequest.Key } }),
          }),
        ),
      },
    };
    await expect(executor.send(new BatchWriteItemCommand(batch))).rejects.toMatchObject(
      denied("dynamodb:BatchWriteItem"),
    );
    expect(await Promise.all(["SIGNED#1", "TRADING", "LANE#2", "LANE#3"].map(stored))).toEqual([
      { PK: { S: "SIGNED#1" } },
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("refuses a write beside a mere check of a partition if parts have the keys of the whole request", async () => {
    const check = { ...keyOf("RULES#1"), ConditionExpression: "attribute_not_exists(PK)" };
    const checked = new TransactWriteItemsCommand({
      TransactItems: [{ Put: put("LANE#4") }, { ConditionCheck: check }],
    });
    await expect(strict.send(checked)).rejects.toMatchObject(denied("dynamodb:PutItem"));
    expect(await stored("LANE#4")).toBeUndefined();
    await executor.send(checked);
    expect(await stored("LANE#4")).toBeDefined();
  });

  it("refuses actions that no policy allows, and forwards reads that are not denied", async () => {
    expect((await executor.send(new GetItemCommand(keyOf("SIGNED#1")))).Item).toBeDefined();
    await expect(
      executor.send(new CreateTableCommand({ TableName, KeySchema: [], AttributeDefinitions: [] })),
    ).rejects.toMatchObject(
      denied(
        "dynamodb:CreateTable",
        "because no identity-based policy allows the dynamodb:CreateTable action",
      ),
    );
  });

  it("refuses PartiQL and unknown access keys", async () => {
    const statement = { Statement: `DELETE FROM ${TableName} WHERE PK = 'SIGNED#1'` };
    await expect(executor.send(new ExecuteStatementCommand(statement))).rejects.toMatchObject({
      name: "UnknownOperationException",
    });
    await expect(stranger.send(new GetItemCommand(keyOf("LANE#1")))).rejects.toMatchObject({
      name: "UnrecognizedClientException",
    });
  });

  it("forwards large items and many calls at once", async () => {
    const text = "€".repeat(100_000);
    const all = await Promise.all(
      Array.from({ length: 30 }, async (_, n) => {
        await executor.send(new PutItemCommand(put(`LARGE#${n}`, { text: { S: `${n}${text}` } })));
        return (await executor.send(new GetItemCommand(keyOf(`LARGE#${n}`)))).Item?.text?.S;
      }),
    );
    expect(all.every((read, n) => read === `${n}${text}`)).toBe(true);
  });

  it("closes a connection if a request has no length or its headers never end", async () => {
    await expect(fetch(gate.endpoint)).rejects.toThrow();
    const { port } = new URL(gate.endpoint);
    const socket = connect(Number(port), "127.0.0.1");
    socket.write(`POST / HTTP/1.1\r\nX-Long: ${"x".repeat(20_000)}`);
    socket.resume();
    await once(socket, "close");
  });
});
