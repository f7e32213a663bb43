import * as v from "valibot";
import { describe, expect, it } from "vitest";
import type { Tally } from "../../../lib/orders/resting/mandate.ts";
import { mostOwed, tallyTerms } from "../../../lib/orders/resting/schemas.ts";
import {
  type ChildFacts,
  hourOf,
  settledTally,
  spendable,
  tallyAfter,
} from "../../../lib/orders/resting/tally.ts";
import { child, childFacts, mandate, nowMs } from "./fixtures.ts";

const hour = hourOf(nowMs);
const buyer = mandate({ side: "buy", legs: [{ kind: "limit", price: { coins: 2n, tokens: 1n } }] });
const buy = (orderId: string, changes: Partial<ChildFacts> = {}) =>
  childFacts({
    mandate: buyer,
    child: child({ orderId, parent: { ...child().parent, leg: 0 } }, buyer),
    ...changes,
  });

const dead = (...children: string[]) => ({
  expiresAt: 2_000_000_000,
  orderId: buyer.orderId,
  dead: children.map((each) => ({
    child: each,
    how: "failed" as const,
    block: 7,
    final: true as const,
    paid: 30n,
  })),
  revision: 1,
});

const recorded = (facts: ChildFacts, ms = nowMs, givenBack = 0) => tallyAfter(facts, ms, givenBack);

/** Signs the children one after another. Each dies before the next. */
function series(count: number, ms = nowMs): Tally {
  let tally: Tally | undefined;
  for (let n = 1; n <= count; n++) {
    const ended = { ...dead(), dead: [{ child: `C${n - 1}`, how: "failed" as const, block: 7 }] };
    tally = recorded(buy(`C${n}`, { tally, ended }), ms).tally;
  }
  return tally as Tally;
}

describe("tallyAfter", () => {
  it("records the child that is out, its kind's rate, and the most that it may pay", () => {
    const { tally } = recorded(childFacts());
    expect(v.parse(tallyTerms, tally)).toEqual(tally);
    expect(tally).toMatchObject({
      out: { child: "C1", kind: "stop", amount: 0n, most: 100n, day: "2026-11-29" },
      counts: { limit: { n: 0 }, stop: { hour, n: 1 } },
      fees: { limit: 0n, stop: 100n },
      expiresAt: mandate().expiresAt + 86_400,
    });
  });

  it("counts another attempt only by the fees that it adds", () => {
    const { tally } = recorded(childFacts());
    const again = recorded(
      childFacts({ tally, isFirstSwap: false, fees: { most: 120n, adds: 20n } }),
      nowMs + 86_400_000,
    );
    expect(again.tally).toMatchObject({
      out: { child: "C1", most: 120n, day: "2026-11-29" },
      counts: { stop: { hour, n: 1 } },
      fees: { stop: 120n },
    });
  });

  it("gives back what a child could have paid for its clear, once its actual payment is final", () => {
    const { tally } = recorded(buy("C1"));
    const fees = { most: 140n, adds: 40n };
    const cleared = recorded(buy("C1", { tally, purpose: "clear", isFirstSwap: false, fees }));
    expect(cleared.tally).toMatchObject({ out: { child: "C1", most: 140n }, fees: { limit: 140n } });
    expect(settledTally(cleared.tally, dead("C1")).fees.limit).toBe(30n);
  });

  it("remembers the only child of each slice, and does not let a slice keep another waiting", () => {
    const ofSlice = (orderId: string, slice: number, changes: Partial<ChildFacts> = {}) =>
      childFacts({
        mandate: mandate({
          legs: [{ kind: "slice", worst: { coins: 1n, tokens: 2n } }],
          slices: { count: 2, everySeconds: 60 },
        }),
        child: child({ orderId, parent: { ...child().parent, leg: 0, slice } }),
        ...changes,
      });
    const { tally } = recorded(ofSlice("C1", 1));
    const again = recorded(ofSlice("C1", 1, { tally, isFirstSwap: false })).tally;
    const both = recorded(ofSlice("C2", 2, { tally: again })).tally;
    expect(v.parse(tallyTerms, both)).toEqual(both);
    expect(both).not.toHaveProperty("out");
    expect(both).toMatchObject({
      slices: [
        { slice: 1, child: "C1" },
        { slice: 2, child: "C2" },
      ],
      owed: [{ child: "C1" }, { child: "C2" }],
    });
  });

  it("counts the fees of an approval without a child that is out", () => {
    const { tally } = recorded(childFacts({ purpose: "approve" }));
    expect(tally).toMatchObject({ counts: { stop: { n: 0 } }, fees: { stop: 100n } });
    expect(tally).not.toHaveProperty("out");
  });

  it("begins the count of the next hour with 1", () => {
    const { tally } = recorded(childFacts());
    const ended = { ...dead(), dead: [{ child: "C1", how: "failed" as const, block: 7 }] };
    const next = recorded(childFacts({ tally, ended, child: child({ orderId: "C2" }) }), nowMs + 3_600_000);
    expect(next.tally.counts.stop).toEqual({ hour: hour + 1, n: 1 });
  });

  it("remembers dead children until their costs are final, and no more than 16", () => {
    const tally = series(20);
    expect(tally.owed.map((each) => each.child)).toEqual(
      Array.from({ length: mostOwed }, (_, index) => `C${index + 4}`),
    );
    const { tally: next } = recorded(buy("C21", { tally, ended: dead("C20", "C19") }));
    expect(next.owed.map((each) => each.child)).not.toContain("C19");
    expect(next.fees.limit).toBe(20n * 100n + 100n - 2n * 70n);
  });

  it("gives the coin of dead buys back to the day on which they were signed, for at most ten of a wallet", () => {
    const tally = series(3);
    const ended = dead("C1", "C2");
    const back = (givenBackOfDay: number, ms = nowMs) =>
      recorded(buy("C4", { tally, ended }), ms, givenBackOfDay).givenBack;
    expect(back(0)).toEqual({ amount: 2000n, buys: 2 });
    expect(back(9)).toEqual({ amount: 1000n, buys: 1 });
    expect(back(10)).toEqual({ amount: 0n, buys: 0 });
    expect(back(0, nowMs + 86_400_000)).toEqual({ amount: 0n, buys: 0 });
  });

  it("gives nothing back for a child whose death is not final", () => {
    const ended = { ...dead(), dead: [{ child: "C1", how: "failed" as const, block: 7 }] };
    expect(recorded(buy("C2", { tally: series(1), ended })).givenBack).toEqual({ amount: 0n, buys: 0 });
  });

  it("never has a child out on sol", () => {
    const { tally } = recorded(childFacts({ mandate: mandate({ chain: "sol" }) }));
    expect(tally).toMatchObject({ owed: [{ child: "C1", most: 100n }] });
    const again = { tally, isFirstSwap: false, fees: { most: 120n, adds: 20n } };
    const { owed } = recorded(childFacts({ mandate: mandate({ chain: "sol" }), ...again })).tally;
    expect(owed).toMatchObject([{ child: "C1", most: 120n }]);
    expect(owed).toHaveLength(1);
    expect(tally).not.toHaveProperty("out");
  });
});

