import type { NonceWord, SignedNonce } from "../../../../lib/chains/evm/rules/death.ts";
import type { BothWords, ParentView } from "../../../../lib/orders/resting/firing.ts";
import type { ChildFacts } from "../../../../lib/orders/resting/tally.ts";
import type { PriceWord } from "../../../../lib/orders/resting/touch.ts";
import type { RestingPlot } from "./resting-history.ts";
import { startMark } from "./resting-runs.ts";
import { type RestingSystem, restingSystem } from "./resting-world.ts";

type View = ParentView<SignedNonce>;
type Buy = NonNullable<NonNullable<View["exit"]>["buy"]>;

/** Changes what the service sees of an exit's buy. */
const withBuy =
  (changes: (buy: Buy) => Partial<Buy>) =>
  ({ exit, ...view }: View): View => ({
    ...view,
    exit: exit && { ...exit, buy: exit.buy && { ...exit.buy, ...changes(exit.buy) } },
  });

type RestingMutant = {
  system: Partial<RestingSystem>;
  /** Histories in which the fault shows. */
  plot: RestingPlot;
};

const each = <Word>([a, b]: BothWords<Word>, change: (word: Word) => Word): BothWords<Word> => [
  a && change(a),
  b && change(b),
];

/** Changes what each host says about a nonce. */
const hearing =
  (change: (word: NonceWord, signed: SignedNonce) => NonceWord): RestingSystem["heard"] =>
  (words, signed) =>
    each(words, (word) => change(word, signed));

/** Sees heads this many blocks above the true ones. */
const deeper = (blocks: number) =>
  hearing((word) => ({ ...word, head: { ...word.head, number: word.head.number + blocks } }));

const failedAtStart = ({ swaps }: SignedNonce): NonceWord["receipts"] =>
  new Map([[swaps[0] ?? "", { block: { number: 0, hash: "b0", time: 0 }, status: "failed" }]]);

/** Changes what the signer's rule sees. */
const signing =
  (change: (facts: ChildFacts) => Partial<ChildFacts>): RestingSystem["objection"] =>
  (facts, nowMs) =>
    restingSystem.objection({ ...facts, ...change(facts) }, nowMs);

const pricing =
  (change: (word: PriceWord, distances: readonly number[]) => PriceWord): RestingSystem["heardPrices"] =>
  (words, distances) =>
    each(words, (word) => change(word, distances));

/** Counts all children of some orders as settled. */
const settling =
  (isEarly: (view: ParentView<SignedNonce>) => boolean): RestingSystem["view"] =>
  (view) =>
    isEarly(view) ? { ...view, end: { ...view.end, isSettled: true } } : view;

const fireOrders = { intruder: "fireOrders" } as const;
const executeOrders = { intruder: "executeOrders" } as const;

/** Counts all swaps of an order in its life. */
function countsForever(): RestingSystem["objection"] {
  const counts = new WeakMap<object, number>();
  return (facts, nowMs) => {
    const objection = restingSystem.objection(facts, nowMs);
    if (objection !== undefined || !facts.isFirstSwap || facts.purpose !== "swap") return objection;
    const count = (counts.get(facts.mandate.legs) ?? 0) + 1;
    counts.set(facts.mandate.legs, count);
    return count > 4 ? { later: "too often" } : undefined;
  };
}

