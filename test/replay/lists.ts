import type { Asked, AskedLeg } from "./asked.ts";
import { kindOf, lookOf, type Sight } from "./kinds.ts";
import { hasHeld } from "./look-back.ts";
import { type Circumstances, type Period, type Point, pointsOf } from "./points.ts";
import type { PriceRecord } from "./pools.ts";

/** A time in which a leg's price was reached without a break. It had to fire by a time, unless the price left again. */
export type Due = Period & { byMs: number };

/** A firing, as far as the judge needs it. */
export type Firing = { block: number; atMs: number };

/** What had to happen to a leg, and what was allowed, judged only by its user's request and the recorded blocks. */
export type Verdict = {
  leg: AskedLeg;
  due: readonly Due[];
  /** Names the objection to a firing. Undefined if its blocks are not known. */
  objectionTo: (firing: Firing) => Objection | "none" | undefined;
};

export type Objection = "out of time" | "unreached" | "too short" | "too old";

/** Milliseconds from a look at a price to the order that it fires, on a busy machine. */
const firingMs = 10_000;

/** Age in milliseconds from which a head fires nothing, with the time from the look at it to the order. */
const mostHeadMs = ({ chain }: Asked) => 1000 * (chain === "eth" ? 36 : 15) + firingMs;

/** Milliseconds without a record after which a price counts as unknown. Nothing fires by an old head. */
const mostGapMs = 5000;

/**
 * Lists what each leg of an order had to do.
 *
 * @param records States of the order's chain, oldest first.
 * @param faults Times in which the service may be late.
 */
export const listsOf = (
  asked: Asked,
  records: readonly PriceRecord[],
  faults: readonly Period[],
): Verdict[] =>
  asked.legs.map((leg): Verdict => {
    const points = pointsOf(asked, leg.amount, records);
    const sights = kindOf(leg).sights(leg, { asked, points, faults } satisfies Circumstances);
    const seen = points.map((point, index) => ({ ...point, sight: sights[index] as Sight }));
    const look = lookOf(asked, leg);
    const isOk = ({ sight }: { sight: Sight }) => sight !== "no";
    return {
      leg,
      due: dueOf(asked, leg, seen),
      objectionTo({ block, atMs }) {
        if (leg.kind === "slice")
          return atMs < leg.fromMs || atMs > leg.toMs + firingMs ? "out of time" : "none";
        const head = seen.findLast(({ number }) => number === block);
        if (head !== undefined && atMs - head.atMs > mostHeadMs(asked)) return "too old";
        const held = hasHeld(asked, seen, { block, look, isOk });
        return held === "yes" ? "none" : held === "no" ? "unreached" : held;
      },
    };
  });

/** Lists the times in which a leg's price was reached without a break while the order rested. */
function dueOf(asked: Asked, leg: AskedLeg, seen: readonly (Point & { sight: Sight })[]): Due[] {
  const { createdAtMs, expiresAtMs, cancelledAtMs = expiresAtMs, chain } = asked;
  const endMs = Math.min(expiresAtMs, cancelledAtMs);
  const found: Due[] = [];
  let open: Due | undefined;
  for (const [index, { atMs, sight }] of seen.entries()) {
    const nextMs = seen[index + 1]?.atMs ?? atMs;
    if (nextMs <= createdAtMs) continue;
    if (atMs >= endMs) break;
    if (nextMs - atMs > mostGapMs || sight !== "must") {
      open = undefined;
      continue;
    }
    if (open === undefined) {
      const fromMs = Math.max(atMs, createdAtMs);
      open = { fromMs, toMs: 0, byMs: fromMs + 1000 * kindOf(leg).dueSeconds(chain) };
      found.push(open);
    }
    open.toMs = Math.min(nextMs, endMs);
  }
  return found;
}
