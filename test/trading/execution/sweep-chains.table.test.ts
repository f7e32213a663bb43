import { beforeEach, describe, expect, it, vi } from "vitest";
import { ChainUnavailable, RpcRefusal } from "../../../lib/chains/hosts/host-fault.ts";
import { type EvmChain, evmChains } from "../../../lib/core/chain-facts.ts";
import type { Lane } from "../../../lib/orders/table-step.ts";
import { type SweepDeps, sweepChains } from "../../../lib/trading/execution/sweep-chains.ts";
import { tableEffects } from "../../../lib/trading/execution/table-effects.ts";
import { type WakeEvent, wakeEffect } from "../../../lib/trading/execution/wake-effect.ts";
import { heldMinutes, heldTokenKey, heldTokensAt } from "../../../lib/trading/items/keys.ts";
import { writeStep } from "../../../lib/trading/items/write-step.ts";
import { newSweepMemory } from "../../../lib/trading/procedures/reading.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { LaneBench } from "./support/lane-bench.ts";

const db = tableForTests();

const lane = (wallet: string): Lane => ({
  chain: "eth",
  wallet,
  jobs: 1,
  watch: { jobs: 1, blocks: {}, dueAtMs: 0 },
});

const fault = new Error("a fault of the look");
const fresh = { run: "r", epoch: 1, build: "b", startedAtMs: 0, heartbeatMs: Number.MAX_SAFE_INTEGER };

const readLanes = vi.fn(async (_: { chain: string }): Promise<Lane[]> => []);
const readReaderLease = vi.fn<SweepDeps["effects"]["readReaderLease"]>();
const start = vi.fn(async (_: WakeEvent): Promise<void> => undefined);
const agree = vi.fn(async (_: EvmChain) => ({}));
const look = vi.fn<SweepDeps["effects"]["look"]>();
const minedIn = vi.fn<SweepDeps["effects"]["minedIn"]>();
const onFault = vi.fn();
const onTrouble = vi.fn<SweepDeps["onTrouble"]>();

beforeEach(() => {
  for (const each of [readLanes, readReaderLease, start, agree, look, minedIn, onFault, onTrouble])
    each.mockReset();
  readLanes.mockResolvedValue([]);
  readReaderLease.mockReturnValue(fresh);
  start.mockResolvedValue();
});

const sweep = (chains: readonly EvmChain[], nowMs = 0, read: SweepDeps["effects"]["readLanes"] = readLanes) =>
  sweepChains({
    table: db.table,
    chains: new Map(
      chains.map((chain) => [
        chain,
        { chain, client: { agree: () => agree(chain) }, memory: newSweepMemory() } as never,
      ]),
    ),
    effects: { readLanes: read, readReaderLease, look, minedIn, ...wakeEffect(start, onFault) },
    onFault,
    onTrouble,
    nowMs: () => nowMs,
  });

/** Lists reported troubles with their name, chain and wallet. */
const troubles = () => onTrouble.mock.calls.map(([{ error, chain, wallet }]) => [error.name, chain, wallet]);

