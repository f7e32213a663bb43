import { createHash } from "node:crypto";
import { dayOf } from "../../../../lib/core/time.ts";
import { afterSights, newResting, type RestingOrder } from "../../../../lib/orders/resting/life.ts";
import { dueAt, fillIdOf } from "../../../../lib/orders/resting/slices.ts";
import { firstMark } from "../../../../lib/orders/resting/trailing.ts";
import { childrenOn, type DaySpend } from "../../../../lib/orders/wallet-policy.ts";
import { Random } from "../random.ts";
import { type Mined, RestingChain } from "./resting-chain.ts";
import { startSeconds } from "./resting-history.ts";
import { politely, RestingHosts } from "./resting-hosts.ts";
import { type RestingSystem, RestingWorld, restingSystem } from "./resting-world.ts";
import type { MakeSystem } from "./year-mutants.ts";
import { type Outcome, YearObserver } from "./year-observer.ts";
import { YearService } from "./year-service.ts";
import { nextPlacing, nextPlacingMs, owners, type Placed, type Placing } from "./year-users.ts";
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
/** Time for which the functions look again after the last change. */
const awakeMs = 72_000;
/** Time after a fault for which its pauses may still last. */
const recoverMs = 330_000;
/** Milliseconds after a block at which the functions run. */
const rounds = [1000, 5000, 9000];
/** Time in which a market order is signed, or never. */
const marketSeconds = 60;

