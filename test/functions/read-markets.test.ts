import "./environment.ts";
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { Context } from "aws-lambda";
import { mockClient } from "aws-sdk-client-mock";
import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { beforeEach, describe, expect, it } from "vitest";
import { handler as loadHistory } from "../../functions/loadHistory/handler.ts";
import { handler as readMarkets } from "../../functions/readMarkets/handler.ts";
import { epochSeconds } from "../../lib/core/time.ts";
import type { HistoryOrder } from "../../lib/markets/evm/load-history.ts";
import { nativeToken } from "../../lib/orders/trading-chain.ts";
import { mockFunctions } from "../support/function-mocks.ts";

const { table, fetched, logged } = mockFunctions();
const lambda = mockClient(LambdaClient);
beforeEach(() => void lambda.reset());

const secret = new TypeError("secret.example refused");
const contextOf = (ms: number) => ({ getRemainingTimeInMillis: () => ms }) as Context;

type Item = Record<string, unknown>;

/** Makes the table return these items for queries of partitions with this prefix. */
const holding = (items: Record<string, Item[]>) =>
  table.on(QueryCommand).callsFake(({ ExpressionAttributeValues: { ":pk": PK, ":from": from } }) => ({
    Items: Object.entries(items).flatMap(([name, found]) => (`${PK} ${from}`.startsWith(name) ? found : [])),
  }));

const follower = {
  PK: "CHANNEL#markets#2",
  SK: "CONNECTION#c1",
  userID: "ann",
  connectionId: "c1",
  shard: 2,
  every: 1,
  tokens: [{ chain: "base", token: localAddresses.moon }],
  expiresAt: epochSeconds(new Date()) + 3600,
};

const invoked = (name: string) =>
  lambda
    .commandCalls(InvokeCommand)
    .map(({ args: [{ input }] }) => input)
    .filter(({ FunctionName }) => FunctionName === name)
    .map(({ InvocationType, Payload }) => ({ InvocationType, event: JSON.parse(String(Payload)) }));

describe("readMarkets", () => {
  it("ends at once without taking the lease if nobody follows a market", async () => {
    holding({});
    await readMarkets({}, contextOf(900_000));
    expect([table.commandCalls(UpdateCommand), lambda.commandCalls(InvokeCommand)]).toEqual([[], []]);
    expect(fetched).not.toHaveBeenCalled();
    expect(logged()).toEqual([]);
  });

  it("waits for deliver, logs once that no host answers, and ends in time", async () => {
    fetched.mockRejectedValue(secret);
    table.resolves({});
    holding({ "CHANNEL#markets#2": [follower] });
    const Payload = { transformToString: () => '{"isDelivered":true}' } as never;
    lambda.on(InvokeCommand).resolves({ StatusCode: 200, Payload });
    // A run reserves half a minute for storing its results.
    const beganMs = Date.now();
    await readMarkets({}, contextOf(31_500));
    expect(Date.now() - beganMs).toBeLessThan(15_000);
    const deliveries = invoked("deliver");
    expect(deliveries[0]).toMatchObject({
      event: { shard: 2, markets: { newConnections: [], records: [] } },
    });
    expect(deliveries.map(({ InvocationType }) => InvocationType)).not.toContain("Event");
    const warnings = logged() as { operation: string; error: string }[];
    expect(warnings).toMatchObject([{ operation: "readMarkets", error: "ChainUnavailable" }]);
    expect(JSON.stringify(warnings)).not.toContain("secret");
  });

  it("throws without naming the cause if the table fails", async () => {
    table.rejects(Object.assign(new Error("table-1 is down"), { name: "InternalServerError" }));
    await expect(readMarkets({}, contextOf(900_000))).rejects.toThrow(/^readMarkets failed$/);
    expect(JSON.stringify(logged())).not.toContain("table-1");
  });
});

describe("loadHistory", () => {
  const order = (chain: "base" | "sol"): HistoryOrder => ({
    name: { chain, token: localAddresses.moon },
    pool: {
      pool: localAddresses.usdx,
      quote: nativeToken,
      venue: "uniswap-v2",
      token: localAddresses.moon,
      decimals: 18,
      quoteDecimals: 18,
      isTokenFirst: true,
    },
    first: { block: 900, time: 1_795_780_800 },
  });

  it("reports history as unavailable for chains without events, and queries nothing", async () => {
    expect(await loadHistory(order("sol"), contextOf(60_000))).toBe("unavailable");
    expect([fetched.mock.calls, table.calls()]).toEqual([[], []]);
  });

  it("throws without naming the host if none answers, and stores nothing", async () => {
    fetched.mockRejectedValue(secret);
    await expect(loadHistory(order("base"), contextOf(60_000))).rejects.toThrow(/^loadHistory failed$/);
    expect(table.calls()).toEqual([]);
    expect(JSON.stringify(logged())).not.toContain("secret");
  });
});
