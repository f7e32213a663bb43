import { describe, expect, it } from "vitest";
import { didYouMean } from "../../lib/infra/did-you-mean.ts";

const known = ["issuer", "trading", "hostKeys", "laneShards"];

describe("didYouMean", () => {
  it.each([
    ["isuer", "issuer"],
    ["isseur", "issuer"],
    ["TRADING", "trading"],
    ["hostkey", "hostKeys"],
    ["laneShard", "laneShards"],
  ])("answers %s with %s", (unknown, nearest) => {
    expect(didYouMean(unknown, known)).toBe(`. Did you mean ${nearest}?`);
  });

  it.each(["", "x", "markets", "shards"])("has no answer to %j", (unknown) => {
    expect(didYouMean(unknown, known)).toBe("");
  });
});
