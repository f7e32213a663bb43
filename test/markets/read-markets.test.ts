import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Coins } from "../../lib/markets/coins.ts";
import { composer } from "../../lib/markets/core/market-delivery.ts";
import type { Follower } from "../../lib/markets/demand.ts";
import { HeldTokens } from "../../lib/markets/held-tokens.ts";
import type { HeldNote } from "../../lib/markets/items/held-notes.ts";
import { type ReadMarketsDeps, readMarkets } from "../../lib/markets/read-markets.ts";
import type { ChainMarkets } from "../../lib/markets/runs/chain-markets.ts";
import type { ReaderLease, ReaderOf } from "../../lib/orders/table-step.ts";
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

/** Makes the dependencies of runs that share a lease. */
function depsFor(changes: Partial<ReadMarketsDeps>) {
  const leases = new Map<ReaderOf, ReaderLease>();
  const faults: unknown[] = [];
  const deps: ReadMarketsDeps = {
    leases: {
      readReaderLease: async ({ chain }) => leases.get(chain),
      async changeReaderLease({ chain, when, set }) {
        const lease = leases.get(chain);
        const fields = Object.entries(when ?? {}) as [keyof ReaderLease, unknown][];
        const holds = fields.every(([name, value]) => lease?.[name] === value);
        if (holds) leases.set(chain, { ...lease, ...set } as ReaderLease);
        return holds;
      },
    },
    startReader: async () => {},
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
    holdings: {
      heldBy: () => new Set<string>(),
      refresh: async () => {},
      revision: 0,
      notes: () => [],
      inherit() {},
    },
    heldNotes: { write: async () => {}, read: async () => [] },
    readPrices: async () => [],
    deliver: async () => ({ isDelivered: true }),
    store: { writer: () => ({}) } as never,
    saveIndex: async () => true,
    onWarning: (error) => faults.push(error),
    onFault: (error) => faults.push(error),
    ...changes,
  };
  return { deps, faults, leases };
}

const wanted = {
  chain: "base",
  token: "0xa",
  wantedMs: expect.any(Number),
  isHeld: false,
  users: expect.anything(),
};

const times = { build: "a", shiftMs: 600_000, longestMs: 20_000 };

