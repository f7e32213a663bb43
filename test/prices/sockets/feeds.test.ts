import { describe, expect, it } from "vitest";
import { networks } from "../../../lib/domain/network.ts";
import { coinbaseAt, krakenAt, startBoth, waitFor } from "../support/both.ts";
import { startCoinbase } from "../support/coinbase-server.ts";
import { startKraken } from "../support/kraken-server.ts";
import { startRun } from "../support/run.ts";

describe("a feed over a real socket", () => {
  it.each([
    ["Coinbase's protocol", startCoinbase, coinbaseAt],
    ["Kraken's protocol", startKraken, krakenAt],
  ])("yields all prices as text, with their times, in %s", async (_, startVenue, feed) => {
    const began = Date.now();
    const venue = await startVenue();
    const run = startRun([feed(venue)]);
    await run.until(() => expect(run.chains()).toEqual(networks));
    for (const { price, asOf, currency } of run.saves.at(-1) ?? []) {
      expect(price).toMatch(/^10\d(\.\d{1,2})?$/);
      expect(new Date(asOf).toISOString()).toBe(asOf);
      expect(Date.parse(asOf)).toBeGreaterThanOrEqual(began);
      expect(currency).toBe("USD");
    }
    expect(run.lines).toEqual([]);
  });

  it("is closed with code 1000 when the run ends", async () => {
    const { first, run } = await startBoth();
    await run.supersede();
    await waitFor(() => expect(first.closings).toEqual([1000]));
  });

  it("is the only connection while it quotes", async () => {
    const { first, second, run } = await startBoth();
    await run.until(() => {}, 20);
    expect([first.connections(), second.connections()]).toEqual([1, 0]);
  });
});

describe("a product that a venue lacks", () => {
  const known = { coinbase: ["ETH-USD", "SOL-USD", "AVAX-USD"], kraken: ["ETH/USD", "SOL/USD", "AVAX/USD"] };

  it.each([
    [
      "refused by Coinbase",
      () => startCoinbase({ products: known.coinbase }),
      coinbaseAt,
      "BNB-USD",
      "refused",
    ],
    ["refused by Kraken", () => startKraken({ products: known.kraken }), krakenAt, "BNB/USD", "refused"],
    [
      "left out by Coinbase",
      () => startCoinbase({ forgets: ["BNB-USD"] }),
      coinbaseAt,
      "BNB-USD",
      "not acknowledged",
    ],
    [
      "left out by Kraken",
      () => startKraken({ forgets: ["BNB/USD"] }),
      krakenAt,
      "BNB/USD",
      "not acknowledged",
    ],
  ] as const)(
    "is logged once when %s, and the other products continue",
    async (_, startVenue, feed, product, reason) => {
      const venue = await startVenue();
      const run = startRun([feed(venue)]);
      const { source } = feed(venue);
      await run.until(() => expect(run.chains()).toEqual(["eth", "base", "sol", "avax"]));
      await waitFor(() => expect(run.lines).toEqual([{ source, product, reason }]));
      venue.hangUp();
      await waitFor(() => expect(venue.connections()).toBe(2));
      await run.until(() => expect(run.chains()).toEqual(["eth", "base", "sol", "avax"]), 40);
      expect(run.lines).toEqual([{ source, product, reason }]);
    },
  );
});
