import { expect, type TestContext, vi } from "vitest";
import type { PriceFeed } from "../../../lib/prices/feeds.ts";
import { startCoinbase } from "./coinbase-server.ts";
import { startKraken } from "./kraken-server.ts";
import { startRun } from "./run.ts";

type Address = { url: string };

export const coinbaseAt = ({ url }: Address): PriceFeed => ({ source: "coinbase", venue: "coinbase", url });
export const krakenAt = ({ url }: Address): PriceFeed => ({ source: "kraken", venue: "kraken", url });

export const waitFor = (expectation: () => void) =>
  vi.waitFor(expectation, { timeout: 20_000, interval: 10 });

/** Starts both venues, and a run that has saved prices of the preferred venue. */
export async function startBoth(test: TestContext) {
  const [first, second] = await Promise.all([startCoinbase(test), startKraken(test)]);
  const run = startRun(test, [coinbaseAt(first), krakenAt(second)]);
  await run.until(() => expect(run.sources()).toEqual(["coinbase"]));
  return { first, second, run };
}
