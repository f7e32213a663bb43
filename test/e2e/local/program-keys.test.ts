import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import document from "../../../docs/openapi.json" with { type: "json" };
import { makeProgram, type TokenForm } from "../../support/program-tokens.ts";
import { get, post, send, sendRaw } from "../support/client.ts";
import { connect, edgeAddress, expectToWork, refusalOf, streamOf, subscribe } from "../support/stream.ts";
import { issueToken, knownUser, type User } from "../support/users.ts";

type Scope = "read" | "trade" | "settings";
type Key = { keyId: string; expiresAt: string; revokedAt?: string };

let user: User;
beforeAll(async () => {
  user = await knownUser();
});

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
const keyIn = (json: unknown) => (json as { data: { key: Key } }).data.key;

/** Registers a key of a program, which then sends its own requests. */
async function programOf(owner: User, scopes: Scope[], terms: object = {}) {
  const { publicKey, tokenFor } = makeProgram();
  const body = { name: "bot", publicKey, scopes, expiresAt: inSeconds(3600), ...terms };
  const answer = await post("/api/v2/keys", { token: owner.token, body });
  expect(answer).toMatchObject({
    status: 200,
    json: { success: true, data: { key: { name: "bot", scopes } } },
  });
  const key = keyIn(answer.json);
  const name = { userID: owner.id, keyId: key.keyId };
  const tokenOf = (method: string, path: string, body?: string, form?: TokenForm) =>
    tokenFor(name, { method, path: path.replace(/\?.*/, ""), body }, form);
  return {
    key,
    name,
    tokenOf,
    call: (method: string, path: string, body?: string, form?: TokenForm) =>
      send(method, path, { token: tokenOf(method, path, body, form), body }),
    streamToken: (form?: TokenForm) => tokenFor(name, { method: "GET", path: "/stream" }, form),
  };
}

const settings = "/updateTradingSettings/eth";
const slippage = '{"slippage":2}';

