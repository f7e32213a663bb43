import { describe, expect, test } from "vitest";
import { type Answer, get, post, send } from "../support/client.ts";
import { endpoints } from "../support/endpoints.ts";
import { someUser } from "../support/users.ts";

type Case = [title: string, ask: (token: string) => Promise<Answer>];

/** Answers of the operations, good and bad. */
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

/** Answers that are given before an operation is asked. */
const ofGateway: Case[] = [
  ["a missing token", () => get("/listWallets")],
  ["a bad token", () => get("/listWallets", { token: "garbage" })],
  ["an unknown path", () => get("/nothing")],
  ["an unknown method", () => send("DELETE", "/listWallets")],
];

describe("The answer", () => {
  test.each([...ofOperations, ...ofGateway])("to %s is JSON, and can be named", async (_, ask) => {
    const { token } = await someUser();

    const { headers, json } = await ask(token);

    expect(headers.get("Content-Type")).toMatch(/^application\/json\b/);
    expect(json).toBeTypeOf("object");
    expect(headers.get("x-amzn-RequestId")).toMatch(/^[\w-]{16,}$/);
    expect(headers.has("X-Powered-By")).toBe(false);
  });

  test.each(ofOperations)("to %s is kept by no cache, and its type is not guessed", async (_, ask) => {
    const { token } = await someUser();

    const { headers } = await ask(token);

    expect(headers.get("Cache-Control")).toBe("no-store");
    expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
  });

  test("has another name each time", async () => {
    const { token } = await someUser();

    const names = [await get("/listWallets", { token }), await get("/listWallets", { token })].map(
      ({ headers }) => headers.get("x-amzn-RequestId"),
    );

    expect(new Set(names).size).toBe(2);
  });

  test("sets no cookie", async () => {
    const { token } = await someUser();

    const { headers } = await get("/getUserData", { token });

    expect(headers.has("Set-Cookie")).toBe(false);
  });
});
