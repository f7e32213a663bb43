import { isDeepStrictEqual } from "node:util";
import { isTooClose } from "../../../../lib/orders/resting/exits/entry.ts";
import type { RestingOrder } from "../../../../lib/orders/resting/life.ts";
import {
  budgetOf,
  type ChildTerms,
  classOf,
  hasStop,
  type Leg,
  type LegClass,
  type Mandate,
} from "../../../../lib/orders/resting/mandate.ts";
import { floorOf, isAbove, isCrossed } from "../../../../lib/orders/resting/prices.ts";
import { amountOfChild, fillIdOf } from "../../../../lib/orders/resting/slices.ts";
import type { PriceWord } from "../../../../lib/orders/resting/touch.ts";
import { pricedLeg, pricedLegs } from "../../../../lib/orders/resting/trailing.ts";
import { must } from "../violation.ts";
import type { Fill } from "./resting-chain.ts";

/** A function that is taken over, with all its rights. */
export type Intruder = "fireOrders" | "executeOrders" | undefined;

/** An order in a wallet's lane: a child, or a market order. */
export type LaneJob = {
  orderId: string;
  wallet: string;
  child?: ChildTerms;
  kind: LegClass | "market";
  createdAt: number;
  validUntil: number;
  amount: bigint;
  minAmountOut: bigint;
  hasEnded: boolean;
  isSettled: boolean;
  yields: boolean;
  isCancelling: boolean;
};

/** Time for which a price must hold on a chain before a leg fires. */
export type Looks = {
  /** Distances from the head at which the price must have been reached, too. */
  back: Readonly<Record<LegClass, readonly number[]>>;
  mostAgeSeconds: number;
  /** Number of readings of a leg of an order with a stop, and the time over which they are made. */
  readings: Readonly<Record<LegClass, { n: number; ms: number }>>;
};

/** The part of a world that the checks look at. */
type Checked = {
  readonly intruder: Intruder;
  readonly parents: ReadonlyMap<string, RestingOrder>;
  readonly jobs: ReadonlyMap<string, LaneJob>;
  readonly cancelled: ReadonlySet<string>;
  readonly cancelledAll: number;
  readonly nowMs: number;
  readonly seen: Set<string>;
};

const mostInHour = { limit: 12, stop: 60 };

/** Checks what must hold in each history, only from what the chain and the users know. */
export class RestingChecks {
  readonly #world: Checked;
  readonly #mandates = new Map<string, Mandate>();
  /** The newest fill of each order that was ever in a block. */
  readonly #bought = new Map<string, Fill>();
  /** The parent and the leg of each child whose swap was signed. */
  readonly #children = new Map<
    string,
    { parentId: string; leg: number; slice: number | undefined; fillId: string }
  >();
  readonly #signedSlices = new Set<string>();
  readonly #swaps: { parentId: string; orderId: string; kind: LegClass; hour: number }[] = [];
  /** Answers of the honest host about each amount, newest last. Each order has an amount of its own. */
  readonly #prices = new Map<bigint, { word: PriceWord; atMs: number }[]>();
  readonly #chain: { fills(): Fill[] };
  readonly #looks: Looks;

  constructor(world: Checked, chain: { fills(): Fill[] }, looks: Looks) {
    this.#world = world;
    this.#chain = chain;
    this.#looks = looks;
  }

  noteMandate(mandate: Mandate): void {
    this.#mandates.set(mandate.orderId, mandate);
  }

