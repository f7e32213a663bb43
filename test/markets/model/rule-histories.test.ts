import { expect, it } from "vitest";
import { playRules } from "./rule-histories.ts";

const histories = process.env.FULL === undefined ? 20 : 1000;

it("keeps the rules of wishes, deliveries and searches in random histories", () => {
  for (let seed = 1; seed <= histories; seed++) expect(() => playRules(seed)).not.toThrow();
});
