import { describe, expect, it } from "vitest";
import { evmChains } from "../../lib/core/chain-facts.ts";
import { shareUnavailable } from "./lagging-hosts.ts";

const quotes = 100;

describe("quotes while one of two hosts lags", () => {
  it.each(evmChains)("always finds matching quotes on %s while one host lags by up to 3 s", async (chain) => {
    for (const lagSeconds of [0, 1, 3]) expect(await shareUnavailable({ chain, lagSeconds, quotes })).toBe(0);
  });

  it("finds no matching quotes on base at a lag of 8 s, because prices would be too old", async () => {
    expect(await shareUnavailable({ chain: "base", lagSeconds: 8, quotes })).toBe(1);
  });
});