  isGenuine(mandate: Mandate): boolean {
    return isDeepStrictEqual(this.#mandates.get(mandate.orderId), mandate);
  }

  notePrices(amount: bigint, word: PriceWord | undefined): void {
    const known = this.#prices.get(amount) ?? [];
    if (word !== undefined)
      this.#prices.set(amount, [...known.slice(-60), { word, atMs: this.#world.nowMs }]);
  }

  /** No leg fires that an honest host would not fire, at the head and over the look-back. */
  beforeFiring(run: { nowMs: number }, order: RestingOrder, legAt: number, amount: bigint): void {
    const { mandate } = order;
    const leg = pricedLeg(order, legAt);
    const { back, mostAgeSeconds, readings } = this.#looks;
    const { n, ms } = hasStop(mandate) ? readings[leg.kind] : { n: 1, ms: 0 };
    const distances = leg.kind === "stop" || hasStop(mandate) ? back[leg.kind] : [];
    const honest = this.#honestly(amount, distances, (out) => isCrossed(mandate.side, leg, amount, out));
    const isFresh = honest.some(({ word }) => run.nowMs / 1000 - word.head.time <= mostAgeSeconds);
    must(isFresh, `a ${leg.kind} fires although an honest host has not seen its price long enough`);
    const times = honest.map(({ atMs }) => atMs);
    const isLong = times.length >= n && Math.max(...times) - Math.min(...times) >= ms;
    must(isLong, `a ${leg.kind} fires after too few readings`);
    this.#world.seen.add(`fire: ${mandate.legs[legAt]?.kind}`);
    if (mandate.exit === undefined || this.#world.intruder === "fireOrders") return;
    const bought = this.#bought.get(mandate.exit.of);
    must(bought !== undefined, "an exit fires whose buy has never filled");
    const { spent, received } = order.entry ?? {};
    must(
      spent === bought?.out && received === bought?.amount,
      "an exit fires at another price than its buy's",
    );
  }

  /** Returns the answers of the honest host whose outputs all pass a test. */
  #honestly(amount: bigint, distances: readonly number[], isTrue: (out: bigint) => boolean) {
    return (this.#prices.get(amount) ?? []).filter(({ word: { out, before } }) =>
      [out, ...distances.map((each) => before.get(each))].every((each) => each !== undefined && isTrue(each)),
    );
  }

  /** A mark never falls, and rises only as far as an honest host has seen the price at all samples. */
  #afterMark({ mandate, entry, mark: old }: RestingOrder, { mark }: RestingOrder): void {
    if (old === undefined || mark === undefined || isDeepStrictEqual(old, mark)) return;
    const { coins, tokens } = mark.price;
    must(isAbove(mark.price, old.price), "a mark falls");
    const { back, readings } = this.#looks;
    const amount = entry?.amount ?? mandate.amount;
    const honest = this.#honestly(amount, back.stop, (out) => out * tokens >= coins * amount);
    const times = honest.map(({ atMs }) => atMs).filter((atMs) => this.#world.nowMs - atMs < 60_000);
    const isLong =
      times.length >= readings.stop.n && Math.max(...times) - Math.min(...times) >= readings.stop.ms;
    must(isLong, "a mark rises above what an honest host has seen");
    must(mark.sinceMs - old.sinceMs >= 15_000, "a mark rises too often");
    this.#world.seen.add("mark");
  }

  /** An exit rests at birth if an honest host says that none of its stops would sell at once, and only then. */
  #afterBirth({ state: before }: RestingOrder, after: RestingOrder): void {
    const { mandate, entry, state } = after;
    if (before !== "pending" || entry === undefined || state === "done") return;
    const { amount } = entry;
    const trails = mandate.legs.some(({ kind }) => kind === "trailing");
    const isClose = (out: bigint) => !trails && pricedLegs(after).some((leg) => isTooClose(leg, amount, out));
    const honest = this.#honestly(amount, [], (out) => isClose(out) === (state === "suspended"));
    const isRight = honest.some(({ atMs }) => this.#world.nowMs - atMs < 60_000);
    must(isRight, "an exit rests whose stop would sell at once, or the other way round");
    this.#world.seen.add(`birth: ${state}`);
  }

  /** True if all children of a parent have settled. */
  areSettled(parentId: string): boolean {
    const own = [...this.#world.jobs.values()].filter(({ child }) => child?.parent.orderId === parentId);
    return own.every(({ isSettled }) => isSettled);
  }

  /** A firing parent has a child that exists, and a parent is done only after its children. */
  afterMove(before: RestingOrder, after: RestingOrder): void {
    must(before.state !== "done", "an order moves after its end");
    this.#afterMark(before, after);
    this.#afterBirth(before, after);
    const isUnderWay = after.state === "firing" || after.state === "filled";
    // The children of slices that have filled are known from their jobs.
    const isSliced = after.mandate.slices !== undefined;
    must(isUnderWay || after.out.length === 0, "a state has a child");
    must(!isUnderWay || isSliced || after.out.length > 0, "a state has no child");
    if (this.#world.intruder === undefined)
      for (const { orderId } of after.out) must(this.#world.jobs.has(orderId), "a parent names no child");
    must(
      after.state !== "done" || this.areSettled(after.mandate.orderId),
      "an order is done although a child has not settled",
    );
  }

  /** Nothing is signed after a cancellation, above a budget or too often. */
  afterSignature({ orderId, parent }: ChildTerms, { amount }: { amount: bigint }): void {
    const { cancelled, cancelledAll, nowMs } = this.#world;
    const mandate = this.#mandates.get(parent.orderId);
    const leg = mandate?.legs[parent.leg];
    if (mandate === undefined || leg === undefined) throw new Error("A child of no mandate is signed");
    must(!cancelled.has(mandate.orderId), "a child is signed after its parent's cancellation");
    must(cancelledAll < mandate.createdAt, "a child is signed after the cancellation of all orders");
    const { slice } = parent;
    must(amount <= amountOfChild(mandate, slice), "a child spends more than its mandate");
    if (this.#children.has(orderId)) return;
    const fillId = fillIdOf({ orderId: mandate.orderId, slice });
    if (mandate.slices !== undefined) {
      const { count, everySeconds } = mandate.slices;
      must(slice !== undefined && slice >= 1 && slice <= count, "a child is of no slice");
      const dueMs = Math.ceil(mandate.createdAt / 1000) * 1000 + ((slice ?? 0) - 1) * everySeconds * 1000;
      must(nowMs >= dueMs, "a slice is signed early");
      must(!this.#signedSlices.has(fillId), "a slice is signed twice");
      this.#signedSlices.add(fillId);
    }
    this.#children.set(orderId, { parentId: mandate.orderId, leg: parent.leg, slice, fillId });
    const hour = Math.floor(nowMs / 3_600_000);
    const kind = classOf(leg);
    this.#swaps.push({ parentId: mandate.orderId, orderId, kind, hour });
    const same = this.#swaps.filter((each) => each.parentId === mandate.orderId && each.kind === kind);
    const isOften = same.filter((each) => each.hour === hour).length > mostInHour[kind];
    must(mandate.slices !== undefined || !isOften, "a leg fires too often");
    must(BigInt(same.length) * 10n <= budgetOf(mandate, kind), "the fees are above the mandate's");
  }

  /** A parent fills once, by its leg's price, within its amount and its time. */
  afterBlock(): void {
    const filled = new Set<string>();
    for (const fill of this.#chain.fills()) {
      const { orderId, amount, out, time } = fill;
      this.#bought.set(orderId, fill);
      const child = this.#children.get(orderId);
      if (child === undefined) continue;
      const mandate = this.#mandates.get(child.parentId) as Mandate;
      must(!filled.has(child.fillId), "a resting order fills twice");
      filled.add(child.fillId);
      must(amount <= amountOfChild(mandate, child.slice), "a resting order fills above its amount");
      must(
        out >= floorOf(mandate.side, mandate.legs[child.leg] as Leg, amount),
        "a fill is below its leg's price",
      );
      must(time <= mandate.expiresAt, "a resting order fills after its expiry");
    }
  }

  /** All that the children of a leg pay the network stays within the mandate's budget. */
  afterFees(paid: readonly { orderId: string; fee: bigint }[]): void {
    const sums = new Map<Mandate, Record<LegClass, bigint>>();
    for (const { orderId, fee } of paid) {
      const { parentId = "", leg = 0 } = this.#children.get(orderId) ?? {};
      const mandate = this.#mandates.get(parentId);
      if (mandate === undefined) continue;
      const kind = classOf(mandate.legs[leg] as Leg);
      const known = sums.get(mandate) ?? { limit: 0n, stop: 0n };
      sums.set(mandate, { ...known, [kind]: known[kind] + fee });
      must(known[kind] + fee <= budgetOf(mandate, kind), "children have paid more than their budget");
    }
  }

  /** Each child that the lane works on is known to its parent. */
  afterStep(): void {
    if (this.#world.intruder !== undefined) return;
    for (const { orderId, child } of this.#world.jobs.values()) {
      const parent = child && this.#world.parents.get(child.parent.orderId);
      if (parent === undefined || child === undefined) continue;
      const isKnown = parent.n > child.parent.n || parent.firings.some((each) => each.orderId === orderId);
      must(isKnown, "a child exists that its parent does not know");
    }
  }

  /** Each order has ended, and its record agrees with the chain. */
  atEnd(): void {
    const fills = this.#chain.fills().map(({ orderId }) => this.#children.get(orderId)?.parentId);
    const filled = new Set(fills);
    for (const { mandate, state, filled: child, end, firings } of this.#world.parents.values()) {
      const { orderId } = mandate;
      must(state === "done", `${orderId} does not come to its end but is ${state}`);
      must(end?.reasonCode !== "MANDATE_VOID", `${orderId} ends although it could fill`);
      if (mandate.slices !== undefined) {
        const known = firings.filter(({ outcome }) => outcome === "filled").length;
        must(
          known === fills.filter((each) => each === orderId).length,
          "a record has other slices than the chain",
        );
        must((end === undefined) === (known === mandate.slices.count), "an order ends with a wrong status");
        continue;
      }
      must(filled.has(orderId) === (child !== undefined), "a record differs from the chain");
      must((end !== undefined) === !filled.has(orderId), "an order has ended without a fill or a reason");
    }
  }
}