describe("settledTally", () => {
  it("charges filled slices what they have paid, and gives none of their coin back to the day", () => {
    const sliced = mandate({ ...buyer, slices: { count: 3, everySeconds: 60 } });
    const slice = (number: number, changes: Partial<ChildFacts> = {}) => {
      const of = child(
        { orderId: `C${number}`, parent: { ...child().parent, leg: 0, slice: number } },
        sliced,
      );
      return buy(`C${number}`, { mandate: sliced, child: of, ...changes });
    };
    const { tally } = recorded(slice(1));
    const ended = { ...dead(), filled: [{ child: "C1", paid: 30n }] };
    expect(settledTally(tally, ended)).toMatchObject({ fees: { limit: 30n }, owed: [] });
    const next = recorded(slice(2, { tally, ended }));
    expect(next.givenBack).toEqual({ amount: 0n, buys: 0 });
    expect(next.tally).toMatchObject({ fees: { limit: 130n }, owed: [{ child: "C2" }] });
    expect(recorded(slice(2, { tally, ended: dead("C1") })).givenBack).toEqual({ amount: 1000n, buys: 1 });
  });

  it("never charges more than the most that a child could pay", () => {
    const { out: _, ...rest } = series(1);
    const tally = {
      ...rest,
      owed: [{ child: "C1", kind: "limit", amount: 0n, most: 20n, day: "2026-11-29" }],
    } as Tally;
    expect(settledTally(tally, dead("C1")).fees.limit).toBe(100n);
  });
});

describe("spendable", () => {
  it("is what the wallet holds of the order's amount, or 0 below a thousandth of it", () => {
    const amount = 10_000n;
    expect([9n, 10n, 9999n, 20_000n].map((held) => spendable(amount, held))).toEqual([
      0n,
      10n,
      9999n,
      10_000n,
    ]);
  });
});
