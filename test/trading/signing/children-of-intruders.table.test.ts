import { describe, expect, it } from "vitest";
import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import { type EvmIntent, swapBy } from "../../../lib/chains/evm/rules/intent.ts";
import { dayOf } from "../../../lib/core/time.ts";
import type { SignRequest } from "../../../lib/orders/effects.ts";
import type { Mandate } from "../../../lib/orders/resting/mandate.ts";
import { keysOfItems } from "../../../lib/trading/items/items.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { putItems } from "../../support/items.ts";
import {
  childId,
  childMs,
  newMandate,
  newPair,
  openChildren,
  parentOf,
  raised,
} from "../../support/placed-children.ts";
import { intent, slot, tradeOrder, v2 } from "../../support/trading.ts";
import { keyId } from "../../support/trading-keys.ts";

const db = tableForTests();
const { placedChild, sign, signs, bury, put, stored, dayOfWallet, macs, childMacs } = openChildren(db);
const nowSeconds = childMs / 1000;

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
      "leaves out the program key of the mandate",
      async (of) => {
        const shown = { ...of, by: keyId };
        return placedChild(of, { changes: { parent: parentOf(shown) }, shown });
      },
      other,
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
    const day = dayOf(childMs);
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
