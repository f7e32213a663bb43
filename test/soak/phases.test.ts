import { describe, expect, it } from "vitest";
import { createChance } from "./chance.ts";
import { phases, planPhases } from "./phases.ts";
import { countRows } from "./soak-report.ts";

describe("createChance", () => {
  it("makes the same choices for the same seed and different choices for a different seed", () => {
    const numbers = (seed: string) => {
      const chance = createChance(seed);
      return Array.from({ length: 20 }, () => chance.below(1000));
    };
    expect(numbers("1")).toEqual(numbers("1"));
    expect(numbers("1")).not.toEqual(numbers("2"));
  });

  it("picks names in proportion to their weights", () => {
    const chance = createChance("weights");
    const picked = Array.from({ length: 4000 }, () => chance.weighted({ often: 3, seldom: 1, never: 0 }));
    const share = (name: string) => picked.filter((each) => each === name).length / picked.length;
    expect(share("often")).toBeCloseTo(0.75, 1);
    expect(share("seldom")).toBeCloseTo(0.25, 1);
    expect(share("never")).toBe(0);
  });
});

describe("planPhases", () => {
  it("includes every fault and one crash in a short run and ends without faults", () => {
    const changes = planPhases(240, createChance("1"));
    const names = changes.map(({ phase }) => phase);
    expect(names.toSorted()).toEqual(expect.arrayContaining([...Object.keys(phases), "crash"].toSorted()));
    expect(names.filter((name) => name === "crash")).toHaveLength(1);
  });

  it("repeats all faults in turn, each for a number of requests", () => {
    const changes = planPhases(1000, createChance("1"), ["calm", "rain", "snow"], 100);
    expect(changes.map(({ after }) => after)).toEqual([100, 200, 300, 400, 500, 600, 700, 800, 900]);
    const names = new Set(changes.map(({ phase }) => phase));
    expect([...names].toSorted()).toEqual(["calm", "crash", "rain", "snow"]);
  });

  it("includes one crash in each round of a long run", () => {
    const changes = planPhases(100_000, createChance("1"));
    const crashes = changes.filter(({ phase }) => phase === "crash");
    expect(crashes).toHaveLength(9);
    expect(changes.every(({ after }, index) => after === (index + 1) * 1000)).toBe(true);
  });
});

describe("countRows", () => {
  it("counts failures together with missing responses", () => {
    const statuses = new Map([
      [200, 6],
      [400, 2],
      [500, 1],
      [0, 1],
    ]);
    expect(countRows(new Map([["read", statuses]]))).toEqual([["read", "10", "6", "2", "1", "1", "20.0 %"]]);
  });
});
