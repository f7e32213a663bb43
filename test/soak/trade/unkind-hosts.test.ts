import { expect, it } from "vitest";
import { createChance } from "../chance.ts";
import { nextTurn, unkindnessesOf } from "./unkind-hosts.ts";

function turns(seed: string, count: number, ways = unkindnessesOf("eth")) {
  const chance = createChance(seed);
  return Array.from({ length: count }, () => nextTurn(chance, ways));
}

it.each(["eth", "sol"] as const)(
  "switches on each kind of unreliable behaviour of %s at either host and at both",
  (chain) => {
    const ways = unkindnessesOf(chain);
    const seen = new Set(turns("1", 1000, ways).map(({ name, hosts }) => `${name}, ${hosts}`));
    expect(seen.size).toBe(3 * Object.keys(ways).length);
  },
);

it("plans the same turns for the same seed and different turns for a different seed", () => {
  expect(turns("1", 20)).toEqual(turns("1", 20));
  expect(turns("2", 20)).not.toEqual(turns("1", 20));
});
