import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { TokenStore } from "../../lib/markets/chain-markets.ts";
import { EvmMarkets } from "../../lib/markets/evm-markets.ts";
import { q96, ScriptedHosts, v3Pool } from "./core/support/scripted-hosts.ts";
import { decimal } from "./support/markets.ts";

const startMs = Date.parse("2026-11-22T20:00:00.000Z");
beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime(startMs);
});
afterEach(() => void vi.useRealTimers());

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** Takes its time for each look. */
class SlowHosts extends ScriptedHosts {
  lookMs = 400;

  override async look(asked: { heights: readonly number[] }) {
    const shown = await super.look(asked);
    await new Promise((end) => setTimeout(end, this.lookMs));
    return shown;
  }

  leaveHost() {}
}

const store: TokenStore = {
  readMarket: async () => undefined,
  loadCandles: async () => [],
  writer: () => ({ saveMarket: async () => {}, saveCandles: async () => {} }),
};

describe("EvmMarkets", () => {
  it("shows a change to the first delivery after it was seen, even if one began during the look", async () => {
    const hosts = new SlowHosts();
    const mine = (words: readonly bigint[] = []) => hosts.mine(Math.floor(Date.now() / 1000), words);
    for (let block = 0; block < 3; block++) mine();
    const { token } = v3Pool;
    const faults: unknown[] = [];
    const markets = new EvmMarkets({
      ...{ chain: "base", hosts, store, coinUsdAt: () => undefined },
      find: async () => ({
        token: { chain: "base", token, symbol: "T", name: "T", decimals: 18, supply: decimal("1000") },
        pools: [{ ...v3Pool, venue: "uniswap-v3", feeBps: 30, depth: decimal("50") }],
      }),
      loadHistory: async () => "complete",
      onFault: (error) => faults.push(error),
    });
    const run = { epoch: 1, isOver: false };
    markets.want([{ token, wantedMs: startMs, isHeld: false }]);
    const read = markets.read(run);
    const priceSince = (sinceMs: number) =>
      markets.records([token], { sinceMs, isFull: false }, Date.now())[0]?.record.price;
    await pass(5000);
    expect(priceSince(0)).toBe("1");
    mine([2n * q96]);
    let deliveredMs = Date.now();
    const seen: (string | undefined)[] = [];
    // A delivery each 50 ms, so some begin during each look.
    for (let deliveries = 0; deliveries < 60; deliveries++) {
      await pass(50);
      seen.push(priceSince(deliveredMs));
      deliveredMs = Date.now();
    }
    expect(seen).toContain("4");
    expect(faults).toEqual([]);
    run.isOver = true;
    await pass(5000);
    await read;
  });
});
