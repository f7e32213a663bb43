import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import { type EvmIntent, type SwapCall, swapBy } from "../../../lib/chains/evm/rules/intent.ts";
import { emptyEvmLedger } from "../../../lib/chains/evm/rules/ledger.ts";
import { defaultChains } from "../../../lib/infra/default-chains.ts";
import type { TradeOrder } from "../../../lib/orders/trade-order.ts";
import { openPolicy } from "../../../lib/orders/wallet-policy.ts";
import { earnedKey, pointsLineKey } from "../../../lib/rewards/item-keys.ts";
import { sealedKeyKey, walletKey } from "../../../lib/table/wallet-keys.ts";
import {
  cancellationKey,
  dayKey,
  ledgerKey,
  policyKey,
  tradingStopKey,
  usedKeyKey,
} from "../../../lib/trading/items/keys.ts";
import { readPlacing } from "../../../lib/trading/items/views.ts";
import { profileKey, settingsKey } from "../../../lib/users/item-keys.ts";
import { putItems } from "../../support/items.ts";
import { feeBudgetOf, readSigned, Theft } from "../../support/signed-bytes.ts";
import { signedFee, slot, v2, v3 } from "../../support/trading.ts";
import { Random } from "../../trading/model/random.ts";
import { desksForTests, policyOfAlice, type SigningDesk } from "./desk.ts";
import { type Allows, Intruder } from "./intruder.ts";
import { access, isAllowed, kmsKeyArns, roleOf } from "./roles.ts";

const openDesk = desksForTests();

const executor = roleOf("executeOrders");

/** Returns whether the deployed role of executeOrders allows an action. */
const allows: Allows = (action, partition) => isAllowed(executor, action, partition);

const intrude = async (rights: Allows = allows) => {
  const desk = await openDesk();
  return { desk, intruder: new Intruder(desk, rights, new Random(1)) };
};

/** Ways around the signer that need more rights than the role has. */
const ways: Record<string, (intruder: Intruder, desk: SigningDesk) => Promise<unknown>> = {
  "forgets the first signature, for a second nonce": async (intruder, desk) => {
    const order = desk.named("ALICEBUYS");
    const { intent } = order;
    const planned = slot({ place: 1, call: swapBy(intent, v2, intent.amount) }, intent);
    await intruder.askWith(order, planned);
    await intruder.remove(ledgerKey(intent.orderId));
    return intruder.askWith(order, { ...planned, place: 2 });
  },
  "undoes a cancellation": async (intruder, desk) => {
    const order = desk.named("ALICECANCELS");
    const { intent } = order;
    await intruder.remove(cancellationKey(intent));
    return intruder.askWith(order, slot({ call: swapBy(intent, v2, intent.amount) }, intent));
  },
  "starts a chain that the operators have stopped": async (intruder, desk) => {
    const order = desk.named("ALICEBUYSONBASE");
    const { intent } = order;
    const [route = v2] = intent.routes;
    await intruder.remove(tradingStopKey("base"));
    return intruder.askWith(order, slot({ call: swapBy(intent, route, intent.amount) }, intent));
  },
  "claims that a nonce of another program was signed for, to clear it": async (intruder, desk) => {
    const order = desk.named("BOBBUYS");
    const { intent } = order;
    const { fees } = slot();
    const ledger = { ...emptyEvmLedger(intent), fees: { 3: signedFee(fees) }, revision: 1 };
    await intruder.put(ledgerKey(intent.orderId), ledger);
    const planned = slot({ place: 3, call: swapBy(intent, v2, intent.amount) }, intent);
    return intruder.askWith(order, planned, { purpose: "clear" });
  },
  "lifts the limits of a wallet": async (intruder, desk) => {
    const order = desk.named("ALICEOVERSPENDS");
    const { intent } = order;
    await intruder.put(policyKey(intent), { ...policyOfAlice, policy: openPolicy });
    return intruder.askWith(order, slot({ call: swapBy(intent, v2, intent.amount) }, intent));
  },
  "forgets what was spent on a day": async (intruder, desk) => {
    let answer: unknown;
    for (const [nonce, name] of ["ALICEBUYS", "ALICEBUYSMORE", "ALICEBUYSAGAIN"].entries()) {
      const order = desk.orders.find(
        ({ intent }) => intent.orderId === name.padEnd(26, "0"),
      ) as TradeOrder<Evm>;
      const { intent } = order;
      if (nonce === 2) await intruder.remove(dayKey({ ...intent, day: "2026-11-21" }));
      answer = await intruder.askWith(
        order,
        slot({ place: nonce, call: swapBy(intent, v2, intent.amount) }, intent),
      );
    }
    return answer;
  },
};

