import { describe, expect, it } from "vitest";
import { Random } from "../random.ts";
import { RestingChain, type Signed } from "./resting-chain.ts";
import { limitAt, mandateOf, startSeconds, stopAt } from "./resting-history.ts";
import { politely, RestingHosts } from "./resting-hosts.ts";
import { RestingWorld, restingSystem } from "./resting-world.ts";

const between = 1_000_000n;
const touched = 1_150_000n;
const crashed = 850_000n;

/** A pair of a take-profit and a stop on eth, without any fault. Blocks include all that they can. */
class Quiet {
  readonly chain: RestingChain;
  readonly world: RestingWorld;

  constructor(legs = [limitAt(1_100_000n), stopAt(900_000n)], expiresAt = startSeconds + 30 * 86_400) {
    const random = new Random(1);
    this.chain = new RestingChain(random, startSeconds, between);
    this.chain.delays = 0;
    this.world = new RestingWorld(
      random,
      this.chain,
      new RestingHosts(random, this.chain, politely),
      restingSystem,
    );
    this.world.aheadMs = 1000;
    this.world.rest(mandateOf("P", legs, { expiresAt }));
  }

  get parent() {
    return this.world.parents.get("P") as NonNullable<ReturnType<typeof this.world.parents.get>>;
  }

  /** Mines blocks at a price. After each, all functions run twice. */
  hold(price: bigint, blocks = 1): void {
    for (let block = 0; block < blocks; block++) {
      this.chain.price = price;
      this.chain.mine();
      // Keeps a day of blocks short.
      this.chain.blocks = this.chain.blocks.slice(-40);
      this.look();
    }
  }

  /** Lets time pass without a block. All functions continue. */
  halt(seconds: number): void {
    for (let minute = 0; minute <= seconds; minute += 60) {
      this.world.aheadMs = minute * 1000;
      this.look();
    }
  }

  /** Mines the first block after a halt. */
  go(): void {
    this.chain.mine();
    const head = { ...this.chain.head, time: Math.floor(this.world.nowMs / 1000) };
    this.chain.blocks = [...this.chain.blocks.slice(0, -1), head];
    this.world.aheadMs = 1000;
    this.look();
  }

  look(): void {
    for (let round = 0; round < 2; round++) {
      this.world.startFiring();
      for (const run of [...this.world.runs]) while (this.world.runs.includes(run)) this.world.stepRun(run);
      this.world.work(() => false);
    }
  }

  /** Lists the legs whose swaps were signed, in order. */
  get signed(): string[] {
    return [...this.world.ledgers.keys()].map((orderId) => this.world.jobs.get(orderId)?.kind ?? "");
  }
}

