import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { exampleWallet } from "trading-terminal-devnet/example-wallets";
import { beforeAll, describe, expect, it } from "vitest";
import { get, post, send } from "../support/client.ts";
import { changeSettings, importWallet } from "../support/terminal.ts";
import { newUser, type User } from "../support/users.ts";

const { address: wallet } = exampleWallet;
const chain = "bsc";
// Chosen because other tests request quotes for MOON on all chains.
const token = localAddresses.star;
const path = `/api/v2/presets/${chain}`;

let user: User;
beforeAll(async () => {
  user = await newUser();
  await importWallet(user, { network: chain, privateKey: exampleWallet.privateKey });
});

const set = (body: object, headers = {}) => send("PUT", path, { token: user.token, body, headers });
const refused = (status: number, error: object) => ({ status, json: { success: false, error } });
const given = { wallet, buyAmount: "0.1", exits: [] };

describe("presets", () => {
  it("keeps a preset for each chain, with an ETag, for wallets of its user", async () => {
    expect(await get(path, user)).toMatchObject(refused(404, { code: "NO_PRESET" }));
    const first = await set(given, { "If-Match": '"0"' });
    const preset = { ...given, maxBuyTax: 5, maxSellTax: 5, autoBuy: false, autoSell: false };
    expect(first).toMatchObject({
      status: 200,
      json: { data: { chain, version: 1, preset, warnings: ["NO_DAY_LIMIT"] } },
    });
    expect(first.headers.get("ETag")).toBe('"1"');
    expect(await set(given, { "If-Match": '"0"' })).toMatchObject(
      refused(412, { code: "PRECONDITION_FAILED" }),
    );
    const cached = await get(path, { ...user, headers: { "If-None-Match": '"1"' } });
    expect([cached.status, cached.text]).toEqual([304, ""]);
  });

  it("buys once by a request that names only a chain and a token, while the switch is on", async () => {
    const buy = (key: string, body: object = { auto: "buy", chain, token }) =>
      post("/api/v2/orders", { token: user.token, headers: { "Idempotency-Key": key }, body });
    expect(await buy("a")).toMatchObject(refused(409, { code: "AUTO_BUY_OFF" }));
    expect(await set({ ...given, autoBuy: true, minLiquidity: "1000000" })).toMatchObject({ status: 200 });
    const details = { liquidity: expect.any(String), least: "1000000" };
    expect(await buy("a")).toMatchObject(refused(409, { code: "LIQUIDITY_TOO_LOW", details }));
    const exits = [{ percent: 100, takeProfit: { percent: 900 } }];
    expect(await set({ ...given, exits, autoBuy: true, autoSell: true })).toMatchObject({ status: 200 });
    const order = { type: "market", side: "buy", wallet, amount: "0.1", token, exits };
    const placed = await buy("a");
    expect(placed).toMatchObject({
      status: 200,
      json: { data: { order, warnings: ["NO_DAY_LIMIT"] } },
    });
    expect((await buy("a")).headers.get("Idempotent-Replayed")).toBe("true");
    expect(await buy("b")).toMatchObject(refused(409, { code: "ALREADY_HELD" }));
    await changeSettings(user, "base", { autoBuy: true });
    const onBase = { auto: "buy", chain: "base", token };
    expect(await buy("c", onBase)).toMatchObject(refused(409, { code: "NO_PRESET" }));
    const field = { code: "INVALID_REQUEST", details: { field: "amount" } };
    expect(await buy("c", { ...onBase, amount: "1" })).toMatchObject(refused(400, field));
  });

  it("names the field of bad input", async () => {
    const bad = { exits: [{ percent: 101 }], buyAmount: "0", minLiquidity: 1, maxBuyTax: 101 };
    for (const [field, value] of Object.entries(bad))
      expect(await set({ ...given, [field]: value })).toMatchObject(
        refused(400, { code: "INVALID_REQUEST", details: { field: expect.stringMatching(field) } }),
      );
    expect(await set({ ...given, wallet: token })).toMatchObject(refused(404, { code: "WALLET_NOT_FOUND" }));
  });
});
