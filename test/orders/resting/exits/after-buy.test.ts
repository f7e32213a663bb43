import { describe, expect, it } from "vitest";
import {
  afterBuy,
  afterFill,
  birthAmount,
  endOfExit,
  sightOfBuy,
} from "../../../../lib/orders/resting/exits/after-buy.ts";
import type { Entry } from "../../../../lib/orders/resting/exits/entry.ts";
import type { BuyView, ExitView } from "../../../../lib/orders/resting/firing.ts";
import {
  afterSights,
  type EndFacts,
  mayFire,
  newResting,
  type RestingOrder,
} from "../../../../lib/orders/resting/life.ts";
import type { Leg, Mandate } from "../../../../lib/orders/resting/mandate.ts";
import { shownResting } from "../../../../lib/orders/resting/shown.ts";
import type { PriceWord } from "../../../../lib/orders/resting/touch.ts";
import { pricedLegs } from "../../../../lib/orders/resting/trailing.ts";
import { mandate, nowMs, storedOrder } from "../fixtures.ts";

const low = { coins: 1n, tokens: 100n };
const gain: Leg = { kind: "gain", ppm: 1_500_000n, worst: low };
const loss: Leg = { kind: "loss", ppm: 900_000n, worst: low };
const trailing: Leg = { kind: "trailing", trailPpm: 100_000n, worst: low };

const exitMandate = (changes: Partial<Mandate> = {}) =>
  mandate({ legs: [gain, loss], exit: { of: "BUY", sharePpm: 500_000n }, ...changes });

const pending = (changes: Partial<Mandate> = {}): RestingOrder => newResting(exitMandate(changes), "mac");

const child = { orderId: "BUY", leg: 0, n: 0, validUntil: 0 };
const filled: BuyView = {
  child,
  markerId: "BUY",
  view: undefined,
  isFilled: true,
  positionId: "P1",
  isSettled: false,
};
const view = (changes: Partial<ExitView> = {}): ExitView => ({
  buy: filled,
  openPositionId: "P1",
  isClosed: false,
  isDust: false,
  ...changes,
});

const word = (out: bigint | undefined): PriceWord => ({
  head: { number: 1, hash: "0x1", time: nowMs / 1000 },
  out,
  before: new Map(),
  hasBest: true,
});

const bought = { spent: 2000n, received: 1000n, block: "0x7" };

const afterOuts = (order: RestingOrder, a: bigint | undefined, b: bigint | undefined) =>
  afterFill(order, filled, { bought, amount: 500n, words: [word(a), word(b)] }, nowMs);

const resting = (changes: Partial<Entry> = {}): RestingOrder => {
  const order = afterOuts(pending(), 1000n, 1000n);
  return { ...order, entry: { ...(order.entry as Entry), ...changes } };
};

const noEnd: EndFacts = { nowMs, isCancelled: false, isRetired: false, isVoid: false, isSettled: true };

describe("sightOfBuy", () => {
  const sightIn = (buy: Partial<BuyView>, is: "filled" | "out" | "unclear") =>
    sightOfBuy({ ...filled, ...buy }, () => ({ is }), undefined);

  it("requires the receipts of both hosts and the record of executeOrders", () => {
    expect(sightIn({}, "filled")).toBe("filled");
    expect(sightIn({ isFilled: false }, "filled")).toBe("unclear");
    expect(sightIn({}, "unclear")).toBe("unclear");
    expect(sightIn({}, "out")).toBe("open");
  });

  it("calls a buy unfilled once it has settled and no host shows a fill", () => {
    const ended = { isFilled: false, isSettled: true };
    expect(sightIn(ended, "out")).toBe("unfilled");
    expect(sightIn(ended, "unclear")).toBe("unclear");
    expect(sightIn({ isFilled: false }, "out")).toBe("open");
    expect(sightIn({ ...ended, child: undefined }, "filled")).toBe("unfilled");
  });

  it("calls a buy open again if a reorganisation has moved its fill to another block", () => {
    const { entry } = resting();
    const sightAt = (block: string) => sightOfBuy(filled, () => ({ is: "filled", block }), entry);
    expect([sightAt("0x7"), sightAt("0x8")]).toEqual(["filled", "open"]);
  });
});

