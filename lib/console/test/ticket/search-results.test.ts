import { describe, expect, it } from "vitest";
import { resultsOf } from "../../app/ticket/search-results.ts";

const tokenOf = (number: number, symbol: string, rest: object = {}) => ({
  chain: "base" as const,
  token: `0x${String(number).padStart(40, "0")}`,
  symbol,
  ...rest,
});

describe("resultsOf", () => {
  const star = tokenOf(1, "STAR", { name: "Orbit" });
  const moon = tokenOf(2, "MOON");

  it("finds tokens that the page knows by part of symbol or name, each once", () => {
    for (const text of ["sta", "STAR", "orbi"]) expect(resultsOf(text, [star, moon, star])).toEqual([star]);
    expect(resultsOf("sun", [star, moon])).toEqual([]);
  });

  it("adds what the service finds, and takes its word on a token that the page knows", () => {
    const fake = { ...star, flags: ["IMPERSONATES" as const] };
    const other = tokenOf(3, "Star of others");
    expect(resultsOf("star", [star], [other, fake])).toEqual([fake, other]);
  });

  it("puts listed tokens before all others of the same name", () => {
    const listed = tokenOf(4, "STAR", { listed: true });
    expect(resultsOf("star", [star], [listed])).toEqual([listed, star]);
  });
});
