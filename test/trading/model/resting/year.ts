import { createHash } from "node:crypto";
import { ChainUnavailable } from "../../../../lib/chains/hosts/host-fault.ts";
import { dayOf } from "../../../../lib/core/time.ts";
import { wordOf } from "../../../../lib/orders/resting/hand-over.ts";
import { afterSights, newResting, type RestingOrder } from "../../../../lib/orders/resting/life.ts";
import { type StoredResting, type Trigger, triggerOf } from "../../../../lib/orders/resting/stored.ts";
import { firstMark } from "../../../../lib/orders/resting/trailing.ts";
import { Turns } from "../../../../lib/orders/resting/turns.ts";
import { childrenOn, type DaySpend } from "../../../../lib/orders/wallet-policy.ts";
import { WatchedChain } from "../../../../lib/trading/execution/watched-chain.ts";
import { Random } from "../random.ts";
import { outAtPrice, RestingChain } from "./resting-chain.ts";
import { startSeconds } from "./resting-history.ts";
import { politely, RestingHosts } from "./resting-hosts.ts";
import { type RestingSystem, RestingWorld, restingSystem } from "./resting-world.ts";
import type { MakeSystem } from "./year-mutants.ts";
import { type Outcome, YearObserver } from "./year-observer.ts";
import { nextOrder, nextPlacingMs } from "./year-users.ts";
import { Weather } from "./year-weather.ts";

/** A span of days. It may end with the first fault. */
export type Span = {
  seed: number;
  days: number;
  perDay: number;
  makeSystem?: MakeSystem;
  endsAtFault?: boolean;
};

/** What a span has shown. The digest is of all that happened in it. */
export type YearReport = Pick<YearObserver, "faults" | "counts"> & { digest: string };

const blockMs = 12_000;
const keptBlocks = 40;
/** Blocks for which the functions look again after the last change. */
const awakeBlocks = 6;
/** Time after a fault in which its pauses may still last. */
const recoverMs = 330_000;
/** Milliseconds after a block at which the functions run. */
const rounds = [1000, 5000, 9000];

/** Plays some days of one wallet's resting orders on eth in virtual time. */
export async function playYear(span: Span): Promise<YearReport> {
  const year = new Year(span);
  await year.play(span);
  const { faults, counts } = year.observer;
  return { faults, counts, digest: year.digest };
}

class Year {
  readonly observer = new YearObserver();
  readonly #random: Random;
  readonly #weather: Weather;
  readonly #chain: RestingChain;
  readonly #hosts: RestingHosts;
  readonly #world: RestingWorld;
  readonly #perDay: number;
  readonly #record = createHash("sha256");
  readonly #startMs = startSeconds * 1000;
  #watched: WatchedChain;
  #turns = new Turns();
  /** The orders and rows that the watcher has read last. */
  #rows = new Map<RestingOrder, Trigger>();
  /** Orders as they were when the observer was told last. */
  readonly #told = new Map<string, RestingOrder>();
  readonly #movedMs = new Map<string, number>();
  readonly #cancels = new Map<string, number>();
  #count: DaySpend = { day: "" } as DaySpend;
  #placed = 0;
  #placeMs: number;
  #noted = new Set<string>();
  #recoveredMs = 0;
  #awake = awakeBlocks;

