import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Coins } from "../../lib/markets/coins.ts";
import { composer } from "../../lib/markets/core/market-delivery.ts";
import type { Follower } from "../../lib/markets/demand.ts";
import { readMarkets } from "../../lib/markets/read-markets.ts";
import type { ChainMarkets } from "../../lib/markets/runs/chain-markets.ts";
import type { ReaderLease } from "../../lib/orders/table-step.ts";
import { price } from "../support/executions.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

const token = { chain: "base", token: "0xa" } as const;
const follower: Follower = { userID: "ann", connectionId: "c1", shard: 0, tokens: [token] };

/** A market that changes constantly, so that there is a delivery every second. */
const changing = {
  chain: "base",
  head: undefined,
  revision: 0,
  isWanted: false,
  want() {},
  look: async () => undefined,
  read: async () => {},
  markets: () => [],
  records: () => {
    const asOf = new Date().toISOString();
    const record = { ...token, flags: [], revision: 0, block: 1, asOf };
    return [{ record, changedAtMs: Date.now() }];
  },
};

describe("readMarkets", () => {
  it("delivers a change of a coin's price at once, even if reading it took a while", async () => {
    let lease: ReaderLease | undefined;
    let current = "2600";
    const received: string[] = [];
    const faults: unknown[] = [];
    const run = readMarkets(
      {
        leases: {
          readReaderLease: async () => lease,
          async changeReaderLease({ set }) {
            lease = { ...lease, ...set } as ReaderLease;
            return true;
          },
        },
        demand: {
          async *readFollowers() {
            yield [follower];
          },
          readNewsSince: async () => [],
        },
        chains: [changing as unknown as ChainMarkets],
        coins: { take: async () => {}, save: async () => {} } as unknown as Coins,
        isListed: () => false,
        mostOn: () => 150,
        holdings: { heldBy: () => new Set<string>(), refresh: async () => {}, revision: 0 },
        async readPrices() {
          const known = current;
          await new Promise((end) => setTimeout(end, 900));
          return [price({ price: known })];
        },
        async deliver({ markets }) {
          await new Promise((end) => setTimeout(end, 30));
          const message = composer(markets)({ ...follower, every: 1 });
          received.push(...(message?.coins ?? []).map((coin) => coin.price));
          return { isDelivered: true };
        },
        store: { writer: () => ({}) } as never,
        saveIndex: async () => {},
        onWarning: (error) => faults.push(error),
        onFault: (error) => faults.push(error),
      },
      { build: "a", longestMs: 20_000 },
    );
    for (const next of ["2600", "2601", "2602", "2603", "2604", "2605"]) {
      current = next;
      await vi.advanceTimersByTimeAsync(3000);
      expect(received.at(-1)).toBe(next);
    }
    await vi.advanceTimersByTimeAsync(10_000);
    await run;
    expect(faults).toEqual([]);
  });
});
