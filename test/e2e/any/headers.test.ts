import { describe, expect, it } from "vitest";
import { type Answer, get, post, send } from "../support/client.ts";
import { endpoints } from "../support/endpoints.ts";
import { someUser } from "../support/users.ts";

type Case = [title: string, ask: (token: string) => Promise<Answer>];

/** Successful and failed responses of the operations. */
const ofOperations: Case[] = [
  ...endpoints.map(
    ({ name, method, path, body }): Case => [name, (token) => send(method, path, { token, body })],
  ),
  ["a bad import", (token) => post("/storeWallet_v2", { token, body: { network: "btc", privateKey: "1" } })],
  ["a bad setting", (token) => post("/updateTradingSettings/eth", { token, body: { slippage: -1 } })],
  [
    "a body of another type",
    (token) => post("/storeWallet_v2", { token, body: "a=b", headers: { "Content-Type": "text/plain" } }),
  ],
];

/** Responses that API Gateway makes itself. */
const ofGateway: Case[] = [
  ["a missing token", () => get("/listWallets")],
  ["a bad token", () => get("/listWallets", { token: "garbage" })],
  ["an unknown path", () => get("/nothing")],
  ["an unknown method", () => send("DELETE", "/listWallets")],
];

const user = someUser();

describe("every response", () => {
  it.each([...ofOperations, ...ofGateway])("answers %s with JSON and a request id", async (_, ask) => {
    const { headers, json } = await ask(user.token);

    expect(headers.get("Content-Type")).toMatch(/^application\/json\b/);
    expect(json).toBeTypeOf("object");
    expect(headers.get("x-amzn-RequestId")).toMatch(/^[\w-]{16,}$/);
    expect(headers.has("X-Powered-By")).toBe(false);
  });

  it.each(ofOperations)("forbids caching and content sniffing in the response to %s", async (_, ask) => {
    const { headers } = await ask(user.token);

    expect(headers.get("Cache-Control")).toBe("no-store");
    expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
  });

  it.each(ofGateway)("forbids caching of the response to %s", async (_, ask) => {
    expect((await ask(user.token)).headers.get("Cache-Control")).toBe("no-store");
  });

  it.each(ofOperations)("names the user's plan in the response to %s", async (_, ask) => {
    const { headers } = await ask(user.token);

    expect(headers.get("RateLimit-Policy")).toMatch(
      /^"[a-z]+";q=[1-9]\d*;w=60(?:, "[A-Z]+ \/[^"]+";q=\d+;w=\d+)?$/,
    );
  });

  it("names the limit of a costly method next to the plan's, whatever its path names", async () => {
    const { headers } = await get("/api/v2/markets/eth/0x", user);

    const policies = headers.get("RateLimit-Policy")?.split(", ");
    expect(policies?.[1]).toBe('"GET /api/v2/markets/{chain}/{token}";q=40;w=20');
  });

  it("gives each response a different request id", async () => {
    const ids = [await get("/listWallets", user), await get("/listWallets", user)].map(({ headers }) =>
      headers.get("x-amzn-RequestId"),
    );

    expect(new Set(ids).size).toBe(2);
  });

  it("sets no cookie in a response", async () => {
    const { headers } = await get("/getUserData", user);

    expect(headers.has("Set-Cookie")).toBe(false);
  });
});
