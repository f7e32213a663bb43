import { describe, expect, it } from "vitest";
import { childEntry, limitsGivenBack } from "../../../lib/orders/resting/child-signing.ts";
import { tallyAfter } from "../../../lib/orders/resting/tally.ts";
import { type DaySpend, type Limits, limitsInLane, restOfDay } from "../../../lib/orders/wallet-policy.ts";
import { child, childFacts, mandate, mandateHash, nowMs } from "./fixtures.ts";

const buyer = mandate({ side: "buy", legs: [{ kind: "limit", price: { coins: 2n, tokens: 1n } }] });
const { chain, wallet, userID } = buyer;
const key = { chain, wallet, userID };
const bought = child({ parent: { ...child().parent, leg: 0 } }, buyer);
const { tally } = tallyAfter(childFacts({ mandate: buyer, child: bought }), nowMs, 0);
const policy = { tokens: "any", tradingEnabled: true, maxPerDay: 1500n, maxNetworkFeesPerDay: 70n } as const;
const stored = { ...key, policy, revision: 1 };

/** Limits of a day on which the buy was counted, with this many dead buys already given back. */
const limitsAfter = (givenBack: number): Limits => {
  const of = { ...key, day: "2026-11-29", spent: 1100n, networkFees: 60n, revision: 1, expiresAt: 0 };
  const count: DaySpend = { ...of, givenBack };
  return { stored, count };
};
const dead = {
  orderId: buyer.orderId,
  dead: [{ child: "C1", how: "failed", block: 7 } as const],
  expiresAt: 2_000_000_000,
  revision: 1,
};
const settled = { ...dead, dead: [{ child: "C1", how: "failed", block: 7, final: true, paid: 3n } as const] };

describe("limitsGivenBack", () => {
  it.each([
    ["a child that may fill", undefined, 0, 400n],
    ["a death that is not final", dead, 0, 400n],
    ["a final death", settled, 0, 1400n],
    ["a final death after ten of the wallet on that day", settled, 10, 400n],
  ] as const)("knows what is left of the day after %s", (_, ended, before, rest) => {
    const limits = limitsGivenBack(limitsAfter(before), { tally, ended }, nowMs);
    expect(restOfDay(limits, nowMs)).toBe(rest);
    expect(limits.count?.networkFees).toBe(60n);
  });

  it("changes nothing for an order of a user, or on a day without signatures", () => {
    expect(limitsGivenBack(limitsAfter(0), undefined, nowMs)).toEqual(limitsAfter(0));
    const none = { stored, count: undefined };
    expect(limitsGivenBack(none, { tally, ended: settled }, nowMs)).toEqual(none);
  });
});

describe("childEntry", () => {
  it("adds a child's signature to what the others have used up on that day", () => {
    const { parent } = bought;
    const second = child({ orderId: "C2", parent: { ...parent, n: 2 } }, buyer);
    const { stored, count } = limitsAfter(4);
    const { isChildGenuine, purpose, isFirstSwap, deadline, spends, fees } = childFacts();
    const signed = { isChildGenuine, purpose, isFirstSwap, deadline, spends, fees, feesOfDay: 5n };
    const view = {
      order: { intent: second },
      parent: { mandate: buyer, mandateHash, isMandateGenuine: true, tally, ended: settled },
      cutoffs: {},
      limits: { stored, count: { ...count, limitFees: 7n, newResting: 2 } },
      chainLimits: { maxNetworkFee: 10n },
    } as unknown as Parameters<typeof childEntry>[0];
    expect(childEntry(view, signed, nowMs)).toMatchObject({
      givenBack: 1000n,
      children: { limitFees: 12n, newResting: 2, givenBack: 5 },
    });
    const first = { ...view, parent: view.parent && { ...view.parent, tally: undefined, ended: undefined } };
    expect(childEntry(first, signed, nowMs)).toMatchObject({
      givenBack: 0n,
      children: { limitFees: 12n, newResting: 3, givenBack: 4 },
    });
  });
});

describe("limitsInLane", () => {
  const limits = new Map([[userID, limitsAfter(0)]]);

  it("leaves the day's limit of a child to the signer, but no other limit", () => {
    const own = limitsInLane(limits, bought) as Limits;
    expect(restOfDay(own, nowMs)).toBeUndefined();
    expect(own.stored?.policy).toMatchObject({ maxNetworkFeesPerDay: 70n, tradingEnabled: true });
  });

  it("keeps all limits of other orders", () => {
    expect(limitsInLane(limits, { userID })).toEqual(limitsAfter(0));
  });
});
