import { describe, expect, it } from "vitest";
import type { Look } from "../../../lib/orders/block.ts";
import type { Effect, Effects, Procedure } from "../../../lib/orders/effects.ts";
import { mayHaveChanged } from "../../../lib/orders/lane-watch.ts";
import type { Lane, LaneWatch } from "../../../lib/orders/table-step.ts";
import {
  newReader,
  newSweepMemory,
  type Reader,
  readChain,
  sweepLanes,
} from "../../../lib/trading/procedures/reading.ts";

/** Simulates a chain whose blocks are named by number, with a letter for the branch. */
class FakeChain {
  blocks: string[];
  readonly mined = new Map<string, string>();
  final = 0;
  finalTime = 0;
  isDown = false;

  constructor(blocks: string) {
    this.blocks = blocks.split(" ");
  }

  look({ heights, wantsFinal }: Effects["look"]["ask"]): Look | undefined {
    if (this.isDown) return undefined;
    const number = this.blocks.length;
    const hashes = heights.flatMap((height) =>
      height < number ? [[height, this.hashAt(height)] as const] : [],
    );
    const final = { number: this.final, time: this.finalTime };
    return {
      number,
      time: number,
      parentHash: this.hashAt(number - 1),
      hashes: new Map(hashes),
      ...(wantsFinal && { final }),
    };
  }

  private hashAt(height: number): string {
    return this.blocks[height - 1] ?? "";
  }
}

const lane = (wallet: string, watch: Partial<LaneWatch> = {}, changes: Partial<Lane> = {}): Lane => ({
  chain: "eth",
  wallet,
  jobs: 1,
  watch: { jobs: 1, blocks: {}, ...watch },
  ...changes,
});

/** Returns a lane whose transaction, named like the wallet, is in no block or in the given block. */
const signed = (wallet: string) => lane(wallet, { blocks: { [wallet]: "" } });
const mined = (wallet: string, number: number, hash: string) =>
  lane(wallet, { blocks: { [wallet]: { number, hash } } });

type Ended<Result> = { effects: Effect[]; woken: string[]; result: Result };

function run<Result>(
  procedure: Procedure<Result>,
  lanes: readonly Lane[],
  {
    chain = new FakeChain("a1"),
    second = undefined as FakeChain | undefined,
    nowMs = 0,
    heartbeatMs = 0,
  } = {},
): Ended<Result> {
  const effects: Effect[] = [];
  const lease = { run: "r", epoch: 1, build: "b", startedAtMs: 0, heartbeatMs };
  const answerTo = (effect: Effect) => {
    if (effect.do === "readLanes")
      return lanes.filter((each) => effect.sinceMs === undefined || mayHaveChanged(each, effect.sinceMs));
    if (effect.do === "now") return nowMs;
    if (effect.do === "readReaderLease") return lease;
    if (effect.do === "look") return ((effect.host === 1 ? second : undefined) ?? chain).look(effect);
    if (effect.do === "minedIn")
      return new Map(effect.hashes.map((hash) => [hash, chain.mined.get(hash) ?? ""]));
    return undefined;
  };
  let next = procedure.next();
  while (!next.done) {
    effects.push(next.value);
    next = procedure.next(answerTo(next.value));
  }
  const woken = effects.flatMap((each) => (each.do === "wake" ? [each.lane.wallet] : []));
  return { effects, woken, result: next.value };
}

/** Reads a chain once. */
function read(reader: Reader, lanes: readonly Lane[], options: { chain?: FakeChain; nowMs?: number } = {}) {
  const { effects, woken, result } = run(readChain("eth", reader), lanes, options);
  const heights = effects.flatMap((each) => (each.do === "look" ? [each.heights] : [])).flat();
  const asked = effects.flatMap((each) => (each.do === "minedIn" ? each.hashes : []));
  return { effects, woken, heights, asked, ...result };
}

