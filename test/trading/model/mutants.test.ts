import { describe, expect, it } from "vitest";
import { playHistories } from "./history.ts";
import { mutants } from "./mutants.ts";

describe("the histories", () => {
  it.each(Object.entries(mutants))("catch a core that %s", async (_, mutant) => {
    await expect(playHistories({ from: 1, count: 2000, system: mutant })).rejects.toThrow(/^history \d+: /);
  });
});
