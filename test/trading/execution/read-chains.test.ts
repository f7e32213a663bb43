import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ChainUnavailable } from "../../../lib/chains/hosts/host-fault.ts";
import type { TradingChain } from "../../../lib/core/chain-facts.ts";
import type { Look } from "../../../lib/orders/block.ts";
import type { Effects } from "../../../lib/orders/effects.ts";
import type { Lane, ReaderLease } from "../../../lib/orders/table-step.ts";
import { chainsOfRun, readChains } from "../../../lib/trading/execution/read-chains.ts";

const lane = (chain: TradingChain): Lane => ({
  chain,
  wallet: "x",
  jobs: 1,
  watch: { jobs: 1, blocks: { "0x1": "" } },
});

const leases = new Map<string, ReaderLease>();
const lanes = new Map<string, Lane[]>();
const look = vi.fn<(ask: Effects["look"]["ask"]) => Promise<Look>>();
const woken = vi.fn();
const onFault = vi.fn();
const onSilence = vi.fn();
let isTableDown = false;

const effects = {
  look,
  minedIn: async ({ hashes }: Effects["minedIn"]["ask"]) => new Map(hashes.map((hash) => [hash, ""])),
  readLanes: async ({ chain }: { chain: string }) => lanes.get(chain) ?? [],
  readReaderLease: async ({ chain }: { chain: string }) => leases.get(chain),
  async changeReaderLease({ chain, when, set }: Effects["changeReaderLease"]["ask"]) {
    if (isTableDown) throw new Error("refused");
    const old = leases.get(chain);
    const fields = Object.entries(when ?? {}) as [keyof ReaderLease, unknown][];
    if (when === undefined ? old !== undefined : fields.some(([name, value]) => old?.[name] !== value))
      return false;
    leases.set(chain, { ...old, ...set } as ReaderLease);
    return true;
  },
};

const atHeight = (number: number): Look => ({
  number,
  time: 0,
  parentHash: `0x${number}`,
  hashes: new Map(),
});

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse("2026-11-21T09:00:00.000Z") });
  vi.resetAllMocks();
  leases.clear();
  lanes.clear();
  isTableDown = false;
  look.mockResolvedValue(atHeight(1));
});
afterEach(() => {
  vi.useRealTimers();
});

/** Runs a reader, and records when it ends. */
function start(chains: readonly TradingChain[], build = "b1") {
  const run = { isOver: false };
  const wakeOf = (chain: TradingChain) => async () => woken(chain);
  const times = { build, longestMs: 780_000 };
  void readChains({ effects, wakeOf, onFault, onSilence }, chains, times).then(() => {
    run.isOver = true;
  });
  return run;
}

const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000);
const looksAt = (chain: TradingChain) => look.mock.calls.filter(([ask]) => ask.chain === chain).length;
const heartbeatAge = (chain: string) => Date.now() - (leases.get(chain)?.heartbeatMs ?? 0);

describe("chainsOfRun", () => {
  const chains = ["eth", "base"] as const;

  it.each([
    [{ chain: "base" }, true, ["base"]],
    [{ chain: "bsc" }, true, []],
    [{}, true, chains],
    [{ chain: "base" }, false, chains],
  ] as const)(
    "chooses the chains of a run that starts with %j, for one chain: %j",
    (start, isForOne, expected) => {
      expect(chainsOfRun(start, chains, { isForOne })).toEqual(expected);
    },
  );
});

