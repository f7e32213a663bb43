import { RecentMap } from "../../core/recent-map.ts";
import type { Order } from "../execution.ts";
import { classOf, isStop, type LegClass, type PricedLeg } from "./mandate.ts";
import { type Ratio, worstOf } from "./prices.ts";
import { distanceTo, type Rung, rungsFor } from "./reach.ts";
import type { Trigger } from "./stored.ts";
import { triggerTimes } from "./times.ts";
import type { DueOrder } from "./turns.ts";

/** The answer of fireOrders about an order. */
export type FireWord = {
  state: "out" | "rest";
  askAgainMs: number;
  /** Time after which an exit is looked at again, whatever the price. */
  lookAgainMs?: number | undefined;
};

/** How much further than its pools' prices a token's price may move, as a natural logarithm. */
const margin = 0.02;

/** Number of hand-overs of a reached stop before the pauses between them grow. The price must have held for a while. */
const steadyTries = 10;

/** Fall of a reached stop's price, as a natural logarithm, after which the stop is handed over again. */
const newLow = 0.001;

/** Number of times that the pause doubles while fireOrders does not answer. */
const mostMissDoublings = 3;

/** Time after which a leg that is reached again counts as newly reached. */
const forgetMs = 60_000;

/** Number of times a day that a user's limits may fire before they are handed over only every five minutes. */
const mostLimitsADay = 200;
const dayMs = 86_400_000;
const mostUsers = 20_000;

type LegWatch = {
  /** Distance from the price. Undefined until it is known. */
  distance?: number;
  /** Time since which the leg is reached. */
  sinceMs?: number | undefined;
  lastMs: number;
  /** Level of the price at which the tries began. */
  level: number;
  tries: number;
  /** Number of hand-overs in a row without an answer. */
  misses: number;
  nextMs: number;
};

const newWatch = (nextMs = 0): LegWatch => ({
  lastMs: 0,
  level: Number.POSITIVE_INFINITY,
  tries: 0,
  misses: 0,
  nextMs,
});

type Hint = Trigger["legs"][number];

type Watched = {
  row: Trigger;
  legs: LegWatch[];
  nextMs: number;
  /** State in which it is being handed over. Undefined if it is not being handed over. */
  underWayAs?: Trigger["state"] | undefined;
};

/** Resting amounts of one token and side. */
export type WatchedSide = { side: Order["side"]; token: string; amounts: readonly bigint[] };

/** Knows which resting orders of a chain are due to be handed over to fireOrders. It decides nothing else. */
export class WatchedOrders {
  /** The tokens of resting orders, by side, with the amounts to quote. */
  sides: readonly WatchedSide[] = [];
  #orders = new Map<string, Watched>();
  /** The resting orders of each token and side. */
  #resting = new Map<string, Watched[]>();
  readonly #limits = new RecentMap<string, { day: number; count: number }>(mostUsers);

