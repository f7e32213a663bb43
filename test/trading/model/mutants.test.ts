import { describe, expect, it } from "vitest";
import { playHistories } from "./history.ts";
import { mutants } from "./mutants.ts";

/** Maps mutants to the first history that catches them, where it comes late. Changed moves only cost time. */
const caughtBy: Readonly<Record<string, number>> = {
  "does not check the holder": 63,
  "counts its holders": 162,
  "voids a signed slot": 568,
  "lets the clock expire a signed order": 115,
  "does not notice a policy that changes": 201,
  "trusts an old allowance": 44,
  "forgets the fee of layer 1": 1126,
};

describe("the histories", () => {
  it.each(Object.entries(mutants))("catch a core that %s", async (name, mutant) => {
    const histories = playHistories({ from: caughtBy[name] ?? 1, count: 2000, system: mutant });
    await expect(histories).rejects.toThrow(/^history \d+: /);
  });
});