describe("afterFill", () => {
  it("lets an exit rest at the prices of the fill, for 90 days", () => {
    const order = afterOuts(pending(), 1000n, 1000n);
    expect(order).toMatchObject({
      state: "resting",
      entry: { spent: 2000n, received: 1000n, amount: 500n, positionId: "P1", bought: 0, isFinal: false },
    });
    expect(pricedLegs(order)).toMatchObject([
      { price: { coins: 3n, tokens: 1n } },
      { trigger: { coins: 9n, tokens: 5n } },
    ]);
    const long = afterOuts(pending({ expiresAt: 10 ** 10 }), 1000n, 1000n);
    expect(long.entry?.endsAt).toBe(nowMs / 1000 + 7_776_000);
    expect(order.entry?.endsAt).toBe(order.mandate.expiresAt);
  });

  it("suspends an exit whose stop would sell at once, if both hosts say so", () => {
    const order = afterOuts(pending(), 920n, 920n);
    expect(order).toMatchObject({ state: "suspended", attention: { EXIT_SUSPENDED: { sinceMs: nowMs } } });
    expect(mayFire(order, 1, nowMs, true)).toBe(false);
    expect(afterOuts(pending({ legs: [gain] }), 1n, 1n)).toMatchObject({ state: "resting" });
  });

  it("shows that an exit is suspended, until it is cancelled, closed, expired or without its buy", () => {
    const order = afterOuts(pending(), 920n, 920n);
    const attention = [{ code: "EXIT_SUSPENDED", since: new Date(nowMs).toISOString() }];
    const shown = { status: "open", stage: "suspended", attention };
    expect(shownResting({ ...storedOrder(), ...order })).toMatchObject(shown);
    const ends = (facts: Partial<EndFacts>) =>
      afterSights(order, () => ({ is: "out" }), { ...noEnd, ...facts }).end?.reasonCode;
    expect(ends({})).toBeUndefined();
    expect(ends({ isCancelled: true })).toBe("CANCELLED_BY_USER");
    expect(ends({ ofExit: "POSITION_CLOSED" })).toBe("POSITION_CLOSED");
    expect(ends({ nowMs: order.mandate.expiresAt * 1000 })).toBe("EXPIRED");
    expect(afterBuy(order, view(), "filled", nowMs)).toBe(order);
    expect(afterBuy(order, view(), "open", nowMs)).toMatchObject({ state: "pending", attention: {} });
  });

  it("waits while only one host says so, because it may lie either way", () => {
    const order = pending();
    for (const [a, b] of [
      [920n, 1000n],
      [1000n, 920n],
      [undefined, 920n],
    ] as const)
      expect(afterOuts(order, a, b)).toBe(order);
    expect(afterOuts(order, undefined, 1000n)).toMatchObject({ state: "resting" });
  });

  it("waits while a host is silent, or the book has no position", () => {
    const order = pending();
    const birth = { bought, amount: 500n, words: [word(1n), undefined] as const };
    expect(afterFill(order, filled, birth, nowMs)).toBe(order);
    const known = { bought, amount: 500n, words: [word(1n), word(1n)] as const };
    expect(afterFill(order, { ...filled, positionId: undefined }, known, nowMs)).toBe(order);
  });

  it("ends an exit whose buy has brought nothing to sell", () => {
    const none = { bought: { spent: 1n, received: 1n }, amount: 0n, words: [undefined, undefined] } as const;
    expect(afterFill(pending(), filled, none, nowMs)).toMatchObject({
      state: "done",
      end: { status: "cancelled", reasonCode: "AMOUNT_TOO_SMALL" },
    });
  });

  it("starts a trailing stop at the lower of both hosts' values, and keeps its worst price", () => {
    const order = afterOuts(pending({ legs: [trailing] }), 1010n, 1000n);
    expect(order).toMatchObject({ state: "resting", mark: { price: { coins: 1000n, tokens: 500n } } });
    expect(afterOuts(pending({ legs: [trailing] }), 1000n, 1010n).mark).toEqual(order.mark);
    expect(pricedLegs(order)).toEqual([
      { kind: "stop", trigger: { coins: 9n, tokens: 5n }, worst: { coins: 36n, tokens: 25n } },
    ]);
    const silent = pending({ legs: [trailing] });
    expect(afterOuts(silent, 1000n, undefined)).toBe(silent);
  });
});

describe("birthAmount", () => {
  const terms = exitMandate();

  it("returns the share, but no more than what the wallet holds", () => {
    expect(birthAmount(terms, 1000n, 5000n)).toBe(500n);
    expect(birthAmount(terms, 1000n, undefined)).toBe(500n);
    expect(birthAmount(terms, 1000n, 300n)).toBe(300n);
  });

  it("returns the share if the wallet holds next to nothing, so that the closed position ends the exit", () => {
    expect(birthAmount(exitMandate({ amount: 10n ** 6n }), 10n ** 6n, 499n)).toBe(500_000n);
  });
});

