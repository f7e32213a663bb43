import { beforeEach, describe, expect, it } from "vitest";
import type { TradingChain } from "../../lib/core/chain-facts.ts";
import {
  ChainPermission,
  ChainRunKeeper,
  chainsApart,
  epochAhead,
  type MarketsStart,
} from "../../lib/markets/chain-runs.ts";
import type { ReaderLease, ReaderOf } from "../../lib/orders/table-step.ts";

let leases: Map<ReaderOf, ReaderLease>;
let starts: MarketsStart[];
beforeEach(() => {
  [leases, starts] = [new Map(), []];
});

const deps = {
  readReaderLease: async ({ chain }: { chain: ReaderOf }) => leases.get(chain),
  startReader: async (start: MarketsStart) => void starts.push(start),
};

const leaseOf = (changes: Partial<ReaderLease>): ReaderLease => ({
  run: "r",
  epoch: 7,
  build: "b",
  startedAtMs: 0,
  heartbeatMs: 0,
  ...changes,
});

describe("chainsApart", () => {
  it("names the chains whose own runs are active, and an epoch above those of all runs", async () => {
    leases.set("markets base", leaseOf({ heartbeatMs: 100_000, epoch: 20 }));
    leases.set("markets eth", leaseOf({ heartbeatMs: 100_000, epoch: 30, isEnded: true }));
    leases.set("markets bsc", leaseOf({ heartbeatMs: 89_999 }));
    const chains = ["base", "eth", "bsc", "avax"] as const;
    const found = await chainsApart(deps.readReaderLease, chains, 100_000);
    expect(found).toEqual({ apart: ["base"], leastEpoch: 31 });
  });

  it("keeps the epoch of a chain's run above those of common runs that begin at the same time", async () => {
    expect(await epochAhead(deps.readReaderLease)).toBeGreaterThan(2);
    leases.set("markets", leaseOf({ epoch: 100 }));
    expect(await epochAhead(deps.readReaderLease)).toBeGreaterThan(102);
  });
});

describe("ChainRunKeeper", () => {
  const crowd = (connections: number, counts: Partial<Record<TradingChain, number>>) => ({
    connections,
    byChain: () => new Map(Object.entries(counts) as [TradingChain, number][]),
  });

  it.each([
    ["one run can serve all", 100, [], { base: 60, eth: 50 }, []],
    ["there are too many for one run", 101, [], { base: 60, eth: 50 }, [{ chain: "base" }]],
    ["there are too many, but on one chain", 101, [], { base: 101 }, []],
    ["two runs can serve all", 200, ["base"], { eth: 50, bsc: 40 }, []],
    ["there are too many for two runs", 201, ["base"], { eth: 50, bsc: 60 }, [{ chain: "bsc" }]],
  ] as const)("starts at most a run of the chain with the most followers if %s", async (...of) => {
    const [, connections, apart, counts, expected] = of;
    for (const chain of apart) leases.set(`markets ${chain}`, leaseOf({ heartbeatMs: 1000 }));
    await new ChainRunKeeper(deps, apart, 1000, 100).keep(crowd(connections, counts), 1000);
    expect(starts).toEqual(expected);
  });

  it("starts a successor each minute, a missing run at once, and itself if a run has ended", async () => {
    const keeper = new ChainRunKeeper(deps, ["base"], 0, 100);
    const few = crowd(0, {});
    const keep = async (lease: Partial<ReaderLease>, nowMs: number) => {
      starts = [];
      leases.set("markets base", leaseOf(lease));
      await keeper.keep(few, nowMs);
      return starts;
    };
    expect(await keep({ heartbeatMs: 58_000 }, 59_999)).toEqual([]);
    expect(await keep({ heartbeatMs: 58_000 }, 60_000)).toEqual([{ chain: "base" }]);
    expect(await keep({ heartbeatMs: 62_000 }, 72_001)).toEqual([{ chain: "base" }]);
    expect(await keep({ heartbeatMs: 62_000 }, 82_000)).toEqual([]);
    expect(await keep({ heartbeatMs: 90_000, isEnded: true }, 91_000)).toEqual([{}]);
  });
});

describe("ChainPermission", () => {
  const permission = () => new ChainPermission(deps, "base", 0, 9000);

  it("waits for a message of the common run that last delivered the chain, or until that run must be over", async () => {
    for (const [handedOverMs, lookMs, expected] of [
      [undefined, 9999, undefined],
      [undefined, 10_000, 10_000],
      [5000, 4999, undefined],
      [5000, 5000, 5000],
    ]) {
      const asked = permission();
      leases.set("markets", leaseOf({ apart: ["base"] }));
      await asked.look(1000);
      leases.set("markets", leaseOf({ apart: ["base"], handedOverMs }));
      await asked.look(lookMs as number);
      expect(asked.grantedMs).toBe(expected);
    }
  });

  it("lasts while one common run after the other leaves the chain alone", async () => {
    const asked = permission();
    leases.set("markets", leaseOf({ apart: ["base"], handedOverMs: 0 }));
    await asked.look(1000);
    leases.set("markets", leaseOf({ apart: ["eth", "base"], epoch: 8 }));
    await asked.look(3000);
    expect([asked.grantedMs, asked.isOver]).toEqual([3000, false]);
    leases.set("markets", leaseOf({ apart: ["eth"], epoch: 9 }));
    await asked.look(5000);
    expect([asked.grantedMs, asked.isOver]).toEqual([undefined, true]);
  });

  it("starts a common run that may leave the chain to it, and gives up after a minute", async () => {
    const asked = permission();
    leases.set("markets", leaseOf({}));
    for (let nowMs = 0; nowMs <= 60_000; nowMs += 1000) await asked.look(nowMs);
    expect([starts.length, asked.isOver]).toEqual([7, false]);
    await asked.look(61_000);
    expect(asked.isOver).toBe(true);
  });
});
