import "./environment.ts";
import { randomBytes } from "node:crypto";
import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { GenerateDataKeyCommand, KMSClient } from "@aws-sdk/client-kms";
import {
  DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import { mockClient } from "aws-sdk-client-mock";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { handler as getUserData } from "../../functions/getUserData/handler.ts";
import { handler as listRewards } from "../../functions/listRewards/handler.ts";
import { handler as listWallets } from "../../functions/listWallets/handler.ts";
import { handler as listWalletsV2 } from "../../functions/listWalletsV2/handler.ts";
import { handler as storeWallet } from "../../functions/storeWallet/handler.ts";
import { handler as updateTradingSettings } from "../../functions/updateTradingSettings/handler.ts";
import { quietConsole } from "../support/console.ts";
import { restEvent } from "../support/events.ts";

const table = mockClient(DynamoDBDocumentClient);
const kms = mockClient(KMSClient);
const secret = "4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318";
const importEvent = restEvent({ body: { network: "eth", privateKey: secret } });
const logged = quietConsole();

/** Makes an SDK error whose message quotes the request. */
const fault = (name: string) =>
  Object.assign(new Error(`could not handle ${secret}`), {
    name,
    $metadata: { requestId: "r1", attempts: 3 },
  });

const cancelled = (...codes: string[]) =>
  new TransactionCanceledException({
    $metadata: {},
    message: "Transaction cancelled",
    CancellationReasons: codes.map((Code) => ({ Code })),
  });

let dataKey: Buffer;

beforeEach(() => {
  vi.spyOn(Math, "random").mockReturnValue(0);
  table.reset();
  kms.reset();
  dataKey = randomBytes(32);
  table.on(GetCommand).resolves({});
  table
    .on(GetCommand, { Key: { PK: "USER#alice", SK: "PROFILE" } })
    .resolves({ Item: { tier: "Base", walletCount: 0, lastSlot: 0 } });
  kms.on(GenerateDataKeyCommand).callsFake(() => ({ Plaintext: dataKey, CiphertextBlob: randomBytes(184) }));
});

const bodyOf = ({ body }: APIGatewayProxyResult) => JSON.parse(body);
const writes = () => table.commandCalls(TransactWriteCommand).length;

const envelope = {
  success: false,
  error: { code: "INTERNAL_ERROR", message: "Internal server error" },
  timestamp: expect.any(String),
};
const message = { message: "Internal server error" };
const error = { error: "Internal server error" };

type Handler = (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult>;

describe("a DynamoDB failure", () => {
  it.each<[string, Handler, APIGatewayProxyEvent, unknown]>([
    ["storeWallet", storeWallet, importEvent, message],
    ["listWallets", listWallets, restEvent(), error],
    [
      "updateTradingSettings",
      updateTradingSettings,
      restEvent({ path: { chain: "eth" }, body: { slippage: 1 } }),
      message,
    ],
    ["getUserData", getUserData, restEvent({ query: { type: "ref" } }), error],
    ["listRewards", listRewards, restEvent(), envelope],
    ["listWalletsV2", listWalletsV2, restEvent(), envelope],
  ])(
    "responds with 500 in the form of %s, and logs the error without quoting the request",
    async (_, handler, event, body) => {
      for (const command of [GetCommand, QueryCommand, UpdateCommand, TransactWriteCommand] as const) {
        table.on(command as typeof GetCommand).rejects(fault("ProvisionedThroughputExceededException"));
      }
      const result = await handler(event);
      expect(result.statusCode).toBe(500);
      expect(bodyOf(result)).toEqual(body);
      expect(logged()).toEqual([
        expect.objectContaining({ error: "ProvisionedThroughputExceededException", awsRequestId: "r1" }),
      ]);
      expect(JSON.stringify([result, logged()])).not.toContain(secret.slice(0, 8));
    },
  );

  it("responds with 500 if the table is missing", async () => {
    table.on(QueryCommand).rejects(fault("ResourceNotFoundException"));
    expect((await listWallets(restEvent())).statusCode).toBe(500);
  });

  it("responds with 500 if the user has no profile", async () => {
    table.on(GetCommand).resolves({});
    table.on(QueryCommand).resolves({ Items: [] });
    for (const handler of [storeWallet, listRewards, getUserData] as Handler[]) {
      expect((await handler(importEvent)).statusCode).toBe(500);
    }
    expect(writes()).toBe(0);
  });
});

describe("a KMS failure", () => {
  it.each(["KMSInternalException", "ThrottlingException", "AccessDeniedException", "TimeoutError"])(
    "responds with 500 if KMS fails with %s, and stores nothing",
    async (name) => {
      kms.on(GenerateDataKeyCommand).rejects(fault(name));
      const result = await storeWallet(importEvent);
      expect([result.statusCode, bodyOf(result)]).toEqual([500, message]);
      expect(writes()).toBe(0);
    },
  );
});

describe("the transaction of storeWallet", () => {
  it.each(["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"])(
    "retries after %s with the same data key",
    async (code) => {
      table
        .on(TransactWriteCommand)
        .rejectsOnce(cancelled("None", code))
        .rejectsOnce(cancelled(code, "None"))
        .resolves({});
      expect((await storeWallet(importEvent)).statusCode).toBe(200);
      expect(writes()).toBe(3);
      expect(kms.commandCalls(GenerateDataKeyCommand)).toHaveLength(1);
    },
  );

  it("responds with 500 after forty conflicts", async () => {
    table.on(TransactWriteCommand).rejects(cancelled("None", "TransactionConflict"));
    const result = await storeWallet(importEvent);
    expect([result.statusCode, bodyOf(result)]).toEqual([500, message]);
    expect(writes()).toBe(40);
  });

  it("does not retry after any other failure", async () => {
    table.on(TransactWriteCommand).rejects(cancelled("None", "ValidationError"));
    expect((await storeWallet(importEvent)).statusCode).toBe(500);
    expect(writes()).toBe(1);
  });

  it("responds with 403 if another import took the last free place", async () => {
    table.on(TransactWriteCommand).callsFakeOnce(() => {
      table
        .on(GetCommand, { Key: { PK: "USER#alice", SK: "PROFILE" } })
        .resolves({ Item: { tier: "Base", walletCount: 10, lastSlot: 10 } });
      throw cancelled("None", "ConditionalCheckFailed");
    });
    const result = await storeWallet(importEvent);
    expect([result.statusCode, bodyOf(result)]).toEqual([
      403,
      { message: "Wallet limit of 10 reached for tier Base" },
    ]);
  });

  it("responds with 200 if another import stored the same wallet", async () => {
    table.on(TransactWriteCommand).callsFakeOnce(({ TransactItems: [put] }) => {
      const { PK, SK } = put.Put.Item;
      table.on(GetCommand, { Key: { PK, SK } }).resolves({ Item: { PK } });
      throw cancelled("ConditionalCheckFailed", "None");
    });
    expect((await storeWallet(importEvent)).statusCode).toBe(200);
    expect(writes()).toBe(1);
  });
});

describe("the keys of storeWallet", () => {
  it("wipes the data key after the import", async () => {
    table.on(TransactWriteCommand).resolves({});
    await storeWallet(importEvent);
    expect(dataKey).toEqual(Buffer.alloc(32));
  });

  it("requests no data key from KMS if the wallet exists or the limit is reached", async () => {
    const profile = { Item: { tier: "Base", walletCount: 10, lastSlot: 10 } };
    table.on(GetCommand).resolves({ Item: { _id: "w1" } });
    table.on(GetCommand, { Key: { PK: "USER#alice", SK: "PROFILE" } }).resolves(profile);
    expect((await storeWallet(importEvent)).statusCode).toBe(200);
    table.on(GetCommand).resolves({});
    table.on(GetCommand, { Key: { PK: "USER#alice", SK: "PROFILE" } }).resolves(profile);
    expect((await storeWallet(importEvent)).statusCode).toBe(403);
    expect(kms.commandCalls(GenerateDataKeyCommand)).toHaveLength(0);
  });

  it("stores no readable form of the private key", async () => {
    table.on(TransactWriteCommand).resolves({});
    await storeWallet(importEvent);
    const stored = JSON.stringify(table.commandCalls(TransactWriteCommand)[0]?.args[0].input, (_, value) =>
      value?.type === "Buffer" ? Buffer.from(value.data).toString("hex") : value,
    );
    expect(stored).toContain("encryptedPrivateKey");
    expect(stored).not.toContain(secret.slice(0, 8));
  });
});
