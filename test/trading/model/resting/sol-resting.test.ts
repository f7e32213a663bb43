import { describe, expect, it } from "vitest";
import { Random } from "../random.ts";
import { politely } from "./resting-hosts.ts";
import { SolChain } from "./sol-chain.ts";
import { playSolRestings, type SolPlot, solMandateOf, solStartSeconds } from "./sol-history.ts";
import { type SolSystem, SolWorld, solSystem } from "./sol-world.ts";

/** Number of histories of each kind. `FULL=1` plays many more. */
const count = process.env.FULL === undefined ? 25 : 400;

const plots: Readonly<Record<string, SolPlot>> = {
  "slow hosts, forks and kills": {},
  "a host that lies": { isLiar: true },
  "receipts that are behind": { isTorn: true },
  "a stranger's deposits on markers": { deposits: true },
  "a price that jumps between both legs": { whips: true },
  "a stop that follows the price": { trails: true },
  "slices among other orders": { slices: true },
  "exits of a buy": { exits: true },
  "exits, of a fireOrders that was taken over": { exits: true, intruder: "fireOrders", cancels: true },
  cancellations: { cancels: true },
  "an executeOrders that asks for clears": { clears: true, cancels: true },
  "a fireOrders that was taken over": { intruder: "fireOrders", cancels: true },
  "slices of a fireOrders that was taken over": { intruder: "fireOrders", slices: true },
};

const wanted = [
  ...["limit", "stop", "trailing", "slice", "gain", "loss"].map((kind) => `fire: ${kind}`),
  ...["parent: pending", "birth: resting"],
  ...["failed", "lapsed", "replaced", "filled"].map((outcome) => `outcome: ${outcome}`),
  ...["parent: done CANCELLED_BY_USER", "two legs out", "taken back", "mark"],
];

type SolMutant = {
  system: Partial<SolSystem>;
  /** Histories in which the fault shows. */
  plot: SolPlot;
  /** The first history that shows the fault, if it shows late. */
  from?: number;
  /** How the fault shows, if other ways would be worse. */
  fault?: string;
};

const mutants: Readonly<Record<string, SolMutant>> = {
  "gives each child a marker of its own": {
    system: { markerOf: ({ orderId }) => orderId },
    plot: { whips: true },
  },
  "gives all slices one marker": {
    system: { markerOf: ({ parent }) => parent.orderId },
    plot: { slices: true },
  },
  "signs a slice before its time": {
    system: {
      objection: ({ mandate, ...facts }, nowMs) => {
        const earlier = mandate.createdAt - (mandate.slices ? 40_000 : 0);
        return solSystem.objection({ ...facts, mandate: { ...mandate, createdAt: earlier } }, nowMs);
      },
    },
    plot: { intruder: "fireOrders", slices: true },
    fault: "a slice is signed early",
  },
  "signs two children of a slice": {
    system: {
      objection: ({ tally, ...facts }, nowMs) =>
        solSystem.objection({ ...facts, tally: tally && { ...tally, slices: [] } }, nowMs),
    },
    plot: { intruder: "fireOrders", slices: true },
    fault: "a slice is signed twice",
  },
  "counts a deposit as a marker": { system: { countsDeposits: true }, plot: { deposits: true } },
  "clears a child whose parent rests on": {
    system: {
      objection: (facts, nowMs) =>
        facts.purpose === "clear" ? undefined : solSystem.objection(facts, nowMs),
    },
    plot: { clears: true },
    fault: "ends although it could fill",
  },
  "signs after a cancellation": {
    system: { objection: (facts, nowMs) => solSystem.objection({ ...facts, isCancelled: false }, nowMs) },
    plot: { intruder: "fireOrders", cancels: true },
  },
};

/** A pair of a take-profit and a stop, without any fault. Blocks include all that they can. */
class Quiet {
  readonly #chain = new SolChain(new Random(1), solStartSeconds, 1_000_000n, politely);
  readonly world = new SolWorld(new Random(1), this.#chain, solSystem);

  constructor() {
    this.#chain.delays = 0;
    this.world.aheadMs = 500;
    this.world.rest(solMandateOf("P", undefined, { expiresAt: solStartSeconds + 30 * 86_400 }));
  }

  get parent() {
    return this.world.parents.get("P");
  }

  /** Makes blocks at a price, one every two seconds. After each, all functions run. */
  hold(price: bigint, blocks: number): void {
    for (let block = 0; block < blocks; block++) {
      this.#chain.price = price;
      this.#chain.mine();
      // Keeps a day of blocks short.
      this.#chain.blocks = this.#chain.blocks.slice(-20);
      this.world.startFiring();
      for (const run of [...this.world.runs]) while (this.world.runs.includes(run)) this.world.stepRun(run);
      this.world.work();
    }
  }

  /** Lists the legs whose swaps were signed, in order. */
  get signed(): string[] {
    return [...this.world.ledgers.keys()].map((orderId) => this.world.jobs.get(orderId)?.kind ?? "");
  }
}

describe("a pair of a take-profit and a stop on Solana", () => {
  const [between, touched, crashed] = [1_000_000n, 1_150_000n, 850_000n];

  it("signs the stop eight seconds after a crash that follows a thousand touches of the take-profit", () => {
    const pair = new Quiet();
    for (let touch = 0; touch < 1000; touch++) {
      pair.hold(touched, 2);
      pair.hold(between, 3);
    }
    const before = pair.signed;
    expect(before.length).toBeGreaterThan(20);
    expect(new Set(before)).toEqual(new Set(["limit"]));
    pair.hold(crashed, 4);
    expect(pair.signed).toEqual(before);
    pair.hold(crashed, 1);
    expect(pair.signed).toEqual([...before, "stop"]);
    pair.hold(crashed, 30);
    expect(pair.parent).toMatchObject({ state: "done", filled: pair.parent?.firings[0]?.orderId });
  });
});

describe("resting orders on Solana in the model", () => {
  const reached = new Set<string>();

  it.each(Object.entries(plots))("fill once, by their terms, despite %s", (_, plot) => {
    playSolRestings({ from: 1, count, plot }, reached);
  });

  it("go through everything that can happen to them", () => {
    expect(wanted.filter((each) => !reached.has(each))).toEqual([]);
  });

  it.each(Object.entries(mutants))("fail with a service that %s", (_, { system, plot, from = 1, fault }) => {
    const play = () => playSolRestings({ from, count: 1000, plot, system: { ...solSystem, ...system } });
    expect(play).toThrow(new RegExp(`^history \\d+: .*${fault ?? ""}`));
  });
});
