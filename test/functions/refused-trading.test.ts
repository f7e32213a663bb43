import "./environment.ts";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { describe, expect, it } from "vitest";
import { handler } from "../../functions/refuseTrading/handler.ts";
import { badContentTypes } from "../cases/bad-bodies.ts";
import { quietConsole } from "../support/console.ts";
import { restEvent } from "../support/events.ts";

const logged = quietConsole();

async function answerTo(httpMethod: string, parts: Parameters<typeof restEvent>[0] = {}) {
  const event: APIGatewayProxyEvent = { ...restEvent(parts), httpMethod };
  const { statusCode, headers, body } = await handler(event);
  return { statusCode, headers, body: JSON.parse(body) };
}

describe("refuseTrading", () => {
  it.each([
    ["a GET", "GET", {}],
    ["a GET with parameters", "GET", { query: { chain: "eth" } }],
    ["a POST", "POST", { body: { chain: "eth", side: "buy" } }],
    ["a POST of an empty object", "POST", { body: {} }],
    ["a PUT", "PUT", { body: { chain: "eth" } }],
    ["a DELETE, which has no body", "DELETE", { headers: {} }],
  ])("reports to %s that trading is switched off", async (_, method, parts) => {
    const { statusCode, body } = await answerTo(method, parts);
    expect(statusCode).toBe(403);
    expect(body).toEqual({
      success: false,
      error: { code: "TRADING_DISABLED", message: "Trading is switched off" },
      timestamp: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    });
  });

  it("lets pages of an allowed origin read the response", async () => {
    const { headers } = await answerTo("GET", { headers: { origin: "https://app.example" } });
    expect(headers).toMatchObject({ "Access-Control-Allow-Origin": "https://app.example" });
  });

  it.each(badContentTypes)("refuses $title with 415, like every POST", async ({ value: [type] }) => {
    const headers: Record<string, string> = type === undefined ? {} : { "Content-Type": type };
    const { statusCode, body } = await answerTo("POST", { headers, body: {} });
    expect(statusCode).toBe(415);
    expect(body.error.code).toBe("UNSUPPORTED_MEDIA_TYPE");
  });

  it.each(["POST", "PATCH", "PUT"])("refuses a %s without JSON", async (method) => {
    const { statusCode } = await answerTo(method, { headers: { "Content-Type": "text/plain" }, body: {} });
    expect(statusCode).toBe(415);
  });

  it.each(["", "[]", "{", '{"a":1,"a":2}'])("refuses the body %j with 400, like every POST", async (text) => {
    const { statusCode, body } = await answerTo("POST", { body: text });
    expect(statusCode).toBe(400);
    expect(body.error.code).toBe("INVALID_REQUEST");
    expect(logged()).toEqual([]);
  });
});
