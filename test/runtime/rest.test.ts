import "../functions/environment.ts";
import { describe, expect, it } from "vitest";
import { statusOfCode } from "../../lib/api/errors.ts";
import { schemas } from "../../lib/api/operation-schemas.ts";
import { DomainError } from "../../lib/core/domain-error.ts";
import { refusal, rest } from "../../lib/runtime/rest.ts";
import { ChainUnavailable, HostFault } from "../../lib/trading/chains/host-fault.ts";
import { quietConsole } from "../support/console.ts";
import { restEvent } from "../support/events.ts";

const logged = quietConsole();

/** Returns the response of an operation with the general envelope whose use case fails. */
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

  it("omits details for an error without them", async () => {
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
      { operation: "listWalletsV2", error: "ChainUnavailable", cause: "HostFault TIMEOUT" },
    ]);
  });

  it("names the plan of the caller in every response, errors and refusals included", async () => {
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

  it("sends Retry-After with no other error", async () => {
    const { headers } = await answerTo(new Error("broken"));
    expect(headers).not.toHaveProperty("Retry-After");
  });
});
