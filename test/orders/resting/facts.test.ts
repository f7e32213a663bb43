import { describe, expect, it } from "vitest";
import {
  type ChildRecords,
  factsOfChildren,
  isRefusedForGood,
  unknownParts,
} from "../../../lib/orders/resting/facts.ts";
import type { Tally } from "../../../lib/orders/resting/mandate.ts";
import type { RestingFacts } from "../../../lib/orders/resting/stored.ts";
import { unstarted } from "../../../lib/orders/trade-order.ts";
import { tradeOrder } from "../../support/trading.ts";
import { mandate, storedOrder } from "./fixtures.ts";

const signed = (child: string, most: bigint) =>
  ({ child, kind: "stop", amount: 0n, most, day: "2026-11-29" }) as const;

const tally = (changes: Partial<Tally> = {}): Tally => ({
  orderId: "P",
  owed: [],
  counts: { limit: { hour: 0, n: 0 }, stop: { hour: 0, n: 0 } },
  fees: { limit: 30n, stop: 100n },
  revision: 1,
  expiresAt: 0,
  ...changes,
});

const none: RestingFacts = { feesSpent: { limit: 0n, stop: 0n }, networkFee: 0n };

const childThat = (life: Partial<typeof unstarted>) =>
  new Map([["C", tradeOrder({ life: { ...unstarted, ...life } })]]);

const facts = (records: Partial<ChildRecords>, filled?: string, known = none) =>
  factsOfChildren({ mandate: mandate(), firings: [], filled }, known, {
    tally: undefined,
    ended: undefined,
    children: new Map(),
    ...records,
  });

describe("factsOfChildren", () => {
  it("keeps what was known while the signer has recorded nothing", () => {
    const known = { ...none, networkFee: 7n };
    expect(facts({}, undefined, known)).toEqual(known);
  });

  it("shows what children may have spent, and what they have paid by their orders", () => {
    const children = childThat({ networkFee: 12n });
    expect(facts({ tally: tally({ out: signed("C", 40n) }), children })).toEqual({
      feesSpent: { limit: 30n, stop: 100n },
      networkFee: 30n + 60n + 12n,
    });
    // Counts its signatures at their most, which covers approvals that it may have paid.
    expect(facts({ tally: tally(), children }).networkFee).toBe(130n);
  });

  it("counts the most that a dead child could pay, until its order or the final chain says what it has paid", () => {
    const owed = [signed("D", 50n)];
    expect(facts({ tally: tally({ owed }) }).networkFee).toBe(130n);
    const children = new Map([["D", tradeOrder({ life: { ...unstarted, networkFee: 9n } })]]);
    expect(facts({ tally: tally({ owed }), children })).toEqual({
      feesSpent: { limit: 30n, stop: 100n },
      networkFee: 89n,
    });
    const dead = [{ child: "D", how: "failed", block: 1, final: true, paid: 9n } as const];
    const ended = { orderId: "P", dead, revision: 1, expiresAt: 0 };
    expect(facts({ tally: tally({ owed }), ended, children })).toEqual({
      feesSpent: { limit: 30n, stop: 59n },
      networkFee: 89n,
    });
  });

  it("counts what the newest signed child has paid, once it is final that it is dead", () => {
    const dead = [{ child: "D", how: "failed", block: 1, final: true, paid: 9n } as const];
    const ended = { orderId: "P", dead, revision: 1, expiresAt: 0 };
    expect(facts({ tally: tally({ out: signed("D", 50n) }), ended })).toEqual({
      feesSpent: { limit: 30n, stop: 59n },
      networkFee: 89n,
    });
  });

  const filled = childThat({ status: "filled", spent: 5n, received: 6n, txHash: "0x1" });
  const fill = { spent: 5n, received: 6n, txHash: "0x1" };

  it("shows the fill of the child that has filled", () => {
    expect(facts({ children: filled }, "C")).toEqual({ ...none, fill });
    expect(facts({ children: filled })).toEqual(none);
    // An order says so a little later than the hosts.
    expect(facts({ children: childThat({}) }, "C")).toEqual(none);
  });

  it("keeps a known fill if the child's order is lost, and drops one that was taken back", () => {
    expect(facts({}, "C", { ...none, fill })).toEqual({ ...none, fill });
    expect(facts({}, undefined, { ...none, fill })).toEqual(none);
  });
});

