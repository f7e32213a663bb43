import { describe, expect, it } from "vitest";
import type { NonceWord, SignedNonce } from "../../../../lib/chains/evm/rules/death.ts";
import type { LaneView } from "../../../../lib/orders/effects.ts";
import type { BothWords } from "../../../../lib/orders/resting/firing.ts";
import { LaneWorld } from "./lane-world.ts";
import { playRestings, type RestingPlot } from "./resting-history.ts";
import { restingSystem } from "./resting-world.ts";

/** Number of histories of each kind. `FULL=1` plays many more. */
const count = process.env.FULL === undefined ? 15 : 400;

const plots: Readonly<Record<string, RestingPlot>> = {
  "slow hosts, reorganisations, foreign transactions and kills": {},
  "receipts that are behind": { isTorn: true },
  cancellations: { cancels: true },
  "forks in which a swap may fail or fill": { forks: true },
  "a price that touches a limit again and again": { hovers: true },
  "a host that lies": { isLiar: true },
  "a fireOrders that was taken over": { intruder: "fireOrders", cancels: true },
};

const wanted = [
  ...["failed", "cleared", "unused"].map((how) => `dead: ${how}`),
  ...["failed", "lapsed", "yielded", "filled"].map((outcome) => `outcome: ${outcome}`),
  ...["yield", "settled", "taken back"],
];

type Answered = LaneWorld["answered"];

/** Changes what the lane hears about a child. */
const hearing =
  (change: (word: NonceWord, signed: SignedNonce) => NonceWord): Answered =>
  (effect, answer) => {
    if (effect.do !== "childWords") return answer;
    const signed = effect.child.signed as SignedNonce;
    const [a, b] = answer as BothWords<NonceWord>;
    return [a && change(a, signed), b && change(b, signed)] as const satisfies BothWords;
  };

/** Takes a swap for failed long ago if a host shows no receipt after a time. */
const failedAfter = (isOver: (word: NonceWord, signed: SignedNonce) => boolean): Answered =>
  hearing((word, signed) => {
    if (word.receipts.size > 0 || !isOver(word, signed)) return word;
    const block = { number: 0, hash: "b0", time: 0 };
    return { ...word, receipts: new Map([[signed.swaps[0] ?? "", { block, status: "failed" as const }]]) };
  });

/** Changes what the lane reads. */
const reading =
  (change: (view: LaneView) => Partial<LaneView>): Answered =>
  (effect, answer) => {
    if (effect.do !== "readLane") return answer;
    const view = answer as LaneView;
    return { ...view, ...change(view) };
  };

const fireOrders = { intruder: "fireOrders" } as const;

type LaneMutant = {
  answered: Answered;
  plot: RestingPlot;
  readsSlots?: boolean;
  /** The first history that catches it. */
  from: number;
};

/** Faults of the lane, with the histories in which they show. */
const mutants: Readonly<Record<string, LaneMutant>> = {
  "takes a missing receipt for the proof of a death": {
    answered: failedAfter(() => true),
    plot: fireOrders,
    from: 11,
  },
  "takes a past deadline for the proof of a death": {
    answered: failedAfter(({ head }, { deadline }) => head.time > deadline),
    plot: { ...fireOrders, isTorn: true },
    from: 4,
  },
  "reads a child's hashes from its slots": {
    answered: (_, answer) => answer,
    plot: fireOrders,
    readsSlots: true,
    from: 42,
  },
  "records no death": { answered: reading(() => ({ children: new Map() })), plot: {}, from: 3 },
  "never hears of a cancellation": {
    answered: reading(() => ({ cancelled: new Set() })),
    plot: { cancels: true },
    from: 11,
  },
  "lets no child make way": {
    answered: reading(({ orders }) => ({ orders: orders.map(({ yields: _, ...order }) => order) })),
    plot: {},
    from: 241,
  },
};

const openWorld = (...parts: ConstructorParameters<typeof LaneWorld>) => new LaneWorld(...parts);

describe("children of resting orders in the lane of executeOrders", () => {
  const reached = new Set<string>();

  it.each(Object.entries(plots))("fill once, by their terms, despite %s", (_, plot) => {
    playRestings({ from: 1, count, plot, openWorld }, reached);
  });

  it("reach all that can happen to them", () => {
    expect(wanted.filter((each) => !reached.has(each))).toEqual([]);
  });

  it.each(Object.entries(mutants))(
    "fail with a lane that %s",
    (_, { answered, plot, readsSlots = false, from }) => {
      const faulty: typeof openWorld = (...parts) => Object.assign(openWorld(...parts), { answered });
      const play = () =>
        playRestings({
          from,
          count: 500,
          plot,
          system: { ...restingSystem, readsSlots },
          openWorld: faulty,
        });
      expect(play).toThrow(/^history \d+: /);
    },
  );
});