  /** Takes the rows that were read last. */
  take(rows: readonly Trigger[], nowMs: number): void {
    const known = this.#orders;
    const watch = (row: Trigger): Watched => {
      const old = known.get(row.orderId);
      const legs = old?.legs ?? row.legs.map(() => newWatch());
      if (old === undefined) return { row, legs, nextMs: nowMs };
      for (const [index, leg] of row.legs.entries())
        if (!isSamePrice(leg, old.row.legs[index]))
          legs[index] = newWatch(isOfMark(leg) ? nowMs + triggerTimes.markMs.first : 0);
      return Object.assign(old, { row, nextMs: old.row.state === row.state ? old.nextMs : nowMs });
    };
    this.#orders = new Map(rows.map((row) => [row.orderId, watch(row)]));
    this.#resting = Map.groupBy(
      [...this.#orders.values()].filter(({ row }) => row.state === "resting" && row.legs.length > 0),
      ({ row: { side, token } }) => `${side} ${token}`,
    );
    this.sides = [...this.#resting.values()].map((watched) => {
      const { side, token } = (watched[0] as Watched).row;
      return { side, token, amounts: rungsFor(watched.map(({ row }) => row.amount)) };
    });
  }

  /** True if quotes of a token and side have to be noted for a new order. */
  hasNew({ side, token }: WatchedSide): boolean {
    return this.#of(side, token).some(({ legs }) => legs.some(({ distance }) => distance === undefined));
  }

  /**
   * True if a leg may be reached and has to be handed over. A mark has time until the next quotes.
   *
   * @param change How far the prices of the token's pools have moved since the last quotes, as a natural logarithm.
   */
  isNear({ side, token }: WatchedSide, change: number, nowMs: number): boolean {
    return this.#of(side, token).some(({ row, legs }) =>
      legs.some(
        ({ distance = 0, nextMs }, at) =>
          (nextMs <= nowMs || change > margin) && distance <= change + (isOfMark(row.legs[at]) ? 0 : margin),
      ),
    );
  }

  /** Notes quotes of a token and side. */
  note({ side, token }: WatchedSide, rungs: readonly Rung[], nowMs: number): void {
    const level = levelOf(rungs);
    for (const { row, legs } of this.#of(side, token)) {
      for (const [index, leg] of row.legs.entries()) {
        const watch = legs[index] as LegWatch;
        watch.distance = distanceTo(side, leg, row.amount, rungs);
        const isReached = watch.distance === 0;
        // A price at which the order did not fire says nothing about another one.
        const moved = level - watch.level;
        const isOther = Math.abs(moved) > margin || (isStop(leg) && moved < -newLow);
        const isNew = nowMs - watch.lastMs > forgetMs || isOther;
        if (isReached && isNew)
          Object.assign(watch, { level, tries: 0, ...(watch.tries > 0 && { nextMs: nowMs }) });
        watch.sinceMs = isReached ? (watch.sinceMs ?? nowMs) : undefined;
        if (isReached) watch.lastMs = nowMs;
      }
    }
  }

  /** Lists the orders that are due: those with a reached leg, with a child that may have an outcome, or past their end. */
  due(nowMs: number): DueOrder[] {
    const due: DueOrder[] = [];
    for (const watched of this.#orders.values()) {
      const isUnderWay = watched.underWayAs !== undefined;
      const sinceMs = isUnderWay || this.#waits(watched) ? undefined : dueSince(watched, nowMs);
      if (sinceMs === undefined) continue;
      const { chain, token, orderId, userID, wallet } = watched.row;
      const asks = asksOf(watched.row);
      due.push({ chain, token, orderId, userID, wallet, sinceMs, purpose: purposeOf(watched), asks });
    }
    return due;
  }

  /** True if an order has a stop. */
  hasStop(orderId: string): boolean {
    return this.#orders.get(orderId)?.row.legs.some(isStop) ?? false;
  }

  /** Notes that an order is handed over. */
  begin(orderId: string): void {
    const watched = this.#orders.get(orderId);
    if (watched !== undefined) watched.underWayAs = watched.row.state;
  }

  /** Notes the answer about an order. Undefined if fireOrders gave none. */
  end(orderId: string, word: FireWord | undefined, nowMs: number): void {
    const watched = this.#orders.get(orderId);
    if (watched === undefined) return;
    const {
      state,
      askAgainMs,
      lookAgainMs = askAgainMs,
    }: FireWord = word ?? { state: "rest", askAgainMs: triggerTimes.handOverMs.first };
    // An answer says nothing about an order that another run has moved in the meantime.
    const { underWayAs = watched.row.state } = watched;
    watched.underWayAs = undefined;
    watched.nextMs = underWayAs === watched.row.state ? nowMs + lookAgainMs : nowMs;
    // A look at a child says nothing about legs, and does not count as another firing.
    if (watched.row.state !== "resting") return;
    for (const [index, leg] of watched.legs.entries()) {
      if (leg.sinceMs === undefined) continue;
      const ofRow = watched.row.legs[index] as Hint;
      // A shorter time asks for a further reading, which must not be late.
      const isReading = state === "rest" && askAgainMs < triggerTimes.handOverMs.first;
      leg.misses = word === undefined ? leg.misses + 1 : 0;
      if (state === "out") leg.tries = 0;
      else if (word !== undefined && !isReading) leg.tries++;
      const pauseMs =
        state === "out" && !isOfMark(ofRow)
          ? this.#pauseAfterFiring(watched.row, classOf(ofRow), nowMs)
          : pauseOf(ofRow, leg);
      leg.nextMs = nowMs + (isReading ? askAgainMs : Math.max(askAgainMs, pauseMs));
    }
  }

  /** True if the buy of an exit rests, so that it has no outcome yet. */
  #waits({ row: { state, exitOf = "" } }: Watched): boolean {
    return state === "pending" && this.#orders.get(exitOf)?.row.state === "resting";
  }

  #of(side: Order["side"], token: string): readonly Watched[] {
    return this.#resting.get(`${side} ${token}`) ?? [];
  }

  #pauseAfterFiring({ userID }: Trigger, legClass: LegClass, nowMs: number): number {
    if (legClass === "stop") return 0;
    const day = Math.floor(nowMs / dayMs);
    const known = this.#limits.get(userID);
    const count = known?.day === day ? known.count + 1 : 1;
    this.#limits.set(userID, { day, count });
    return count > mostLimitsADay ? triggerTimes.handOverMs.most : 0;
  }
}

