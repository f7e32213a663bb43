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
import { walletKey } from "../../lib/table/wallet-keys.ts";
import { jobKey } from "../../lib/trading/items/keys.ts";
import { newWallet } from "../../lib/wallets/wallet.ts";
import { quietConsole } from "../support/console.ts";
import { restEvent } from "../support/events.ts";

const table = mockClient(DynamoDBDocumentClient);
const lambda = mockClient(LambdaClient);
const logged = quietConsole();

const named = { userID: "alice", network: "eth", address: "0xA", now: new Date() } as const;
const wallet = { ...newWallet("generated", named), slot: 1, version: 1 };
const lane = { chain: "eth", wallet: "0xA" } as const;

beforeEach(() => {
  table.reset();
  lambda.reset();
  table.on(GetCommand).resolves({ Item: { tier: "Base", walletCount: 1, lastSlot: 1 } });
  table.on(TransactWriteCommand).resolves({});
  table.on(QueryCommand).callsFake(({ ExpressionAttributeValues }) => ({
    Items: ExpressionAttributeValues[":pk"].startsWith("LANE#")
      ? [{ ...jobKey(lane, "o"), userID: "alice" }]
      : [{ ...walletKey("alice", "eth", "0xA"), ...wallet }],
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

  it("succeeds if that run cannot be started, because the next sweep starts it", async () => {
    lambda.on(InvokeCommand).rejects(new Error("down"));
    expect((await retire()).statusCode).toBe(200);
    expect(logged()).toMatchObject([{ operation: "retireWallet", error: "Error" }]);
  });
});
