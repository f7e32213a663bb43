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
  clears: [{ signature: "c1", lastHeight: 170 }],
};

const uncleared = { ...signed, clears: [] };

const word = (changes: Partial<MessageWord> = {}): MessageWord => ({
  time: 2000,
  finalHeight: 171,
  isMarked: false,
  receipts: new Map(),
  ...changes,
});

const receipt = (signature: string, status: "ok" | "failed", height = 100) =>
  ({ receipts: new Map([[signature, { height, status }]]) }) as const;

const sight = (a: Partial<MessageWord> | undefined, b = a, of: SignedMessages | undefined = signed) =>
  sightOfMessages(child, of, [a && word(a), b && word(b)], 2_000_000);

describe("sightOfMessages", () => {
  it("sees a fill that both hosts have", () => {
    expect(sight(receipt("m2", "ok"))).toEqual({ is: "filled" });
    expect(sight(receipt("m2", "ok"), {})).toEqual({ is: "unclear" });
    expect(sight(undefined, receipt("m2", "ok"))).toEqual({ is: "unclear" });
  });

  it("waits until each message has failed in a final block, or is too old, at both hosts", () => {
    expect(sight({})).toEqual({ is: "dead", outcome: "lapsed" });
    expect(sight({ finalHeight: 160 }, {}, uncleared)).toEqual({ is: "out" });
    expect(sight({}, { finalHeight: 160 }, uncleared)).toEqual({ is: "out" });
    const failed = new Map([...receipt("m1", "failed").receipts, ...receipt("m2", "failed", 120).receipts]);
    const at = (finalHeight: number) => sight({ receipts: failed, finalHeight }, undefined, uncleared);
    expect(at(120)).toEqual({ is: "dead", outcome: "failed" });
    expect(at(119)).toEqual({ is: "out" });
  });

  it("ends a child whose sibling has filled, once its own messages are over", () => {
    const ofSibling = { ...receipt("s1", "ok"), isMarked: true };
    expect(sight(ofSibling)).toEqual({ is: "dead", outcome: "replaced" });
    expect(sight({ ...ofSibling, finalHeight: 160 })).toEqual({ is: "out" });
  });

  it("sees that an order was cleared, so that no child ever fills, once the child's messages are over", () => {
    const cleared = { ...receipt("c1", "ok"), isMarked: true };
    expect(sight(cleared)).toEqual({ is: "dead", outcome: "lapsed", isUsedUp: true });
    expect(sight({ ...cleared, finalHeight: 160 })).toEqual({ is: "out" });
    expect(sight(cleared, { isMarked: true })).toEqual({ is: "unclear" });
  });

  it("waits for a clear that may still make the marker, unless a sibling has made it", () => {
    expect(sight({ finalHeight: 170 })).toEqual({ is: "out" });
    expect(sight({ finalHeight: 170, ...receipt("c1", "failed") })).toEqual({
      is: "dead",
      outcome: "lapsed",
    });
    expect(sight({ finalHeight: 170, ...receipt("s1", "ok"), isMarked: true })).toEqual({
      is: "dead",
      outcome: "replaced",
    });
  });

  it("waits while a marker is there, until both hosts show who has made it", () => {
    expect(sight({ isMarked: true })).toEqual({ is: "unclear" });
    expect(sight({ isMarked: true }, {})).toEqual({ is: "unclear" });
    expect(sight({ ...receipt("s1", "ok"), isMarked: true }, { isMarked: true })).toEqual({ is: "unclear" });
  });

  it("gives up a child that was never signed, once its deadline is past by all clocks", () => {
    const unsigned = (time: number, nowMs: number) =>
      sightOfMessages(child, undefined, [word(), word({ time })], nowMs);
    expect(unsigned(1001, 1_000_001)).toEqual({ is: "dead", outcome: "unsent" });
    expect(unsigned(1000, 1_000_001)).toEqual({ is: "out" });
    expect(unsigned(1001, 1_000_000)).toEqual({ is: "out" });
  });

  it("sees from an unsigned child that the marker is made, if both hosts show it", () => {
    const unsigned = (...areMarked: [boolean, boolean]) => {
      const [a, b] = areMarked.map((isMarked) => word({ isMarked }));
      return sightOfMessages(child, undefined, [a, b], 2_000_000);
    };
    expect(unsigned(true, true)).toEqual({ is: "dead", outcome: "unsent", isUsedUp: true });
    expect(unsigned(true, false)).toEqual({ is: "dead", outcome: "unsent" });
  });
});
