import "./environment.ts";
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { GetCommand, PutCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { handler as getMarket } from "../../functions/getMarket/handler.ts";
import { handler as listCandles } from "../../functions/listCandles/handler.ts";
import { handler as listNewTokens } from "../../functions/listNewTokens/handler.ts";
import { handler as listPositions } from "../../functions/listPositions/handler.ts";
import { handler as listTokens } from "../../functions/listTokens/handler.ts";
import { parseDecimal, zero } from "../../lib/core/decimal.ts";
import { chunkStart, packChunk } from "../../lib/markets/core/candle-chunk.ts";
import { restEvent } from "../support/events.ts";
import { mockFunctions } from "../support/function-mocks.ts";

const { table, fetched, logged } = mockFunctions();

const token = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const path = { chain: "base", token };
const handlers = { getMarket, listCandles, listNewTokens, listPositions, listTokens };

type Parts = Parameters<typeof restEvent>[0];

async function answerOf(name: keyof typeof handlers, parts: Parts) {
  const event = { ...restEvent(parts), httpMethod: "GET" };
  const { statusCode, headers, body } = await handlers[name](event);
  return { statusCode, headers, body: body === "" ? undefined : JSON.parse(body) };
}

/** Requests with one mistake each. */
const bad: [keyof typeof handlers, Parts, string][] = [
  ["getMarket", { path: { ...path, chain: "base " } }, "chain"],
  ["getMarket", { path: { ...path, token: "MOON" } }, "token"],
  ["getMarket", { path: { ...path, token: `${token}0` } }, "token"],
  ["getMarket", { path: { ...path, token: `0x${"0".repeat(40)}` } }, "token"],
  ["getMarket", { path: { ...path, token: token.replace("F", "f") } }, "token"],
  ["getMarket", { path, query: { currency: "usd" } }, "currency"],
  ["listCandles", { path, query: {} }, "interval"],
  ["listCandles", { path, query: { interval: "2m" } }, "interval"],
  ["listCandles", { path, query: { interval: "1s" } }, "interval"],
  ["listCandles", { path, query: { interval: "-1m" } }, "interval"],
  ["listCandles", { path, query: { interval: "1m", from: "yesterday" } }, "from"],
  ["listCandles", { path, query: { interval: "1m", from: "1795780800" } }, "from"],
  ["listCandles", { path, query: { interval: "1m", from: "2026-02-30T00:00:00Z" } }, "from"],
  ["listCandles", { path, query: { interval: "1m", to: "2026-13-01T00:00:00Z" } }, "to"],
  ["listCandles", { path, query: { interval: "1m", from: "2100-01-01T00:00:00Z" } }, "from"],
  [
    "listCandles",
    { path, query: { interval: "1m", from: "2025-01-02T00:00:00Z", to: "2025-01-01T00:00:00Z" } },
    "from",
  ],
  ["listCandles", { path, query: { interval: "1m", limit: "0" } }, "limit"],
  ["listCandles", { path, query: { interval: "1m", limit: "1001" } }, "limit"],
  ["listCandles", { path, query: { interval: "1m", limit: "1e2" } }, "limit"],
  ["listCandles", { path, query: { interval: "1m", currency: "EUR" } }, "currency"],
  [
    "listCandles",
    { path: { ...path, token: "native" }, query: { interval: "1m", currency: "native" } },
    "currency",
  ],
  ["listCandles", { path, query: { interval: "1m", source: "geckoterminal" } }, "source"],
  ["listNewTokens", { query: {} }, "chain"],
  ["listNewTokens", { query: { chain: "btc" } }, "chain"],
  ["listNewTokens", { query: { chain: "base", limit: "5" } }, "limit"],
  ["listPositions", { query: { valued: "yes" } }, "valued"],
  ["listTokens", { query: { query: "m" } }, "query"],
  ["listTokens", { query: { query: "m".repeat(10_000) } }, "query"],
  ["listTokens", { query: { query: "mo\u202eon" } }, "query"],
  ["listTokens", { query: { query: token.replace("F", "f") } }, "query"],
];

describe("an unreadable request", () => {
  it.each(bad)("refuses an unreadable request to %s and names its field: %j", async (name, parts, field) => {
    const { statusCode, body } = await answerOf(name, parts);
    expect(statusCode).toBe(400);
    expect(body.error).toMatchObject({ code: "INVALID_REQUEST", details: { field } });
    expect(body.error.message).toContain(field);
    // Allows reads, whose results may simply be dropped, but no writes.
    expect([table.commandCalls(PutCommand), table.commandCalls(UpdateCommand)]).toEqual([[], []]);
    expect(fetched).not.toHaveBeenCalled();
  });
});

describe("a fault", () => {
  const asked: [keyof typeof handlers, Parts][] = [
    ["getMarket", { path }],
    ["listCandles", { path, query: { interval: "1m" } }],
    ["listPositions", { query: { valued: "true" } }],
    ["listTokens", { query: { query: "moon" } }],
  ];

  it.each(asked)("responds to a table failure with a 500 from %s, without details", async (name, parts) => {
    table.rejects(Object.assign(new Error("table-1 is down"), { name: "InternalServerError" }));
    const { statusCode, body } = await answerOf(name, parts);
    expect(statusCode).toBe(500);
    expect(body.error).toEqual({ code: "INTERNAL_ERROR", message: "Internal server error" });
    expect(JSON.stringify(logged())).not.toContain("table-1");
  });

  it.each(asked.slice(0, 2))(
    "responds with a 503 from %s if all hosts fail and the token is unknown",
    async (name, parts) => {
      table.resolves({});
      fetched.mockRejectedValue(new TypeError("secret.example refused"));
      const { statusCode, headers, body } = await answerOf(name, parts);
      expect(statusCode).toBe(503);
      expect(headers?.["Retry-After"]).toBe("5");
      expect(body.error.code).toBe("CHAIN_UNAVAILABLE");
      expect(table.commandCalls(PutCommand)).toEqual([]);
      expect(JSON.stringify(logged())).not.toContain("secret.example");
    },
  );

  it("responds to a user's 31st look with a 429 that says when to retry", async () => {
    table.resolves({});
    const refused = new ConditionalCheckFailedException({ $metadata: {}, message: "refused" });
    table.on(UpdateCommand).rejects(refused);
    const { statusCode, headers, body } = await answerOf("getMarket", { path });
    expect([statusCode, headers?.["Retry-After"]]).toEqual([429, "60"]);
    expect(body.error.code).toBe("LOOK_LIMIT_REACHED");
    expect(fetched).not.toHaveBeenCalled();
  });
});

describe("listCandles", () => {
  it("omits everything that the client already has", async () => {
    const start = chunkStart("minutes", Math.floor(Date.now() / 1000) - 3600);
    const close = parseDecimal("2") ?? zero;
    const prices = { open: close, high: close, low: close, close, volume: zero };
    const rest = { trades: 1, isFinal: true, hasGaps: false, pool: { pool: "0x01", quote: "native" } };
    const candles = packChunk("minutes", start, [{ start, ...prices, ...rest }]);
    table.on(GetCommand).resolves({});
    const SK = `MINUTES#${String(start).padStart(11, "0")}`;
    table.on(QueryCommand).callsFake(({ ExpressionAttributeValues: values }) => ({
      Items: values[":pk"].startsWith("MARKET#")
        ? [{ PK: values[":pk"], SK, candles, version: 1, revision: 0, epoch: 1, format: 1 }]
        : [],
    }));
    const minutes = { path, query: { interval: "1m", currency: "quote" } };
    const first = await answerOf("listCandles", minutes);
    expect(first.statusCode).toBe(200);
    const tag = String(first.headers?.ETag);
    expect(tag).toMatch(/^W\//);
    const known = await answerOf("listCandles", { ...minutes, headers: { "If-None-Match": tag } });
    expect([known.statusCode, known.body]).toEqual([304, undefined]);
    const other = await answerOf("listCandles", { ...minutes, headers: { "If-None-Match": 'W/"x"' } });
    expect(other.statusCode).toBe(200);
  });
});
