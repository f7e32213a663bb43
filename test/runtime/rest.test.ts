import "../functions/environment.ts";
import { describe, expect, it, vi } from "vitest";
import { statusOfCode } from "../../lib/api/errors.ts";
import { schemas } from "../../lib/api/operation-schemas.ts";
import { ChainUnavailable, HostFault } from "../../lib/chains/hosts/host-fault.ts";
import { DomainError } from "../../lib/core/domain-error.ts";
import { refusal, rest } from "../../lib/runtime/rest.ts";
import { quietConsole } from "../support/console.ts";
import { restEvent } from "../support/events.ts";

const logged = quietConsole();

/** Returns the response of a failing operation that uses the standard envelope. */
async function answerTo(error: Error) {
  const { statusCode, headers, body } = await rest("listWalletsV2", schemas.listWalletsV2, () =>
    Promise.reject(error),
  )(restEvent());
  return { statusCode, headers, body: JSON.parse(body) };
}

describe("rest", () => {
  it("responds to a domain error with its status, code and details", async () => {
    const details = { token: "native", symbol: "ETH", needed: "0.5", available: "0.1" };
    const error = new DomainError("INSUFFICIENT_BALANCE", "Too little ETH", details);
    expect(await answerTo(error)).toMatchObject({
      statusCode: statusOfCode.INSUFFICIENT_BALANCE,
      body: {
        success: false,
        error: { code: "INSUFFICIENT_BALANCE", message: "Too little ETH", details },
        timestamp: expect.any(String),
      },
    });
    expect(logged()).toEqual([]);
  });

  it("passes on when API Gateway received the request", async () => {
    const { requestContext, ...event } = restEvent();
    const useCase = vi.fn().mockRejectedValue(new DomainError("NO_ROUTE", ""));
    const handler = rest("listWalletsV2", schemas.listWalletsV2, useCase);
    await handler({ ...event, requestContext: { ...requestContext, requestTimeEpoch: 900 } });
    expect(useCase).toHaveBeenCalledWith(expect.objectContaining({ receivedMs: 900 }));
  });

  it("omits details for an error that has none", async () => {
    const { body } = await answerTo(new DomainError("NO_ROUTE", "No pool has this token"));
    expect(body.error).toEqual({ code: "NO_ROUTE", message: "No pool has this token" });
  });

  it("responds with 503 and Retry-After if a chain is unavailable, without details of its hosts", async () => {
    const cause = new HostFault("TIMEOUT", "eth_call");
    const { statusCode, headers, body } = await answerTo(
      new ChainUnavailable("https://secret.example", { cause }),
    );
    expect(statusCode).toBe(503);
    expect(headers?.["Retry-After"]).toMatch(/^[1-9]\d*$/);
    expect(body.error).toEqual({ code: "CHAIN_UNAVAILABLE", message: "The chain cannot be reached now" });
    expect(logged()).toEqual([
      {
        operation: "listWalletsV2",
        error: "ChainUnavailable",
        code: "CHAIN_UNAVAILABLE",
        cause: { error: "HostFault", code: "TIMEOUT" },
      },
    ]);
  });

  it.each([
    [
      "in the query",
      "listOrders",
      { query: { chain: ["eth", "base"] } },
      "The query parameter chain must not be given twice",
      "chain",
    ],
    [
      "in the query, with one value",
      "listOrders",
      { query: { limit: ["5", "5"] } },
      "The query parameter limit must not be given twice",
      "limit",
    ],
    [
      "in the query, under a name that may be a secret",
      "listOrders",
      { query: { [`0x${"1".repeat(64)}`]: ["1", "2"] } },
      "A query parameter must not be given twice",
      undefined,
    ],
    [
      "in the body",
      "updateWallet",
      { path: { walletId: "w1" }, body: '{"name":"a","name":"b"}' },
      "name must not be given twice",
      "name",
    ],
    [
      "in the headers",
      "createWallet",
      {
        body: { network: "eth" },
        headers: { "Content-Type": "application/json", "Idempotency-Key": ["a", "b"] },
      },
      "The header Idempotency-Key must not be given twice",
      "Idempotency-Key",
    ],
  ] as const)("rejects a request that repeats a field %s", async (_, name, parts, message, field) => {
    const useCase = vi.fn();
    const { statusCode, body } = await rest(
      name,
      schemas[name] as never,
      useCase,
    )(restEvent(parts as object));
    expect(statusCode).toBe(400);
    expect(JSON.parse(body).error).toEqual({
      code: "INVALID_REQUEST",
      message,
      ...(field !== undefined && { details: { field } }),
    });
    expect(useCase).not.toHaveBeenCalled();
  });

  it.each([
    [
      "the path",
      "getMarket",
      { path: { chain: "btc", token: "x" } },
      /^The path parameter chain must be one of /,
    ],
    ["the query", "listOrders", { query: { walet: "x" } }, "The query parameter walet is not a known field"],
    ["the body", "updateWallet", { path: { walletId: "w1" }, body: { x: 1 } }, /^x is not a known field$/],
  ] as const)("names the invalid part of the request: %s", async (_, name, parts, message) => {
    const { body } = await rest(name, schemas[name] as never, vi.fn())(restEvent(parts as object));
    expect(JSON.parse(body).error.message).toMatch(message);
  });

  it("names the caller's plan in every response, including errors and refusals", async () => {
    const policy = '"standard";q=1000;w=60';
    const event = restEvent();
    Object.assign(event.requestContext, { authorizer: { principalId: "alice", rateLimitPolicy: policy } });
    const failing = rest("listWalletsV2", schemas.listWalletsV2, () => Promise.reject(new Error("broken")));
    const refusing = refusal("refuseTrading", () => new DomainError("TRADING_DISABLED", "Trading is off"));
    const ending = rest("endSession", schemas.endSession, async () => undefined);
    for (const handle of [failing, refusing, ending])
      expect((await handle(event)).headers).toMatchObject({ "RateLimit-Policy": policy });
    expect((await ending(restEvent())).headers).not.toHaveProperty("RateLimit-Policy");
  });

  it("says when to come back in each 429 and 503", async () => {
    const busy = Object.entries(statusOfCode).filter(([, status]) => [429, 503].includes(status));
    const errors = busy.map(([code]) => new DomainError(code as "LOOK_LIMIT_REACHED", "Too much"));
    expect(errors).not.toHaveLength(0);
    for (const error of errors)
      expect((await answerTo(error)).headers?.["Retry-After"], error.code).toMatch(/^[1-9]\d*$/);
  });

  it("sends Retry-After with no other kind of error", async () => {
    const { headers } = await answerTo(new Error("broken"));
    expect(headers).not.toHaveProperty("Retry-After");
  });
});
