import { describe, expect, it } from "vitest";
import { swapBy } from "../../../lib/chains/evm/rules/intent.ts";
import type { OperationName } from "../../../lib/operations/operations.ts";
import { openPolicy } from "../../../lib/orders/wallet-policy.ts";
import { sealedKeyKey } from "../../../lib/table/wallet-keys.ts";
import {
  automaticBuyKey,
  cancellationKey,
  cutoffKey,
  cutoffPartKeys,
  policyKey,
  presetKey,
  slotKey,
  tradeKey,
} from "../../../lib/trading/items/keys.ts";
import { settingsKey } from "../../../lib/users/item-keys.ts";
import { Theft } from "../../support/signed-bytes.ts";
import { slot, v2 } from "../../support/trading.ts";
import { Random } from "../../trading/model/random.ts";
import { dai, desksForTests, mallory, nowMs, policyOfAlice } from "./desk.ts";
import { Intruder } from "./intruder.ts";
import { allowedTo } from "./roles.ts";

const openDesk = desksForTests();

/** Opens an intruder with the role of a function, and the lane of a healthy executor. */
async function intrudeAs(name: OperationName) {
  const desk = await openDesk();
  const allowed = allowedTo(name);
  const allows = (action: "PutItem" | "DeleteItem", partition: string) =>
    allowed(action === "PutItem" ? "write" : "delete", partition);
  const executor = new Intruder(desk, () => true, new Random(1));
  const signs = (order: string, nonce = 0) => {
    const { intent, ...rest } = desk.named(order);
    const planned = slot({ place: nonce, call: swapBy(intent, v2, intent.amount), isPrivate: false }, intent);
    return executor.askWith({ intent, ...rest }, planned);
  };
  return { desk, intruder: new Intruder(desk, allows, new Random(1)), executor, signs };
}

describe.each(["cancelOrder", "cancelOrders"] as const)("a %s that was taken over", (name) => {
  it("never undoes a cancellation, whatever it writes in its place", async () => {
    const { desk, intruder, signs } = await intrudeAs(name);
    const { intent } = desk.named("ALICECANCELS");
    const { userID, orderId } = intent;
    const key = cancellationKey(intent);
    await intruder.remove(key);
    expect(intruder.denials).toBe(1);
    for (const odd of [{}, { userID: "mallory", orderId }, { userID, orderId: 1, expiresAt: 1 }]) {
      await intruder.put(key, odd);
      await intruder.put(cutoffKey(intent), { userID, before: 1 });
      expect(await signs("ALICECANCELS")).not.toHaveProperty("slot");
    }
  });

  it("writes no slot, policy, ledger or wallet", async () => {
    const { desk, intruder } = await intrudeAs(name);
    const { intent } = desk.named("ALICEBUYS");
    await intruder.put(slotKey(intent, 0), slot({ place: 0 }, intent));
    await intruder.put(policyKey(intent), { ...policyOfAlice, policy: openPolicy });
    await intruder.put(sealedKeyKey("alice", "eth", intent.wallet), {});
    expect(intruder.denials).toBe(3);
  });
});

describe.each(["cancelOrder", "cancelOrders", "retireWallet"] as const)(
  "a %s that was taken over and cancels all orders",
  (name) => {
    it.each([
      { before: nowMs },
      { before: 1e15 },
      { before: "1" },
      { before: new Set([1]) },
      { before: true },
    ])("stops the signing of the user's orders with the cutoff %o", async (cutoff) => {
      const { desk, intruder, signs } = await intrudeAs(name);
      const { intent } = desk.named("ALICEBUYS");
      expect(await signs("ALICEBUYS")).toHaveProperty("slot");
      for (const key of [cutoffKey({ userID: "alice", lane: intent }), cutoffKey(intent)])
        await intruder.put(key, cutoff);
      expect(intruder.denials).toBe(0);
      const before = desk.signatures;
      expect(await signs("ALICEBUYSMORE", 1)).toEqual({ later: "the order has ended" });
      expect(desk.signatures).toBe(before);
    });

    it("stops the signing of orders only in lanes whose part of the cutoff it writes", async () => {
      const { desk, intruder, signs } = await intrudeAs(name);
      const { intent } = desk.named("ALICEBUYS");
      const own = cutoffKey({ userID: "alice", lane: intent });
      for (const key of cutoffPartKeys("alice"))
        if (key.SK !== own.SK) await intruder.put(key, { userID: "alice", before: 1e15 });
      expect(await signs("ALICEBUYS")).toHaveProperty("slot");
      await intruder.put(own, { userID: "alice", before: 1e15 });
      expect(intruder.denials).toBe(0);
      expect(await signs("ALICEBUYSMORE", 1)).toEqual({ later: "the order has ended" });
    });
  },
);

