import { beforeEach, describe, expect, it, vi } from "vitest";
import { ChainUnavailable } from "../../../lib/trading/chains/host-fault.ts";
import type { Lane } from "../../../lib/trading/core/table-step.ts";
import type { TradingChain } from "../../../lib/trading/core/trading-chain.ts";
import { watchChains } from "../../../lib/trading/execution/watch-chains.ts";
import { takeWatch } from "../../../lib/trading/items/watcher-records.ts";
import { tableForTests } from "../../support/dynamodb.ts";

const db = tableForTests();

const lane = (wallet: string): Lane => ({ chain: "eth", wallet, jobs: 1 });

let nowMs = 0;
const readLanes = vi.fn(async (_: { chain: string }): Promise<Lane[]> => []);
const wake = vi.fn(async (_: { lane: { wallet: string } }) => undefined);
const chainSnapshot = vi.fn(async () => undefined);
const onFault = vi.fn();
const onSilence = vi.fn();

beforeEach(() => {
  for (const each of [readLanes, wake, chainSnapshot, onFault, onSilence]) each.mockReset();
  readLanes.mockResolvedValue([]);
  nowMs = 0;
});

const watch = (chains: readonly TradingChain[], lease: string, untilMs: number) =>
  watchChains(
    {
      table: db.table,
      effects: { readLanes, wake, chainSnapshot },
      onFault,
      onSilence,
      nowMs: () => nowMs,
      pause: async (ms) => {
        nowMs += ms;
      },
    },
    chains,
    { lease, untilMs },
  );

describe("watchChains", () => {
  it("checks the lanes of a chain each second, until its time is over", async () => {
    await watch(["eth"], "1", 10_000);
    expect(readLanes).toHaveBeenCalledTimes(10);
    expect(readLanes).toHaveBeenCalledWith({ do: "readLanes", chain: "eth" });
  });

  it("wakes lanes", async () => {
    readLanes.mockResolvedValue([lane("a")]);
    await watch(["eth"], "2", 2000);
    expect(wake).toHaveBeenCalledExactlyOnceWith({ do: "wake", lane: lane("a") });
  });

  it("leaves only a chain that a newer run has taken over, within five seconds", async () => {
    await takeWatch(db.table, "base", "4");
    const chains: string[] = [];
    readLanes.mockImplementation(async ({ chain }) => {
      chains.push(chain);
      if (nowMs === 2000 && chain === "bsc") await takeWatch(db.table, "bsc", "4");
      return [];
    });
    await watch(["base"], "3", 30_000);
    expect(chains).toEqual([]);
    await watch(["bsc"], "3", 30_000);
    expect(chains).toHaveLength(5);
    nowMs = 0;
    await watch(["avax", "base"], "3", 3000);
    expect(chains.slice(5)).toEqual(["avax", "avax", "avax"]);
  });

  it("continues after a fault", async () => {
    readLanes.mockRejectedValueOnce(new Error("throttled"));
    await watch(["eth"], "5", 3000);
    expect(readLanes).toHaveBeenCalledTimes(3);
    expect(onFault).toHaveBeenCalledOnce();
  });

  it("reports an outage of all hosts once, until one has recovered", async () => {
    readLanes.mockResolvedValue([{ ...lane("a"), watch: { jobs: 1, blocks: {} } }]);
    const silence = new ChainUnavailable();
    chainSnapshot.mockRejectedValue(silence);
    await watch(["eth"], "6", 5000);
    expect(onSilence).toHaveBeenCalledExactlyOnceWith(silence);
    chainSnapshot.mockReset();
    chainSnapshot.mockRejectedValueOnce(silence).mockResolvedValueOnce(undefined).mockRejectedValue(silence);
    nowMs = 0;
    await watch(["eth"], "6", 5000);
    expect(onSilence).toHaveBeenCalledTimes(3);
    expect(onFault).not.toHaveBeenCalled();
  });
});
