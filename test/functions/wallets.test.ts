import "./environment.ts";
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import {
  DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  TransactWriteCommand,
} from "@aws-sdk/lib-dynamodb";
import { mockClient } from "aws-sdk-client-mock";
import { beforeEach, describe, expect, it } from "vitest";
import { handler as retireWallet } from "../../functions/retireWallet/handler.ts";
import type { StoredResting } from "../../lib/orders/resting/stored.ts";
import { walletKey } from "../../lib/table/wallet-keys.ts";
import { jobKey, restingKey } from "../../lib/trading/items/keys.ts";
import { newWallet } from "../../lib/wallets/wallet.ts";
import { storedOrder } from "../orders/resting/fixtures.ts";
import { quietConsole } from "../support/console.ts";
import { restEvent } from "../support/events.ts";

const table = mockClient(DynamoDBDocumentClient);
const lambda = mockClient(LambdaClient);
const logged = quietConsole();

const named = { userID: "alice", network: "eth", address: "0xA", now: new Date() } as const;
const wallet = { ...newWallet("generated", named), slot: 1, version: 1 };
const lane = { chain: "eth", wallet: "0xA" } as const;

let resting: StoredResting[] = [];

function itemsIn(partition: string): object[] {
  if (partition.startsWith("LANE#")) return [{ ...jobKey(lane, "o"), userID: "alice" }];
  if (partition.startsWith("RESTING#"))
    return resting.map((order) => ({ ...restingKey(order.mandate), ...order }));
  return [{ ...walletKey("alice", "eth", "0xA"), ...wallet }];
}

beforeEach(() => {
  table.reset();
  lambda.reset();
  table.on(GetCommand).resolves({ Item: { tier: "Base", walletCount: 1, lastSlot: 1 } });
  table.on(TransactWriteCommand).resolves({});
  resting = [];
  table.on(QueryCommand).callsFake(({ ExpressionAttributeValues }) => ({
    Items: itemsIn(ExpressionAttributeValues[":pk"]),
  }));
});

const retire = () => retireWallet(restEvent({ path: { walletId: wallet._id }, headers: {} }));

describe("retireWallet", () => {
  it("starts a run that ends the wallet's open orders", async () => {
    expect((await retire()).statusCode).toBe(200);
    const { Payload, ...input } = lambda.commandCalls(InvokeCommand)[0]?.args[0].input ?? {};
    expect(input).toEqual({ FunctionName: "executeOrders", InvocationType: "Event" });
    expect(JSON.parse(String(Payload))).toEqual(lane);
  });

  it("hands the wallet's resting orders over to fireOrders, by token", async () => {
    const of = { userID: "alice", ...lane };
    const near = { ...of, orderId: "01KAMZ3Q5T9WJ2M4N6P8R0S1V1", token: "0x1" };
    const next = { ...near, orderId: "01KAMZ3Q5T9WJ2M4N6P8R0S1V2" };
    const far = { ...of, orderId: "01KAMZ3Q5T9WJ2M4N6P8R0S1V3", token: "0x2" };
    const others = [
      { ...near, orderId: "01KAMZ3Q5T9WJ2M4N6P8R0S1V4", wallet: "0xB" },
      { ...near, orderId: "01KAMZ3Q5T9WJ2M4N6P8R0S1V5", chain: "base" as const },
    ];
    resting = [near, next, far, ...others].map(storedOrder);
    expect((await retire()).statusCode).toBe(200);
    const inputs = lambda.commandCalls(InvokeCommand).map(({ args: [{ input }] }) => input);
    const fired = inputs.filter(({ FunctionName }) => FunctionName === "fireOrders");
    const requests = fired.map(({ Payload }) => JSON.parse(String(Payload)));
    const named = ({ orderId }: typeof near) => ({ orderId, userID: "alice", wallet: "0xA" });
    expect(requests).toEqual([
      { chain: "eth", token: "0x1", orders: [named(near), named(next)] },
      { chain: "eth", token: "0x2", orders: [named(far)] },
    ]);
  });

  it("succeeds if neither can be started, because sweeps and repeated requests start them", async () => {
    resting = [storedOrder({ userID: "alice", ...lane })];
    lambda.on(InvokeCommand).rejects(new Error("down"));
    expect((await retire()).statusCode).toBe(200);
    const failed = { operation: "retireWallet", error: "Error" };
    expect(logged()).toMatchObject([failed, failed]);
  });
});