describe("readChains", () => {
  it("looks at base every second and at eth every two seconds, and renews its leases", async () => {
    for (const chain of ["eth", "base"] as const) lanes.set(chain, [lane(chain)]);
    start(["eth", "base", "bsc"]);
    await seconds(59.9);
    expect([looksAt("eth"), looksAt("base"), looksAt("bsc")]).toEqual([30, 60, 0]);
    expect(heartbeatAge("base")).toBeLessThanOrEqual(2000);
    expect(leases.has("bsc")).toBe(false);
  });

  it("keeps reading other chains while a host of one chain hangs", async () => {
    for (const chain of ["eth", "base"] as const) lanes.set(chain, [lane(chain)]);
    look.mockImplementation(({ chain }) =>
      chain === "eth" ? new Promise(() => {}) : Promise.resolve(atHeight(1)),
    );
    start(["eth", "base"]);
    await seconds(40);
    expect(looksAt("base")).toBe(41);
    // A stuck round does not renew the heartbeat.
    expect(heartbeatAge("eth")).toBeGreaterThan(18_000);
  });

  it("hands all chains to one new run after ten minutes, without skipping a look", async () => {
    lanes.set("base", [lane("base")]);
    const first = start(["eth", "base"]);
    await seconds(60);
    lanes.set("eth", [lane("eth")]);
    const second = start(["eth", "base"]);
    for (let minute = 2; minute < 10; minute++) {
      await seconds(60);
      const standby = start(["eth", "base"]);
      await seconds(0);
      expect(standby.isOver).toBe(true);
    }
    expect(leases.get("eth")?.run).not.toBe(leases.get("base")?.run);
    await seconds(60);
    const before = looksAt("base");
    const next = start(["eth", "base"]);
    await seconds(4);
    expect([first.isOver, second.isOver, next.isOver]).toEqual([true, true, false]);
    expect(looksAt("base") - before).toBeGreaterThanOrEqual(4);
    expect([...leases.values()].map(({ epoch }) => epoch)).toEqual([2, 2]);
    expect(leases.get("eth")?.run).toBe(leases.get("base")?.run);
  });

  it("hands over to a newer version at once, unless that version reaches no host", async () => {
    lanes.set("base", [lane("base")]);
    const old = start(["base"]);
    await seconds(30);
    look.mockRejectedValueOnce(new ChainUnavailable());
    const broken = start(["base"], "b2");
    await seconds(0);
    expect([broken.isOver, leases.get("base")?.build]).toEqual([true, "b1"]);
    const good = start(["base"], "b2");
    await seconds(3);
    expect([old.isOver, good.isOver, leases.get("base")?.build]).toEqual([true, false, "b2"]);
  });

  it("takes over from a dead run within ten seconds", async () => {
    lanes.set("base", [lane("base")]);
    const now = Date.now();
    leases.set("base", { run: "dead", epoch: 4, build: "b1", startedAtMs: now, heartbeatMs: now - 6000 });
    start(["base"]);
    await seconds(4);
    expect(leases.get("base")?.run).toBe("dead");
    await seconds(2);
    expect(leases.get("base")?.epoch).toBe(5);
  });

  it("ends after five minutes without a lane, unless a new lane appears", async () => {
    lanes.set("base", [lane("base")]);
    const run = start(["base"]);
    await seconds(10);
    lanes.delete("base");
    await seconds(290);
    lanes.set("base", [lane("base")]);
    await seconds(10);
    lanes.delete("base");
    await seconds(299);
    expect(run.isOver).toBe(false);
    await seconds(5);
    expect(run.isOver).toBe(true);
    expect(leases.get("base")?.isEnded).toBe(true);
    const needless = start(["base"]);
    await seconds(0);
    expect(needless.isOver).toBe(true);
    expect(leases.get("base")?.epoch).toBe(1);
  });

  it("ends at its maximum run time if no other run takes over", async () => {
    lanes.set("base", [lane("base")]);
    const run = start(["base"]);
    await seconds(779);
    expect(run.isOver).toBe(false);
    await seconds(4);
    expect(run.isOver).toBe(true);
  });

  it("wakes lanes without waiting for them, and wakes all of them before it ends", async () => {
    lanes.set("base", [{ ...lane("base"), jobs: 0 }]);
    start(["base"]);
    await seconds(1);
    expect(woken.mock.calls).toEqual([["base"]]);
    await seconds(3);
    expect(woken).toHaveBeenCalledTimes(2);
  });

  it("continues after unexpected errors, and while the table refuses heartbeats", async () => {
    lanes.set("base", [lane("base")]);
    start(["base"]);
    await seconds(1);
    isTableDown = true;
    look.mockRejectedValueOnce(new Error("a bug"));
    await seconds(10);
    isTableDown = false;
    await seconds(10);
    expect(heartbeatAge("base")).toBeLessThanOrEqual(2000);
    expect(looksAt("base")).toBeGreaterThan(20);
    expect(onFault).toHaveBeenCalledWith(new Error("a bug"));
    expect(onFault).toHaveBeenCalledWith(new Error("refused"));
  });

  it("reports an outage of all hosts only once until one recovers", async () => {
    lanes.set("base", [lane("base")]);
    const silence = new ChainUnavailable();
    look.mockRejectedValue(silence);
    start(["base"]);
    await seconds(5);
    expect(onSilence).toHaveBeenCalledExactlyOnceWith(silence);
    look.mockResolvedValueOnce(atHeight(2));
    await seconds(3);
    expect(onSilence).toHaveBeenCalledTimes(2);
    expect(onFault).not.toHaveBeenCalled();
  });
});