describe("readChain", () => {
  it("checks the transactions of all lanes at once, and wakes lanes with news", () => {
    const chain = new FakeChain("a1 a2");
    chain.mined.set("x", "a2").set("z", "a2");
    const { asked, woken, lanes } = read(newReader(), [signed("x"), signed("y"), signed("z")], { chain });
    expect({ asked, woken, lanes }).toEqual({ asked: ["x", "y", "z"], woken: ["x", "z"], lanes: 3 });
  });

  it("skips chains for which no lane waits", () => {
    const due = lane("x", { dueAtMs: 5 });
    const { effects, isAnswered } = read(newReader(), [due, lane("y")], { nowMs: 5 });
    expect(effects.map((each) => each.do)).toEqual(["now", "readLanes", "now", "wake"]);
    expect(isAnswered).toBe(true);
  });

  it("checks known transactions once per block, and new ones at once", () => {
    const [reader, chain] = [newReader(), new FakeChain("a1 a2")];
    expect(read(reader, [signed("x")], { chain }).asked).toEqual(["x"]);
    expect(read(reader, [signed("x")], { chain }).asked).toEqual([]);
    expect(read(reader, [signed("x"), signed("y")], { chain }).asked).toEqual(["y"]);
    chain.blocks.push("a3");
    expect(read(reader, [signed("x"), signed("y")], { chain }).asked).toEqual(["x", "y"]);
  });

  it("checks a transaction again if another block has replaced the last one", () => {
    const [reader, chain] = [newReader(), new FakeChain("a1 a2 a3")];
    read(reader, [signed("x")], { chain });
    chain.blocks = ["a1", "b2", "b3"];
    expect(read(reader, [signed("x")], { chain }).asked).toEqual(["x"]);
  });

  it("skips a mined transaction while its block is confirmed, and queries its height only once", () => {
    const [reader, chain] = [newReader(), new FakeChain("a1 a2")];
    const lanes = [mined("x", 2, "a2")];
    const rounds = [3, 4, 5, 6].map((next) => {
      const { heights, asked, woken } = read(reader, lanes, { chain });
      chain.blocks.push(`a${next}`);
      return { heights, asked, woken };
    });
    expect(rounds).toEqual([
      { heights: [2], asked: [], woken: [] },
      { heights: [1, 2], asked: [], woken: [] },
      { heights: [2], asked: [], woken: [] },
      { heights: [3], asked: [], woken: [] },
    ]);
  });

  it.each([
    ["the last block", "a1 b2 b3", "b2", ["x"]],
    ["an earlier block that is confirmed", "a1 b2 b3 b4 b5 b6", "b2", ["x"]],
    ["a block, and the transaction is in none", "a1 b2 b3", "", ["x"]],
    ["a block, and the host takes that back", "a1 b2 b3", "a2", []],
  ])("checks a transaction again when a look at the chain refutes %s", (_, blocks, block, expected) => {
    const [reader, chain] = [newReader(), new FakeChain("a1 a2")];
    const lanes = [mined("x", 2, "a2")];
    const isEarly = blocks.length > 8;
    for (const next of isEarly ? ["a3", "a4"] : [""]) {
      read(reader, lanes, { chain });
      if (next !== "") chain.blocks.push(next);
    }
    if (isEarly) read(reader, lanes, { chain });
    chain.blocks = blocks.split(" ");
    chain.mined.set("x", block);
    const first = read(reader, lanes, { chain });
    const second = read(reader, lanes, { chain, nowMs: 1000 });
    expect([...first.asked, ...second.asked]).toContain("x");
    expect([...first.woken, ...second.woken]).toEqual(expected);
  });

  describe("of lanes that only settle", () => {
    const settles = (wallet: string, settlingSinceMs: number, finalFrom = 2) =>
      lane(wallet, { blocks: { [wallet]: { number: 2, hash: "a2" } }, finalFrom, settlingSinceMs });
    const chainWith = (final: number) => Object.assign(new FakeChain("a1 a2 a3 a4"), { final });

    it("reads them only every half minute, and wakes them from memory once they are final", () => {
      const reader = newReader();
      const lanes = [settles("x", 0), settles("y", 0, 4)];
      const first = read(reader, lanes, { chain: chainWith(1), nowMs: 100_000 });
      expect(first).toMatchObject({ lanes: 2, woken: [] });
      const unread = (nowMs: number, final: number) => read(reader, [], { chain: chainWith(final), nowMs });
      expect(unread(111_000, 2)).toMatchObject({ lanes: 2, woken: ["x"] });
      // The run of x removes its lane or changes it, so only y is left.
      expect(unread(115_000, 2)).toMatchObject({ lanes: 1, woken: [] });
      expect(unread(129_999, 2)).toMatchObject({ lanes: 1 });
      expect(unread(130_000, 4)).toMatchObject({ lanes: 0, woken: [] });
    });

    it("asks only for lanes that may have changed in between", () => {
      const reader = newReader();
      const asked = [100_000, 101_000, 130_000, 131_000].map((nowMs) => {
        const { effects } = read(reader, [settles("x", 0)], { chain: chainWith(1), nowMs });
        return effects.flatMap((each) => (each.do === "readLanes" ? [each.sinceMs] : []));
      });
      expect(asked).toEqual([[undefined], [40_000], [undefined], [70_000]]);
    });

    it("reads all lanes again after a round that fails", () => {
      const reader = newReader();
      const lanes = [settles("x", 0)];
      const failing = chainWith(1);
      failing.look = () => {
        throw new Error("an odd answer");
      };
      expect(() => read(reader, lanes, { chain: failing, nowMs: 100_000 })).toThrow("an odd answer");
      const next = read(reader, lanes, { chain: chainWith(2), nowMs: 101_000 });
      expect(next).toMatchObject({ lanes: 1, woken: ["x"] });
    });

    it("follows a lane that gets an order or another block", () => {
      const reader = newReader();
      read(reader, [settles("x", 0), settles("y", 0, 4)], { chain: chainWith(1), nowMs: 100_000 });
      const ordered = { ...settles("x", 0), jobs: 2 };
      const moved = { ...settles("y", 105_000, 3) };
      expect(read(reader, [ordered, moved], { chain: chainWith(1), nowMs: 106_000 }).woken).toEqual(["x"]);
      expect(read(reader, [], { chain: chainWith(3), nowMs: 117_000 }).woken).toEqual(["y"]);
    });

    it("notices at once that a block has left the chain", () => {
      const reader = newReader();
      read(reader, [settles("x", 0)], { chain: chainWith(1), nowMs: 100_000 });
      const chain = Object.assign(new FakeChain("a1 b2 b3 b4 b5"), { final: 1 });
      chain.mined.set("x", "b2");
      const rounds = [101_000, 102_000].map((nowMs) => read(reader, [], { chain, nowMs }).woken);
      expect(rounds.flat()).toEqual(["x"]);
    });
  });

  it("ignores looks at older blocks than before, and switches to another host after ten seconds", () => {
    const [reader, chain] = [newReader(), new FakeChain("a1 a2 a3")];
    read(reader, [signed("x")], { chain });
    const behind = new FakeChain("a1 a2");
    behind.mined.set("x", "a2");
    const hosts = [0, 9999, 10_000, 11_000].map((nowMs) => {
      const { effects, woken } = read(reader, [signed("x")], { chain: behind, nowMs });
      return [effects.flatMap((each) => (each.do === "look" ? [each.host] : [])), woken];
    });
    expect(hosts).toEqual([
      [[0], []],
      [[0], []],
      [[0], []],
      [[1], ["x"]],
    ]);
  });

  it("treats a hash that the host does not know as unknown rather than refuted", () => {
    const chain = new FakeChain("a1 a2");
    expect(read(newReader(), [mined("x", 2, "b2"), mined("y", 9, "b9")], { chain }).asked).toEqual([]);
  });

  it("wakes lanes whose block is final, and queries the final block less often as it ages", () => {
    const [reader, chain] = [
      newReader(),
      new FakeChain(Array.from({ length: 21 }, (_, n) => `a${n + 1}`).join(" ")),
    ];
    const waiting = lane("x", { blocks: { x: { number: 2, hash: "a2" } }, finalFrom: 2 });
    const wants = (nowMs: number) => {
      const { effects, woken } = read(reader, [waiting], { chain, nowMs });
      return [effects.some((each) => each.do === "look" && each.wantsFinal), woken.length];
    };
    chain.finalTime = 1;
    expect([0, 4999].map(wants)).toEqual([
      [true, 0],
      [false, 0],
    ]);
    chain.final = 2;
    chain.finalTime = 20;
    expect([5000, 5999, 9000].map(wants)).toEqual([
      [true, 1],
      [false, 0],
      [true, 1],
    ]);
  });

  it("skips lanes held by a run until their lease ends", () => {
    const chain = new FakeChain("a1");
    chain.mined.set("x", "a1");
    const held = { ...signed("x"), holder: "h", leaseUntilMs: 10 };
    expect(read(newReader(), [held], { chain, nowMs: 9 }).woken).toEqual([]);
    expect(read(newReader(), [held], { chain, nowMs: 10 }).woken).toEqual(["x"]);
  });

  it("wakes no lane twice within a short time", () => {
    const reader = newReader();
    const due = lane("x", { dueAtMs: 0 });
    expect([0, 2999, 3000].map((nowMs) => read(reader, [due], { nowMs }).woken.length)).toEqual([1, 0, 1]);
  });

  it("wakes lanes that are due while no host answers", () => {
    const chain = new FakeChain("a1");
    chain.isDown = true;
    const due = lane("x", { dueAtMs: 5, blocks: { x: "" } });
    const { woken, isAnswered } = read(newReader(), [due, signed("y")], { chain, nowMs: 5 });
    expect({ woken, isAnswered }).toEqual({ woken: ["x"], isAnswered: false });
  });

  it("checks transactions of lanes that an earlier version wrote", () => {
    const chain = new FakeChain("a1 a2");
    chain.mined.set("x", "a2").set("y", "b2");
    const lanes = ["x", "y"].map((wallet) => lane(wallet, { blocks: { [wallet]: "a2" } }));
    expect(read(newReader(), lanes, { chain }).woken).toEqual(["y"]);
  });
});

