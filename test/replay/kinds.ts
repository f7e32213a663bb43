import type { ChainName } from "trading-terminal-devnet/chain-facts";
import { type Asked, type AskedLeg, type LegOf, numberOf } from "./asked.ts";
import type { Look } from "./look-back.ts";
import { markBounds } from "./mark-bounds.ts";
import type { Circumstances, Point } from "./points.ts";
import type { Side } from "./pools.ts";

/** Whether a leg has to fire at a point, may fire, or must not. */
export type Sight = "must" | "may" | "no";

/** The rules of a kind of leg. */
type Kind<Leg> = {
  /** Seconds for which a price must have been reached until the leg has to fire. */
  dueSeconds: (chain: ChainName) => number;
  /** How long a price must have been reached before the leg may fire. */
  look: Look;
  sights: (leg: Leg, of: Circumstances) => Sight[];
};

/**
 * How far the price must pass a leg's own for the leg to fire for certain, because routes are also chosen by their
 * network fees, and for it to fire at all, with a tolerance for the arithmetic here.
 */
const margins = { limit: { must: 0.005, may: 0.0009 }, stop: { must: 0.002, may: -0.0001 } };

/** Share of its worst price that a sale must bring to fill for certain. Others that fire at once take a part of it. */
const certainlyAbove = 1.02;

const isAbove = (side: Side, price: number, worst: number): boolean =>
  side === "sell" ? price >= worst * certainlyAbove : price <= worst / certainlyAbove;

/** Judges each point by how far the price is beyond the leg's, as a share. */
const sightsBy = (
  points: readonly Point[],
  margin: (typeof margins)["limit"],
  beyond: (price: number, index: number) => { must: number; may: number },
): Sight[] =>
  points.map(({ price }, index) => {
    if (price === undefined) return "no";
    const { must, may } = beyond(price, index);
    return must >= margin.must ? "must" : may >= margin.may ? "may" : "no";
  });

/** Excuses a sale from firing below its worst price. */
const aboveWorst = (
  { asked: { side }, points }: Circumstances,
  worst: number,
  sights: readonly Sight[],
): Sight[] =>
  sights.map((sight, index) => {
    const { price = 0 } = points[index] ?? {};
    return sight === "must" && !isAbove(side, price, worst) ? "may" : sight;
  });

/**
 * Share of the first trigger that a trailing stop sells for by default, and how far slices may trade beyond a quote.
 */
const usualWorst = { trailing: 0.8, slice: 0.3 };

/** Milliseconds before and after an order's time in which its placing sees a price. A busy machine places slowly. */
const placingMs = { before: 4000, after: 15_000 };

/** Returns the lowest and highest price around the placing of an order. */
export function firstPrices({ asked, points }: Circumstances): { least: number; most: number } | undefined {
  const near = points.flatMap(({ atMs, price }) =>
    price !== undefined &&
    atMs >= asked.createdAtMs - placingMs.before &&
    atMs <= asked.createdAtMs + placingMs.after
      ? [price]
      : [],
  );
  return near.length === 0 ? undefined : { least: Math.min(...near), most: Math.max(...near) };
}

const stopSeconds = (chain: ChainName) => (chain === "eth" ? 60 : 30);

const kinds: { [Name in AskedLeg["kind"]]: Kind<LegOf<Name>> } = {
  limit: {
    dueSeconds: () => 10,
    look: "none",
    sights: ({ at }, { asked: { side }, points }) =>
      sightsBy(points, margins.limit, (price) => {
        const ratio = price / numberOf(at);
        const beyond = side === "sell" ? ratio - 1 : 1 - ratio;
        return { must: beyond, may: beyond };
      }),
  },
  stop: {
    dueSeconds: stopSeconds,
    look: "long",
    sights({ at, worst }, of) {
      const sights = sightsBy(of.points, margins.stop, (price) => {
        const beyond = 1 - price / numberOf(at);
        return { must: beyond, may: beyond };
      });
      return aboveWorst(of, worst === undefined ? 0 : numberOf(worst), sights);
    },
  },
  trailing: {
    dueSeconds: stopSeconds,
    look: "long",
    sights({ trail, worst }, of) {
      const first = firstPrices(of);
      const marks = markBounds(first, trail, of);
      const sights = sightsBy(of.points, margins.stop, (price, index) => {
        const { least, most } = marks[index] as { least: number; most: number };
        return { must: 1 - price / (least * (1 - trail)), may: 1 - price / (most * (1 - trail)) };
      });
      const usual = usualWorst.trailing * (1 - trail) * (first?.most ?? Number.POSITIVE_INFINITY);
      return aboveWorst(of, worst === undefined ? usual : numberOf(worst), sights);
    },
  },
  slice: {
    dueSeconds: () => 10,
    look: "none",
    sights({ fromMs, toMs, worst }, of) {
      const first = firstPrices(of);
      const { side } = of.asked;
      const usual =
        side === "sell"
          ? (1 - usualWorst.slice) * (first?.most ?? Number.POSITIVE_INFINITY)
          : (1 + usualWorst.slice) * (first?.least ?? 0);
      const sights = of.points.map(({ atMs, price }): Sight => {
        const isIn = price !== undefined && atMs >= fromMs && atMs < toMs;
        return isIn ? "must" : "no";
      });
      return aboveWorst(of, worst === undefined ? usual : numberOf(worst), sights);
    },
  },
};

/** Finds the rules of a leg. */
export const kindOf = ({ kind }: Pick<AskedLeg, "kind">): Kind<AskedLeg> => kinds[kind] as Kind<AskedLeg>;

/** Returns the look-back of a leg. A limit has one only if it is paired with a stop. */
export const lookOf = ({ legs }: Pick<Asked, "legs">, leg: AskedLeg): Look => {
  const { look } = kindOf(leg);
  const hasStop = legs.some((each) => kindOf(each).look === "long");
  return look === "none" && leg.kind === "limit" && hasStop ? "short" : look;
};
