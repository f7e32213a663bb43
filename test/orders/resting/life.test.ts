import { describe, expect, it } from "vitest";
import {
  afterFiring,
  afterSights,
  type ChildSight,
  childValidUntil,
  type EndFacts,
  legName,
  mayFire,
  newResting,
  type RestingOrder,
  stageOf,
  withSignedOut,
} from "../../../lib/orders/resting/life.ts";
import { limit, mandate, nowMs, stop } from "./fixtures.ts";

const facts: EndFacts = { nowMs, isCancelled: false, isRetired: false, isVoid: false, isSettled: false };
const resting = newResting(mandate(), "mac");
const newChild = (orderId: string, leg = 1) => ({
  orderId,
  leg,
  validUntil: nowMs / 1000 + 60,
  price: "1",
  block: 7,
});
const firing = afterFiring(resting, newChild("C1"));
const dead = (outcome: Extract<ChildSight, { is: "dead" }>["outcome"]): ChildSight => ({
  is: "dead",
  outcome,
});
const filled: ChildSight = { is: "filled" };
const out: ChildSight = { is: "out" };

const moved = (order: RestingOrder, sight: ChildSight, changes: Partial<EndFacts> = {}) =>
  afterSights(order, () => sight, { ...facts, ...changes });

describe("afterFiring", () => {
  it("notes the child and shows the firing", () => {
    expect(firing).toMatchObject({
      state: "firing",
      n: 1,
      out: [{ orderId: "C1", leg: 1, n: 1 }],
      firings: [{ n: 1, orderId: "C1", leg: "stopLoss", price: "1", block: 7, outcome: "out" }],
    });
  });

  it("forgets the readings that led to the firing", () => {
    const seen = { leg: 1, n: 4, sinceMs: 0, lastMs: 0 };
    expect(afterFiring({ ...resting, seen }, newChild("C1")).seen).toBeUndefined();
  });

  it("shows the newest ten firings", () => {
    let order: RestingOrder = resting;
    for (let n = 1; n <= 12; n++) order = moved(afterFiring(order, newChild(`C${n}`)), dead("failed"));
    expect(order.firings.map(({ n }) => n)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
  });
});

describe("afterSights", () => {
  it("changes nothing while nothing is certain", () => {
    expect(moved(firing, out)).toBe(firing);
    expect(moved(resting, out)).toBe(resting);
  });

  it("follows a fill until it has settled", () => {
    const seen = moved(firing, filled);
    expect(seen).toMatchObject({
      state: "filled",
      filled: "C1",
      firings: [{ outcome: "filled" }],
    });
    const done = { state: "done", filled: "C1", out: [], end: undefined };
    expect(moved(seen, filled, { isSettled: true })).toMatchObject(done);
  });

  it("continues to fire if a reorganisation takes the fill back", () => {
    const back = moved(moved(firing, filled), out);
    expect(back).toMatchObject({ state: "firing", filled: undefined, firings: [{ outcome: "out" }] });
  });

  it("keeps what it knows of a child while the hosts give no clear answer", () => {
    const seen = moved(firing, filled);
    expect(moved(seen, { is: "unclear" })).toBe(seen);
    expect(moved(firing, { is: "unclear" })).toBe(firing);
  });

  it("rests again after a child's death, and pauses only the leg of that child", () => {
    const { tries } = { tries: [0, 1] };
    const order = moved(firing, dead("failed"));
    expect(order).toMatchObject({ state: "resting", out: [], firings: [{ outcome: "failed" }] });
    expect(order.legs.map((leg) => leg.tries)).toEqual(tries);
    expect(moved(afterFiring(resting, newChild("C1", 0)), dead("lapsed")).legs).toEqual([
      { tries: 1, nextAtMs: nowMs + 5000 },
      { tries: 0, nextAtMs: 0 },
    ]);
  });

  it("remembers the newest child whose death hosts have proved, and no unsigned one", () => {
    const proven = moved(firing, { is: "dead", outcome: "lapsed", isProven: true });
    expect(proven.dead).toBe("C1");
    const next = afterFiring(proven, newChild("C2"));
    expect(moved(next, dead("yielded"))).toMatchObject({ state: "resting", dead: "C1" });
  });

  it("rests again without a pause after a child that was not signed, and counts such children together", () => {
    let order: RestingOrder = resting;
    for (let n = 1; n <= 3; n++) order = moved(afterFiring(order, newChild(`C${n}`)), dead("unsent"));
    expect(order).toMatchObject({ state: "resting", firings: [{ n: 3, outcome: "unsent", times: 3 }] });
    expect(order.firings).toHaveLength(1);
    expect(order.legs).toEqual(resting.legs);
  });

  it.each([
    [{ isCancelled: true }, "cancelled", "CANCELLED_BY_USER"],
    [{ isRetired: true }, "cancelled", "WALLET_RETIRED"],
    [{ isVoid: true }, "cancelled", "MANDATE_VOID"],
    [{ nowMs: mandate().expiresAt * 1000 }, "expired", "EXPIRED"],
    [{ isVoid: true, isCancelled: true }, "cancelled", "MANDATE_VOID"],
  ])("ends an order at rest if %j", (changes, status, reasonCode) => {
    const end = { status, reasonCode };
    expect(moved(resting, out, { ...changes, isSettled: true })).toMatchObject({ state: "done", end });
    expect(moved(resting, out, changes)).toMatchObject({ state: "ended", end });
  });

  it("if cancelled, waits for the child that is out, and ends as the chain decides", () => {
    const waiting = moved(firing, out, { isCancelled: true });
    expect(waiting).toMatchObject({ state: "firing", isCancelling: true, end: undefined });
    expect(stageOf(waiting)).toBe("cancelling");
    expect(moved(waiting, dead("failed"))).toMatchObject({
      state: "ended",
      end: { reasonCode: "CANCELLED_BY_USER" },
    });
    expect(moved(waiting, filled)).toMatchObject({ state: "filled", end: undefined });
    expect(moved(waiting, dead("failed"))).toEqual(moved(waiting, dead("failed"), { isCancelled: true }));
    const done = moved(moved(waiting, filled), filled, { isSettled: true });
    expect(done).toMatchObject({ state: "done", end: undefined });
  });

  it("shows an end at once, keeps its reason, and is done once all children have settled", () => {
    const ended = moved(firing, dead("failed"), { isCancelled: true });
    expect([ended.state, ended.out, stageOf(ended)]).toEqual(["ended", [], "done"]);
    expect(moved(ended, out, { isVoid: true })).toBe(ended);
    const done = moved(ended, out, { isVoid: true, isSettled: true });
    expect(done).toMatchObject({ state: "done", end: ended.end });
  });

  it("takes an end back while a child is out again, for good if that child fills", () => {
    const ended = moved(firing, dead("failed"), { isCancelled: true });
    const again = { ...ended, out: firing.out };
    const back = moved(again, out, { isCancelled: true });
    expect(back).toMatchObject({ state: "firing", end: undefined, firings: [{ outcome: "out" }] });
    expect(moved(back, dead("failed"))).toMatchObject({ state: "ended", end: ended.end });
    expect(moved(again, filled)).toMatchObject({ state: "filled", filled: "C1", end: undefined });
  });

  it("settles a fill on sol only after its siblings are dead", () => {
    const both = afterFiring(afterFiring(resting, newChild("C1", 0)), newChild("C2", 1));
    const see = (order: RestingOrder, ...sights: ChildSight[]) =>
      afterSights(order, ({ n }) => sights[n - 1] as ChildSight, facts);
    const later = { ...facts, isSettled: true };
    const seeLater = (...sights: ChildSight[]) =>
      afterSights(both, ({ n }) => sights[n - 1] as ChildSight, later);
    expect(seeLater(filled, out)).toMatchObject({ state: "filled", out: [{}, {}] });
    expect(see(both, filled, dead("replaced"))).toMatchObject({ state: "filled", out: [{ orderId: "C1" }] });
    expect(seeLater(filled, dead("replaced"))).toMatchObject({
      state: "done",
      firings: [{ outcome: "replaced" }, { outcome: "filled" }],
    });
    expect(see(both, dead("failed"), out)).toMatchObject({ state: "firing", out: [{ orderId: "C2" }] });
  });

  it("settles an order two of whose children have filled through a deep reorganisation", () => {
    const both = afterFiring(afterFiring(resting, newChild("C1")), newChild("C2"));
    expect(moved(both, filled)).toMatchObject({ state: "filled", out: [{}, {}] });
    expect(moved(both, filled, { isSettled: true })).toMatchObject({ state: "done", filled: "C1", out: [] });
  });

  it("ends an order whose marker was made without a fill, once none of its children can fill any more", () => {
    const usedUp: ChildSight = { is: "dead", outcome: "lapsed", isUsedUp: true };
    const end = { status: "cancelled", reasonCode: "MANDATE_VOID" };
    expect(moved(firing, usedUp)).toMatchObject({ state: "ended", end, firings: [{ outcome: "lapsed" }] });
    expect(moved(moved(firing, usedUp), out, { isSettled: true })).toMatchObject({ state: "done", end });
    expect(moved(firing, usedUp, { isCancelled: true })).toMatchObject({
      end: { reasonCode: "CANCELLED_BY_USER" },
    });
    const both = afterFiring(afterFiring(resting, newChild("C1", 0)), newChild("C2", 1));
    const beside = (other: ChildSight) =>
      afterSights(both, ({ orderId }) => (orderId === "C1" ? usedUp : other), facts);
    expect(beside(out)).toMatchObject({ state: "firing", out: [{ orderId: "C2" }], end: undefined });
    expect(beside(filled)).toMatchObject({ state: "filled", filled: "C2", end: undefined });
  });

  it("changes nothing once an order is done", () => {
    const done = moved(resting, out, { isCancelled: true, isSettled: true });
    expect(moved(done, out, { isVoid: true })).toBe(done);
  });
});

describe("withSignedOut", () => {
  const tally = (child: string) => ({
    out: { child, kind: "stop" as const, amount: 0n, most: 1n, day: "2026-11-29" },
  });
  const forgotten = moved(firing, dead("yielded"));

  it("takes back a child that was signed after it had counted as unsigned for good", () => {
    const known = withSignedOut(forgotten, tally("C1"));
    expect(known).toMatchObject({ state: "firing", out: [{ orderId: "C1", leg: 1, n: 1 }] });
    expect(moved(known, filled)).toMatchObject({ state: "filled", filled: "C1" });
  });

  it("changes nothing if that child is known to be dead, or another one is out", () => {
    const proven = moved(firing, { is: "dead", outcome: "lapsed", isProven: true });
    const done = moved(resting, out, { isCancelled: true, isSettled: true });
    for (const order of [proven, firing, done]) expect(withSignedOut(order, tally("C1"))).toBe(order);
    expect(withSignedOut(forgotten, undefined)).toBe(forgotten);
  });
});

describe("mayFire", () => {
  const allowed = (order: RestingOrder, isOneOut: boolean) =>
    [0, 1].map((leg) => mayFire(order, leg, nowMs, isOneOut));

  it("allows one child at a time on EVM chains, and one of each leg on sol", () => {
    expect(allowed(resting, true)).toEqual([true, true]);
    expect(allowed(firing, true)).toEqual([false, false]);
    expect(allowed(firing, false)).toEqual([true, false]);
  });

  it("allows none after a fill, an end, a cancellation or the expiry", () => {
    expect(allowed(moved(firing, filled), false)).toEqual([false, false]);
    expect(allowed(moved(resting, out, { isVoid: true }), true)).toEqual([false, false]);
    expect(allowed({ ...resting, isCancelling: true }, false)).toEqual([false, false]);
    const { expiresAt } = mandate();
    expect([expiresAt * 1000 - 1, expiresAt * 1000].map((at) => mayFire(resting, 1, at, true))).toEqual([
      true,
      false,
    ]);
  });
});

describe("childValidUntil", () => {
  it("is a minute after placing, but never after the order's expiry", () => {
    const { expiresAt } = mandate();
    expect(childValidUntil(resting, nowMs)).toBe(nowMs / 1000 + 60);
    expect(childValidUntil(resting, expiresAt * 1000 - 5000)).toBe(expiresAt);
  });
});

describe("legName", () => {
  it("names the legs of a pair by their purpose", () => {
    expect([limit, stop].map((leg) => legName(mandate(), leg))).toEqual(["takeProfit", "stopLoss"]);
    expect([limit, stop].map((leg) => legName(mandate({ legs: [leg] }), leg))).toEqual(["limit", "stop"]);
  });
});

describe("an order with slices", () => {
  /** Three slices, one each minute. The first one has been due for a minute. */
  const terms = mandate({
    legs: [{ kind: "slice", worst: { coins: 1n, tokens: 2n } }],
    slices: { count: 3, everySeconds: 60 },
  });
  const placed = newResting(terms, "mac");
  const open = { ...facts, isSettled: true };
  const slice = (order: RestingOrder, orderId: string) => afterFiring(order, newChild(orderId, 0));
  const seen = (order: RestingOrder, sights: Record<string, ChildSight>, changes: Partial<EndFacts> = {}) =>
    afterSights(order, ({ orderId }) => sights[orderId] ?? { is: "out" }, { ...open, ...changes });
  const filled = { is: "filled" } as const;
  const dead = (outcome: "failed" | "lapsed" | "unsent") => ({ is: "dead", outcome }) as const;
  const atMs = (seconds: number) => terms.createdAt + seconds * 1000;

  it("fires the slice whose turn it is, and does not make up for a missed one", () => {
    expect(placed.nextSlice).toBe(1);
    expect(mayFire(placed, 0, atMs(0), true)).toBe(true);
    const late = seen(placed, {}, { nowMs: atMs(61) });
    expect(late.nextSlice).toBe(2);
    expect(mayFire(late, 0, atMs(61), true)).toBe(true);
    expect(mayFire(late, 0, atMs(59), true)).toBe(false);
    expect(seen(late, {}, { nowMs: atMs(180) }).nextSlice).toBeUndefined();
  });

  it("fires a slice once, although its child has not filled, and fires it again only if it was never signed", () => {
    const out = slice(placed, "C1");
    expect(out).toMatchObject({ state: "firing", nextSlice: 2, out: [{ orderId: "C1", slice: 1 }] });
    expect(mayFire(out, 0, atMs(1), true)).toBe(false);
    expect(seen(out, { C1: dead("failed") }, { nowMs: atMs(9) })).toMatchObject({ nextSlice: 2, out: [] });
    expect(seen(out, { C1: dead("unsent") }, { nowMs: atMs(9) })).toMatchObject({ nextSlice: 1, out: [] });
  });

  it("fires a slice while an earlier one may still fill", () => {
    const out = seen(slice(placed, "C1"), {}, { nowMs: atMs(60) });
    expect(mayFire(out, 0, atMs(60), true)).toBe(true);
    expect(slice(out, "C2").out).toMatchObject([{ slice: 1 }, { slice: 2 }]);
  });

  it("waits for the fills of its slices to settle, and rests between them", () => {
    const one = seen(slice(placed, "C1"), { C1: filled }, { isSettled: false, nowMs: atMs(9) });
    expect(one).toMatchObject({ state: "firing", out: [], firings: [{ slice: 1, outcome: "filled" }] });
    expect(seen(one, {}, { nowMs: atMs(10) })).toMatchObject({ state: "resting", nextSlice: 2 });
  });

  it("is filled once all slices are, and done once they have settled", () => {
    let order = placed;
    for (const [index, id] of ["C1", "C2", "C3"].entries())
      order = seen(slice(order, id), { [id]: filled }, { isSettled: false, nowMs: atMs(60 * index + 9) });
    expect(order).toMatchObject({ state: "filled", out: [] });
    expect(seen(order, {})).toMatchObject({ state: "done", end: undefined });
  });

  it("is out again if a fill is taken back", () => {
    const one = seen(slice(placed, "C1"), { C1: filled }, { isSettled: false, nowMs: atMs(9) });
    const back = { ...one, out: [{ orderId: "C1", leg: 0, n: 1, slice: 1, validUntil: 0 }] };
    const again = seen(back, { C1: { is: "out" } }, { isSettled: false, nowMs: atMs(12) });
    expect(again).toMatchObject({ state: "firing", out: [{ orderId: "C1" }], firings: [{ outcome: "out" }] });
    expect(seen(back, { C1: { is: "unclear" } }, { isSettled: false })).toMatchObject({ out: [] });
  });

  it("ends with what has filled when it is cancelled or expires, once no slice is out", () => {
    const one = seen(slice(placed, "C1"), { C1: filled }, { isSettled: false, nowMs: atMs(9) });
    const both = slice({ ...one, state: "firing" }, "C2");
    const cancelled = { isCancelled: true, isSettled: false };
    expect(seen(both, {}, cancelled)).toMatchObject({ state: "firing", end: undefined });
    const ended = seen(both, { C2: dead("lapsed") }, cancelled);
    expect(ended).toMatchObject({ state: "ended", end: { reasonCode: "CANCELLED_BY_USER" } });
    expect(seen(one, {}, { nowMs: terms.expiresAt * 1000 })).toMatchObject({
      state: "done",
      end: { reasonCode: "EXPIRED" },
    });
  });

  it("takes back a slice that was signed after it had counted as unsigned", () => {
    const lost = seen(slice(placed, "C1"), { C1: dead("unsent") }, { nowMs: atMs(9) });
    const signed = withSignedOut(lost, { slices: [{ slice: 1, child: "C1" }] });
    expect(signed).toMatchObject({ state: "firing", out: [{ orderId: "C1", slice: 1 }] });
    expect(seen(signed, { C1: filled }, { nowMs: atMs(12) })).toMatchObject({ nextSlice: 2 });
    const known = slice(placed, "C1");
    expect(withSignedOut(known, { slices: [{ slice: 1, child: "C1" }] })).toBe(known);
  });

  it("keeps one entry of each slice that was not signed, and all others", () => {
    let order = placed;
    for (const [index, id] of ["A", "B", "C1", "C2", "C", "D"].entries()) {
      const isUnsent = !id.startsWith("C") || id === "C";
      order = seen(
        slice(order, id),
        { [id]: isUnsent ? dead("unsent") : filled },
        { nowMs: atMs(index * 20) },
      );
    }
    expect(order.firings.map(({ slice: of, outcome, times }) => [of, outcome, times])).toEqual([
      [3, "unsent", 2],
      [2, "filled", undefined],
      [1, "filled", undefined],
      [1, "unsent", 2],
    ]);
  });
});