/**
 * Writes that would change a user's next order, and need more rights than the role has. Each leaves something for the
 * next write to use.
 */
const harms: Record<string, (intruder: Intruder, of: EvmIntent) => Promise<void>> = {
  "raises the user's slippage and highest gas price": (intruder, { userID, chain }) =>
    intruder.put(settingsKey(userID, chain as "eth"), { slippage: 100, maxGasPrice: 10 ** 9 }),
  "answers a repeated request with another order": (intruder, { userID, orderId }) => {
    const forged = { userID, key: `key ${orderId}`, orderId: "ANOTHER", fingerprint: "body" };
    return intruder.put(usedKeyKey(userID, "placeOrder", forged.key), forged);
  },
  "makes a repeated request place a second order": (intruder, { userID, orderId }) =>
    intruder.remove(usedKeyKey(userID, "placeOrder", `key ${orderId}`)),
  "lifts the limits of a wallet": (intruder, of) =>
    intruder.put(policyKey(of), { ...policyOfAlice, policy: openPolicy }),
  "deletes a wallet": (intruder, { userID, chain, wallet }) =>
    intruder.remove(walletKey(userID, chain, wallet)),
};

/** Tries each harmful write, and returns those that changed what placeOrder reads. */
async function harmDone(rights: Allows): Promise<string[]> {
  const { desk, intruder } = await intrude(rights);
  const { intent } = desk.named("ALICEBUYS");
  const { userID, orderId } = intent;
  const read = () =>
    readPlacing(desk.table, { lane: intent, day: "2026-11-21", userID, key: `key ${orderId}` });
  const done: string[] = [];
  for (const [name, harm] of Object.entries(harms)) {
    const before = await read();
    await harm(intruder, intent);
    if (!isDeepStrictEqual(await read(), before)) done.push(name);
  }
  return done;
}