describe("a program key", () => {
  it("reads and writes within its scopes, by tokens that the program signs", async () => {
    const { call, key } = await programOf(user, ["read", "settings"]);
    expect(await call("GET", "/listWallets")).toMatchObject({ status: 200, json: [] });
    expect(await call("GET", "/api/v2/orders?limit=1")).toMatchObject({ status: 200 });
    expect((await call("HEAD", "/api/v2/wallets")).status).toBe(200);
    expect(await call("POST", settings, slippage)).toMatchObject({ status: 200, json: { slippage: 2 } });
    const { json } = await get("/api/v2/keys", user);
    expect(json).toMatchObject({ data: { keys: expect.arrayContaining([key]) } });
  });

  it("is refused with a token that was made for another request", async () => {
    const [program, other] = [await programOf(user, ["read", "settings"]), await knownUser()];
    const seconds = Math.floor(Date.now() / 1000);
    const misdirected = "Token of another request: htm and htu must be its method and path";
    const forms: [string, TokenForm][] = [
      ["Token expired", { claims: { iat: seconds - 61, exp: seconds - 1 } }],
      ["Token lasts too long: exp is too far in the future", { claims: { exp: seconds + 300 } }],
      [misdirected, { claims: { htu: "/listWallets" } }],
      [misdirected, { claims: { htm: "GET" } }],
      ["Invalid token", { header: { alg: "none" } }],
      ["Invalid token", { header: { kid: `${program.key.keyId}x` } }],
      ["Invalid token", { claims: { sub: other.id } }],
      ["Invalid token", { by: makeProgram().privateKey }],
      ["Invalid token", { claims: { jti: undefined } }],
    ];
    for (const [error, form] of forms)
      expect(await program.call("POST", settings, slippage, form)).toMatchObject({
        status: 401,
        json: { error },
      });
    const otherBody = expect.stringMatching(/^Token of another body/);
    const token = program.tokenOf("POST", settings, slippage);
    expect(await post(settings, { token, body: '{"slippage":99}' })).toMatchObject({
      status: 401,
      json: { error: otherBody },
    });
    const without = program.tokenOf("POST", settings);
    expect(await post(settings, { token: without, body: slippage })).toMatchObject({ status: 401 });
    expect(await get("/api/v2/settings/eth", user)).not.toMatchObject({
      json: { data: { settings: { slippage: 99 } } },
    });
  });

  it("writes once with each token, even if ten requests with it come at once", async () => {
    const { tokenOf } = await programOf(user, ["settings"]);
    const token = tokenOf("POST", settings, slippage);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => post(settings, { token, body: slippage })),
    );
    const refused = answers.filter(({ status }) => status === 401);
    expect(refused).toHaveLength(9);
    expect(refused[0]?.json).toEqual({ error: expect.stringMatching(/^Token used before/) });
  });

  it("signs the bytes that it sends, and the path as it is sent", async () => {
    const { tokenOf, call } = await programOf(user, ["settings"]);
    const spaced = '{ "slippage" : 2,\n"gasPreset":"fast" }';
    expect(await call("POST", settings, spaced)).toMatchObject({ status: 200 });
    const encoded = "/updateTradingSettings/%65th";
    const headers: [string, string][] = [
      ["Authorization", `Bearer ${tokenOf("POST", settings, slippage)}`],
      ["Content-Type", "application/json"],
    ];
    expect(await sendRaw("POST", encoded, headers, slippage)).toMatchObject({ status: 401 });
  });

  it("stops working from the next request on once it is revoked, and can be revoked again", async () => {
    const { call, key } = await programOf(user, ["read"]);
    expect((await call("GET", "/listWallets")).status).toBe(200);
    const revoked = await send("DELETE", `/api/v2/keys/${key.keyId}`, user);
    expect(revoked).toMatchObject({
      status: 200,
      json: { data: { key: { ...key, revokedAt: expect.any(String) } } },
    });
    expect(await call("GET", "/listWallets")).toMatchObject({
      status: 401,
      json: { error: "The program key is revoked or has ended" },
    });
    const again = await send("DELETE", `/api/v2/keys/${key.keyId}`, user);
    expect(keyIn(again.json)).toEqual(keyIn(revoked.json));
  });

  it("can be made only after a fresh sign-in, and by nobody else", async () => {
    const { key } = await programOf(user, ["read"]);
    const old = await issueToken({ sub: user.id, signedInSecondsAgo: 301 });
    const body = {
      name: "x",
      publicKey: makeProgram().publicKey,
      scopes: ["read"],
      expiresAt: inSeconds(60),
    };
    expect(await post("/api/v2/keys", { token: old, body })).toMatchObject({
      status: 403,
      json: { error: { code: "SIGN_IN_REQUIRED" } },
    });
    const other = await knownUser();
    expect(await send("DELETE", `/api/v2/keys/${key.keyId}`, other)).toMatchObject({
      status: 404,
      json: { error: { code: "KEY_NOT_FOUND" } },
    });
    for (const [field, value] of Object.entries({
      name: "",
      publicKey: "abc",
      scopes: ["export"],
      chains: [],
      wallets: ["0x1"],
      maxPerDay: 1,
      expiresAt: inSeconds(367 * 24 * 3600),
    }))
      expect(
        await post("/api/v2/keys", { token: user.token, body: { ...body, [field]: value } }),
      ).toMatchObject({
        status: 400,
        json: { error: { code: "INVALID_REQUEST", details: { field: expect.stringMatching(`^${field}`) } } },
      });
  });
});

/** Operations of the documents, each with the scope that it needs. */
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods as Record<string, { operationId: string; security?: { program?: Scope[] }[] }>).map(
    ([method, { operationId, security = [] }]) => ({
      operationId,
      method: method.toUpperCase(),
      path: path.replaceAll(/\{[^}]*\}/g, "x"),
      needed: security.flatMap(({ program = [] }) => program)[0] ?? null,
    }),
  ),
);