/** True for the price at which the mark of a trailing stop may rise. */
const isOfMark = (hint: Hint | undefined): boolean => hint?.kind === "limit" && hint.isOfMark === true;

/** Returns the logarithm of the price of the smallest amount that trades, or 0 without one. */
function levelOf(rungs: readonly Rung[]): number {
  const { amount, out = 0n } = rungs.find((rung) => rung.out) ?? { amount: 0n };
  return out === 0n ? 0 : Math.log(Number(out) / Number(amount));
}

const isSamePrice = (a: PricedLeg, b: PricedLeg | undefined): boolean => {
  const [own, other] = [watchedPrice(a), b && watchedPrice(b)];
  return own.coins === other?.coins && own.tokens === other.tokens;
};

const watchedPrice = (leg: PricedLeg): Ratio => (leg.kind === "limit" ? leg.price : leg.trigger);

/** Sales ask least at the lowest price, and buys at the highest. */
function asksOf({ side, legs }: Trigger): number {
  const prices = legs.map((leg) => {
    const { coins, tokens } = worstOf(leg);
    return Number(coins) / Number(tokens);
  });
  return side === "sell" ? Math.min(...prices) : -Math.max(...prices);
}

/** Returns the time since which an order is due. Makes no lists, because it runs for each order many times a second. */
function dueSince({ row, legs, nextMs }: Watched, nowMs: number): number | undefined {
  const isOver = row.state !== "resting" || nowMs >= row.restsUntil * 1000;
  if (nextMs <= nowMs && (isOver || row.exitOf !== undefined)) return nextMs;
  if (isOver) return undefined;
  if (row.dueAt !== undefined) {
    const dueMs = row.dueAt * 1000;
    return nowMs >= dueMs && nextMs <= nowMs ? dueMs : undefined;
  }
  let first: number | undefined;
  for (const { sinceMs, nextMs } of legs)
    if (sinceMs !== undefined && nextMs <= nowMs && sinceMs < (first ?? Number.POSITIVE_INFINITY))
      first = sinceMs;
  return first;
}

function purposeOf({ row, legs }: Watched): DueOrder["purpose"] {
  const reached = row.legs.filter((_, at) => legs[at]?.sinceMs !== undefined);
  if (row.state !== "resting") return "look";
  if (row.dueAt !== undefined) return "fire";
  if (reached.length === 0) return "check";
  return reached.every(isOfMark) ? "raise" : "fire";
}

function pauseOf(hint: Hint, { tries, misses }: LegWatch): number {
  // A price that holds for a minute always raises a mark, however often one that did not hold has been handed over.
  const { first, most } = isOfMark(hint) ? triggerTimes.markMs : triggerTimes.handOverMs;
  // An outage of fireOrders says nothing about the order, which must not be late when it is over.
  if (misses > 0) return Math.min(most, first * 2 ** Math.min(misses - 1, mostMissDoublings));
  const doublings = Math.max(0, tries - (isStop(hint) ? steadyTries : 1));
  return Math.min(most, first * 2 ** Math.min(doublings, 20));
}
