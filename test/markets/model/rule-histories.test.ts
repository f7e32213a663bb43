import { expect, it } from "vitest";
import { playRules } from "./rule-histories.ts";

const histories = process.env.FULL === undefined ? 20 : 1000;

it("wishes, deliveries and searches keep their rules", () => {
  for (let seed = 1; seed <= histories; seed++) expect(() => playRules(seed)).not.toThrow();
});
