import { expect, it } from "vitest";
import { unchangedCutoffs } from "../../lib/orders/cutoffs.ts";

const userID = "alice";
const lane = { userID, chain: "base", wallet: "0xf39F" } as const;
const conditions = (cutoffs: Parameters<typeof unchangedCutoffs>[1]) =>
  unchangedCutoffs(lane, cutoffs).map((write) => "when" in write && write.when);

it("makes an order depend on the cutoffs that were read: of all chains, of its own, and of its wallet", () => {
  expect(conditions({})).toEqual(["absent", "absent"]);
  expect(conditions({ all: { userID, before: 5, base: 7, eth: 9 }, wallet: { userID, before: 3 } })).toEqual([
    { before: 5, base: 7 },
    { before: 3 },
  ]);
  // A cancellation on the chain since then would set its field.
  expect(conditions({ all: { userID, before: 5 } })).toStrictEqual([
    { before: 5, base: undefined },
    "absent",
  ]);
});
