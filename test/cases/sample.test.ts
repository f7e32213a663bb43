import { describe, expect, it } from "vitest";
import { casesOf, sampled } from "./sample.ts";

const cases = casesOf<number>({
  length: [
    ["too short", 1],
    ["too long", 2],
  ],
  alphabet: [["a letter", 3]],
});

const valuesFor = (env: NodeJS.ProcessEnv) => sampled(cases, env).map(({ value }) => value);

describe("sampled", () => {
  it("takes the first case of each rule", () => {
    expect(valuesFor({})).toEqual([1, 3]);
  });

  it("takes all cases with FULL=1", () => {
    expect(valuesFor({ FULL: "1" })).toEqual([1, 2, 3]);
  });

  it("takes all cases against a deployed stage", () => {
    expect(valuesFor({ BASE_URL: "https://api.example" })).toEqual([1, 2, 3]);
  });
});
