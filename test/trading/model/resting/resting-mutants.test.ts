import { describe, expect, it } from "vitest";
import { playRestings } from "./resting-history.ts";
import { restingMutants } from "./resting-mutants.ts";
import { restingSystem } from "./resting-world.ts";

/** Maps each mutant that is caught late to the first history that catches it. */
const caughtBy: Readonly<Record<string, number>> = {
  "counts a leg's swaps for life": 32,
  "lets a stop pay for what a limit has spent": 82,
};

/** Most histories that a mutant may survive. */
const count = 2000;

describe("faults caught by the histories of resting orders", () => {
  it.each(Object.entries(restingMutants))("catches a service that %s", (name, mutant) => {
    const { system, plot } = mutant();
    const play = () =>
      playRestings({ from: caughtBy[name] ?? 1, count, plot, system: { ...restingSystem, ...system } });
    expect(play).toThrow(/^history \d+: /);
  });
});
