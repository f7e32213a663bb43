import { describe, expect, it, type TestContext } from "vitest";
import { networks } from "../../lib/core/network.ts";
import { coinbaseAt, krakenAt, startBoth, waitFor } from "./support/both.ts";
import { startCoinbase } from "./support/coinbase-server.ts";
import { startKraken } from "./support/kraken-server.ts";
import { startRun } from "./support/run.ts";

describe.concurrent("a feed over a real socket", () => {
  it.for([
    ["Coinbase's protocol", startCoinbase, coinbaseAt],
    ["Kraken's protocol", startKraken, krakenAt],
  ] as const)(
    "yields all prices as text, with the times of the prices, in %s",
    async ([, startVenue, feed], test) => {
      const began = Date.now();
      const venue = await startVenue(test);
      const run = startRun(test, [feed(venue)]);
      await run.until(() => expect(run.chains()).toEqual(networks));
      for (const { price, asOf, currency } of run.saves.at(-1) ?? []) {
        expect(price).toMatch(/^10\d(\.\d{1,2})?$/);
        expect(new Date(asOf).toISOString()).toBe(asOf);
        expect(Date.parse(asOf)).toBeGreaterThanOrEqual(began);
        expect(currency).toBe("USD");
      }
      expect(run.lines).toEqual([]);
    },
  );

  it("closes the feed with code 1000 when the run ends", async (test) => {
    const { first, run } = await startBoth(test);
    await run.supersede();
    await waitFor(() => expect(first.closings).toEqual([1000]));
  });

  it("opens only one connection while the feed quotes", async (test) => {
    const { first, second, run } = await startBoth(test);
    await run.until(() => {}, 20);
    expect([first.connections(), second.connections()]).toEqual([1, 0]);
  });
});

describe.concurrent("a product that a venue does not offer", () => {
  const known = { coinbase: ["ETH-USD", "SOL-USD", "AVAX-USD"], kraken: ["ETH/USD", "SOL/USD", "AVAX/USD"] };

  it.for([
    [
      "refused by Coinbase",
      (test: TestContext) => startCoinbase(test, { products: known.coinbase }),
      coinbaseAt,
      "BNB-USD",
      "refused",
    ],
    [
      "refused by Kraken",
      (test: TestContext) => startKraken(test, { products: known.kraken }),
      krakenAt,
      "BNB/USD",
      "refused",
    ],
    [
      "left out by Coinbase",
      (test: TestContext) => startCoinbase(test, { forgets: ["BNB-USD"] }),
      coinbaseAt,
      "BNB-USD",
      "not acknowledged",
    ],
    [
      "left out by Kraken",
      (test: TestContext) => startKraken(test, { forgets: ["BNB/USD"] }),
      krakenAt,
      "BNB/USD",
      "not acknowledged",
    ],
  ] as const)(
    "logs a missing product once when %s, and continues with the others",
    async ([, startVenue, feed, product, reason], test) => {
      const venue = await startVenue(test);
      const run = startRun(test, [feed(venue)]);
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