describe("a pair of a take-profit and a stop on eth", () => {
  it("signs the stop once its price has held for three blocks", () => {
    const pair = new Quiet();
    pair.hold(crashed, 2);
    expect(pair.signed).toEqual([]);
    pair.hold(crashed);
    expect(pair.signed).toEqual(["stop"]);
  });

  it("signs the take-profit once its price has held for two blocks, and a single limit at once", () => {
    const pair = new Quiet();
    pair.hold(touched);
    expect(pair.signed).toEqual([]);
    pair.hold(touched);
    expect(pair.signed).toEqual(["limit"]);
    const alone = new Quiet([limitAt(1_100_000n)]);
    alone.hold(touched);
    expect(alone.signed).toEqual(["limit"]);
  });

  it("signs nothing for a thousand pushes of one block", () => {
    const pair = new Quiet();
    for (let push = 0; push < 500; push++) {
      pair.hold(touched);
      pair.hold(between, 2);
      pair.hold(crashed);
      pair.hold(between, 2);
    }
    expect(pair.signed).toEqual([]);
    expect(pair.parent.n).toBe(0);
  });

  it("signs the stop at its first look after a thousand touches of the take-profit in a day", () => {
    const pair = new Quiet();
    for (let touch = 0; touch < 1000; touch++) {
      pair.hold(touched, 2);
      pair.hold(between, 5);
    }
    const before = pair.signed;
    expect(before.length).toBeGreaterThan(50);
    expect(new Set(before)).toEqual(new Set(["limit"]));
    pair.hold(crashed, 3);
    expect(pair.signed.slice(before.length)).toEqual(["stop"]);
  });

  it("sends the stop three blocks after a take-profit has failed in one", () => {
    const pair = new Quiet();
    pair.hold(touched, 2);
    pair.hold(crashed, 2);
    expect(pair.parent.firings).toMatchObject([{ leg: "takeProfit", outcome: "out" }]);
    pair.hold(crashed);
    expect(pair.signed).toEqual(["limit", "stop"]);
    expect(pair.parent.firings).toMatchObject([
      { leg: "stopLoss" },
      { leg: "takeProfit", outcome: "failed" },
    ]);
    pair.hold(crashed, 8);
    expect(pair.parent).toMatchObject({ state: "done", filled: pair.parent.firings[0]?.orderId });
  });

  it("makes a take-profit in no block make way, and sends the stop within 52 seconds of its signature", () => {
    const pair = new Quiet();
    pair.hold(touched, 2);
    const { time } = pair.chain.head;
    const [swap] = pair.chain.pool as [Signed];
    // No block takes the swap, as when a relay shows it to nobody.
    pair.chain.pool.splice(0);
    const hidden = pair.chain.pool;
    const hide = () => hidden.splice(0, hidden.length, ...hidden.filter(({ hash }) => hash !== swap.hash));
    for (let block = 0; block < 12 && pair.signed.length < 2; block++) {
      hide();
      pair.hold(crashed);
    }
    expect(pair.signed).toEqual(["limit", "stop"]);
    expect(pair.parent.firings[1]).toMatchObject({ leg: "takeProfit", outcome: "yielded" });
    expect(pair.chain.head.time - time).toBeLessThanOrEqual(52);
  });

  it("does not let an unsigned child keep a stop waiting", () => {
    const pair = new Quiet();
    pair.hold(touched);
    // The lane stands still, so the take-profit's child is placed but not signed.
    const { world } = pair;
    const { work } = world;
    world.work = () => undefined;
    pair.hold(touched);
    expect(pair.parent).toMatchObject({ state: "firing", firings: [{ leg: "takeProfit" }] });
    world.work = work;
    // The signer refuses it from here on, so only its deadline could end it otherwise.
    for (const job of world.jobs.values()) job.isCancelling = true;
    pair.hold(crashed, 3);
    expect(pair.signed).toEqual(["stop"]);
    expect(pair.parent.firings[1]).toMatchObject({ leg: "takeProfit", outcome: "yielded" });
  });

  it("fires nothing while the chain stands still for two hours, and afterwards what is still due", () => {
    const pair = new Quiet();
    pair.hold(crashed, 2);
    pair.halt(7200);
    expect(pair.signed).toEqual([]);
    pair.chain.price = between;
    pair.go();
    expect(pair.signed).toEqual([]);
    pair.hold(crashed, 3);
    expect(pair.signed).toEqual(["stop"]);
  });

  it("sends the stop three blocks after a halt in which a take-profit was out", () => {
    const pair = new Quiet();
    pair.hold(touched, 2);
    pair.halt(7200);
    expect(pair.parent.firings).toMatchObject([{ leg: "takeProfit", outcome: "out" }]);
    pair.chain.price = crashed;
    pair.go();
    pair.hold(crashed, 2);
    expect(pair.parent.firings).toMatchObject([
      { leg: "stopLoss" },
      { leg: "takeProfit", outcome: "failed" },
    ]);
    expect(pair.signed).toEqual(["limit", "stop"]);
  });

  it("fires once whatever became due in an hour without any function running", () => {
    const pair = new Quiet();
    pair.hold(between);
    pair.chain.price = crashed;
    for (let block = 0; block < 300; block++) pair.chain.mine();
    expect(pair.signed).toEqual([]);
    pair.look();
    expect(pair.signed).toEqual(["stop"]);
    pair.hold(crashed, 8);
    expect(pair.signed).toEqual(["stop"]);
    expect(pair.parent).toMatchObject({ state: "done", filled: pair.parent.firings[0]?.orderId });
  });

  it("ends without a firing if it expired in an hour without any function running", () => {
    const pair = new Quiet(undefined, startSeconds + 1800);
    pair.hold(between);
    pair.chain.price = crashed;
    for (let block = 0; block < 300; block++) pair.chain.mine();
    pair.look();
    expect(pair.parent).toMatchObject({ state: "done", n: 0, end: { reasonCode: "EXPIRED" } });
  });

  it("ends at its expiry, and fires nothing after it", () => {
    const pair = new Quiet(undefined, startSeconds + 60);
    pair.hold(between, 5);
    expect(pair.parent).toMatchObject({ state: "done", end: { reasonCode: "EXPIRED" } });
    pair.hold(crashed, 5);
    expect(pair.signed).toEqual([]);
  });
});
