import { BatchGetCommand, type BatchGetCommandInput, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import { type EvmIntent, swapBy } from "../../../lib/chains/evm/rules/intent.ts";
import { signedNonceOf } from "../../../lib/chains/evm/rules/ledger.ts";
import { dayOf } from "../../../lib/core/time.ts";
import { raisedTo } from "../../../lib/orders/cutoffs.ts";
import type { SignRequest } from "../../../lib/orders/effects.ts";
import type { DeadChild, Mandate } from "../../../lib/orders/resting/mandate.ts";
import type { Items, ItemWrite, Ledger } from "../../../lib/orders/table-step.ts";
import type { PolicyRecord } from "../../../lib/orders/wallet-policy.ts";
import { getItems } from "../../../lib/table/batch-get.ts";
import type { Key } from "../../../lib/table/keys.ts";
import { keysOfItems, packed } from "../../../lib/trading/items/items.ts";
import { parsed } from "../../../lib/trading/items/signing-schemas.ts";
import { writeStep } from "../../../lib/trading/items/write-step.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { interceptedTable } from "../../support/intercepted-table.ts";
import { putItems } from "../../support/items.ts";
import {
  childId,
  newMandate,
  newPair,
  childMs as nowMs,
  openChildren,
  parentOf,
} from "../../support/placed-children.ts";
import { putPolicy } from "../../support/placed-orders.ts";
import { intent, slot, tradeOrder, v2 } from "../../support/trading.ts";

const db = tableForTests();
const { placedChild, sign, macs, childMacs, checks: usual } = openChildren(db);
const nowSeconds = nowMs / 1000;
const day = dayOf(nowMs);

const signs = async (...asked: Parameters<typeof sign>) => "raw" in (await sign(...asked));

const findItem = async (key: Key) => (await getItems<object>(db.table, [key]))[0];

async function stored<K extends "tally" | "ledger" | "day">(
  kind: K,
  name: Parameters<(typeof keysOfItems)[K]>[0],
): Promise<Items[K] | undefined> {
  const key: (typeof keysOfItems)[K] = keysOfItems[kind];
  const item = await findItem(key(name as never));
  return item && parsed(kind, item);
}

const dayOfWallet = ({ userID, chain, wallet }: Mandate) => stored("day", { userID, chain, wallet, day });

/** Records that children are dead, as executeOrders does. */
function bury({ orderId }: Mandate, ...children: (string | DeadChild)[]): Promise<void> {
  const dead = children.map((each) =>
    typeof each === "string" ? { child: each, how: "unused", block: 9 } : each,
  );
  const item = packed({ orderId, dead, revision: 1, expiresAt: 2_000_000_000 }) as object;
  return putItems(db.table, [{ ...keysOfItems.ended({ orderId }), ...item }]);
}

const raised = (fees: SignRequest<Evm>["fees"]) => ({
  maxFeePerGas: 2n * fees.maxFeePerGas,
  maxPriorityFeePerGas: 2n * fees.maxPriorityFeePerGas,
});

const put = (...step: ItemWrite[]) => writeStep(db.table, step);

describe("the signer of a child", () => {
  it("records the child in the tally, and its hashes, deadline and time in the ledger", async () => {
    const of = newMandate();
    const request = await placedChild(of);
    const first = await sign(request);
    const second = await sign({ ...request, fees: raised(request.fees) }, { nowMs: () => nowMs + 5000 });
    if (!("slot" in first && "slot" in second)) return expect.fail(JSON.stringify([first, second]));
    const most = 134_415n * 2n * request.fees.maxFeePerGas;
    const hourCount = { hour: Math.floor(nowMs / 3_600_000), n: 1 };
    const out = { child: childId(of, 1), kind: "limit", amount: of.amount, most, day };
    expect(await stored("tally", of)).toEqual({
      orderId: of.orderId,
      out,
      owed: [],
      counts: { limit: hourCount, stop: { hour: 0, n: 0 } },
      fees: { limit: most, stop: 0n },
      revision: 2,
      expiresAt: of.expiresAt + 86_400,
    });
    const ledger = (await stored("ledger", { orderId: request.orderId })) as Ledger<Evm>;
    expect(ledger.swapSignedAtMs).toBe(nowMs);
    expect(signedNonceOf(ledger)).toEqual({
      nonce: 1,
      deadline: nowSeconds + 13,
      swaps: second.slot.attempts.map(({ hash }) => hash),
      clears: [],
    });
    expect(await dayOfWallet(of)).toMatchObject({
      spent: of.amount + most,
      limitFees: most,
      newResting: 1,
      givenBack: 0,
    });
  });

  it("records the clear of a child, even after its resting order is cancelled", async () => {
    const of = newMandate();
    const request = await placedChild(of);
    expect(await signs(request)).toBe(true);
    await put({ kind: "put", of: "cancellation", item: { userID: of.userID, orderId: of.orderId } });
    const clearing = { ...request, purpose: "clear" as const, fees: raised(request.fees) };
    const cleared = await sign(clearing, { nowMs: () => nowMs + 100_000 });
    if (!("slot" in cleared)) return expect.fail(JSON.stringify(cleared));
    const ledger = (await stored("ledger", { orderId: request.orderId })) as Ledger<Evm>;
    expect(signedNonceOf(ledger)?.clears).toEqual([cleared.slot.attempts.at(-1)?.hash]);
  });

  it("signs no second child before the first one is dead, whichever leg it is of", async () => {
    const of = newPair();
    expect(await signs(await placedChild(of))).toBe(true);
    const second = await placedChild(of, { n: 2, leg: 1, lives: 24 });
    expect(await sign(second)).toEqual({ later: "another child may still fill" });
    await bury(of, childId(of, 1));
    expect(await signs(second)).toBe(true);
    expect(await stored("tally", of)).toMatchObject({
      out: { child: childId(of, 2), kind: "stop" },
      owed: [{ child: childId(of, 1), kind: "limit" }],
    });
  });

  it("signs the child of an exit only if it has signed a swap of the very buy, or of a child of it", async () => {
    const buyer = newMandate();
    const { wallet, userID } = buyer;
    const exitOf = (of: string, orderId: string) =>
      newMandate({ ...newPair(), wallet, userID, orderId, exit: { of, sharePpm: 1_000_000n } });
    const signsExit = async (of: string, orderId: string, place: number, bought?: number) => {
      const exit = exitOf(of, orderId);
      const parent = { ...parentOf(exit), ...(bought !== undefined && { bought }) };
      const request = await placedChild(exit, { changes: { parent, nextNonce: place }, place });
      return sign(request);
    };
    const never = { later: "the buy of the exit was never signed" };
    expect(await signsExit(childId(buyer, 1), "e1", 11)).toEqual(never);
    expect(await signs(await placedChild(buyer))).toBe(true);
    expect(await signsExit(childId(buyer, 1), "e2", 12)).toHaveProperty("raw");
    expect(await signsExit(buyer.orderId, "e3", 13, 1)).toHaveProperty("raw");
    expect(await signsExit(buyer.orderId, "e4", 14, 2)).toEqual(never);
    expect(await signsExit(buyer.orderId, "e5", 15)).toEqual(never);
    const other = newMandate();
    expect(await signs(await placedChild(other))).toBe(true);
    expect(await signsExit(childId(other, 1), "e6", 16)).toEqual(never);
  });

  it("signs one of two children whose signatures are asked for at once", async () => {
    const of = newPair();
    const children = [await placedChild(of), await placedChild(of, { n: 2 })];
    const answers = await Promise.all(children.map((each) => signs(each)));
    expect(answers.filter(Boolean)).toHaveLength(1);
  });

  it("takes a dead buy off the day's limit once its death is final", async () => {
    const of = newMandate();
    const { chain, wallet, userID } = of;
    const policy = { tokens: "any", tradingEnabled: true, maxPerDay: (3n * of.amount) / 2n } as const;
    const record: PolicyRecord = { chain, wallet, userID, policy, revision: 1 };
    await putPolicy(db.table, record);
    expect(await signs(await placedChild(of))).toBe(true);
    const second = await placedChild(of, { n: 2 });
    await bury(of, childId(of, 1));
    expect(await sign(second)).toEqual({ later: "the policy forbids it: maxPerDay" });
    await bury(of, { child: childId(of, 1), how: "unused", block: 9, final: true, paid: 0n });
    expect(await signs(second)).toBe(true);
    const most = 134_415n * second.fees.maxFeePerGas;
    expect(await dayOfWallet(of)).toMatchObject({ spent: of.amount + 2n * most, givenBack: 1 });
    expect(await stored("tally", of)).toMatchObject({ owed: [], fees: { limit: most } });
  });

  it.each([
    ["maxPerOrder", { maxPerOrder: 1n }],
    ["tradingEnabled", { tradingEnabled: false }],
  ] as const)("only clears a child once the policy is tightened in its %s", async (rule, tighter) => {
    const of = newMandate();
    const { chain, wallet, userID } = of;
    const request = await placedChild(of);
    const unsigned = await placedChild(newMandate({ wallet, userID }), { n: 2 });
    expect(await signs(request)).toBe(true);
    const policy = { tokens: "any", tradingEnabled: true, ...tighter } as const;
    await putPolicy(db.table, { chain, wallet, userID, policy, revision: 1 });
    const refusal = { later: `the policy forbids it: ${rule}` };
    expect(await sign(unsigned)).toEqual(refusal);
    const again = { ...request, fees: raised(request.fees) };
    expect(await sign(again)).toEqual(refusal);
    expect(await signs({ ...again, purpose: "clear" })).toBe(true);
  });

  it.each<[string, (of: Mandate) => Promise<unknown>, string]>([
    [
      "is cancelled",
      ({ userID, orderId }) => put({ kind: "put", of: "cancellation", item: { userID, orderId } }),
      "the resting order has ended",
    ],
    [
      "is cancelled with all others, before its child was placed",
      ({ userID, createdAt }) => put(raisedTo({ userID }, createdAt)),
      "the resting order has ended",
    ],
    [
      "is of a wallet retired since",
      ({ userID, chain, wallet, createdAt }) => put(raisedTo({ userID, chain, wallet }, createdAt)),
      "the resting order has ended",
    ],
  ])("signs nothing once the resting order %s", async (_, end, later) => {
    const of = newMandate();
    const request = await placedChild(of);
    await end(of);
    expect(await sign(request)).toEqual({ later });
  });

  it("signs nothing if the resting order is cancelled in the instant of the signature", async () => {
    const of = newMandate();
    const { userID, orderId } = of;
    const request = await placedChild(of);
    const table = interceptedTable(db.table, async (command) => {
      if (command instanceof TransactWriteCommand)
        await put({ kind: "put", of: "cancellation", item: { userID, orderId } });
    });
    expect(await sign(request, { table })).toEqual({ later: "the order or its slot has changed" });
    expect(await stored("tally", of)).toBeUndefined();
  });

  it("signs no swap that makes way for a stop", async () => {
    const of = newMandate();
    const request = await placedChild(of);
    const item = tradeOrder({ ...request.claimed, yields: true, revision: 2 });
    await put({ kind: "put", of: "order", item, when: {} });
    expect(await sign(request)).toEqual({ later: "the order makes way for a stop" });
  });

  it("keeps the deadline of the first signature, and refuses one beyond a child's life", async () => {
    const late = newMandate();
    const refusal = { refused: "the swap's deadline is too late" };
    expect(await sign(await placedChild(late, { lives: 16 }))).toEqual(refusal);
    const of = newMandate();
    const request = await placedChild(of);
    const answer = await sign(request);
    if (!("slot" in answer)) return expect.fail(JSON.stringify(answer));
    const changed = answer.slot as Items["slot"] & { call: { deadline: number } };
    const call = { ...changed.call, deadline: changed.call.deadline + 1 };
    await put({ kind: "put", of: "slot", item: { ...changed, call } as Items["slot"], when: {} });
    expect(await sign({ ...request, fees: raised(request.fees) }, { nowMs: () => nowMs + 5000 })).toEqual({
      refused: "the order's swap was signed with another nonce or another call",
    });
  });

  it("reads three items and checks one MAC more than for a market order, and asks no more often", async () => {
    const asked = async (request: SignRequest<Evm>) => {
      let macsChecked = 0;
      const calls: unknown[] = [];
      const table = interceptedTable(db.table, (command) => calls.push(command));
      const noting =
        <Asked extends unknown[]>(check: (...asked: Asked) => Promise<boolean>) =>
        (...terms: Asked) => {
          macsChecked++;
          return check(...terms);
        };
      const { checkOrder, checkMandateMac } = usual;
      const checks = { checkOrder: noting(checkOrder), checkMandateMac: noting(checkMandateMac) };
      // Tells this process that there is no stop of an earlier build.
      await sign({ ...request, place: 9 }, { table, checks });
      calls.length = macsChecked = 0;
      expect(await sign(request, { table, checks })).toHaveProperty("raw");
      const keys = calls.flatMap((call) =>
        call instanceof BatchGetCommand
          ? (Object.values((call.input as BatchGetCommandInput).RequestItems ?? {})[0]?.Keys ?? [])
          : [],
      );
      const names = calls.map((call) => (call as object).constructor.name);
      return { names, keys: keys.map(({ SK }) => SK), macsChecked };
    };
    const of = newMandate();
    const child = await placedChild(of);
    const orderId = childId(of, 2);
    const own = intent({ ...child.claimed.intent, orderId });
    const { parent: _, ...bought } = own;
    const claimed = { intent: bought, mac: await macs.makeMac(bought) };
    const item = slot({ place: 2, call: swapBy(bought, v2, bought.amount) }, bought);
    await put(
      { kind: "put", of: "order", item: tradeOrder({ ...claimed, amount: bought.amount }), when: "absent" },
      { kind: "put", of: "slot", item, when: "absent" },
    );
    const ofMarket = await asked({ ...child, orderId, place: 2, claimed });
    const ofChild = await asked(child);
    expect(ofMarket).toMatchObject({ names: ["BatchGetCommand", "TransactWriteCommand"], macsChecked: 1 });
    expect(ofMarket.keys).toHaveLength(12);
    expect(ofChild).toMatchObject({ names: ofMarket.names, macsChecked: 2 });
    expect(ofChild.keys).toHaveLength(15);
  });
});

describe("the signer against a compromised fireOrders", () => {
  const other = { refused: "the child is of another mandate" };

  it.each<[string, (of: Mandate) => Promise<SignRequest<Evm>>, object]>([
    [
      "names the mandate of another order of the user",
      async (of) => placedChild(of, { shown: newMandate({ userID: of.userID, wallet: of.wallet }) }),
      other,
    ],
    [
      "names the mandate of another user",
      async (of) => {
        const shown = newMandate();
        return placedChild(of, { changes: { parent: parentOf(shown) }, shown });
      },
      other,
    ],
    [
      "makes a mandate",
      async (of) => {
        const shown = { ...of, amount: 2n * of.amount };
        const changes = { amount: shown.amount, parent: parentOf(shown) };
        return placedChild(of, { changes, shown, by: { ofMandate: childMacs.makeMandateMac } });
      },
      { refused: "the mandate was not made by placeOrder" },
    ],
    [
      "names no mandate",
      async (of) => {
        const { claimed, ...request } = await placedChild(of);
        const { mandate: _, ...less } = claimed as NonNullable<typeof claimed>;
        return { ...request, claimed: less };
      },
      { refused: "the child names no mandate" },
    ],
    [
      "makes a child for more than the mandate's amount",
      (of) => placedChild(of, { changes: { amount: of.amount + 1n } }),
      { refused: "the amount is above the mandate's" },
    ],
    [
      "makes a child for less than the leg's price",
      (of) => placedChild(of, { changes: { minAmountOut: 9000n * of.amount - 1n } }),
      { refused: "the minimum is below the leg's" },
    ],
    [
      "makes a market order with its own key",
      async (of) => {
        const { claimed, ...request } = await placedChild(of, { by: { ofIntent: async () => "" } });
        const { parent: _, ...own } = (claimed as NonNullable<typeof claimed>).intent;
        const forged = { intent: own, mac: await childMacs.makeMac(own) };
        await put({ kind: "put", of: "order", item: tradeOrder(forged), when: {} });
        return { ...request, claimed: forged };
      },
      { refused: "the intent was not made by placeOrder" },
    ],
    [
      "gives a child a longer life",
      (of) => placedChild(of, { changes: { validUntil: nowSeconds + 61 } }),
      { later: "the child's deadline is too far away" },
    ],
  ])("signs nothing if it %s", async (_, attack, answer) => {
    const of = newMandate({ amount: 5n * 10n ** 17n });
    expect(await sign(await attack(of))).toEqual(answer);
    expect(await stored("tally", of)).toBeUndefined();
  });

  it("signs one child of a slice, in its turn, whatever executeOrders records", async () => {
    const { amount } = intent();
    const of = newMandate({
      amount: 2n * amount,
      legs: [{ kind: "slice", worst: { coins: 1n, tokens: 9000n } }],
      slices: { count: 2, everySeconds: 600 },
    });
    const childOf = (n: number, slice: number) => {
      const parent = { ...parentOf(of, { n }), slice };
      return placedChild(of, { n, lives: 24, changes: { amount, parent } });
    };
    expect(await sign(await childOf(1, 2))).toEqual({ later: "the slice is not due" });
    expect(await signs(await childOf(2, 1))).toBe(true);
    await bury(of, childId(of, 2));
    expect(await sign(await childOf(3, 1))).toEqual({ later: "the slice is used up" });
    const slices = [{ slice: 1, child: childId(of, 2) }];
    expect(await stored("tally", of)).toMatchObject({ slices, fees: { stop: 0n } });
  });

  it("fires at most twelve children of a limit in an hour, and then still a stop", async () => {
    const of = newPair();
    for (let n = 1; n <= 12; n++) {
      expect(await signs(await placedChild(of, { n }))).toBe(true);
      await bury(of, ...Array.from({ length: n }, (_, index) => childId(of, index + 1)).slice(-16));
    }
    const thirteenth = await placedChild(of, { n: 13 });
    expect(await sign(thirteenth)).toEqual({ later: "the leg has fired too often" });
    const parent = { ...parentOf(of, { n: 14, leg: 1 }), after: childId(of, 12) };
    expect(await signs(await placedChild(of, { n: 14, leg: 1, lives: 24, changes: { parent } }))).toBe(true);
  });
});

describe("the signer against a compromised placeOrder", () => {
  it("signs no child that it plants under its own mandate", async () => {
    const of = newMandate();
    for (const ofIntent of [macs.makeChildMac, macs.makeMac])
      expect(
        await sign(await placedChild(of, { n: ofIntent === macs.makeMac ? 2 : 1, by: { ofIntent } })),
      ).toEqual({
        refused: "the intent was not made by placeOrder",
      });
  });

  it("signs no children of more than a hundred new resting orders of a wallet on one day", async () => {
    const of = newMandate();
    const { userID, chain, wallet } = of;
    const spent = { userID, chain, wallet, day, spent: 0n, revision: 1, expiresAt: nowSeconds + 86_400 };
    await put({ kind: "put", of: "day", item: { ...spent, newResting: 100 }, when: "absent" });
    const request = await placedChild(of);
    expect(await sign(request)).toEqual({ later: "too many resting orders have fired today" });
    await put({ kind: "put", of: "day", item: { ...spent, newResting: 99 }, when: {} });
    expect(await signs(request)).toBe(true);
  });
});

describe("the signer against a compromised executeOrders", () => {
  it.each([
    [1, 2],
    [2, 1],
  ])("signs no child %i and then %i if both were unsigned when they were placed", async (one, other) => {
    const of = newPair();
    const placed = (n: number) => {
      const { after: _, ...parent } = parentOf(of, { n, leg: n - 1 });
      return placedChild(of, { n, leg: n - 1, lives: n === 1 ? 13 : 24, changes: { parent } });
    };
    const requests = new Map([
      [1, await placed(1)],
      [2, await placed(2)],
    ]);
    const ask = (n: number) => sign(requests.get(n) as Awaited<ReturnType<typeof placed>>);
    expect(await ask(one)).toHaveProperty("raw");
    await bury(of, childId(of, one));
    expect(await ask(other)).toEqual({ later: "another child may still fill" });
  });

  it("gives back only what a dead buy has spent", async () => {
    const of = newMandate();
    const request = await placedChild(of);
    const call = swapBy(request.claimed?.intent as EvmIntent, v2, 1n, nowSeconds + 13);
    const item = slot({ place: 1, call }, request.claimed?.intent as EvmIntent);
    await put({ kind: "put", of: "slot", item, when: {} });
    expect(await signs(request)).toBe(true);
    await bury(of, { child: childId(of, 1), how: "unused", block: 9, final: true, paid: 0n });
    expect(await signs(await placedChild(of, { n: 2 }))).toBe(true);
    const most = 134_415n * request.fees.maxFeePerGas;
    expect(await dayOfWallet(of)).toMatchObject({ spent: of.amount + 2n * most });
  });

  it("stops no clear by a tally that cannot be read", async () => {
    const of = newMandate();
    const request = await placedChild(of);
    expect(await signs(request)).toBe(true);
    await putItems(db.table, [{ ...keysOfItems.tally(of), orderId: 5 }]);
    const fees = raised(request.fees);
    expect(await sign({ ...request, fees })).toEqual({ refused: "the stored tally is invalid" });
    expect(await signs({ ...request, fees, purpose: "clear" })).toBe(true);
  });
});