describe("sweepLanes", () => {
  const lanes = [
    lane("due", { dueAtMs: 100_000 }),
    lane("waiting", { dueAtMs: 100_001, lookAgainAtMs: 100_001 }),
    lane("long", { lookAgainAtMs: 100_000 }),
    lane("new", { jobs: 0 }),
  ];
  const sweep = (of: readonly Lane[], options: Parameters<typeof run>[2] = {}, memory = newSweepMemory()) => {
    const { effects, woken, result } = run(sweepLanes("eth", memory), of, { nowMs: 100_000, ...options });
    return { woken, result, looks: effects.flatMap((each) => (each.do === "look" ? [each] : [])) };
  };
  const fresh = { heartbeatMs: 100_000 };

  it("wakes lanes that are due or need another look at the chain", () => {
    const { woken, result, looks } = sweep(lanes, { heartbeatMs: 70_000 });
    expect(woken).toEqual(["due", "long", "new"]);
    expect(result).toEqual({ lanes, isReaderMissing: false });
    expect(looks).toEqual([]);
  });

  it("wakes every lane if the reader's heartbeat is older than 30 seconds", () => {
    const { woken, result } = sweep([...lanes, settling], { heartbeatMs: 69_999, ...hosts() });
    expect(woken).toEqual(["due", "waiting", "long", "new", "x"]);
    expect(result.isReaderMissing).toBe(true);
    expect(sweep([], { heartbeatMs: 0 }).result.isReaderMissing).toBe(false);
  });

  const x = { number: 2, hash: "a2" };
  const settling = lane("x", { blocks: { x }, finalFrom: 2, lookAgainAtMs: 100_000 });

  /** Creates two hosts that agree with the lane, except for these changes. */
  const hosts = (change: (chain: FakeChain) => void = () => {}, changed: readonly number[] = [0, 1]) => {
    const [chain, second] = [0, 1].map((host) => {
      const fake = new FakeChain("a1 a2 a3 a4 a5");
      fake.final = 1;
      if (changed.includes(host)) change(fake);
      return fake;
    });
    return { chain: chain as FakeChain, second: second as FakeChain };
  };

  it("wakes no lanes while two hosts show that finality is still to come", () => {
    const soldOut = lane("y", { finalFrom: 2, lookAgainAtMs: 0 });
    const { woken, looks } = sweep([settling, soldOut], { ...fresh, ...hosts() });
    expect(woken).toEqual([]);
    expect(looks.map(({ host, heights, wantsFinal }) => [host, heights, wantsFinal])).toEqual([
      [0, [2], true],
      [1, [2], true],
    ]);
  });

  it("queries a block's height only once, but the final block each time", () => {
    const [memory, seen] = [newSweepMemory(), hosts()];
    sweep([settling], { ...fresh, ...seen }, memory);
    for (const chain of [seen.chain, seen.second]) chain.blocks.push("a6", "a7");
    const { woken, looks } = sweep([settling], { ...fresh, ...seen, nowMs: 100_001 }, memory);
    expect(woken).toEqual([]);
    expect(looks.map(({ heights, wantsFinal }) => [heights, wantsFinal])).toEqual([
      [[4], true],
      [[4], true],
    ]);
    // A replaced parent casts doubt on all blocks.
    seen.second.blocks = ["a1", "b2", "b3", "b4", "b5", "b6", "b7", "b8"];
    expect(sweep([settling], { ...fresh, ...seen }, memory).woken).toEqual(["x"]);
  });

  const news: readonly [string, (chain: FakeChain) => void][] = [
    ["says that its block is final", (chain) => Object.assign(chain, { final: 2 })],
    ["has another block at its height", (chain) => Object.assign(chain, { blocks: ["a1", "b2", "b3"] })],
    ["does not know its block", (chain) => Object.assign(chain, { blocks: ["a1", "a2"] })],
    ["does not answer", (chain) => Object.assign(chain, { isDown: true })],
  ];
  it.each(
    news.flatMap(([what, change]) =>
      [[0], [1], [0, 1]].map((changed) => [changed.join(" and "), what, change, changed] as const),
    ),
  )("wakes a lane that waits for finality if host %s %s", (_, __, change, changed) => {
    expect(sweep([settling], { ...fresh, ...hosts(change, changed) }).woken).toEqual(["x"]);
  });

  it("wakes a lane whose transaction is in no block, without a look", () => {
    const taken = lane("z", { blocks: { x, z: "" }, finalFrom: 2, lookAgainAtMs: 0 });
    const { woken, looks } = sweep([taken], { ...fresh, ...hosts() });
    expect(woken).toEqual(["z"]);
    expect(looks).toEqual([]);
  });
});