describe("readMarkets", () => {
  it("delivers a change of a coin's price at once, even if reading it took a while", async () => {
    let current = "2600";
    const received: string[] = [];
    const { deps, faults } = depsFor({
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
    });
    const run = readMarkets(deps, times);
    for (const next of ["2600", "2601", "2602", "2603", "2604", "2605"]) {
      current = next;
      await vi.advanceTimersByTimeAsync(3000);
      expect(received.at(-1)).toBe(next);
    }
    await vi.advanceTimersByTimeAsync(10_000);
    await run;
    expect(faults).toEqual([]);
  });

  it("hands over without a pause, but never sends two messages within a second", async () => {
    const begun: number[] = [];
    const ended: number[] = [];
    const { deps, faults } = depsFor({
      async deliver() {
        begun.push(Date.now());
        await new Promise((end) => setTimeout(end, 250));
        ended.push(Date.now());
        return { isDelivered: true };
      },
    });
    const first = readMarkets(deps, times);
    await vi.advanceTimersByTimeAsync(7300);
    const second = readMarkets(deps, { ...times, build: "b" });
    await vi.advanceTimersByTimeAsync(12_000);
    const pauses = begun.slice(1).map((at, index) => at - (ended[index] ?? 0));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(1000);
    expect(Math.max(...pauses)).toBeLessThan(1400);
    await vi.advanceTimersByTimeAsync(20_000);
    await Promise.all([first, second]);
    expect(faults).toEqual([]);
  });

  it("passes the tokens that users hold to the next run before that begins to deliver", async () => {
    let stored: readonly HeldNote[] = [];
    let reads = 0;
    const known: (string | undefined)[] = [];
    const holdings = () =>
      new HeldTokens(async () => {
        reads++;
        return [token];
      });
    const runWith = (held: HeldTokens) => ({
      holdings: held,
      heldNotes: {
        async write(_: string, notes: readonly HeldNote[]) {
          stored = notes;
        },
        read: async () => stored,
      },
      async deliver() {
        known.push([...(held.heldBy("ann") ?? [])].join());
        return { isDelivered: true };
      },
    });
    const { deps, faults } = depsFor({});
    const one = holdings();
    const first = readMarkets({ ...deps, ...runWith(one) }, times);
    await vi.advanceTimersByTimeAsync(7300);
    known.length = 0;
    const second = readMarkets({ ...deps, ...runWith(holdings()) }, { ...times, build: "b" });
    await vi.advanceTimersByTimeAsync(12_000);
    expect([reads, stored.length]).toEqual([1, 1]);
    expect(new Set(known)).toEqual(new Set(["base 0xa"]));
    await vi.advanceTimersByTimeAsync(20_000);
    await Promise.all([first, second]);
    expect(faults).toEqual([]);
  });

  it("begins nine seconds after a run that has died without a word", async () => {
    const begun: number[] = [];
    const { deps } = depsFor({
      async deliver() {
        begun.push(Date.now());
        return { isDelivered: true };
      },
    });
    let isDead = false;
    const dying: ReadMarketsDeps = {
      ...deps,
      leases: {
        ...deps.leases,
        changeReaderLease: (change) =>
          isDead ? Promise.reject(new Error("dead")) : deps.leases.changeReaderLease(change),
      },
      deliver: async (delivery) => (isDead ? { isDelivered: false } : deps.deliver(delivery)),
      onFault: () => {},
    };
    const first = readMarkets(dying, times);
    await vi.advanceTimersByTimeAsync(5000);
    isDead = true;
    const diedMs = Date.now();
    const second = readMarkets(deps, { ...times, build: "b" });
    await vi.advanceTimersByTimeAsync(12_000);
    const [next = 0] = begun.filter((at) => at > diedMs);
    expect(next - diedMs).toBeGreaterThanOrEqual(9000);
    expect(next - diedMs).toBeLessThan(9300);
    await vi.advanceTimersByTimeAsync(30_000);
    await Promise.all([first, second]);
  });

  it("decides about tokens only when the demand has changed", async () => {
    const want = vi.fn();
    let followers = [follower];
    const { deps, faults } = depsFor({
      chains: [{ ...changing, want } as unknown as ChainMarkets],
      demand: {
        async *readFollowers() {
          yield followers;
        },
        readNewsSince: async () => [],
      },
    });
    const run = readMarkets(deps, { ...times, longestMs: 150_000 });
    await vi.advanceTimersByTimeAsync(59_000);
    expect(want.mock.calls).toEqual([[[{ ...wanted, token: "0xa" }]]]);
    followers = [follower, { ...follower, connectionId: "c2", tokens: [{ ...token, token: "0xb" }] }];
    await vi.advanceTimersByTimeAsync(90_000);
    expect(want.mock.calls.slice(1)).toEqual([[[wanted, { ...wanted, token: "0xb" }]]]);
    await vi.advanceTimersByTimeAsync(15_000);
    await run;
    expect(faults).toEqual([]);
  });

  it("stores the index after a minute, and tries again after ten seconds until it is stored", async () => {
    const savedSeconds: number[] = [];
    const startedMs = Date.now();
    const { deps } = depsFor({
      chains: [{ ...changing, isWanted: true } as unknown as ChainMarkets],
      async saveIndex() {
        savedSeconds.push(Math.round((Date.now() - startedMs) / 1000));
        if (savedSeconds.length === 1) return false;
        if (savedSeconds.length === 2) throw new Error("the table is throttled");
        return true;
      },
    });
    const run = readMarkets(deps, { ...times, longestMs: 150_000 });
    await vi.advanceTimersByTimeAsync(160_000);
    await run;
    expect(savedSeconds.map((second) => Math.floor(second / 10))).toEqual([6, 7, 8]);
  });
});

