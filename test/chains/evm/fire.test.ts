import { describe, expect, it } from "vitest";
import { evmFiring } from "../../../lib/chains/evm/fire.ts";
import type { NonceWord, SignedNonce } from "../../../lib/chains/evm/rules/death.ts";
import type { ChildView } from "../../../lib/orders/resting/firing.ts";

const swap: SignedNonce = { nonce: 5, deadline: 1000, swaps: ["s1"], clears: ["c1"] };
const child = { orderId: "C1", leg: 0, n: 1, validUntil: 1060 };

const block = (number: number) => ({ number, hash: `b${number}`, time: 1000 + 10 * number });

const word = (changes: Partial<NonceWord> = {}): NonceWord => ({
  head: block(12),
  final: 0,
  receipts: new Map(),
  ...changes,
});

const receipt = (hash: string, status: "ok" | "failed") => ({
  receipts: new Map([[hash, { block: block(10), status }]]),
});

/** Asks what is certain about a child that executeOrders has proved dead. The second host may be silent. */
function sight(
  a: Partial<NonceWord>,
  b: Partial<NonceWord> | "silent" = a,
  changes: Partial<ChildView<SignedNonce>> = {},
) {
  const view: ChildView<SignedNonce> = {
    hasEnded: true,
    yields: false,
    isRefused: false,
    isProvenDead: true,
    signed: { swap, deadline: swap.deadline },
    ...changes,
  };
  return evmFiring.sightOf({ chain: "eth", child, view, nowMs: 1_070_000 }, [
    word(a),
    b === "silent" ? undefined : word(b),
  ]);
}

describe("evmFiring", () => {
  const failed = receipt("s1", "failed");

  it("counts a child as dead if executeOrders says so and both hosts prove it", () => {
    expect(sight(failed)).toEqual({ is: "dead", outcome: "failed", isProven: true });
    expect(sight(receipt("c1", "ok"))).toEqual({ is: "dead", outcome: "lapsed", isProven: true });
    expect(sight(failed, failed, { yields: true })).toMatchObject({ outcome: "yielded", isProven: true });
  });

  it("waits without the record of executeOrders, and without the proof of each host", () => {
    expect(sight(failed, failed, { isProvenDead: false })).toEqual({ is: "out" });
    expect([sight({}), sight(failed, {}), sight({}, failed)]).toEqual(Array(3).fill({ is: "out" }));
    expect(sight(failed, "silent")).toEqual({ is: "unclear" });
  });

  it("accepts a fill that both hosts have, and nothing while only one of them has it", () => {
    const filled = receipt("s1", "ok");
    expect(sight(filled)).toEqual({ is: "filled", block: "b10" });
    expect([sight(filled, {}), sight(failed, filled)]).toEqual(Array(2).fill({ is: "unclear" }));
  });

  it("gives up an unsigned child once both hosts are past its deadline", () => {
    const unsigned = { signed: undefined };
    const past = { head: block(12) };
    expect(sight(past, past, unsigned)).toEqual({ is: "dead", outcome: "unsent" });
    const before = { head: block(6) };
    expect([sight(past, before, unsigned), sight(before, past, unsigned)]).toEqual(
      Array(2).fill({ is: "out" }),
    );
  });
});
