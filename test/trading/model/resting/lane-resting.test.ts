import { describe, expect, it } from "vitest";
import type { NonceWord, SignedNonce } from "../../../../lib/chains/evm/rules/death.ts";
import { signEvmTransaction } from "../../../../lib/chains/evm/rules/sign.ts";
import type { LaneView } from "../../../../lib/orders/effects.ts";
import type { BothWords } from "../../../../lib/orders/resting/firing.ts";
import { LaneWorld } from "./lane-world.ts";
import { faulty } from "./model-signer.ts";
import { playRestings, type RestingPlot } from "./resting-history.ts";
import { restingSystem } from "./resting-world.ts";

/** Number of histories of each kind. `FULL=1` plays many more. */
const count = process.env.FULL === undefined ? 10 : 400;

const fireOrders = { intruder: "fireOrders" } as const;

const plots: Readonly<Record<string, RestingPlot>> = {
  "slow hosts, reorganisations, foreign transactions and kills": {},
  "receipts that are behind": { isTorn: true },
  "hosts without old states": { forgets: true, isTorn: true },
  cancellations: { cancels: true },
  "forks in which a swap may fail or fill": { forks: true },
  "a price that touches a limit again and again": { hovers: true },
  "a fireOrders that was taken over and spends all fees": { ...fireOrders, hovers: true, fees: 20n },
  "a restored table": { restores: true },
  "a host that lies": { isLiar: true },
  "a fireOrders that was taken over and buys beyond the day": { ...fireOrders, buys: true },
  "a fireOrders that was taken over": { ...fireOrders, cancels: true },
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

/** Counts a swap as failed long ago if a host shows no receipt after a time. */
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

/** Changes what the signer reads about a child's resting order, and what it writes. */
const signing = (read: Parameters<typeof faulty>[1], written?: Parameters<typeof faulty>[2]) =>
  faulty(signEvmTransaction, read, written);

type LaneMutant = {
  answered?: Answered;
  signer?: LaneWorld["signer"];
  plot: RestingPlot;
  readsSlots?: boolean;
  /** Number of the first history that catches the fault, and what is wrong then. */
  from: number;
  says: string;
};

/** Faults of the lane, with the histories in which they show. */
const mutants: Readonly<Record<string, LaneMutant>> = {
  "mistakes a missing receipt for the proof of a death": {
    answered: failedAfter(() => true),
    plot: fireOrders,
    from: 19,
    says: "a resting order fills twice",
  },
  "mistakes a past deadline for the proof of a death": {
    answered: failedAfter(({ head }, { deadline }) => head.time > deadline),
    plot: { ...fireOrders, isTorn: true },
    from: 11,
    says: "a resting order fills twice",
  },
  "reads a child's hashes from its slots": {
    plot: fireOrders,
    readsSlots: true,
    from: 5,
    says: "a resting order fills twice",
  },
  "records no death": {
    answered: reading(() => ({ children: new Map() })),
    plot: {},
    from: 3,
    says: "P does not come to its end but is firing",
  },
  "never hears of a cancellation": {
    answered: reading(() => ({ cancelled: new Set() })),
    plot: { cancels: true },
    from: 3,
    says: "a child is sent after its cancellation",
  },
  "lets no child make way": {
    answered: reading(({ orders }) => ({ orders: orders.map(({ yields: _, ...order }) => order) })),
    plot: {},
    from: 30,
    says: "a child is sent that makes way",
  },
  "has a signer that records no child": {
    signer: signing(
      () => ({}),
      (step) => step.filter(({ of }) => of !== "tally"),
    ),
    plot: fireOrders,
    from: 1,
    says: "a resting order fills twice",
  },
  "has a signer that names no hash in its ledger": {
    signer: signing(
      () => ({}),
      (step) =>
        step.map((write) =>
          write.kind === "put" && write.of === "ledger"
            ? { ...write, item: { ...write.item, signatures: [] } }
            : write,
        ),
    ),
    plot: fireOrders,
    from: 22,
    says: "a resting order fills twice",
  },
  "has a signer that reads no cancellation": {
    answered: reading(() => ({ cancelled: new Set() })),
    signer: signing(
      () => ({ isCancelled: false }),
      (step) => step.filter(({ of }) => of !== "cancellation"),
    ),
    plot: { cancels: true },
    from: 89,
    says: "a child is signed after its parent's cancellation",
  },
  "has a signer that counts no fees": {
    signer: signing(({ tally }) => ({ tally: tally && { ...tally, fees: { limit: 0n, stop: 0n } } })),
    plot: { ...fireOrders, hovers: true, fees: 20n },
    from: 6,
    says: "children have paid more than their budget",
  },
  "has a signer that counts no buys": {
    signer: signing(
      () => ({}),
      (step) => step.filter(({ of }) => of !== "day"),
    ),
    plot: { buys: true },
    from: 1,
    says: "buys are above the day's limit",
  },
  "has a signer that knows no price of a leg": {
    signer: signing(({ mandate }) => ({
      mandate: {
        ...mandate,
        legs: mandate.legs.map((leg) => ({
          ...leg,
          price: { coins: 1n, tokens: 10n ** 9n },
          worst: { coins: 1n, tokens: 10n ** 9n },
        })),
      },
    })),
    plot: fireOrders,
    from: 8,
    says: "a fill is below its leg's price",
  },
};

const openWorld = (...parts: ConstructorParameters<typeof LaneWorld>) => new LaneWorld(...parts);

describe("children of resting orders in the lane of executeOrders", () => {
  const reached = new Set<string>();

  it.each(Object.entries(plots))("fill once, by their terms, despite %s", (_, plot) => {
    playRestings({ from: 1, count, plot, openWorld }, reached);
  });

  it("go through everything that can happen to them", () => {
    const missing = () => wanted.filter((each) => !reached.has(each));
    for (let from = count + 1; from <= 100 && missing().length > 0; from++)
      playRestings({ from, count: 1, openWorld }, reached);
    expect(missing()).toEqual([]);
  });

  it.each(Object.entries(mutants))(
    "fail with a lane that %s",
    (_, { plot, readsSlots = false, from, says, ...faults }) => {
      const openFaulty: typeof openWorld = (...parts) => Object.assign(openWorld(...parts), faults);
      const play = () =>
        playRestings({
          from,
          count: 200,
          plot,
          system: { ...restingSystem, readsSlots },
          openWorld: openFaulty,
        });
      expect(play).toThrow(new RegExp(`^history \\d+: ${says}`));
    },
  );
});
