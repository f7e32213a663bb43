import { describe, expect, it } from "vitest";
import {
  type MessageWord,
  type SignedMessages,
  sightOfMessages,
} from "../../../../lib/chains/sol/rules/child-sight.ts";

const validUntil = 1000;
const child = { orderId: "C1", leg: 0, n: 1, validUntil };
const signed: SignedMessages = {
  own: [
    { signature: "m1", lastHeight: 150 },
    { signature: "m2", lastHeight: 160 },
  ],
  siblings: ["s1"],
  clears: ["c1"],
};

const word = (changes: Partial<MessageWord> = {}): MessageWord => ({
  time: 2000,
  finalHeight: 161,
  isMarked: false,
  receipts: new Map(),
  ...changes,
});

const receipt = (signature: string, status: "ok" | "failed", height = 100) =>
  ({ receipts: new Map([[signature, { height, status }]]) }) as const;

const sight = (a: Partial<MessageWord> | undefined, b = a, of: SignedMessages | undefined = signed) =>
  sightOfMessages(child, of, [a && word(a), b && word(b)], { isSettled: false, nowMs: 2_000_000 });

describe("sightOfMessages", () => {
  it("sees a fill that both hosts have", () => {
    expect(sight(receipt("m2", "ok"))).toEqual({ is: "filled", isSettled: false });
    expect(sight(receipt("m2", "ok"), {})).toEqual({ is: "unclear" });
    expect(sight(undefined, receipt("m2", "ok"))).toEqual({ is: "unclear" });
  });

  it("waits until each message has failed in a final block, or is too old, at both hosts", () => {
    expect(sight({})).toEqual({ is: "dead", outcome: "lapsed" });
    expect(sight({ finalHeight: 160 }, {})).toEqual({ is: "out" });
    expect(sight({}, { finalHeight: 160 })).toEqual({ is: "out" });
    const failed = new Map([...receipt("m1", "failed").receipts, ...receipt("m2", "failed", 120).receipts]);
    expect(sight({ receipts: failed, finalHeight: 120 })).toEqual({ is: "dead", outcome: "failed" });
    expect(sight({ receipts: failed, finalHeight: 119 })).toEqual({ is: "out" });
  });

  it("ends a child whose sibling has filled, once its own messages are over", () => {
    const ofSibling = { ...receipt("s1", "ok"), isMarked: true };
    expect(sight(ofSibling)).toEqual({ is: "dead", outcome: "replaced" });
    expect(sight({ ...ofSibling, finalHeight: 160 })).toEqual({ is: "out" });
  });

  it("ends a child whose order was cleared, once its own messages are over", () => {
    const cleared = { ...receipt("c1", "ok"), isMarked: true };
    expect(sight(cleared)).toEqual({ is: "dead", outcome: "lapsed" });
    expect(sight({ ...cleared, finalHeight: 160 })).toEqual({ is: "out" });
  });

  it("waits while a marker is there, until both hosts show who has made it", () => {
    expect(sight({ isMarked: true })).toEqual({ is: "unclear" });
    expect(sight({ isMarked: true }, {})).toEqual({ is: "unclear" });
    expect(sight({ ...receipt("s1", "ok"), isMarked: true }, { isMarked: true })).toEqual({ is: "unclear" });
  });

  it("gives a child up that was never signed, once its deadline is past by all clocks", () => {
    const unsigned = (time: number, nowMs: number) =>
      sightOfMessages(child, undefined, [word(), word({ time })], { isSettled: false, nowMs });
    expect(unsigned(1001, 1_000_001)).toEqual({ is: "dead", outcome: "unsent" });
    expect(unsigned(1000, 1_000_001)).toEqual({ is: "out" });
    expect(unsigned(1001, 1_000_000)).toEqual({ is: "out" });
  });
});
