import "./environment.ts";
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { BatchGetCommand, DynamoDBDocumentClient, GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { mockClient } from "aws-sdk-client-mock";
import { beforeEach, describe, expect, it } from "vitest";
import { handler as getOrder } from "../../functions/getOrder/handler.ts";
import { handler as listOrders } from "../../functions/listOrders/handler.ts";
import { handler as listPositions } from "../../functions/listPositions/handler.ts";
import { restEvent } from "../support/events.ts";
import { order, position } from "../support/executions.ts";

const table = mockClient(DynamoDBDocumentClient);
const lambda = mockClient(LambdaClient);

beforeEach(() => {
  table.reset();
  lambda.reset();
});

const wallet = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const stored = { PK: "TRADES#alice", SK: "ORDERAT#1#o1", userID: "alice", lane: "eth#0x", expiresAt: 1 };

type Handler = typeof listOrders;

async function answerOf(handle: Handler, parts: Parameters<typeof restEvent>[0]) {
  const { statusCode, body } = await handle(restEvent(parts));
  return { statusCode, ...JSON.parse(body) };
}

describe("listOrders", () => {
  it("lists orders in the standard envelope, with no fields outside the schema", async () => {
    const own = order({ stage: "done", settled: true, receivedAmount: "1", reasonCode: "REVERTED" });
    table.on(QueryCommand).resolves({ Items: [{ ...stored, ...own, mac: "secret" }] });
    expect(await answerOf(listOrders, {})).toEqual({
      statusCode: 200,
      success: true,
      data: { orders: [own] },
      timestamp: expect.stringMatching(/\.\d{3}Z$/),
    });
  });

  it.each([
    [{ limit: "0" }, "The query parameter limit must be a whole number from 1 to 100"],
    [{ limit: "101" }, "The query parameter limit must be a whole number from 1 to 100"],
    [{ limit: "1.5" }, "The query parameter limit must be a whole number from 1 to 100"],
    [{ limit: "" }, "The query parameter limit must be a whole number from 1 to 100"],
    [
      { status: "done" },
      "The query parameter status must be one of open, partially_filled, filled, cancelled, rejected, expired, resting",
    ],
    [{ chain: "ETH" }, "The query parameter chain must be one of eth, base, sol, bsc, avax"],
    [{ wallet: "alice" }, "The query parameter wallet must be an address of its network"],
    [
      { wallet: wallet.replace("F", "f") },
      "wallet has a wrong checksum. Compare it with its source, or write it in lower case",
    ],
    [{ token: "native" }, "The query parameter token must be an address of its network"],
    [{ cursor: "" }, "The query parameter cursor must be the cursor of an answer to the same request"],
    [
      { cursor: "A".repeat(301) },
      "The query parameter cursor must be the cursor of an answer to the same request",
    ],
    [{ cursor: "A".repeat(40) }, "cursor must be one of the same list, with the same filters"],
    [{ page: "2" }, "The query parameter page is not a known field"],
    [{ userID: "bob" }, "The query parameter userID is not a known field"],
  ])("refuses %j: %s, and reads nothing", async (query, message) => {
    const [field] = message.replace("The query parameter ", "").split(" ");
    expect(await answerOf(listOrders, { query })).toMatchObject({
      statusCode: 400,
      success: false,
      error: { code: "INVALID_REQUEST", message, details: { field } },
    });
    expect(table.calls()).toEqual([]);
  });
});

describe("listPositions", () => {
  it("lists positions with no fields outside the schema", async () => {
    const own = position({ cost: "1", networkFees: "0", settled: false });
    table.on(QueryCommand).resolves({ Items: [{ ...stored, ...own }] });
    expect(await answerOf(listPositions, {})).toMatchObject({ data: { positions: [own] } });
  });

  it("wakes the lane of an open position, and answers even if that fails", async () => {
    const own = position({ token: "0x1", cost: "1", settled: true });
    table.on(QueryCommand).resolves({ Items: [{ ...stored, ...own }] });
    lambda.on(InvokeCommand).rejects(new Error("throttled"));
    expect(await answerOf(listPositions, {})).toMatchObject({ statusCode: 200, data: { positions: [own] } });
    const { chain, wallet: holder, token } = own;
    const [{ FunctionName, InvocationType, Payload } = {}] = lambda
      .commandCalls(InvokeCommand)
      .map(({ args }) => args[0].input);
    expect({ FunctionName, InvocationType }).toEqual({
      FunctionName: "executeOrders",
      InvocationType: "Event",
    });
    expect(JSON.parse(String(Payload))).toEqual({
      chain,
      wallet: holder,
      missed: { userID: "alice", token },
    });
  });

  it.each([{ status: "filled" }, { token: wallet }, { limit: "1000" }])("refuses %j", async (query) => {
    const [field] = Object.keys(query);
    expect(await answerOf(listPositions, { query })).toMatchObject({
      statusCode: 400,
      error: { code: "INVALID_REQUEST", details: { field } },
    });
    expect(table.calls()).toEqual([]);
  });
});

describe("getOrder", () => {
  it("returns 404 for an order that the user does not have", async () => {
    table.on(GetCommand).resolves({});
    table.on(BatchGetCommand).resolves({ Responses: {} });
    table.on(QueryCommand).resolves({ Items: [] });
    expect(await answerOf(getOrder, { path: { orderId: "o1" } })).toMatchObject({
      statusCode: 404,
      success: false,
      error: { code: "ORDER_NOT_FOUND" },
    });
  });

  it.each(["", "o 1", "x".repeat(65), "../o1", "o#1"])("refuses the order id %j", async (orderId) => {
    expect(await answerOf(getOrder, { path: { orderId } })).toMatchObject({
      statusCode: 400,
      error: { code: "INVALID_REQUEST", details: { field: "orderId" } },
    });
    expect(table.calls()).toEqual([]);
  });

  it("refuses query parameters", async () => {
    expect(await answerOf(getOrder, { path: { orderId: "o1" }, query: { full: "1" } })).toMatchObject({
      statusCode: 400,
      error: { details: { field: "full" } },
    });
  });
});
