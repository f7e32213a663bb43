import { describe, expect, it } from "vitest";
import { RecentMap } from "../../lib/core/recent-map.ts";

describe("a map of recent entries", () => {
  it("forgets the entry that was read or written longest ago", () => {
    const map = new RecentMap<string, number>(3);
    for (const [index, key] of ["ann", "bea", "cem"].entries()) map.set(key, index);
    map.get("ann");
    map.set("bea", 7);
    map.set("dee", 3);
    expect(["ann", "bea", "cem", "dee"].map((key) => map.get(key))).toEqual([0, 7, undefined, 3]);
  });

  it("keeps all other entries when one is overwritten", () => {
    const map = new RecentMap<string, number>(2);
    map.set("ann", 1);
    map.set("bea", 2);
    map.set("bea", 3);
    expect([map.get("ann"), map.get("bea")]).toEqual([1, 3]);
  });
});