describe("sweepChains", () => {
  it("wakes every lane of each chain, even if one chain cannot be read and one lane cannot be woken", async () => {
    start.mockImplementation(async ({ wallet }) => {
      if (wallet === "a") throw new Error("throttled");
    });
    readLanes.mockImplementation(async ({ chain }) => {
      if (chain === "eth") throw new Error("no table");
      return [lane("a"), lane("b")];
    });
    await expect(sweep(["eth", "bsc"])).rejects.toThrow("no table");
    expect(start.mock.calls).toEqual([[{ chain: "eth", wallet: "a" }], [{ chain: "eth", wallet: "b" }]]);
    expect(onFault).toHaveBeenCalledOnce();
  });

  it("reports lanes held for too long by a run, and orders without progress", async () => {
    readLanes.mockResolvedValue([
      { ...lane("a"), holder: "run", leaseUntilMs: 60_000 },
      { ...lane("b"), watch: { jobs: 1, blocks: {}, dueAtMs: 0, idleSinceMs: 0 } },
      { ...lane("c"), watch: { jobs: 1, blocks: {}, dueAtMs: 0, idleSinceMs: 300_000 } },
    ]);
    await sweep(["eth"], 300_001);
    expect(troubles()).toEqual([
      ["LaneHeldTooLong", "eth", "a"],
      ["OrderWithoutProgress", "eth", "b"],
    ]);
    expect(start).toHaveBeenCalledTimes(3);
  });

  it("reports an order that no run has processed since it was placed, and no other order", async () => {
    const bench = await new LaneBench(db.table).open();
    await bench.place(bench.request());
    const sweepAfter = (ms: number) => {
      onTrouble.mockReset();
      return sweep(["eth"], bench.nowMs + ms, tableEffects(db.table).readLanes);
    };
    await sweepAfter(300_000);
    expect(troubles()).toEqual([]);
    await sweepAfter(300_001);
    expect(troubles()).toEqual([["OrderWithoutProgress", "eth", bench.lane.wallet]]);
    bench.nowMs += 300_000;
    await bench.work();
    await sweepAfter(300_000);
    expect(troubles()).toEqual([]);
  });

  it("wakes lanes that wait for finality if the chain cannot be read", async () => {
    const block = { number: 1, hash: "0xb1" };
    const watch = { jobs: 1, blocks: { "0x1": block }, finalFrom: 1, lookAgainAtMs: 0 };
    readLanes.mockResolvedValue([{ ...lane("a"), watch }]);
    look.mockRejectedValueOnce(new ChainUnavailable()).mockRejectedValueOnce(fault);
    await sweep(["eth"]);
    expect(look).toHaveBeenCalledTimes(2);
    expect(start).toHaveBeenCalledOnce();
    expect(onFault.mock.calls).toEqual([[fault]]);
  });

  it("checks held tokens in turns each minute, at most twenty at a time and one per wallet", async () => {
    const minute = 7;
    const all = Array.from({ length: 20_000 }, (_, index) => ({
      chain: "base" as const,
      wallet: `0x${index % 10}`,
      userID: "ann",
      token: `0x${index}`,
    }));
    const { PK } = heldTokensAt("base", minute * 60_000)[0];
    const held = all.filter((each) => heldTokenKey(each).PK === PK).slice(0, 30);
    await writeStep(
      db.table,
      held.map((item) => ({ kind: "put", of: "held", item })),
    );
    const checkedAt = async (minutes: number, chain: EvmChain = "base") => {
      start.mockClear();
      await sweep([chain], minutes * 60_000);
      return start.mock.calls.map(([event]) => event);
    };
    expect(await checkedAt(minute, "eth")).toEqual([]);
    expect(await checkedAt(minute + 1)).toEqual([]);
    const seen = new Set<string | undefined>();
    for (let turn = 0; turn < 40; turn++) {
      const events = await checkedAt(minute + turn * heldMinutes);
      const wallets = events.map(({ wallet }) => wallet);
      expect(new Set(wallets).size).toBe(wallets.length);
      for (const { missed } of events) seen.add(missed?.token);
    }
    expect([...seen].toSorted()).toEqual(held.map(({ token }) => token).toSorted());
  });

  it("reports a chain that has lanes but no reader", async () => {
    const lost = { ...fresh, heartbeatMs: 0 };
    readReaderLease.mockImplementation(({ chain }) => (chain === "eth" ? undefined : lost));
    readLanes.mockImplementation(async ({ chain }) =>
      chain === "bsc" ? [] : [{ ...lane("a"), watch: { jobs: 1, blocks: {} } }],
    );
    await sweep(["eth", "base", "bsc"], 30_000);
    expect(troubles()).toEqual([["ReaderMissing", "eth", undefined]]);
    expect(start).toHaveBeenCalledTimes(1);
  });

  it("reports a watch over resting orders that was left, unless it has ended because none rests", async () => {
    const sweepAfter = async (changes: object) => {
      readReaderLease.mockImplementation(({ chain }) =>
        chain === "triggers" ? { ...fresh, heartbeatMs: 0, ...changes } : fresh,
      );
      await sweep(["eth"], 30_001);
      return troubles();
    };
    expect(await sweepAfter({ isEnded: true })).toEqual([]);
    expect(await sweepAfter({ heartbeatMs: 1 })).toEqual([]);
    expect(await sweepAfter({})).toEqual([["ReaderMissing", "triggers", undefined]]);
  });

  it("reports each chain that has no two agreeing hosts, and still sweeps that chain", async () => {
    agree.mockImplementation(async (chain) => {
      if (chain === "eth") throw new ChainUnavailable();
      if (chain === "bsc") throw new RpcRefusal("eth_getBlockByNumber", { code: -32601, message: "no" });
      return {};
    });
    readLanes.mockResolvedValueOnce([lane("a")]);
    await sweep(evmChains);
    expect(troubles().toSorted()).toEqual([
      ["ChainUnavailable", "bsc", undefined],
      ["ChainUnavailable", "eth", undefined],
    ]);
    expect(start).toHaveBeenCalledOnce();
  });
});