  constructor({ seed, perDay, makeSystem = () => ({}) }: Span) {
    this.#random = new Random(seed);
    this.#perDay = perDay;
    this.#weather = new Weather(this.#random, this.#startMs);
    this.#chain = new RestingChain(this.#random, startSeconds, BigInt(this.#weather.price));
    this.#chain.delays = 0.1;
    this.#hosts = new RestingHosts(this.#random, this.#chain, politely);
    const made = { ...restingSystem, ...makeSystem(() => this.#world.nowMs) };
    this.#world = new RestingWorld(this.#random, this.#chain, this.#hosts, this.#countingDays(made));
    // The observer judges in place of the check that shares code with the service.
    this.#world.checks.beforeFiring = () => undefined;
    this.#watched = this.#startWatcher();
    this.#placeMs = this.#startMs;
  }

  get digest(): string {
    return this.#record.copy().digest("hex");
  }

  #log(...words: readonly (string | number | undefined)[]): void {
    this.#record.update(`${this.#world.nowMs} ${words.join(" ")}\n`);
  }

  /** Lets the signer count the new orders of a day, as it does in the wallet's record. */
  #countingDays(system: RestingSystem): RestingSystem {
    return {
      ...system,
      objection: (facts, nowMs) =>
        system.objection({ ...facts, newOfDay: childrenOn(this.#count, nowMs).newResting }, nowMs),
      tally: (facts, nowMs, givenBack) => {
        const { newResting: known } = childrenOn(this.#count, nowMs);
        const isNew = facts.tally === undefined;
        this.#count = { ...this.#count, day: dayOf(nowMs), newResting: known + Number(isNew) };
        this.observer.signed(facts.mandate.orderId);
        return system.tally(facts, nowMs, givenBack);
      },
    };
  }

  /** A new process of the watcher knows nothing of the earlier one. */
  #startWatcher(): WatchedChain {
    this.#turns = new Turns();
    this.#rows = new Map();
    const blockOf = (host: number) => {
      const sight = this.#hosts.sightOf(host % 2 === 0 ? 0 : 1);
      if (sight === undefined) throw new ChainUnavailable("the host is silent");
      return sight.blocks.at(-1)?.price ?? 1n;
    };
    return new WatchedChain("eth", {
      levels: async (tokens, host) => {
        const level = Math.log(Number(blockOf(host)));
        return new Map(tokens.map((token) => [token, [level]]));
      },
      outs: async ({ amounts }, host) => {
        const price = blockOf(host);
        return amounts.map((amount) => outAtPrice(price, amount));
      },
    });
  }

  async play({ days, endsAtFault = false }: Span): Promise<void> {
    const endMs = this.#startMs + days * 86_400_000;
    while (this.#world.nowMs < endMs && !(endsAtFault && this.observer.faults.length > 0)) {
      this.#passTime();
      const { nowMs } = this.#world;
      const isHalted = this.#weather.isHalted(nowMs);
      const isFaulty = this.#weather.isFaulty(nowMs);
      this.#hosts.manners = isFaulty ? this.#faults() : politely;
      if (!isHalted) this.#mine(isFaulty);
      if (isHalted || isFaulty) this.#recoveredMs = nowMs + recoverMs;
      for (const aheadMs of rounds) {
        this.#world.aheadMs = isHalted ? this.#world.nowMs - this.#chain.head.time * 1000 + 4000 : aheadMs;
        this.#act();
        await this.#round(isFaulty);
        this.#tell();
      }
      const isCalm = this.#world.nowMs > this.#recoveredMs;
      const isLaneFree = this.#world.busy() === undefined;
      const isDue = this.observer.judge(this.#world.nowMs, { isCalm, isLaneFree });
      const isBusy = isDue || isHalted || isFaulty || this.#world.jobs.size > 0 || this.#isUnderWay();
      this.#awake = isBusy ? awakeBlocks : this.#awake - 1;
    }
  }

  #faults() {
    const { isLiar, isTorn } = this.#hosts.manners;
    // Each period of faults has its own kind.
    const isNew = this.#hosts.manners === politely;
    const isLying = isNew ? this.#random.chance(0.5) : isLiar;
    return { isSlow: true, isLiar: isLying, isTorn: isNew ? this.#random.chance(0.5) : isTorn };
  }

  #isUnderWay(): boolean {
    if (this.#world.runs.length > 0) return true;
    for (const { state } of this.#world.parents.values()) if (state !== "resting") return true;
    return false;
  }

  /** Skips the blocks in which nothing happens. */
  #passTime(): void {
    if (this.#awake > 0) return;
    const { head } = this.#chain;
    let nextMs = Math.min(this.#weather.calmUntilMs, this.#placeMs, ...this.#cancels.values());
    for (const { mandate } of this.#world.parents.values())
      nextMs = Math.min(nextMs, mandate.expiresAt * 1000);
    const skipped = Math.floor((nextMs - head.time * 1000) / blockMs) - 2;
    this.#awake = awakeBlocks;
    if (skipped < 16) return;
    const blocks = Array.from({ length: 8 }, (_, at) => {
      const number = head.number + skipped - 7 + at;
      const time = head.time + ((number - head.number) * blockMs) / 1000;
      return { ...head, number, time, hash: `b${number}`, mined: [] };
    });
    this.#chain.pool.splice(0);
    this.#chain.blocks = blocks;
    this.#chain.before = blocks;
    this.#noted = new Set();
    this.#noteBlocks();
  }

  #mine(isFaulty: boolean): void {
    const { nowMs } = this.#world;
    this.#weather.blow(nowMs);
    const price = BigInt(this.#weather.price);
    if (this.#chain.price !== price) this.#awake = awakeBlocks;
    this.#chain.price = price;
    if (isFaulty && this.#random.chance(0.2)) this.#chain.reorganise(1 + this.#random.below(2));
    else this.#chain.mine();
    // After a halt, blocks have the time of the clock again.
    const late = Math.floor(nowMs / 1000) - this.#chain.head.time;
    if (late > 0) {
      const head = { ...this.#chain.head, time: this.#chain.head.time + late };
      this.#chain.blocks = [...this.#chain.blocks.slice(0, -1), head];
    }
    this.#chain.blocks = this.#chain.blocks.slice(-keptBlocks);
    // Hosts leave a replaced fork in the end.
    const isOld = (this.#chain.before.at(-1)?.number ?? 0) < this.#chain.head.number - 10;
    if (isOld) this.#chain.before = this.#chain.blocks;
    this.#world.checks.afterBlock();
    this.#noteBlocks();
  }

  #noteBlocks(): void {
    for (const { number, hash, time, price, mined } of this.#chain.blocks) {
      if (this.#noted.has(hash)) continue;
      this.#noted.add(hash);
      this.observer.block({ number, timeMs: time * 1000, price: Number(price) });
      if (mined.length > 0) this.#log("block", number, hash, Number(price));
      for (const { tx, status, out } of mined) {
        this.#log("mined", tx.hash, tx.kind, tx.orderId, status, Number(out));
        const { parent } = this.#world.jobs.get(tx.orderId)?.child ?? {};
        if (tx.kind !== "swap" || status !== "ok" || parent === undefined) continue;
        const name = this.#nameOf(parent.orderId, tx.orderId);
        this.observer.filled(parent.orderId, name, (Number(out) / Number(tx.amount)) * 1e6, number);
      }
    }
    if (this.#noted.size > 500) this.#noted = new Set(this.#chain.blocks.map(({ hash }) => hash));
  }

  #nameOf(parentId: string, childId: string): string {
    const { firings = [] } = this.#world.parents.get(parentId) ?? {};
    return firings.find(({ orderId }) => orderId === childId)?.leg ?? "";
  }

  /** Does what users do at this moment. */
  #act(): void {
    const { nowMs } = this.#world;
    const world = this.#world;
    if (nowMs >= this.#placeMs) {
      this.#placeMs = nowMs + nextPlacingMs(this.#random, this.#perDay);
      this.#place();
    }
    for (const [orderId, atMs] of this.#cancels) {
      if (nowMs < atMs) continue;
      this.#cancels.delete(orderId);
      const order = world.parents.get(orderId);
      if (order === undefined) continue;
      world.cancelled.add(orderId);
      const end = { nowMs, isCancelled: true, isRetired: false, isVoid: false };
      const isSettled = world.checks.areSettled(orderId);
      world.parents.set(
        orderId,
        afterSights(order, () => ({ is: "out" }), { ...end, isSettled }),
      );
      for (const job of world.jobs.values())
        if (job.child?.parent.orderId === orderId) job.isCancelling = true;
      this.observer.cancelled(orderId, nowMs);
      this.#log("cancel", orderId);
    }
  }

  #place(): void {
    const world = this.#world;
    const price = Number(this.#chain.head.price);
    const createdMs = Math.max(world.nowMs, world.cancelledAll + 1);
    const { legs, mandate, cancelMs } = nextOrder(this.#random, this.#placed++, price, createdMs);
    const { orderId, expiresAt } = mandate;
    const mark = firstMark(mandate, { coins: BigInt(price), tokens: 1_000_000n });
    world.parents.set(orderId, newResting(mandate, "mac", mark));
    world.checks.noteMandate(mandate);
    if (cancelMs !== undefined) this.#cancels.set(orderId, cancelMs);
    this.observer.placed({ orderId, legs, createdMs, endMs: expiresAt * 1000 });
    this.#log("place", orderId, JSON.stringify(legs), expiresAt);
  }

  /** Lets each function run once. */
  async #round(isFaulty: boolean): Promise<void> {
    const random = this.#random;
    if (random.chance(isFaulty ? 0.02 : 0.0001)) this.#watched = this.#startWatcher();
    this.#read();
    try {
      await this.#watched.look(() => this.#world.nowMs);
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error;
    }
    const { orders } = this.#watched;
    const due = orders.due(this.#world.nowMs);
    for (let left = due; left.length > 0; ) {
      const next = this.#turns.next(left);
      this.#turns.begin(next, this.#world.nowMs);
      const ids = next.map(({ orderId }) => orderId);
      left = left.filter(({ orderId }) => !ids.includes(orderId));
      this.#fire(ids, isFaulty);
    }
    this.#world.work(() => isFaulty && random.chance(0.1));
  }

  /** Runs fireOrders for some orders. It may die, or stand still until the next round. */
  #fire(orderIds: string[], isFaulty: boolean): void {
    const { runs } = this.#world;
    const { orders } = this.#watched;
    const random = this.#random;
    for (const orderId of orderIds) orders.begin(orderId);
    this.#world.startFiring(orderIds);
    let isLost = false;
    for (const run of [...runs]) {
      while (runs.includes(run)) {
        if (isFaulty && random.chance(0.01)) break;
        const kill = !isFaulty || !random.chance(0.01) ? "none" : random.chance(0.5) ? "before" : "after";
        isLost ||= kill !== "none";
        this.#world.stepRun(run, kill);
      }
    }
    isLost ||= runs.length > 0;
    const { nowMs } = this.#world;
    for (const orderId of orderIds) orders.end(orderId, isLost ? undefined : this.#wordOf(orderId), nowMs);
  }

  #wordOf(orderId: string) {
    const order = this.#world.parents.get(orderId);
    const { nowMs } = this.#world;
    if (order?.state !== this.#told.get(orderId)?.state) this.#movedMs.set(orderId, nowMs);
    const updatedAt = new Date(this.#movedMs.get(orderId) ?? nowMs).toISOString();
    const isWaiting = this.#world.waiting.includes(orderId);
    return wordOf(order && ({ ...order, updatedAt } as StoredResting), nowMs, isWaiting);
  }

  /** Reads the rows if one of them has changed. */
  #read(): void {
    const known = this.#rows;
    const orders = [...this.#world.parents.values()].filter(({ state }) => state !== "done");
    if (orders.length === known.size && orders.every((order) => known.has(order))) return;
    this.#rows = new Map(orders.map((order) => [order, known.get(order) ?? triggerOf(order)]));
    this.#watched.take([...this.#rows.values()], this.#world.nowMs);
  }

  /** Tells the observer what has become of orders, and forgets those that are over. */
  #tell(): void {
    const { nowMs } = this.#world;
    for (const [orderId, order] of this.#world.parents) {
      const old = this.#told.get(orderId);
      if (old === order) continue;
      this.#told.set(orderId, order);
      this.#log(
        "order",
        orderId,
        order.state,
        order.n,
        String(order.mark?.price.coins),
        order.end?.reasonCode,
      );
      this.#tellFirings(orderId, old, order);
      const { state, end } = order;
      if (state === "done" || end !== undefined) this.observer.ended(orderId, end?.reasonCode, nowMs);
      if (state === "done") this.#forget(orderId);
    }
  }

  #tellFirings(orderId: string, old: RestingOrder | undefined, order: RestingOrder): void {
    const { nowMs } = this.#world;
    const wasOut = new Set(old?.out.map((child) => child.orderId));
    const isOut = new Set(order.out.map((child) => child.orderId));
    for (const firing of order.firings.toReversed()) {
      const { orderId: childId, leg, block, outcome } = firing;
      if (isOut.has(childId) && !wasOut.has(childId)) {
        this.observer.fired(orderId, leg, block, this.#world.jobs.get(childId)?.createdAt ?? nowMs);
        if (this.#world.ledgers.has(childId)) this.observer.signed(orderId);
      } else if (wasOut.has(childId) && !isOut.has(childId))
        this.observer.dead(orderId, outcome as Outcome, nowMs);
    }
  }

  #forget(orderId: string): void {
    const world = this.#world;
    this.observer.forget(orderId);
    for (const items of [world.parents, world.tallies, world.ended, world.cancelled, this.#cancels])
      items.delete(orderId);
    this.#told.delete(orderId);
    this.#movedMs.delete(orderId);
    for (const { orderId: childId, child } of world.jobs.values()) {
      if (child?.parent.orderId !== orderId) continue;
      world.jobs.delete(childId);
      world.ledgers.delete(childId);
    }
  }
}
