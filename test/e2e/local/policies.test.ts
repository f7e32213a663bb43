import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { exampleWallet } from "trading-terminal-devnet/example-wallets";
import { beforeAll, describe, expect, it } from "vitest";
import { get, post, send } from "../support/client.ts";
import type { Message } from "../support/inbox.ts";
import { streamOf, subscribe } from "../support/stream.ts";
import { importWallet } from "../support/terminal.ts";
import { issueToken, knownUser, newUser, type User } from "../support/users.ts";

const { usdx: token } = localAddresses;
const { address: wallet } = exampleWallet;
const network = "avax";
const trade = { chain: network, wallet, type: "market", side: "buy", token };

let user: User;
let path: string;
beforeAll(async () => {
  user = await newUser();
  await importWallet(user, { network, privateKey: exampleWallet.privateKey });
  const { json } = await get("/api/v2/wallets", user);
  const [{ _id }] = (json as { data: { wallets: [{ _id: string }] } }).data.wallets;
  path = `/api/v2/wallets/${_id}/policy`;
});

const set = (body: object, by = user) => send("PUT", path, { token: by.token, body });
const order = (asked: object, key: string, by = user) =>
  post("/api/v2/orders", {
    token: by.token,
    headers: { "Idempotency-Key": key },
    body: { ...trade, ...asked },
  });
const place = (amount: string, key: string) => order({ amount }, key);
/** Sells all tokens for next to nothing, as a thief would. */
const steal = (key: string) => order({ side: "sell", percent: 100, slippage: 100 }, key);
/** Returns the user with a token that was issued for an old sign-in. */
const withOldToken = async () => ({
  ...user,
  token: await issueToken({ sub: user.id, signedInSecondsAgo: 301 }),
});
const signInRequired = {
  status: 403,
  json: { error: { code: "SIGN_IN_REQUIRED", details: { maxAgeSeconds: 300 } } },
};

const limited = {
  maxPerOrder: "0.2",
  maxPerDay: "0.3",
  tokens: [token],
  maxSlippage: 5,
  tradingEnabled: true,
};
/** Value of two buys and their network fees. */
const overDay = { rule: "maxPerDay", limit: "0.3", requested: expect.stringMatching(/^0\.31\d/) };
const refused = (details: object) => ({
  status: 403,
  json: { success: false, error: { code: "POLICY_LIMIT", details } },
});

describe("a wallet's policy", () => {
  it("limits the network fees of a day, and says when the next day begins", async () => {
    const open = { tokens: "any", tradingEnabled: true };
    expect(await set({ ...open, maxNetworkFeesPerDay: "0.000001" })).toMatchObject({ status: 200 });
    expect(await place("0.01", "dear fees")).toMatchObject(
      refused({
        rule: "networkFeesPerDay",
        limit: "0.000001",
        requested: expect.stringMatching(/^0\.\d+$/),
        resetsAt: expect.stringMatching(/T00:00:00\.000Z$/),
      }),
    );
    expect(await set(open)).toMatchObject({ status: 200 });
  });

  it("limits purchases per order and per day, limits slippage of sales, and freezes the wallet", async () => {
    const open = { tokens: "any", tradingEnabled: true };
    expect(await get(path, user)).toMatchObject({ status: 200, json: { data: { policy: open } } });
    // A thief with a stolen token cannot give tokens away, and a quote says so.
    const old = await withOldToken();
    const gift = { amount: "1", minAmountOut: "0.000001" };
    expect(await order(gift, "a gift", old)).toMatchObject(signInRequired);
    const { type: _, ...quoted } = { ...trade, ...gift };
    expect(await post("/api/v2/quotes", { token: old.token, body: quoted })).toMatchObject({
      json: { data: { quote: { wouldBeRefused: { code: "SIGN_IN_REQUIRED" } } } },
    });

    expect(await set(limited)).toMatchObject({
      status: 200,
      json: { success: true, data: { policy: limited } },
    });
    expect(await place("0.21", "too much")).toMatchObject(
      refused({ rule: "maxPerOrder", limit: "0.2", requested: "0.21" }),
    );

    const stream = await streamOf(user);
    await subscribe(stream, "orders");
    expect(await place("0.2", "the first")).toMatchObject({ status: 200 });
    expect(await place("0.11", "the second")).toMatchObject(refused(overDay));
    await stream.see(
      ({ channel, type, data }: Message) =>
        channel === "orders" && type === "update" && (data as { status: string }[]).some(isFilled),
    );
    expect(await place("0.11", "the third")).toMatchObject(refused(overDay));
    const slippage = { rule: "maxSlippage", limit: 5, requested: 100 };
    expect(await steal("a theft")).toMatchObject(refused(slippage));
    const { tradingEnabled: __, ...looser } = limited;
    const { json } = await set({ ...looser, maxPerDay: "9", tradingEnabled: false });
    expect(json).toMatchObject({
      data: { policy: { maxPerDay: "0.3", tradingEnabled: false }, pending: { policy: { maxPerDay: "9" } } },
    });
    expect(await steal("another theft")).toMatchObject(refused({ rule: "tradingEnabled" }));
    expect(await place("0.01", "the last")).toMatchObject(refused({ rule: "tradingEnabled" }));
  });

  it("loosens a policy only after a fresh sign-in, but freezes even after an old one", async () => {
    const old = await withOldToken();
    expect(await set({ tokens: "any", tradingEnabled: true }, old)).toMatchObject(signInRequired);
    expect(await set({ tokens: "any", tradingEnabled: false }, old)).toMatchObject({ status: 200 });
  });

  it("returns 404 to another user, and 400 with the name of an invalid field", async () => {
    expect(await set(limited, await knownUser())).toMatchObject({
      status: 404,
      json: { error: { code: "WALLET_NOT_FOUND" } },
    });
    expect(await set({ ...limited, tokens: [token, "0x1"] })).toMatchObject({
      status: 400,
      json: { error: { code: "INVALID_REQUEST", details: { field: "tokens.1" } } },
    });
  });
});

const isFilled = ({ status }: { status: string }) => status === "filled";
