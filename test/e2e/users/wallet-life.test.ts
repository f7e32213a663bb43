import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { newEvmKey } from "../../support/keys.ts";
import { type Call, get, send } from "../support/client.ts";
import { timestamp, walletShape } from "../support/shapes.ts";
import { streamOf } from "../support/stream.ts";
import { importAll, importWallet, type Wallet, walletsOf } from "../support/terminal.ts";
import { newUser, type User } from "../support/users.ts";

const path = "/api/v2/wallets";

/** Returns the data of a successful response in the standard envelope. */
async function dataOf<Data>(method: string, at: string, { token }: User, call: Call = {}): Promise<Data> {
  const { status, json } = await send(method, at, { token, ...call });
  expect(json).toMatchObject({ success: true });
  expect(status).toBe(200);
  return (json as { data: Data }).data;
}

const create = (user: User, body: object = { network: "eth" }, key: string = randomUUID()) =>
  dataOf<{ wallet: Wallet }>("POST", path, user, { body, headers: { "Idempotency-Key": key } });

const change = (user: User, { _id }: Wallet, body: object) =>
  dataOf<{ wallet: Wallet }>("PATCH", `${path}/${_id}`, user, { body });

const retire = (user: User, { _id }: Wallet) =>
  dataOf<{ wallet: Wallet; restorableUntil: string }>("DELETE", `${path}/${_id}`, user);

const restore = (user: User, { _id }: Wallet) =>
  dataOf<{ wallet: Wallet }>("POST", `${path}/${_id}/restore`, user, { body: {} });

const codeOf = async (method: string, at: string, { token }: User, call: Call = {}) => {
  const { status, json } = await send(method, at, { token, ...call });
  return [status, (json as { error?: { code: string } }).error?.code];
};

describe("a wallet that the service creates", () => {
  it.each(["eth", "base", "sol", "bsc", "avax"])(
    "creates a wallet on %s with the requested name and colour",
    async (network) => {
      const user = await newUser();
      const { wallet } = await create(user, { network, slotName: " Sniper ", colortag: "pink" });
      expect(wallet).toStrictEqual({
        ...walletShape,
        network,
        walletType: "generated",
        slotName: "Sniper",
        colortag: "pink",
      });
      expect(await walletsOf(user)).toStrictEqual([wallet]);
    },
  );

  it("returns the same wallet for a repeated request", async () => {
    const user = await newUser();
    const call = { token: user.token, body: { network: "sol" }, headers: { "Idempotency-Key": "k-1" } };
    const first = await send("POST", path, call);
    const second = await send("POST", path, call);
    expect([first, second].map(({ headers }) => headers.get("Idempotent-Replayed"))).toEqual([null, "true"]);
    expect(await walletsOf(user)).toHaveLength(1);
    const other = { ...call, body: { network: "eth" } };
    expect(await codeOf("POST", path, user, other)).toEqual([422, "IDEMPOTENCY_KEY_REUSED"]);
    expect(await codeOf("POST", path, user, { body: { network: "eth" } })).toEqual([
      400,
      "IDEMPOTENCY_KEY_MISSING",
    ]);
  });
});

it("sets a wallet's name and colour, and resets them to the defaults", async () => {
  const user = await newUser();
  const { wallet } = await create(user);
  expect(await change(user, wallet, { slotName: "🚀 Moon", colortag: "red" })).toMatchObject({
    wallet: { slotName: "🚀 Moon", colortag: "red" },
  });
  expect(await change(user, wallet, { slotName: null, colortag: null })).toStrictEqual({ wallet });
  for (const body of [
    {},
    { slotName: "" },
    { slotName: "a\u202eb" },
    { slotName: "a".repeat(41) },
    { colortag: "mauve" },
  ])
    expect(await codeOf("PATCH", `${path}/${wallet._id}`, user, { body })).toEqual([400, "INVALID_REQUEST"]);
});

