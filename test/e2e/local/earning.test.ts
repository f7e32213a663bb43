import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { expect, it, vi } from "vitest";
import { newEvmKey } from "../../support/keys.ts";
import { get, send } from "../support/client.ts";
import { fund } from "../support/eth.ts";
import { invokeFunction } from "../support/functions.ts";
import { placeOrder, settles } from "../support/orders.ts";
import { streamOf, subscribe } from "../support/stream.ts";
import { importWallet, profileOf } from "../support/terminal.ts";
import { newUser } from "../support/users.ts";

it("raises the level of a user who trades, tells the user's connections, and shares with the referrer", async () => {
  const referrer = await newUser();
  const user = await newUser({ ref: (await profileOf(referrer)).refID });
  expect(await profileOf(user)).toMatchObject({ Level: 1, Xp: { total: 0 }, Ranked: false });
  const key = newEvmKey();
  await importWallet(user, key);
  await fund(key.address);
  const publicName = `Trader ${user.id.slice(-8)}`;
  const body = { publicName };
  expect(await send("PATCH", "/api/v2/profile", { token: user.token, body })).toMatchObject({ status: 200 });
  const stream = await streamOf(user);
  await subscribe(stream, "orders");

  const trade = { chain: "eth", type: "market", wallet: key.address, token: localAddresses.usdx };
  const placed = await placeOrder(user, { ...trade, side: "buy", amount: "0.5" }, "buy");
  expect(placed.status, JSON.stringify(placed.body)).toBe(200);
  await stream.see(settles(placed.body.data.order.orderId));
  // Runs at once what the schedule runs each minute.
  const credited = vi.waitFor(async () => {
    await invokeFunction("creditTrades", {});
    const [own, shared] = [await profileOf(user), await profileOf(referrer)];
    expect(own.Level).toBeGreaterThan(1);
    expect((shared.Xp as { total: number }).total).toBeGreaterThan(0);
    return own;
  }, 60_000);
  const { Xp, Level, xpRemainingForNextLevel, tradeStreakCount } = await credited;

  const { data } = await stream.take({ type: "ProfileUpdated" });
  expect(data).toMatchObject({ Xp, Level, xpRemainingForNextLevel, tradeStreakCount: 1, Ranked: true });
  expect(tradeStreakCount).toBe(1);
  const { json } = await get("/api/v2/leaderboard?window=daily", user);
  const { total: xp } = Xp as { total: number };
  expect(json).toMatchObject({
    data: { entries: expect.arrayContaining([expect.objectContaining({ publicName, xp, isYou: true })]) },
  });
  const { points } = data as { points: number };
  expect(points).toBeGreaterThan(200);
  // Buys nothing, because other tests replace the catalogue.
  expect(await get("/api/v2/redemptions", user)).toMatchObject({ status: 200, json: { data: { points } } });
}, 150_000);
