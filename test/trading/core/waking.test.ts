import { describe, expect, it } from "vitest";
import type { Effect, Procedure } from "../../../lib/trading/core/effects.ts";
import type { ChainSnapshot } from "../../../lib/trading/core/evm/host-snapshot.ts";
import type { Lane } from "../../../lib/trading/core/table-step.ts";
import { sweepLanes, type Watcher, watchReceipts } from "../../../lib/trading/core/waking.ts";

const lane = (wallet: string, changes: Partial<Lane> = {}): Lane => ({
  chain: "eth",
  wallet,
  jobs: 1,
  watch: { jobs: 1, blocks: { [`hash of ${wallet}`]: "" } },
  ...changes,
});

const mined = (...wallets: string[]): ChainSnapshot => ({
  latest: "0xb1",
  finalized: 0,
  blocks: new Map(wallets.map((wallet) => [`hash of ${wallet}`, "0xb1"])),
});

/** Runs a procedure. Returns its effects, and the wallets that it wakes. */
function run(procedure: Procedure<void>, lanes: readonly Lane[], chainSnapshot?: ChainSnapshot, nowMs = 0) {
  const effects: Effect[] = [];
  let next = procedure.next();
  while (!next.done) {
    const effect = next.value;
    effects.push(effect);
    if (effect.do === "readLanes") next = procedure.next(lanes);
    else if (effect.do === "now") next = procedure.next(nowMs);
    else next = procedure.next(effect.do === "chainSnapshot" ? chainSnapshot : undefined);
  }
  return { effects, woken: effects.flatMap((each) => (each.do === "wake" ? [each.lane.wallet] : [])) };
}

const newWatcher = (): Watcher => ({ wokenMs: new Map() });

describe("sweepLanes", () => {
  it("wakes every lane, held or not", () => {
    expect(run(sweepLanes("eth"), [lane("a"), lane("b", { holder: "x", leaseUntilMs: 1 })]).woken).toEqual([
      "a",
      "b",
    ]);
  });
});

describe("watchReceipts", () => {
  it("asks about the transactions of all lanes at once, and wakes those with news", () => {
    const { effects, woken } = run(
      watchReceipts("eth", newWatcher()),
      [lane("a"), lane("b"), lane("c")],
      mined("a", "c"),
    );
    expect(effects.filter((each) => each.do === "chainSnapshot")).toEqual([
      { do: "chainSnapshot", chain: "eth", hashes: ["hash of a", "hash of b", "hash of c"] },
    ]);
    expect(woken).toEqual(["a", "c"]);
  });

  it("asks no host if no lane waits", () => {
    expect(run(watchReceipts("eth", newWatcher()), []).effects.map((each) => each.do)).toEqual([
      "readLanes",
      "now",
    ]);
  });

  it("leaves out lanes held by a run, until their lease ends", () => {
    const held = lane("a", { holder: "x", leaseUntilMs: 10 });
    expect(run(watchReceipts("eth", newWatcher()), [held], mined("a"), 9).woken).toEqual([]);
    expect(run(watchReceipts("eth", newWatcher()), [held], mined("a"), 10).woken).toEqual(["a"]);
  });

  it("does not wake a lane twice within a short time", () => {
    const watcher = newWatcher();
    const woken = (nowMs: number) =>
      run(watchReceipts("eth", watcher), [lane("a")], mined("a"), nowMs).woken.length;
    expect([0, 2999, 3000].map(woken)).toEqual([1, 0, 1]);
  });

  it("names the last block that it has seen, so that no block is read twice", () => {
    const watcher = newWatcher();
    run(watchReceipts("eth", watcher), [lane("a")], mined());
    const [chainSnapshot] = run(watchReceipts("eth", watcher), [lane("a")]).effects.filter(
      (each) => each.do === "chainSnapshot",
    );
    expect(chainSnapshot).toMatchObject({ latest: "0xb1" });
  });

  it("asks about a block again if a lane was held meanwhile", () => {
    const watcher = newWatcher();
    const held = lane("b", { holder: "x", leaseUntilMs: 10 });
    run(watchReceipts("eth", watcher), [lane("a"), held], mined("b"), 9);
    const { effects, woken } = run(watchReceipts("eth", watcher), [lane("a"), lane("b")], mined("b"), 10);
    expect(effects).toContainEqual({ do: "chainSnapshot", chain: "eth", hashes: ["hash of a", "hash of b"] });
    expect(woken).toEqual(["b"]);
  });

  it("wakes lanes that are due while no host answers", () => {
    const due = lane("a", { watch: { jobs: 1, blocks: {}, dueAtMs: 5 } });
    expect(run(watchReceipts("eth", newWatcher()), [due, lane("b")], undefined, 5).woken).toEqual(["a"]);
  });
});