it("hides a retired wallet, and lets its owner restore or import it again", async () => {
  const user = await newUser();
  const key = newEvmKey();
  await importAll(user, [key, newEvmKey()]);
  const [wallet, other] = (await walletsOf(user)) as [Wallet, Wallet];

  expect(await retire(user, wallet)).toStrictEqual({ wallet, restorableUntil: timestamp });
  expect(await walletsOf(user)).toStrictEqual([other]);
  // Repeats the request, as if its response was lost.
  expect(await retire(user, wallet)).toStrictEqual({ wallet, restorableUntil: timestamp });
  expect(await restore(user, wallet)).toStrictEqual({ wallet });
  await retire(user, wallet);
  await importWallet(user, key);

  expect(await walletsOf(user)).toStrictEqual([wallet, other]);
  const { events } = await dataOf<{ events: { type: string }[] }>(
    "GET",
    `${path}/${wallet._id}/events`,
    user,
  );
  expect(events.map(({ type }) => type)).toEqual(["restored", "retired", "restored", "retired", "imported"]);
});

it("hides a wallet from other users", async () => {
  const [owner, stranger] = [await newUser(), await newUser()];
  const { wallet } = await create(owner);
  const unknown = [404, "WALLET_NOT_FOUND"];
  const at = `${path}/${wallet._id}`;
  expect(await codeOf("PATCH", at, stranger, { body: { colortag: "red" } })).toEqual(unknown);
  expect(await codeOf("DELETE", at, stranger)).toEqual(unknown);
  expect(await codeOf("POST", `${at}/restore`, stranger, { body: {} })).toEqual(unknown);
  expect(await codeOf("GET", `${at}/events`, stranger)).toEqual(unknown);
  expect(await walletsOf(owner)).toStrictEqual([wallet]);
});

it("lists wallets in pages if a parameter requests them", async () => {
  const user = await newUser();
  await importAll(
    user,
    ["eth", "base", "eth"].map((network) => newEvmKey(network as "eth")),
  );
  const [first, , third] = await walletsOf(user);
  type Page = { wallets: Wallet[]; cursor?: string };
  const page = await dataOf<Page>("GET", `${path}?network=eth&limit=1`, user);
  expect(page).toStrictEqual({ wallets: [{ ...first, version: 1 }], cursor: expect.any(String) });
  const next = `${path}?network=eth&limit=1&cursor=${page.cursor}`;
  expect(await dataOf<Page>("GET", next, user)).toStrictEqual({
    wallets: [{ ...third, version: 1 }],
  });
  const strangers = await codeOf("GET", next, await newUser());
  expect(strangers).toEqual([400, "INVALID_REQUEST"]);
  for (const query of ["limit=0", "limit=101", "cursor=x", "network=btc", `cursor=${page.cursor}`])
    expect((await get(`${path}?${query}`, user)).status, query).toBe(400);
});

it("sends changes of wallets to all connections of their owner, and to no other user", async () => {
  const [owner, stranger] = [await newUser(), await newUser()];
  const [stream, other, strange] = [await streamOf(owner), await streamOf(owner), await streamOf(stranger)];

  const { wallet } = await create(owner);
  const messageOf = (version: number, state: string) => ({
    type: "WalletsUpdated",
    time: timestamp,
    data: { wallets: [{ ...wallet, version, state }] },
  });
  for (const each of [stream, other])
    expect(await each.take({ type: "WalletsUpdated" })).toStrictEqual(messageOf(1, "active"));
  await retire(owner, wallet);
  for (const each of [stream, other])
    expect(await each.take({ type: "WalletsUpdated" })).toStrictEqual(messageOf(2, "retired"));

  const { wallet: own } = await create(stranger);
  await strange.take({ type: "WalletsUpdated" });
  const got = strange.received.filter(({ type }) => type === "WalletsUpdated");
  expect(got).toMatchObject([{ data: { wallets: [{ _id: own._id }] } }]);
});
