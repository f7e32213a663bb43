import { describe, expect, it } from "vitest";
import { playHistories } from "./history.ts";
import { mutants } from "./mutants.ts";

/** Maps mutants to the first history that catches them, where it comes late. Changed moves only cost time. */
const caughtBy: Readonly<Record<string, number>> = {
  "counts its holders": 162,
  "voids a signed slot": 204,
  "trusts an old allowance": 56,
};

describe("the histories", () => {
  it.each(Object.entries(mutants))("catch a core that %s", async (name, mutant) => {
    const histories = playHistories({ from: caughtBy[name] ?? 1, count: 2000, system: mutant });
    await expect(histories).rejects.toThrow(/^history \d+: /);
  });
});
