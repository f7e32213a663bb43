import { expect, it } from "vitest";
import type { SolNode } from "../../sol/sol-node.ts";
import { startSolPast } from "../../sol/sol-past.ts";

/** Simulates a chain whose account changes in slot 14, and which reaches these slots between two readings. */
function chainReaching(slots: readonly number[]): SolNode {
  const left = [...slots];
  let slot = 0;
  return {
    async replyTo() {
      slot = left.shift() ?? slot;
      return { result: { context: { slot }, value: { blockhash: `hash of ${slot}` } } };
    },
    request: async () => ({ context: { slot }, value: [slot < 14 ? "before" : "after"] }),
    issuedIn: () => undefined,
    named: () => ["account"],
  };
}

it("shows only slots whose end was seen, because the account may have changed in any that was missed", async () => {
  const past = await startSolPast(chainReaching([10, 11, 12, 16, 17]), 1);
  try {
    await expect.poll(() => past.seenBy(16)).toBe(16);
    expect(past.firstSlot).toBe(10);
    const shown = [10, 11, 12, 13, 14, 15, 16].map((slot) => past.seenBy(slot));
    expect(shown).toEqual([10, 11, 11, 11, 11, 15, 16]);
    const accounts = await Promise.all([11, 15].map((slot) => past.accountsAt(slot, ["account"])));
    expect(accounts).toEqual([["before"], ["after"]]);
    expect(past.blockhashAt(11)).toEqual({ blockhash: "hash of 11" });
    expect(past.seenBy(4)).toBe(4);
  } finally {
    await past.stop();
  }
});
