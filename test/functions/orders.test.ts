import "./environment.ts";
import { BatchGetCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { handler as cancelOrder } from "../../functions/cancelOrder/handler.ts";
import { handler as cancelOrders } from "../../functions/cancelOrders/handler.ts";
import { handler as placeOrder } from "../../functions/placeOrder/handler.ts";
import { evmChains } from "../../lib/core/chain-facts.ts";
import { fingerprintOf } from "../../lib/trading/idempotency.ts";
import { packed } from "../../lib/trading/items/items.ts";
import { usedKeyKey } from "../../lib/trading/items/keys.ts";
import { tradeKeyOf } from "../../lib/trading/items/lane-records.ts";
import { badBodies, badContentTypes, unknownFields } from "../cases/bad-bodies.ts";
import { restEvent } from "../support/events.ts";
import { mockFunctions } from "../support/function-mocks.ts";
import { intent, tradeOrder } from "../support/trading.ts";

const { table, logged, fetched } = mockFunctions();

const wallet = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const token = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const wrong = token.replace("F", "f");
const buy = { chain: "eth", wallet, side: "buy", type: "market", token, amount: "0.5" } as const;
const json = { "Content-Type": "application/json" };

type Parts = Parameters<typeof restEvent>[0];

const keyed = (body: object, key = "k-1"): Parts => ({ headers: { ...json, "idempotency-key": key }, body });

async function answerOf(handler: typeof placeOrder, parts: Parts) {
  const { statusCode, headers, body } = await handler(restEvent(parts));
  return { statusCode, headers, body: JSON.parse(body) };
}
const place = (parts: Parts) => answerOf(placeOrder, parts);

/** Expects a refusal with this status, without reads or calls to hosts. */
async function refused(parts: Parts, status: number) {
  const { statusCode, body } = await place(parts);
  expect(statusCode, JSON.stringify(body)).toBe(status);
  expect(body).toMatchObject({ success: false, error: { message: expect.any(String) } });
  expect([table.calls(), fetched.mock.calls, logged()]).toEqual([[], [], []]);
  return body.error;
}

/** Gives the table exactly these items. */
const tableHas = (...items: Record<string, unknown>[]) =>
  table.on(BatchGetCommand).callsFake(({ RequestItems }) => {
    const { Keys = [] } = RequestItems.table;
    const isAsked = (item: Record<string, unknown>) =>
      Keys.some(({ PK, SK }: { PK: string; SK: string }) => PK === item.PK && SK === item.SK);
    return { Responses: { table: items.filter(isAsked) } };
  });

describe("placeOrder", () => {
  it.each<[string, object]>([
    ["amount", { amount: 0.5 }],
    ["amount", { amount: "0" }],
    ["amount", { amount: "1e3" }],
    ["amount", { amount: `0.${"0".repeat(18)}1` }],
    ["amount", { amount: undefined }],
    ["percent", { percent: 50 }],
    ["percent", { percent: 50, amount: undefined }],
    ["percent", { percent: 50.00001, amount: undefined, side: "sell" }],
    ["percent", { percent: 101, amount: undefined, side: "sell" }],
    ["slippage", { slippage: 0 }],
    ["minAmountOut", { slippage: 1, minAmountOut: "1" }],
    ["maxPriceImpact", { maxPriceImpact: 0 }],
    ["maxGasPrice", { maxGasPrice: "100" }],
    ["gasPreset", { gasPreset: "warp" }],
    ["mevProtection", { mevProtection: "yes" }],
    ["validForSeconds", { validForSeconds: 14 }],
    ["validForSeconds", { validForSeconds: 601 }],
    ["validForSeconds", { validForSeconds: 60.5 }],
    ["type", { type: "take_profit" }],
    ["price", { type: "limit" }],
    ["type", { type: undefined }],
    ["side", { side: "hold" }],
    ["chain", { chain: "ethereum" }],
    ["wallet", { wallet: undefined }],
    ["wallet", { wallet: wallet.replace("F", "f") }],
    ["token", { token: "native" }],
    ["token", { token: wrong }],
    ["dryRun", { dryRun: 1 }],
  ])("refuses a body with a wrong %s, and names the field: %j", async (field, changes) => {
    const error = await refused(keyed({ ...buy, ...changes }), 400);
    expect(error).toMatchObject({ code: "INVALID_REQUEST", details: { field } });
  });

  it.each(badBodies)("refuses $title", async ({ body }) => {
    const value = body(JSON.stringify(buy));
    const text = value instanceof Uint8Array ? Buffer.from(value).toString() : value;
    await refused({ headers: { ...json, "Idempotency-Key": "k" }, body: text }, 400);
  });

  it.each(unknownFields)("refuses $title among valid fields", async ({ value }) => {
    await refused(keyed({ ...buy, ...(value as object) }), 400);
  });

  it.each(badContentTypes)("refuses $title with 415", async ({ value: [type] }) => {
    await refused({ headers: type === undefined ? {} : { "Content-Type": type }, body: buy }, 415);
  });

  const resting = { ...buy, type: "limit", price: "1" };
  const automatic = { auto: "buy", chain: "eth", token };

  it.each([buy, { ...buy, dryRun: true }, resting, automatic])(
    "refuses a clientOrderId that is not the Idempotency-Key, and names both: %j",
    async (body) => {
      const error = await refused(keyed({ ...body, clientOrderId: "k-2" }), 400);
      expect(error).toEqual({
        code: "INVALID_REQUEST",
        message: "clientOrderId must equal the header Idempotency-Key",
        details: { field: "clientOrderId" },
      });
    },
  );

  it.each([7, "", "k".repeat(256), "k\u0001", "kłucz"])(
    "refuses the clientOrderId %j",
    async (clientOrderId) => {
      expect(await refused({ body: { ...buy, clientOrderId } }, 400)).toMatchObject({
        code: "INVALID_REQUEST",
        details: { field: "clientOrderId" },
      });
    },
  );

  it("refuses an order without an Idempotency-Key", async () => {
    expect(await refused({ body: buy }, 400)).toMatchObject({
      code: "IDEMPOTENCY_KEY_MISSING",
      details: { field: "Idempotency-Key" },
    });
  });

  it.each([
    ["of 256 characters", "k".repeat(256)],
    ["of 256 characters as a quoted string", `"${"k".repeat(256)}"`],
    ["that is empty", ""],
    ["that is an empty string", '""'],
    ["with a control character", "k\u0001"],
    ["with a tab", "k\tk"],
    ["beyond ASCII", "kłucz"],
    ["whose quotes do not end", '"k'],
    ["with a quote in a quoted string", '"k"k"'],
    ["with an escape of nothing", '"k\\k"'],
  ])("refuses an Idempotency-Key %s", async (_, key) => {
    expect(await refused(keyed(buy, key), 400)).toMatchObject({
      code: "INVALID_REQUEST",
      details: { field: "Idempotency-Key" },
    });
  });

  const used = (key: string, body: object = buy) => ({
    ...usedKeyKey("alice", "placeOrder", key),
    userID: "alice",
    key,
    orderId: "o1",
    fingerprint: fingerprintOf(body as never),
  });
  const order = tradeOrder({ intent: intent({ userID: "alice", orderId: "o1" }) });
  const stored = {
    ...tradeKeyOf({ userID: "alice", orderId: "o1" }),
    ...(packed({ ...order, life: { ...order.life, settled: true } }) as object),
  };

  it.each([
    ["bare", "k-1", "k-1"],
    ["as a quoted string", '"k-1"', "k-1"],
    ["with quotes in it", '"a \\"b\\" \\\\"', 'a "b" \\'],
    ["of 255 characters", "k".repeat(255), "k".repeat(255)],
    ["of 255 characters as a quoted string", `"${"k".repeat(255)}"`, "k".repeat(255)],
  ])("replays a request whose key is sent %s, and reports it", async (_, given, key) => {
    tableHas(used(key), stored);
    const { statusCode, headers, body } = await place(keyed(buy, given));
    expect(statusCode, JSON.stringify(body)).toBe(200);
    expect(headers).toMatchObject({ "Idempotent-Replayed": "true" });
    expect(body).toMatchObject({ success: true, data: { order: { orderId: "o1", version: 1 } } });
    // Asks both hosts while it reads the table, and waits for neither.
    expect(fetched).toHaveBeenCalledTimes(2);
  });

  it.each([
    ["in the body", { body: { ...buy, clientOrderId: 'a "b"' } }],
    ["in the header and the body", keyed({ ...buy, clientOrderId: 'a "b"' }, '"a \\"b\\""')],
  ])("replays a request whose key is sent %s", async (_, parts) => {
    tableHas(used('a "b"'), stored);
    const { statusCode, headers, body } = await place(parts);
    expect(statusCode, JSON.stringify(body)).toBe(200);
    expect(headers).toMatchObject({ "Idempotent-Replayed": "true" });
  });

  it("treats bodies as equal even if their fields are in a different order, or amounts and addresses are written differently", async () => {
    tableHas(used("k-1"), stored);
    const { amount: _, ...rest } = buy;
    const same = { amount: "00.500", ...rest, token: token.toLowerCase(), allowUnsafe: false };
    expect(await place(keyed(same))).toMatchObject({ statusCode: 200 });
  });

  it.each([
    { amount: "0.51" },
    { slippage: 1 },
    { chain: "base" },
    { validForSeconds: 60 },
    { allowUnsafe: true },
  ])("refuses a used Idempotency-Key with a different body: %j", async (changes) => {
    tableHas(used("k-1"), stored);
    const { statusCode, body } = await place(keyed({ ...buy, ...changes }));
    expect(statusCode).toBe(422);
    expect(body.error).toMatchObject({ code: "IDEMPOTENCY_KEY_REUSED", details: { orderId: "o1" } });
  });

  it("refuses a chain on which this deployment does not trade, and lists the chains on which it does", async () => {
    tableHas();
    const addresses = {
      wallet: "vines1vzrYbzLMRdu58ou5XTby4qAqVRLmqo36NKPTg",
      token: "So11111111111111111111111111111111111111112",
    };
    const { statusCode, body } = await place(keyed({ ...buy, chain: "sol", ...addresses }));
    expect(statusCode).toBe(400);
    expect(body.error).toMatchObject({ code: "UNSUPPORTED_CHAIN", details: { chains: evmChains } });
  });

  it("hides other users' wallets", async () => {
    tableHas();
    const { statusCode, body } = await place(keyed(buy));
    expect(statusCode).toBe(404);
    expect(body.error.code).toBe("WALLET_NOT_FOUND");
    // Asks both hosts while it reads the table, and waits for neither.
    expect(fetched).toHaveBeenCalledTimes(2);
  });
});

describe("cancelOrder", () => {
  const cancel = (parts: Parts) => answerOf(cancelOrder, { path: { orderId: "o1" }, ...parts });

  it.each(badContentTypes)("refuses $title with 415", async ({ value: [type] }) => {
    const headers: Record<string, string> = type === undefined ? {} : { "Content-Type": type };
    expect(await cancel({ headers, body: {} })).toMatchObject({ statusCode: 415 });
    expect(table.calls()).toEqual([]);
  });

  it.each(["", "[]", '{"force":true}'])("refuses the body %j", async (body) => {
    expect(await cancel({ body })).toMatchObject({ statusCode: 400 });
    expect(table.calls()).toEqual([]);
  });

  it("reports an order as unknown if it does not exist or belongs to another user", async () => {
    tableHas();
    table.onAnyCommand().resolves({});
    tableHas();
    const { statusCode, body } = await cancel({ body: {} });
    expect(statusCode).toBe(404);
    expect(body.error.code).toBe("ORDER_NOT_FOUND");
  });
});

describe("cancelOrders", () => {
  const cancel = (parts: Parts) => answerOf(cancelOrders, parts);

  it.each(badContentTypes)("refuses $title with 415", async ({ value: [type] }) => {
    const headers: Record<string, string> = type === undefined ? {} : { "Content-Type": type };
    expect(await cancel({ headers, body: {} })).toMatchObject({ statusCode: 415 });
    expect(table.calls()).toEqual([]);
  });

  it.each([
    ["[]", undefined],
    ['{"chain":"doge"}', "chain"],
    ['{"wallet":"0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"}', "wallet"],
    ['{"chain":"eth","wallet":"0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266"}', "wallet"],
    ['{"force":true}', "force"],
  ])("refuses the body %j before it writes anything", async (body, field) => {
    const { statusCode, body: answer } = await cancel({ body });
    expect(statusCode).toBe(400);
    if (field !== undefined) expect(answer.error).toMatchObject({ details: { field } });
    expect(table.calls()).toEqual([]);
  });

  it("answers with the number of orders that it has cancelled", async () => {
    table.onAnyCommand().resolves({});
    expect(await cancel({ body: {} })).toMatchObject({
      statusCode: 200,
      body: { data: { cancelled: 0 } },
    });
  });
});
