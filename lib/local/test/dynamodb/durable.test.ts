import { describe, expect, it } from "vitest";
import { withDurableTransactions } from "../../src/dynamodb/durable.ts";
import { operationOf } from "../../src/dynamodb/forward.ts";
import type { GatewayRequest, GatewayResponse } from "../../src/http/messages.ts";
import { json } from "../../src/http/messages.ts";

const Table = { KeySchema: [{ AttributeName: "PK" }, { AttributeName: "SK" }] };
const key = { PK: { S: "a" }, SK: { S: "b" } };

const request = (operation: string, input: object): GatewayRequest => ({
  method: "POST",
  target: "/",
  headers: [["X-Amz-Target", `DynamoDB_20120810.${operation}`]],
  body: Buffer.from(JSON.stringify(input)),
  sourceIp: "127.0.0.1",
});

/** Makes one call, and returns its status and the calls that reached the database, with their input. */
async function callsOf(call: GatewayRequest, answer: GatewayResponse) {
  const calls: [string, unknown][] = [];
  const forward = withDurableTransactions(async (forwarded) => {
    const operation = operationOf(forwarded);
    calls.push([operation, JSON.parse(forwarded.body.toString())]);
    return operation === operationOf(call) ? answer : json(200, { Table });
  });
  const { status } = await forward(call);
  return { status, calls };
}

describe("withDurableTransactions", () => {
  const put = { Put: { TableName: "notes", Item: { ...key, text: { S: "c" } } } };
  const transaction = { TransactItems: [put] };

  it("reads an item of a transaction before answering", async () => {
    const { status, calls } = await callsOf(request("TransactWriteItems", transaction), json(200, {}));
    expect(status).toBe(200);
    expect(calls).toEqual([
      ["TransactWriteItems", transaction],
      ["DescribeTable", { TableName: "notes" }],
      ["GetItem", { TableName: "notes", Key: key, ConsistentRead: true }],
    ]);
  });

  it.each([
    ["a transaction that is cancelled", request("TransactWriteItems", transaction), json(400, {})],
    ["a single write", request("PutItem", { TableName: "notes", Item: key }), json(200, {})],
  ])("answers %s without reading an item", async (_, call, answer) => {
    expect(await callsOf(call, answer)).toMatchObject({ status: answer.status, calls: { length: 1 } });
  });
});