describe("a setWalletPolicy that was taken over", () => {
  it("never loosens a policy, even by changing the time of a pending one", async () => {
    const { intruder, signs } = await intrudeAs("setWalletPolicy");
    const pending = { policy: openPolicy, effectiveAt: "2000-01-01T00:00:00.000Z", tableId: "table" };
    for (const odd of [{ policy: openPolicy }, { pending }])
      await intruder.put(policyKey(policyOfAlice), { ...policyOfAlice, ...odd });
    expect(intruder.denials).toBe(2);
    expect(await signs("ALICEOVERSPENDS")).toEqual({ later: "the policy forbids it: maxPerOrder" });
  });
});

describe("a setPreset that was taken over", () => {
  it("changes what is bought automatically, but neither places an order nor lifts a limit or a pause", async () => {
    const { desk, intruder, signs } = await intrudeAs("setPreset");
    const { intent, ...order } = desk.named("ALICEOVERSPENDS");
    await intruder.put(presetKey(intent), { preset: { buyAmount: "1000", autoBuy: true } });
    expect(intruder.denials).toBe(0);
    const writes = [
      [tradeKey("alice", "NEW".padEnd(26, "0")), { intent, ...order }],
      [policyKey(policyOfAlice), { ...policyOfAlice, policy: openPolicy }],
      [settingsKey("alice", "eth"), { autoBuy: true, slippage: 100 }],
      [automaticBuyKey(intent), { atMs: 0 }],
    ] as const;
    for (const [key, item] of writes) await intruder.put(key, item);
    expect(intruder.denials).toBe(writes.length);
    expect(await signs("ALICEOVERSPENDS")).toEqual({ later: "the policy forbids it: maxPerOrder" });
  });
});

describe("a loosenGuards that was taken over", () => {
  it("lifts limits at once, but gets no order signed that the user did not place", async () => {
    const { desk, intruder, executor, signs } = await intrudeAs("loosenGuards");
    expect(await signs("ALICEOVERSPENDS")).toEqual({ later: "the policy forbids it: maxPerOrder" });
    await intruder.put(policyKey(policyOfAlice), { ...policyOfAlice, policy: openPolicy });
    await expect(signs("ALICEOVERSPENDS")).rejects.toThrow(Theft);
    const placed = desk.named("ALICEBUYS");
    const intent = { ...placed.intent, minAmountOut: 1n };
    await intruder.put(tradeKey("alice", intent.orderId), { ...placed, intent });
    expect(intruder.denials).toBe(1);
    // This intruder cannot write the order, and no other function makes its MAC.
    const planned = slot({ place: 0, call: swapBy(intent, v2, intent.amount) }, intent);
    expect(await executor.askWith({ ...placed, intent }, planned)).toEqual({
      refused: "the intent was not made by placeOrder",
    });
  });

  it.each([{ policy: "x" }, { policy: { tokens: new Set([dai]) } }, { policy: undefined, revision: "1" }])(
    "gets nothing signed by writing an invalid policy: %o",
    async (odd) => {
      const { desk, intruder, signs } = await intrudeAs("loosenGuards");
      await intruder.put(policyKey(policyOfAlice), { ...policyOfAlice, ...odd });
      const before = desk.signatures;
      await signs("ALICEOVERSPENDS").catch(() => undefined);
      expect(desk.signatures).toBe(before);
    },
  );
});

describe.each(["retireWallet", "storeWallet"] as const)("a %s that was taken over", (name) => {
  it("never makes a wallet sign with a key that is not the wallet's own", async () => {
    const { desk, intruder, signs } = await intrudeAs(name);
    const { wallet } = desk.named("ALICEBUYS").intent;
    const keys = [
      // Keys of another user: one sealed for that user, and one sealed for this wallet.
      await intruder.read(sealedKeyKey("mallory", "eth", mallory.address)),
      await desk.sealForAlice(mallory.privateKey),
    ];
    for (const key of keys) {
      await intruder.put(sealedKeyKey("alice", "eth", wallet), key);
      expect(await signs("ALICEBUYS")).toHaveProperty("refused");
    }
    expect(intruder.denials).toBe(0);
    expect(desk.signatures).toBe(0);
  });
});