describe("factsOfChildren of an order with slices", () => {
  const slices = { count: 3, everySeconds: 60 };
  const firing = (orderId: string, outcome: "out" | "filled" | "failed" | "unsent") =>
    ({ n: 1, orderId, leg: "slice", price: "1", block: 1, outcome }) as const;
  const child = (networkFee: bigint, fill?: { spent: bigint; received: bigint; txHash: string }) =>
    tradeOrder({ life: { ...unstarted, networkFee, ...(fill && { status: "filled", ...fill }) } });
  const settled = (order: ReturnType<typeof child>) => ({
    ...order,
    life: { ...order.life, settled: true },
  });
  const factsOf = (
    children: Record<string, ReturnType<typeof tradeOrder>>,
    firings: ReturnType<typeof firing>[],
    known = none,
  ) =>
    factsOfChildren({ mandate: mandate({ slices }), firings }, known, {
      tally: undefined,
      ended: undefined,
      children: new Map(Object.entries(children)),
    });
  const first = { spent: 5n, received: 50n, txHash: "0xa" };
  const second = { spent: 6n, received: 66n, txHash: "0xb" };

  it("adds up the fills and fees of all children, also of those that have settled", () => {
    const known = factsOf({ C1: child(2n, first) }, [firing("C1", "filled")]);
    const facts = factsOf(
      { C2: child(3n), C3: child(4n, second) },
      [firing("C3", "filled"), firing("C2", "failed"), firing("C1", "filled")],
      known,
    );
    expect(facts).toMatchObject({ networkFee: 9n, fill: { spent: 11n, received: 116n, txHash: "0xb" } });
  });

  it("counts the approval of an unsigned child, also if it is paid after the child has ended", () => {
    const unsent = [firing("C1", "unsent")];
    const known = factsOf({ C1: child(0n) }, unsent);
    expect(unknownParts({ ...storedOrder({ slices }), firings: unsent, facts: known })).toEqual(["C1"]);
    expect(factsOf({ C1: settled(child(7n)) }, unsent, known).networkFee).toBe(7n);
  });

  it("keeps nothing of children that have neither paid nor filled, however many are unsigned", () => {
    const children = { C1: child(2n, first), C2: settled(child(0n)) };
    expect(factsOf(children, [firing("C1", "filled")]).parts).toEqual({
      C1: { networkFee: 2n, fill: first, isSettled: false },
    });
    const known = factsOf({ C1: child(2n, first) }, [firing("C1", "filled")]);
    expect(factsOf({ C1: child(0n) }, [firing("C1", "out")], known)).toMatchObject({
      networkFee: 0n,
      parts: {},
    });
  });

  it("does not count a fill that has been taken back, or that two hosts do not show", () => {
    const known = factsOf({ C1: child(2n, first) }, [firing("C1", "filled")]);
    expect(factsOf({}, [firing("C1", "out")], known)).not.toHaveProperty("fill");
  });
});

describe("unknownParts", () => {
  const part = { networkFee: 1n };
  const facts = { ...none, parts: { C3: part, C2: { ...part, isSettled: true } } };
  const firings = (["filled", "unsent", "failed", "filled", "filled"] as const).map(
    (outcome, index) =>
      ({ n: index, orderId: `C${index}`, leg: "slice", price: "1", block: 1, outcome }) as const,
  );

  it("lists signed children of slices until their settled orders have been read", () => {
    const order = storedOrder({ slices: { count: 5, everySeconds: 60 } });
    expect(unknownParts({ ...order, firings, facts })).toEqual(["C0", "C3", "C4"]);
  });

  it("lists a settled child whose outcome differs from that of its firing", () => {
    const order = storedOrder({ slices: { count: 2, everySeconds: 60 } });
    const settled = { ...part, isSettled: true };
    const parts = { C0: settled, C2: { ...settled, fill: { spent: 1n } } };
    const own = firings.filter(({ orderId }) => orderId in parts);
    expect(unknownParts({ ...order, firings: own, facts: { ...none, parts } })).toEqual(["C0", "C2"]);
  });

  it("lists none of an order without slices", () => {
    expect(unknownParts({ ...storedOrder({}), firings, facts })).toEqual([]);
  });
});

describe("isRefusedForGood", () => {
  const firing = { n: 1, orderId: "C", leg: "stop", price: "1", block: 1 } as const;
  const refused = childThat({ status: "rejected", reasonCode: "SIGNING_REFUSED" });
  const unsent = (times: number) => [
    { ...firing, outcome: "out" as const },
    { ...firing, outcome: "unsent" as const, times },
  ];

  it.each([
    ["the eleventh refusal in a row", unsent(10), refused, true],
    ["an earlier one", unsent(9), refused, false],
    ["a child that waits", unsent(10), childThat({}), false],
    ["the first child", unsent(10).slice(0, 1), refused, false],
    ["a refusal after a failure", [{ ...firing, outcome: "failed" as const, times: 10 }], refused, false],
  ])("judges %s", (_, firings, children, isForGood) => {
    expect(isRefusedForGood({ firings }, { children })).toBe(isForGood);
  });
});