describe.each<Scope>(["read", "trade", "settings"])("a thief of a key with the scope %s", (scope) => {
  it("reaches no operation of another scope, and none that exports, unlocks or makes keys", async () => {
    const { call } = await programOf(await knownUser(), [scope]);
    const others = operations.filter(({ needed }) => needed !== scope);
    expect(others.map(({ operationId }) => operationId)).toEqual(
      expect.arrayContaining(["createKey", "deleteKey", "exportWallet", "unlockExports", "storeWallet"]),
    );
    for (const { method, path, needed } of others) {
      const body = ["POST", "PUT", "PATCH"].includes(method) ? "{}" : undefined;
      const { status, json } = await call(method, path, body);
      expect({ method, path, status, json }).toMatchObject({
        status: 403,
        json: { success: false, error: { code: "SCOPE_MISSING", details: { scope: needed } } },
      });
    }
  });
});

describe("a thief of a key with the scope settings", () => {
  it("freezes a wallet, but loosens nothing", async () => {
    const owner = await knownUser();
    const { json } = await post("/api/v2/wallets", {
      token: owner.token,
      headers: { "Idempotency-Key": "a wallet" },
      body: { network: "base" },
    });
    const { _id } = (json as { data: { wallet: { _id: string } } }).data.wallet;
    const { call } = await programOf(owner, ["settings"]);
    const set = (policy: object) => call("PUT", `/api/v2/wallets/${_id}/policy`, JSON.stringify(policy));
    expect((await set({ tradingEnabled: false })).status).toBe(200);
    expect(await set({ tradingEnabled: true })).toMatchObject({
      status: 403,
      json: { error: { code: "SIGN_IN_REQUIRED" } },
    });
  });
});

describe("the stream of a program", () => {
  it("opens for the scope read, at either address, and tells its user of the key", async () => {
    const owner = await knownUser();
    const page = await streamOf(owner);
    const { key, streamToken } = await programOf(owner, ["read"]);
    expect(await page.take({ type: "ProgramKeyAdded" })).toMatchObject({ data: { key } });
    await expectToWork(await connect({ token: streamToken() }));
    const stream = await connect({ subprotocols: ["access_token", streamToken()], url: edgeAddress() });
    await subscribe(stream, "orders");
    expect(await stream.take({ type: "ProgramKeyAdded" })).toMatchObject({ data: { key } });
  });

  it("opens for no other scope, path or time", async () => {
    const { streamToken } = await programOf(user, ["trade", "settings"]);
    expect(await refusalOf({ token: streamToken() })).toMatchObject({ status: 403 });
    const reader = await programOf(user, ["read"]);
    expect(await refusalOf({ token: reader.tokenOf("GET", "/listWallets") })).toMatchObject({ status: 401 });
    const seconds = Math.floor(Date.now() / 1000);
    const old = { claims: { iat: seconds - 61, exp: seconds - 1 } };
    expect(await refusalOf({ token: reader.streamToken(old) })).toMatchObject({ status: 401 });
  });

  it("closes within seconds of the key being revoked, and no other does", async () => {
    const owner = await knownUser();
    const { key, streamToken } = await programOf(owner, ["read"]);
    const other = await programOf(owner, ["read"], { name: "bot" });
    const [mine, others, page] = [
      await connect({ token: streamToken() }),
      await connect({ token: other.streamToken() }),
      await streamOf(owner),
    ];
    await expectToWork(mine);
    await send("DELETE", `/api/v2/keys/${key.keyId}`, owner);
    await mine.closed;
    expect(await page.take({ type: "ProgramKeyRevoked" })).toMatchObject({
      data: { key: { keyId: key.keyId } },
    });
    await expectToWork(others);
    expect(await refusalOf({ token: streamToken() })).toMatchObject({ status: 401 });
  });

  it("ends with the key", async () => {
    const owner = await knownUser();
    const { streamToken, call } = await programOf(owner, ["read"], { expiresAt: inSeconds(6) });
    const stream = await connect({ token: streamToken() });
    await subscribe(stream, "orders");
    await pause(6500);
    expect((await call("GET", "/listWallets")).status).toBe(401);
    stream.send({ type: "ping" });
    await stream.closed;
  });
});