describe("an executor that was taken over", () => {
  it("changes no settings, used keys or wallets of users, but would if the policy allowed it", async () => {
    expect(await harmDone(allows)).toEqual([]);
    expect(await harmDone(() => true)).toEqual(Object.keys(harms));
  });

  it.each(Object.entries(ways))("gains nothing if it %s", async (_, way) => {
    const { desk, intruder } = await intrude();
    const answer = await way(intruder, desk);
    expect(intruder.denials).toBe(1);
    expect(answer).not.toHaveProperty("slot");
  });

  it.each(Object.entries(ways))("causes harm only if the policy allows this: it %s", async (_, way) => {
    const { desk, intruder } = await intrude(() => true);
    await expect(way(intruder, desk)).rejects.toThrow(Theft);
  });

  it("gains nothing from placing an order of its own in another user's name", async () => {
    const { desk, intruder } = await intrude();
    const [own, of] = [desk.named("MALLORYBUYS"), desk.named("ALICEBUYS").intent];
    const { userID, orderId, chain, wallet } = of;
    const forged = { ...own.intent, userID, orderId, chain, wallet };
    for (const intent of [own.intent, forged]) {
      const planned = slot({ call: swapBy(intent, v2, intent.amount) }, of);
      expect(await intruder.askWith({ ...own, intent }, planned)).toHaveProperty("refused");
    }
    // Writes directly, beyond the rights of the role.
    const sealed = await intruder.read(sealedKeyKey(userID, chain, wallet));
    await putItems(desk.table, [
      { ...sealed, ...sealedKeyKey("mallory", chain, wallet) },
      walletKey("mallory", chain, wallet),
    ]);
    const planned = slot({ call: swapBy(forged, v2, forged.amount), wallet }, own.intent);
    expect(await intruder.askWith(own, planned)).toHaveProperty("refused");
  });

  it("makes up fills that earn users something, but removes none, and credits nobody itself", async () => {
    const { intruder } = await intrude();
    const earned = earnedKey("alice", "2026-11-21T20:00:00.000Z", "01KAMZ3Q5T9WJ2M4N6P8R0S1V3");
    await intruder.put(earned, { kind: "fill", userID: "alice" });
    expect(intruder.denials).toBe(0);
    await intruder.remove(earned);
    await intruder.put(profileKey("alice"), { points: 1e9 });
    await intruder.put(pointsLineKey("alice", 1), { points: 1e9 });
    expect(intruder.denials).toBe(3);
  });

  const unlike = { refused: "the intent is not the stored one" };
  const forged = { refused: "the intent was not made by placeOrder" };

  type Order = TradeOrder<Evm>;
  const dearer = (own: Order): Order => ({
    ...own,
    intent: { ...own.intent, amount: 2n * own.intent.amount },
  });

  /** Orders that the executor claims, those that it stores, and the signer's answer. */
  const lies: Record<string, (own: Order, desk: SigningDesk) => [claimed: Order, stored: Order, object]> = {
    "claims another order of the wallet": (own, desk) => [desk.named("ALICEBUYSMORE"), own, unlike],
    "claims another user's order of the wallet": (own, desk) => [desk.named("BOBBUYS"), own, unlike],
    "claims an order of another wallet": (own, desk) => [desk.named("MALLORYBUYS"), own, unlike],
    "claims an altered intent": (own) => [dearer(own), own, unlike],
    "claims the MAC of another intent": (own, desk) => [
      { ...own, mac: desk.named("BOBBUYS").mac },
      own,
      unlike,
    ],
    "stores an altered intent": (own) => [own, dearer(own), unlike],
    "stores the MAC of another intent": (own, desk) => [
      own,
      { ...own, mac: desk.named("BOBBUYS").mac },
      unlike,
    ],
    "claims and stores an altered intent": (own) => [dearer(own), dearer(own), forged],
    "claims and stores the MAC of another intent": (own, desk) => {
      const lie = { ...own, mac: desk.named("BOBBUYS").mac };
      return [lie, lie, forged];
    },
    "claims and stores another order": (_, desk) => {
      const other = desk.named("ALICEBUYSMORE");
      return [other, other, { refused: "the intent is of another order, user or wallet" }];
    },
  };

  it.each(Object.entries(lies))("gets no signature if it %s", async (_, lie) => {
    const { desk, intruder } = await intrude();
    const own = desk.named("ALICEBUYS");
    const [{ intent, mac }, stored, answer] = lie(own, desk);
    const claimed = { intent, mac };
    const planned = (of: Order) =>
      slot({ call: swapBy(of.intent, v2, of.intent.amount), isPrivate: false }, own.intent);
    expect(await intruder.askWith(stored, planned(stored), { claimed })).toEqual(answer);
    expect(desk.signatures).toBe(0);
    const signed = await intruder.askWith(own, planned(own));
    if (signed === undefined || !("slot" in signed)) return expect.fail("the genuine order is not signed");
    // The ledger is enough to clear an order whose MAC is void, but not one that differs from the claimed order.
    const { maxFeePerGas } = planned(own).fees;
    const fees = { maxFeePerGas: 2n * maxFeePerGas, maxPriorityFeePerGas: 2n * maxFeePerGas };
    if (answer === unlike)
      expect(await intruder.askWith(stored, signed.slot, { claimed, purpose: "clear", fees })).toEqual(
        answer,
      );
    expect(await intruder.askWith(own, signed.slot, { purpose: "clear", fees })).toHaveProperty("slot");
  });

  it("gains no more than the users' own orders, once each, at their minimum", async () => {
    const { desk, intruder } = await intrude();
    for (let moves = 0; moves < 100; moves++) await intruder.move();
    expect(desk.signatures).toBeGreaterThan(4);
    expect(desk.signed.size).toBeGreaterThan(2);
    expect(desk.refusals).toBeGreaterThan(50);
    expect(intruder.denials).toBeGreaterThan(9);
  });

  it("limits the fees of a sale to twice its gas at its highest gas price", async () => {
    const { desk, intruder } = await intrude();
    const order = desk.named("ALICESELLS");
    const { intent } = order;
    const fees = { maxFeePerGas: intent.maxGasPrice, maxPriorityFeePerGas: intent.maxGasPrice };
    const approval = (router: string) =>
      ({ purpose: "approve", token: intent.token, router, amount: intent.amount }) as const;
    const calls = [approval(v2.router), approval(v3.router), swapBy(intent, v2, intent.amount)];
    let total = 0n;
    for (const [nonce, call] of calls.entries()) {
      // The signer refuses an approval that costs twice the swap's gas.
      for (const gasLimit of [2n * intent.gasLimit, intent.approvalGas]) {
        const planned = slot({ place: nonce, call, gasLimit, isPrivate: false }, intent);
        const answer = await intruder.askWith(order, planned, { fees });
        if (answer === undefined || !("slot" in answer)) continue;
        total += readSigned(answer.raw, intent, defaultChains.eth).mostFee;
        break;
      }
    }
    expect(desk.signatures).toBe(3);
    expect(total).toBe(feeBudgetOf(intent));
  });

  it.each<[string, Partial<SwapCall>]>([
    ["text", { amountIn: " 500000000000000000" as never, value: " 500000000000000000" as never }],
    ["a negative number", { amountIn: -1n, value: -1n }],
    ["a set", { amountIn: new Set(["5"]) as never }],
    ["300 KB", { recipient: "0".repeat(300_000) }],
    ["an unknown field", { more: 1 } as never],
  ])("signs and counts nothing for a slot with %s in it", async (_, odd) => {
    const { desk, intruder } = await intrude();
    for (const name of ["ALICEBUYS", "BOBBUYS"]) {
      const order = desk.named(name);
      const { intent } = order;
      const call = { ...swapBy(intent, v2, intent.amount), ...odd };
      const answer = await intruder.askWith(order, slot({ call, isPrivate: false }, intent));
      expect(answer).toEqual({ refused: "the stored slot is invalid" });
      expect(await intruder.read(dayKey({ ...intent, day: "2026-11-21" }))).toEqual({});
    }
    expect([desk.signatures, desk.refusals]).toEqual([0, 2]);
  });

  it("gets no bytes for distant nonces that it could keep for later", async () => {
    const { desk, intruder } = await intrude();
    const order = desk.named("ALICESELLS");
    const { intent } = order;
    const approval = {
      purpose: "approve",
      token: intent.token,
      router: v2.router,
      amount: intent.amount,
    } as const;
    for (const call of [approval, swapBy(intent, v2, intent.amount)])
      for (const nonce of [21, 1_000_000])
        expect(
          await intruder.askWith(order, slot({ place: nonce, call, isPrivate: false }, intent)),
        ).toHaveProperty("refused");
    expect(desk.signatures).toBe(0);
  });

  it("never gets a private key", () => {
    for (const resource of kmsKeyArns)
      for (const action of ["Decrypt", "GenerateMac", "VerifyMac", "GenerateDataKey", "CreateGrant"])
        expect(access.denial(executor, { action: `kms:${action}`, resource })).toBeDefined();
  });
});