/** Plays some days of a few wallets' resting orders on eth in virtual time. */
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
  readonly #service: YearService;
  readonly #perDay: number;
  readonly #record = createHash("sha256");
  readonly #startMs = startSeconds * 1000;
  /** Orders as the observer last heard of them. */
  readonly #told = new Map<string, RestingOrder>();
  readonly #cancels = new Map<string, number>();
  /** The signer's counts of the wallets' days. */
  readonly #counts = new Map<string, DaySpend>();
  #placed = 0;
  #placeMs: number;
  #noted = new Set<string>();
  #recoveredMs = 0;
  #awakeUntilMs = 0;

  constructor({ seed, perDay, makeSystem = () => ({}) }: Span) {
    this.#random = new Random(seed);
    this.#perDay = perDay;
    this.#weather = new Weather(this.#random, this.#startMs);
    const wallets = owners.map(({ wallet }) => wallet);
    const price = BigInt(this.#weather.price);
    this.#chain = new RestingChain(this.#random, startSeconds, price, wallets);
    this.#chain.delays = 0.1;
    this.#hosts = new RestingHosts(this.#random, this.#chain, politely);
    const made = { ...restingSystem, ...makeSystem(() => this.#world.nowMs) };
    this.#world = new RestingWorld(this.#random, this.#chain, this.#hosts, this.#countingDays(made));
    // The observer judges in place of the check that shares code with the service.
    this.#world.checks.beforeFiring = () => undefined;
    this.#service = new YearService(this.#random, this.#world);
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
    const countOf = (wallet: string) => this.#counts.get(wallet) ?? ({ day: "" } as DaySpend);
    const newOn = (wallet: string, nowMs: number) => childrenOn(countOf(wallet), nowMs).newResting;
    return {
      ...system,
      objection: (facts, nowMs) =>
        system.objection({ ...facts, newOfDay: newOn(facts.mandate.wallet, nowMs) }, nowMs),
      tally: (facts, nowMs, givenBack) => {
        const { mandate, child, purpose, tally } = facts;
        const newResting = newOn(mandate.wallet, nowMs) + Number(tally === undefined);
        this.#counts.set(mandate.wallet, { ...countOf(mandate.wallet), day: dayOf(nowMs), newResting });
        if (purpose === "swap") this.observer.signed(fillIdOf(child.parent), child.orderId, nowMs);
        return system.tally(facts, nowMs, givenBack);
      },
    };
  }

  async play({ days, endsAtFault = false }: Span): Promise<void> {
    const endMs = this.#startMs + days * 86_400_000;
    while (this.#world.nowMs < endMs && !(endsAtFault && this.observer.faults.length > 0)) {
      this.#passTime();
      const { nowMs } = this.#world;
      const isHalted = this.#weather.isHalted(nowMs);
      const isFaulty = this.#weather.isFaulty(nowMs);
      this.#hosts.manners = isFaulty ? this.#faults() : politely;
      if (isHalted || isFaulty) {
        this.#recoveredMs = nowMs + recoverMs;
        this.observer.disturbed();
      }
      if (!isHalted) this.#mine(isFaulty);
      for (const aheadMs of rounds) {
        this.#world.aheadMs = isHalted ? this.#world.nowMs - this.#chain.head.time * 1000 + 4000 : aheadMs;
        this.#act();
        await this.#service.round(isFaulty);
        this.#tell();
      }
      const isCalm = this.#world.nowMs > this.#recoveredMs;
      const busy = new Map(
        this.#chain.wallets.map((wallet) => [wallet, this.#world.busy(wallet)?.kind] as const),
      );
      const isDue = this.observer.judge(this.#world.nowMs, { isCalm, busy });
      const isBusy = isDue || isHalted || isFaulty || this.#isUnderWay();
      if (isBusy) this.#awakeUntilMs = this.#world.nowMs + awakeMs;
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
    // The exits of a market order still wait for its final fill.
    for (const { isSettled, child } of this.#world.jobs.values())
      if (!isSettled || child === undefined) return true;
    for (const { state } of this.#world.parents.values())
      if (state !== "resting" && state !== "suspended") return true;
    return false;
  }

  /** Skips the blocks in which nothing happens. */
  #passTime(): void {
    if (this.#world.nowMs < this.#awakeUntilMs) return;
    const { head } = this.#chain;
    let nextMs = Math.min(this.#weather.calmUntilMs, this.#placeMs, ...this.#cancels.values());
    for (const order of this.#world.parents.values()) nextMs = Math.min(nextMs, this.#nextTurnMs(order));
    const skipped = Math.floor((nextMs - head.time * 1000) / blockMs) - 2;
    if (skipped < 16) return;
    this.#awakeUntilMs = nextMs + awakeMs;
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

  /** Returns the time at which an order ends, or at which the turn of its next slice begins. */
  #nextTurnMs({ mandate: { createdAt, slices, expiresAt } }: RestingOrder): number {
    if (slices === undefined) return expiresAt * 1000;
    const turn = Math.floor((this.#world.nowMs / 1000 - dueAt(createdAt, 0, 1)) / slices.everySeconds);
    return (turn < slices.count ? dueAt(createdAt, slices.everySeconds, turn + 2) : expiresAt) * 1000;
  }

  #mine(isFaulty: boolean): void {
    const { nowMs } = this.#world;
    this.#weather.blow(nowMs);
    const price = BigInt(this.#weather.price);
    if (this.#chain.price !== price) this.#awakeUntilMs = nowMs + awakeMs;
    this.#chain.price = price;
    if (isFaulty && this.#random.chance(0.2)) this.#chain.reorganise(1 + this.#random.below(2));
    else this.#chain.mine();
    // After a halt, blocks have the time of the clock again.
    const late = Math.floor(nowMs / 1000) - this.#chain.head.time;
    if (late > 0) {
      const head = { ...this.#chain.head, time: this.#chain.head.time + late };
      this.#chain.blocks = [...this.#chain.blocks.slice(0, -1), head];
    }
    this.#forgetBlocks();
    // Hosts leave a replaced fork in the end.
    const isOld = (this.#chain.before.at(-1)?.number ?? 0) < this.#chain.head.number - 10;
    if (isOld) this.#chain.before = this.#chain.blocks;
    this.#world.checks.afterBlock();
    this.#noteBlocks();
  }

  /** Forgets old blocks, except those that may have the fill of a buy whose exits still wait. */
  #forgetBlocks(): void {
    const { blocks } = this.#chain;
    const buys = [...this.#world.jobs.values()].filter(({ child }) => child === undefined);
    const oldestMs = Math.min(...buys.map(({ createdAt }) => createdAt));
    const from = blocks.findIndex(({ time }) => time * 1000 >= oldestMs);
    const least = Math.max(0, blocks.length - keptBlocks);
    this.#chain.blocks = blocks.slice(from < 0 ? least : Math.min(from, least));
  }

  #noteBlocks(): void {
    for (const { number, hash, time, price, mined } of this.#chain.blocks) {
      if (this.#noted.has(hash)) continue;
      this.#noted.add(hash);
      this.observer.block({ number, timeMs: time * 1000, price: Number(price) });
      if (mined.length > 0) this.#log("block", number, hash, Number(price));
      for (const each of mined) this.#noteMined(each, number);
    }
    if (this.#noted.size > 500) this.#noted = new Set(this.#chain.blocks.map(({ hash }) => hash));
  }

  #noteMined({ tx, status, out }: Mined, number: number): void {
    this.#log("mined", tx.hash, tx.kind, tx.orderId, status, Number(out));
    if (tx.kind !== "swap" || status !== "ok") return;
    const fill = { price: (Number(out) / Number(tx.amount)) * 1e6, amount: Number(tx.amount), number };
    const job = this.#world.jobs.get(tx.orderId);
    if (job === undefined) return;
    const { parent } = job.child ?? {};
    if (parent === undefined) {
      this.observer.bought(tx.orderId, fill);
      return;
    }
    const { firings = [] } = this.#world.parents.get(parent.orderId) ?? {};
    const { leg = "" } = firings.find(({ orderId }) => orderId === tx.orderId) ?? {};
    this.observer.filled(fillIdOf(parent), leg, fill);
  }

  /** Does what users do at this moment. */
  #act(): void {
    const { nowMs } = this.#world;
    const world = this.#world;
    if (nowMs >= this.#placeMs) {
      this.#placeMs = nowMs + nextPlacingMs(this.#random, this.#perDay);
      const now = { number: this.#placed++, price: Number(this.#chain.head.price), nowMs };
      const { buy, orders } = nextPlacing(this.#random, now);
      if (buy !== undefined) this.#buy(buy, nowMs);
      for (const each of orders) this.#place(each);
    }
    for (const [orderId, atMs] of this.#cancels) {
      if (nowMs < atMs) continue;
      this.#cancels.delete(orderId);
      const order = world.parents.get(orderId);
      if (order === undefined) continue;
      world.cancelled.add(orderId);
      const end = { nowMs, isCancelled: true, isRetired: false, isVoid: false };
      const isSettled = world.checks.areSettled(orderId);
      const cancelled = afterSights(order, () => ({ is: "out" }), { ...end, isSettled });
      world.parents.set(orderId, { ...cancelled, revision: order.revision + 1 });
      for (const job of world.jobs.values())
        if (job.child?.parent.orderId === orderId) job.isCancelling = true;
      this.observer.cancelled(orderId, nowMs);
      this.#log("cancel", orderId);
    }
  }

  #buy({ orderId, amount, ...owner }: NonNullable<Placing["buy"]>, createdAt: number): void {
    const minimum = { quotedOut: 1n, minAmountOut: 1n };
    const validUntil = Math.floor(createdAt / 1000) + marketSeconds;
    // Sells tokens for coins at the chain's price, which stands for a purchase of as many tokens.
    const trade = { chain: "eth", side: "sell", token: "0x5FbD", isPrivate: true } as const;
    const terms = { ...owner, ...trade, ...minimum, orderId, amount, validUntil, createdAt };
    this.#world.addJob(orderId, terms, "market");
    this.#log("buy", orderId);
  }

  #place({ asked, mandate, cancelMs }: Placed): void {
    const world = this.#world;
    const { orderId } = mandate;
    // The trailing stop of an exit starts at its birth.
    const now = { coins: this.#chain.head.price, tokens: 1_000_000n };
    const mark = mandate.exit === undefined ? firstMark(mandate, now) : undefined;
    world.parents.set(orderId, newResting(mandate, "mac", mark));
    world.checks.noteMandate(mandate);
    if (cancelMs !== undefined) this.#cancels.set(orderId, cancelMs);
    this.observer.placed(asked);
    this.#log("place", JSON.stringify(asked));
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
      this.#tellBirth(old, order);
      this.#tellFirings(orderId, old, order);
      const { state, end } = order;
      if (state === "done" || end !== undefined) this.observer.ended(orderId, end?.reasonCode, nowMs);
      if (state === "done") this.#forget(orderId);
    }
    for (const { orderId, child, isSettled } of this.#world.jobs.values()) {
      const isOver = isSettled && this.#exitsOf(orderId).every(({ entry }) => entry?.isFinal);
      if (child !== undefined || !isOver) continue;
      this.#world.jobs.delete(orderId);
      this.#forgetBuy(orderId);
    }
  }

  #tellBirth(old: RestingOrder | undefined, { mandate, state, entry }: RestingOrder): void {
    if (mandate.exit === undefined) return;
    const { orderId } = mandate;
    if (state === "pending") {
      if (old !== undefined && old.state !== "pending") this.observer.born(orderId, state);
    } else if (entry !== undefined && entry.spent !== old?.entry?.spent)
      this.observer.born(orderId, state === "suspended" ? state : "resting");
  }

  #exitsOf(buyId: string): RestingOrder[] {
    return [...this.#world.parents.values()].filter(({ mandate }) => mandate.exit?.of === buyId);
  }

  #tellFirings(orderId: string, old: RestingOrder | undefined, order: RestingOrder): void {
    const { nowMs } = this.#world;
    const wasOut = new Set(old?.out.map((child) => child.orderId));
    const isOut = new Set(order.out.map((child) => child.orderId));
    for (const firing of order.firings.toReversed()) {
      const { orderId: childId, leg, slice, block, outcome } = firing;
      const id = fillIdOf({ orderId, slice });
      // The fill of a slice's child may be taken back.
      const isNew = !old?.firings.some((each) => each.orderId === childId);
      if (isOut.has(childId) && isNew)
        this.observer.fired(id, leg, block, this.#world.jobs.get(childId)?.createdAt ?? nowMs);
      else if (wasOut.has(childId) && !isOut.has(childId)) this.observer.dead(id, outcome as Outcome, nowMs);
    }
  }

  #forget(orderId: string): void {
    const world = this.#world;
    const { of } = world.parents.get(orderId)?.mandate.exit ?? {};
    this.observer.forget(orderId);
    this.#service.forget(orderId);
    for (const items of [world.parents, world.tallies, world.ended, world.cancelled, this.#cancels])
      items.delete(orderId);
    this.#told.delete(orderId);
    for (const { orderId: childId, child } of world.jobs.values()) {
      if (child?.parent.orderId !== orderId) continue;
      world.jobs.delete(childId);
      world.ledgers.delete(childId);
    }
    if (of !== undefined) this.#forgetBuy(of);
  }

  /** Forgets a buy that is final, once all of its exits are over. */
  #forgetBuy(buyId: string): void {
    if (this.#world.jobs.has(buyId) || this.#exitsOf(buyId).length > 0) return;
    this.observer.forget(buyId);
    this.#world.ledgers.delete(buyId);
  }
}
