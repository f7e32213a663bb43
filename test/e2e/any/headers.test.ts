import { describe, expect, it } from "vitest";
import { type Answer, get, post, send } from "../support/client.ts";
import { endpoints } from "../support/endpoints.ts";
import { someUser } from "../support/users.ts";

type Case = [title: string, ask: (token: string) => Promise<Answer>];

/** Responses of the operations, successful and failed. */
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

/** Responses of the gateway. */
const ofGateway: Case[] = [
  ["a missing token", () => get("/listWallets")],
  ["a bad token", () => get("/listWallets", { token: "garbage" })],
  ["an unknown path", () => get("/nothing")],
  ["an unknown method", () => send("DELETE", "/listWallets")],
];

const user = someUser();

describe("the answer", () => {
  it.each([...ofOperations, ...ofGateway])("to %s is JSON, and has a request id", async (_, ask) => {
    const { headers, json } = await ask(user.token);

    expect(headers.get("Content-Type")).toMatch(/^application\/json\b/);
    expect(json).toBeTypeOf("object");
    expect(headers.get("x-amzn-RequestId")).toMatch(/^[\w-]{16,}$/);
    expect(headers.has("X-Powered-By")).toBe(false);
  });

  it.each(ofOperations)("to %s forbids caching and sniffing of its type", async (_, ask) => {
    const { headers } = await ask(user.token);

    expect(headers.get("Cache-Control")).toBe("no-store");
    expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
  });

  it.each(ofGateway)("to %s forbids caching", async (_, ask) => {
    expect((await ask(user.token)).headers.get("Cache-Control")).toBe("no-store");
  });

  it.each(ofOperations)("to %s names the plan of the user", async (_, ask) => {
    const { headers } = await ask(user.token);

    expect(headers.get("RateLimit-Policy")).toMatch(/^"[a-z]+";q=[1-9]\d*;w=60$/);
  });

  it("has a different request id each time", async () => {
    const ids = [await get("/listWallets", user), await get("/listWallets", user)].map(({ headers }) =>
      headers.get("x-amzn-RequestId"),
    );

    expect(new Set(ids).size).toBe(2);
  });

  it("sets no cookie", async () => {
    const { headers } = await get("/getUserData", user);

    expect(headers.has("Set-Cookie")).toBe(false);
  });
});
