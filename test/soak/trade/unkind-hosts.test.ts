import { expect, it } from "vitest";
import { unkindnesses } from "../../../lib/tools/dev/chains/unkindnesses.ts";
import { createChance } from "../chance.ts";
import { nextTurn } from "./unkind-hosts.ts";

function turns(seed: string, count: number) {
  const chance = createChance(seed);
  return Array.from({ length: count }, () => nextTurn(chance));
}

it("switches each unkindness on at either host and at both", () => {
  const seen = new Set(turns("1", 1000).map(({ name, hosts }) => `${name}, ${hosts}`));
  expect(seen.size).toBe(3 * Object.keys(unkindnesses).length);
});

it("plans the same turns for the same seed, and others for another", () => {
  expect(turns("1", 20)).toEqual(turns("1", 20));
  expect(turns("2", 20)).not.toEqual(turns("1", 20));
});
