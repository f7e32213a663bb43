import { describe, expect, it } from "vitest";
import { evmChains } from "../../lib/core/chain-facts.ts";
import { shareUnavailable } from "./lagging-hosts.ts";

const quotes = 300;

describe("quotes of hosts of which one lags", () => {
  it.each(evmChains)("never fail on %s at up to 3 s", async (chain) => {
    for (const lagSeconds of [0, 1, 3]) expect(await shareUnavailable({ chain, lagSeconds, quotes })).toBe(0);
  });

  it("fail on base at 8 s, where prices would be old", async () => {
    expect(await shareUnavailable({ chain: "base", lagSeconds: 8, quotes })).toBe(1);
  });
});