describe("afterBuy", () => {
  it("waits again for a buy that a reorganisation has taken back", () => {
    for (const sight of ["open", "unfilled"] as const)
      expect(afterBuy(resting(), view(), sight, nowMs)).toMatchObject({ state: "pending", entry: undefined });
    const order = resting();
    expect(afterBuy(order, view(), "unclear", nowMs)).toBe(order);
  });

  it("stops following a buy once it is final", () => {
    const settled = view({ buy: { ...filled, isSettled: true } });
    const order = afterBuy(resting(), settled, "filled", nowMs);
    expect(order).toMatchObject({ state: "resting", entry: { isFinal: true } });
    expect(afterBuy(order, view({ buy: undefined }), "filled", nowMs)).toBe(order);
  });

  it("suspends an exit if a position other than the buy's is open", () => {
    expect(afterBuy(resting(), view({ openPositionId: "P2" }), "filled", nowMs)).toMatchObject({
      state: "suspended",
      attention: { POSITION_CHANGED: { sinceMs: nowMs } },
    });
    const order = resting();
    expect(afterBuy(order, view({ openPositionId: undefined }), "filled", nowMs)).toBe(order);
    const moved = view({ openPositionId: "P2", buy: { ...filled, positionId: "P2" } });
    expect(afterBuy(resting(), moved, "filled", nowMs)).toMatchObject({ entry: { positionId: "P2" } });
  });

  it("does not change an exit whose child is out", () => {
    const order: RestingOrder = { ...resting(), state: "firing" };
    expect(afterBuy(order, view({ openPositionId: "P2" }), "open", nowMs)).toBe(order);
  });
});

describe("endOfExit", () => {
  it("ends an exit whose buy has not filled", () => {
    expect(endOfExit(pending(), view(), "unfilled")).toBe("PARENT_NOT_FILLED");
    expect(endOfExit(pending(), view(), "open")).toBeUndefined();
  });

  it("ends an exit whose wallet has next to nothing left, once its buy is final", () => {
    const dust = view({ isDust: true });
    expect(endOfExit(resting({ isFinal: true }), dust, "filled")).toBe("POSITION_CLOSED");
    expect(endOfExit(resting(), dust, "filled")).toBeUndefined();
  });

  it("ends an exit whose position is closed for good, whatever else the wallet holds", () => {
    const closed = view({ openPositionId: undefined, isClosed: true });
    expect(endOfExit(resting({ isFinal: true }), closed, "filled")).toBe("POSITION_CLOSED");
    expect(endOfExit(resting(), closed, "filled")).toBeUndefined();
  });

  it("ends an exit whose position was closed before it could rest", () => {
    const closed = (isSettled: boolean) => view({ buy: { ...filled, isSettled, positionId: undefined } });
    expect(endOfExit(pending(), closed(true), "filled")).toBe("POSITION_CLOSED");
    expect(endOfExit(pending(), closed(false), "filled")).toBeUndefined();
    expect(endOfExit(pending(), closed(true), "unclear")).toBeUndefined();
  });
});

describe("afterSights", () => {
  const out = () => ({ is: "out" }) as const;

  it("keeps an exit pending or suspended if it has no reason to end", () => {
    for (const order of [pending(), afterOuts(pending(), 1n, 1n)])
      expect(afterSights(order, out, noEnd)).toBe(order);
  });

  it("lets an exit wait for its buy again once a child that was signed before the buy was taken back has died", () => {
    const order: RestingOrder = {
      ...pending(),
      state: "firing",
      out: [{ orderId: "C1", leg: 1, n: 1, validUntil: 0 }],
    };
    const dead = () => ({ is: "dead", outcome: "failed" }) as const;
    expect(afterSights(order, dead, noEnd)).toMatchObject({ state: "pending", out: [] });
  });

  it("ends an exit for its own reasons, and for those of any order", () => {
    expect(afterSights(pending(), out, { ...noEnd, ofExit: "PARENT_NOT_FILLED" })).toMatchObject({
      state: "done",
      end: { status: "cancelled", reasonCode: "PARENT_NOT_FILLED" },
    });
    expect(afterSights(pending(), out, { ...noEnd, isCancelled: true })).toMatchObject({ state: "done" });
    const { entry } = resting();
    const later = { ...noEnd, nowMs: ((entry?.endsAt ?? 0) + 1) * 1000 };
    expect(afterSights(resting(), out, later)).toMatchObject({ end: { reasonCode: "EXPIRED" } });
  });
});