/** Faults that the histories of resting orders catch. */
export const restingMutants: Readonly<Record<string, () => RestingMutant>> = {
  "knows a nonce's use only from old states": () => ({
    system: { heard: hearing(({ missed: _, ...word }) => word) },
    plot: { forgets: true },
  }),
  "waits for one block fewer": () => ({ system: { heard: deeper(1) }, plot: { forks: true } }),
  "takes a failed receipt for lasting at once": () => ({ system: { heard: deeper(2) }, plot: {} }),
  "mistakes a missing receipt for a proof": () => ({
    system: {
      heard: hearing((word, signed) =>
        word.head.time > signed.deadline + 24 && word.receipts.size === 0
          ? { ...word, receipts: failedAtStart(signed) }
          : word,
      ),
    },
    plot: { isTorn: true },
  }),
  "mistakes a past deadline for a proof": () => ({
    system: {
      heard: hearing((word, signed) =>
        word.head.time > signed.deadline ? { ...word, receipts: failedAtStart(signed) } : word,
      ),
    },
    plot: {},
  }),
  "trusts one host about a nonce": () => ({
    system: { heard: ([a]) => [a, a] },
    plot: { isLiar: true },
  }),
  "takes any used nonce for another program's": () => ({
    system: {
      heard: hearing((word) => (word.taken ? { ...word, taken: { ...word.taken, hash: "unnamed" } } : word)),
    },
    plot: { isTorn: true },
  }),
  "writes a child and its parent's move one after the other": () => ({
    system: { isAtomic: false },
    plot: {},
  }),
  "keeps no record of the child that is out": () => ({
    system: { objection: signing(() => ({ tally: undefined })) },
    plot: fireOrders,
  }),
  "lets fireOrders say which child is dead": () => ({
    system: {
      objection: signing(({ tally, mandate }) => ({
        ended: {
          orderId: mandate.orderId,
          revision: 1,
          expiresAt: mandate.expiresAt,
          dead: tally?.out ? [{ child: tally.out.child, how: "failed", block: 0 }] : [],
        },
      })),
    },
    plot: fireOrders,
  }),
  "fires again without a look of its own": () => ({
    system: {
      family: {
        ...restingSystem.family,
        sightOf: (asked, words) =>
          asked.view.isProvenDead
            ? { is: "dead", outcome: "failed", isProven: true }
            : restingSystem.family.sightOf(asked, words),
      },
    },
    plot: executeOrders,
  }),
  "reads a child's hashes where fireOrders writes": () => ({
    system: { readsSlots: true },
    plot: fireOrders,
  }),
  "signs after a cancellation": () => ({
    system: { objection: signing(() => ({ isCancelled: false })) },
    plot: { ...fireOrders, cancels: true },
  }),
  "signs after a cancellation of all orders": () => ({
    system: { objection: signing(() => ({ cutoffs: {} })) },
    plot: { ...fireOrders, cancels: true },
  }),
  "signs a child that outlives its order": () => ({
    system: {
      objection: signing(({ mandate, child }) => ({
        mandate: { ...mandate, expiresAt: mandate.expiresAt + 10 ** 6 },
        child: { ...child, validUntil: Math.min(child.validUntil, child.createdAt / 1000 + 60) },
      })),
    },
    plot: { ...fireOrders, expires: true },
  }),
  "signs below the worst price": () => ({
    system: { objection: signing(({ child }) => ({ child: { ...child, minAmountOut: 10n ** 9n } })) },
    plot: fireOrders,
  }),
  "signs above the amount": () => ({
    system: { objection: signing(({ child }) => ({ child: { ...child, amount: 1n } })) },
    plot: fireOrders,
  }),
  "asks for no earlier block": () => ({
    system: {
      heardPrices: pricing(({ out = 0n, ...word }, distances) => ({
        ...word,
        out,
        before: new Map(distances.map((distance) => [distance, out])),
      })),
    },
    plot: {},
  }),
  "signs a slice before its time": () => ({
    system: {
      objection: signing(({ mandate }) => ({
        mandate: { ...mandate, createdAt: mandate.createdAt - (mandate.slices ? 120_000 : 0) },
      })),
    },
    plot: { ...fireOrders, slices: true },
  }),
  "signs a slice again": () => ({
    system: {
      objection: signing(({ tally }) => ({ tally: tally && { ...tally, slices: [] } })),
    },
    plot: { ...fireOrders, slices: true },
  }),
  "raises a mark by a push of one block": () => ({
    system: {
      heardPrices: pricing(({ out = 0n, ...word }, distances) => ({
        ...word,
        out,
        before: new Map(
          distances.map((distance) => [distance, out > 1_000_000n ? out : (word.before.get(distance) ?? 0n)]),
        ),
      })),
    },
    plot: { trails: true },
  }),
  "forgets a rise of the mark": () => ({
    system: {
      view: ({ order, ...view }) => ({
        ...view,
        order: { ...order, ...(order.mark && { mark: { ...order.mark, price: startMark } }) },
      }),
    },
    plot: { trails: true },
  }),
  "trusts one host about a price": () => ({
    system: { heardPrices: ([a]) => [a, a] },
    plot: { isLiar: true },
  }),
  "fires by a look of long ago": () => ({
    system: { heardPrices: pricing((word) => ({ ...word, head: { ...word.head, time: 10 ** 12 } })) },
    plot: {},
  }),
  "fires what a restored table has at rest": () => ({
    system: { view: (view) => ({ ...view, end: { ...view.end, isVoid: false } }) },
    plot: { restores: true },
  }),
  "settles an order with the proof of its child's death": () => ({
    system: { view: settling(({ order }) => order.state !== "filled") },
    plot: { cancels: true },
  }),
  "signs an exit whose buy was never signed": () => ({
    system: { objection: signing(() => ({ hasBought: true })) },
    plot: { ...fireOrders, exits: true },
  }),
  "prices an exit by the quote of its buy": () => ({
    system: { heardBought: (byHosts) => byHosts && { ...byHosts, spent: 1_000_002n } },
    plot: { exits: true },
  }),
  "trusts executeOrders about what a buy has brought": () => ({
    system: { heardBought: (byHosts, written) => byHosts && { ...written, block: byHosts.block } },
    plot: { ...executeOrders, exits: true },
  }),
  "keeps the prices of a fill that a reorganisation has moved": () => ({
    system: {
      heardBought: (byHosts) => byHosts && { ...byHosts, block: "b" },
      family: {
        ...restingSystem.family,
        sightOf: (asked, words) => {
          const sight = restingSystem.family.sightOf(asked, words);
          return sight.is === "filled" ? { ...sight, block: "b" } : sight;
        },
      },
    },
    plot: { exits: true, forks: true },
  }),
  "lets an exit rest at once": () => ({
    system: {
      family: {
        ...restingSystem.family,
        sightOf: (asked, words) =>
          asked.child.n === 0 ? { is: "filled" } : restingSystem.family.sightOf(asked, words),
      },
      heardBought: (_, written) => written,
      view: withBuy(({ view }) => ({
        view: {
          ...view,
          hasEnded: true,
          yields: false,
          isRefused: false,
          isProvenDead: false,
          signed: { swap: { nonce: 0, deadline: 0, swaps: [], clears: [] }, deadline: 0 },
        },
        isFilled: true,
      })),
    },
    plot: { exits: true },
  }),
  "lets an exit rest whose stop would sell at once": () => ({
    system: {
      heardBirth: (words) => each(words, (word) => ({ ...word, out: word.out && 2n * word.out })),
    },
    plot: { exits: true },
  }),
  "counts a leg's swaps for life": () => ({
    system: { objection: countsForever() },
    plot: { hovers: true },
  }),
  "lets a stop pay for what a limit has spent": () => ({
    system: {
      objection: signing(({ tally }) => ({
        tally: tally && {
          ...tally,
          fees: { limit: tally.fees.limit, stop: tally.fees.limit + tally.fees.stop },
        },
      })),
    },
    plot: { hovers: true, fees: 40n },
  }),
  "takes a fill for lasting": () => ({
    system: { view: settling(({ order }) => order.state === "filled") },
    plot: {},
  }),
};