describe("readMarkets with more connections than one run serves", () => {
  const tokens = [token, { chain: "eth", token: "0xb" }] as const;
  const both: Follower = { ...follower, tokens };
  const [one, another] = ["c2", "c3"].map((connectionId): Follower => ({ ...follower, connectionId }));

  const chainOf = (chain: "base" | "eth"): ChainMarkets => ({
    ...(changing as unknown as ChainMarkets),
    chain,
    records: (named) =>
      named.map((name) => {
        const asOf = new Date().toISOString();
        const record = { chain, token: name, flags: [], revision: 0, block: 1, asOf };
        return { record, changedAtMs: Date.now() };
      }),
  });

  /** Runs that start each other, and what they deliver. */
  function service() {
    const delivered: { chain: string; coins: number; from: number; to: number }[] = [];
    const runs: Promise<void>[] = [];
    const followers = [both, one, another] as Follower[];
    const { deps, faults, leases } = depsFor({
      chains: [chainOf("base"), chainOf("eth")],
      demand: {
        async *readFollowers() {
          yield [...followers];
        },
        readNewsSince: async () => [],
      },
      readPrices: async () => [price({ chain: "eth", price: String(Math.floor(Date.now() / 1000)) })],
      async startReader(start) {
        runs.push(start.chain !== undefined && isBroken() ? Promise.resolve() : begin(start));
      },
      async deliver({ markets }) {
        const from = Date.now();
        await new Promise((end) => setTimeout(end, 250));
        const coins = markets.coins.length;
        for (const chain of new Set(markets.records.map(({ record }) => record.chain)))
          delivered.push({ chain, coins, from, to: Date.now() });
        return { isDelivered: true };
      },
    });
    let isBroken = () => false;
    const begin = (start = {}) => readMarkets(deps, { ...times, longestMs: 600_000, mostTogether: 2 }, start);
    const gapsOf = (chain: string) => {
      const own = delivered.filter((each) => each.chain === chain);
      return own.slice(1).map(({ from }, index) => from - (own[index]?.to ?? 0));
    };
    const breakChainRuns = (isSo: () => boolean) => {
      isBroken = isSo;
    };
    return { delivered, faults, leases, followers, begin, runs, gapsOf, breakChainRuns };
  }

  it("gives the chain with the most followers a run of its own, without a pause or two deliveries in a second", async () => {
    const { delivered, faults, leases, begin, gapsOf } = service();
    void begin();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(leases.get("markets")?.apart).toEqual(["base"]);
    expect(leases.get("markets base")?.epoch).toBeGreaterThan(1);
    for (const chain of ["base", "eth"]) {
      expect(gapsOf(chain).length).toBeGreaterThan(15);
      expect(Math.min(...gapsOf(chain))).toBeGreaterThanOrEqual(1000);
      expect(Math.max(...gapsOf(chain))).toBeLessThan(1500);
    }
    const late = delivered.filter(({ from }) => from > Date.now() - 10_000);
    // Only the common run delivers coins.
    expect(late.filter(({ chain, coins }) => chain === "base" && coins > 0)).toEqual([]);
    expect(late.some(({ chain, coins }) => chain === "eth" && coins > 0)).toBe(true);
    expect(faults).toEqual([]);
  });

  it("takes the chain back minutes after most connections have left, without two deliveries in a second", async () => {
    const { delivered, followers, faults, leases, begin, gapsOf } = service();
    void begin();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(leases.get("markets")?.apart).toEqual(["base"]);
    followers.splice(1);
    await vi.advanceTimersByTimeAsync(7 * 60_000);
    expect(leases.get("markets base")?.isEnded).toBe(true);
    expect(leases.get("markets")?.apart).toBeUndefined();
    expect(delivered.some(({ chain, from }) => chain === "base" && from > Date.now() - 5000)).toBe(true);
    expect(Math.min(...gapsOf("base"))).toBeGreaterThanOrEqual(1000);
    expect(Math.max(...gapsOf("base"))).toBeLessThan(6000);
    expect(Math.max(...gapsOf("eth"))).toBeLessThan(1500);
    expect(faults).toEqual([]);
  });

  it("reads the chain again if its own run is gone and cannot be replaced", async () => {
    const { delivered, leases, begin, breakChainRuns } = service();
    void begin();
    await vi.advanceTimersByTimeAsync(30_000);
    breakChainRuns(() => true);
    const own = leases.get("markets base");
    // Another run takes the lease, and dies.
    leases.set("markets base", { ...(own as ReaderLease), run: "dead", epoch: 1000 });
    await vi.advanceTimersByTimeAsync(15_000);
    void begin();
    const diedMs = Date.now();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(leases.get("markets")).toMatchObject({ apart: undefined, epoch: 1001 });
    expect(delivered.some(({ chain, from }) => chain === "base" && from > diedMs)).toBe(true);
  });
});
