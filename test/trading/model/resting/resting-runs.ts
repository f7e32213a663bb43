import { birthAmount } from "../../../../lib/orders/resting/exits/after-buy.ts";
import type { Bought } from "../../../../lib/orders/resting/exits/entry.ts";
import type {
  AskedChild,
  AskedChildOrder,
  BothWords,
  BuyView,
  ChildView,
  FiringEffect,
  FiringEffects,
  FiringFamily,
  ParentView,
} from "../../../../lib/orders/resting/firing.ts";
import {
  newResting,
  type OutChild,
  type RestingOrder,
  withSignedOut,
} from "../../../../lib/orders/resting/life.ts";
import {
  type ChildTerms,
  classOf,
  type Ended,
  type Leg,
  type Mandate,
  type Tally,
} from "../../../../lib/orders/resting/mandate.ts";
import type { Ladders } from "../../../../lib/orders/resting/selection.ts";
import { amountOfChild, sliceAt } from "../../../../lib/orders/resting/slices.ts";
import type { PriceWord } from "../../../../lib/orders/resting/touch.ts";
import { firstMark } from "../../../../lib/orders/resting/trailing.ts";
import { firing } from "../../../../lib/trading/procedures/firing.ts";
import type { Random } from "../random.ts";
import { must } from "../violation.ts";
import type { Fill } from "./resting-chain.ts";
import { type Intruder, type LaneJob, type Looks, RestingChecks } from "./resting-checks.ts";

export const mandateHash = "ab".repeat(32);

/** Price when orders are placed. */
export const startMark = { coins: 1n, tokens: 1n };

type FireRun = {
  procedure: ReturnType<typeof firing>;
  effect: FiringEffect;
  read: Map<string, bigint>;
  nowMs: number;
};

/** The chain and the hosts that a world has, and the lanes of its wallets. */
export type RestingParts<Signed, Word> = {
  network: "eth" | "sol";
  chain: { readonly head: { time: number }; fills(): Fill[] };
  looks: Looks;
  family: FiringFamily<Signed, Word>;
  /** What the signer's ledger says about a child. */
  signedOf(orderId: string): { swap: Signed; deadline: number } | undefined;
  askChild(question: AskedChild<Signed> & { child: OutChild }): BothWords<Word>;
  askPrices(amount: bigint, distances: readonly number[]): BothWords<PriceWord>;
  /** Changes what fireOrders hears about prices, and what it reads. */
  hearPrices(words: BothWords<PriceWord>, distances: readonly number[]): BothWords<PriceWord>;
  hearBirth(words: BothWords<PriceWord>): BothWords<PriceWord>;
  /** Chooses between a buy's receipt at both hosts and what an executeOrders that is taken over writes of the buy. */
  hearBought(byHosts: Bought | undefined, written: Bought): Bought | undefined;
  changeView(view: ParentView<Signed>): ParentView<Signed>;
  askSums(sums: readonly bigint[]): Ladders;
  /** The order that a wallet's lane waits for. */
  busy(wallet: string): LaneJob | undefined;
  isProvenDead(job: LaneJob): boolean;
  isAtomic: boolean;
};

/** Simulates the table of some resting orders, and runs of fireOrders. */
export class RestingRuns<Signed = unknown, Word = unknown> {
  readonly random: Random;
  readonly intruder: Intruder;
  readonly checks: RestingChecks;
  readonly parents = new Map<string, RestingOrder>();
  readonly jobs = new Map<string, LaneJob>();
  readonly tallies = new Map<string, Tally>();
  readonly ended = new Map<string, Ended>();
  readonly cancelled = new Set<string>();
  cancelledAll = 0;
  /** Parents whose mandates name another table, because this one was restored. */
  readonly isVoid = new Set<string>();
  readonly runs: FireRun[] = [];
  /** The orders that the last run has found to wait for others. */
  waiting: readonly string[] = [];
  /** What happened in the history. */
  readonly seen = new Set<string>();
  /** How far the clock is ahead of the newest block. */
  aheadMs = 0;
  #latestMs = 0;
  readonly #parts: RestingParts<Signed, Word>;

  constructor(random: Random, intruder: Intruder, parts: RestingParts<Signed, Word>) {
    this.random = random;
    this.intruder = intruder;
    this.#parts = parts;
    this.checks = new RestingChecks(this, parts.chain, parts.looks);
  }

  /** Time of all clocks, which a reorganisation does not turn back. */
  get nowMs(): number {
    this.#latestMs = Math.max(this.#latestMs, this.#parts.chain.head.time * 1000 + this.aheadMs);
    return this.#latestMs;
  }

  rest(mandate: Mandate): void {
    this.parents.set(mandate.orderId, newResting(mandate, "mac", firstMark(mandate, startMark)));
    this.checks.noteMandate(mandate);
  }

  startFiring(orderIds = [...this.parents.keys()]): void {
    const { network: chain, family } = this.#parts;
    const request = { chain, orderIds, dice: [] };
    const procedure = firing(family as FiringFamily, request);
    const next = procedure.next();
    if (!next.done) this.runs.push({ procedure, effect: next.value, read: new Map(), nowMs: this.nowMs });
  }

  /** Carries out the next effect of a run. A killed run ends before or after it. */
  stepRun(run: FireRun, kill: "none" | "before" | "after" = "none"): void {
    const isDone = kill === "before" || this.#advance(run, kill === "after");
    if (isDone) this.runs.splice(this.runs.indexOf(run), 1);
  }

  #advance(run: FireRun, isKilled: boolean): boolean {
    const answer = this.#answer(run, isKilled);
    if (isKilled) return true;
    const next = run.procedure.next(answer as never);
    if (next.done) this.waiting = next.value.waiting;
    else run.effect = next.value;
    return next.done === true;
  }

  #answer(run: FireRun, isKilled: boolean): FiringEffects[keyof FiringEffects]["answer"] {
    const { effect } = run;
    switch (effect.do) {
      case "now":
        run.nowMs = this.nowMs;
        return this.nowMs;
      case "readParents":
        run.read = new Map(effect.orderIds.map((orderId) => [orderId, BigInt(this.cancelledAll)]));
        return {
          parents: effect.orderIds.flatMap((orderId) => {
            const order = this.parents.get(orderId);
            return order === undefined ? [] : [this.#parts.changeView(this.#viewOf(order))];
          }),
          out: { buy: 0n, sell: 0n },
        };
      case "childWords": {
        const { questions } = effect as FiringEffects<Signed>["childWords"]["ask"];
        return questions.map((question) => this.#parts.askChild(question));
      }
      case "priceWords": {
        return effect.questions.map(({ amount, distances }) => {
          const words = this.#parts.askPrices(amount, distances);
          this.checks.notePrices(amount, words[1]);
          return this.#parts.hearPrices(words, distances);
        });
      }
      case "birthWords": {
        const bought = this.#boughtFor(effect.order);
        if (bought === undefined) return undefined;
        const amount = birthAmount(effect.order.mandate, bought.received, undefined);
        const words = this.#parts.askPrices(amount, []);
        this.checks.notePrices(amount, words[1]);
        return { bought, amount, words: this.#parts.hearBirth(words) };
      }
      case "quoteSums":
        return this.#parts.askSums(effect.sums);
      case "prepareChildren":
        return effect.children.map((child) => ({ price: "1", ...child }));
      case "moveParent":
        return this.#move(effect.order);
      case "fire":
        return this.#fire(run, effect as typeof effect & { child: Prepared }, isKilled);
      case "yieldToStop": {
        const job = this.jobs.get(effect.orderId);
        if (job !== undefined) job.yields = true;
        this.seen.add("yield");
        return undefined;
      }
    }
  }

  #boughtFor({ mandate }: RestingOrder): Bought | undefined {
    const fill = this.#parts.chain.fills().find(({ orderId }) => orderId === mandate.exit?.of);
    const byHosts = fill && { spent: fill.out, received: fill.amount, block: fill.block };
    return this.#parts.hearBought(byHosts, { spent: mandate.amount, received: 2n * mandate.amount });
  }

  #exitOf({ mandate, entry }: RestingOrder): ParentView<Signed>["exit"] {
    if (mandate.exit === undefined) return undefined;
    return {
      buy: entry?.isFinal ? undefined : this.#buyOf(mandate.exit.of),
      openPositionId: "position",
      isClosed: false,
      isDust: false,
    };
  }

  /** Reports a buy as filled if the chain shows it, and executeOrders has seen its end. */
  #buyOf(orderId: string): BuyView {
    const { validUntil = 0, hasEnded = false, isSettled = false } = this.jobs.get(orderId) ?? {};
    const isFilled = hasEnded && this.#parts.chain.fills().some((fill) => fill.orderId === orderId);
    const signed = this.#parts.signedOf(orderId);
    return {
      child: { orderId, leg: 0, n: 0, validUntil },
      markerId: orderId,
      view: { hasEnded, yields: false, isRefused: false, isProvenDead: false, signed },
      // Reports any buy as filled if executeOrders is taken over.
      isFilled: isFilled || this.intruder === "executeOrders",
      positionId: "position",
      isSettled,
    };
  }

  #viewOf(known: RestingOrder): ParentView<Signed> {
    const { mandate } = known;
    const { orderId, createdAt } = mandate;
    const isCancelled = this.cancelled.has(orderId) || this.cancelledAll >= createdAt;
    const signed = this.intruder === "fireOrders" ? known : withSignedOut(known, this.tallies.get(orderId));
    const order = { ...signed, out: [...signed.out, ...this.#filledSlices(signed)] };
    const busy = this.#parts.busy(mandate.wallet);
    const children = order.out.map(({ orderId: id }): [string, ChildView<Signed>] => {
      const job = this.jobs.get(id);
      return [
        id,
        {
          hasEnded: job?.hasEnded ?? false,
          yields: job?.yields ?? false,
          isRefused: isCancelled,
          isProvenDead: job !== undefined && this.#parts.isProvenDead(job),
          signed: this.#parts.signedOf(id),
        },
      ];
    });
    return {
      order,
      children: new Map(children),
      exit: this.#exitOf(order),
      end: {
        isCancelled,
        isRetired: false,
        isVoid: this.isVoid.has(orderId),
        isSettled: this.checks.areSettled(orderId),
      },
      tally: this.tallies.get(orderId),
      ended: this.ended.get(orderId),
      amount: order.entry?.amount ?? amountOfChild(mandate, sliceAt(mandate, this.nowMs)),
      slippagePpm: order.mandate.legs.map(() => 50_000n),
      isPublic: false,
      busy: busy && { orderId: busy.orderId, kind: busy.kind, yields: busy.yields },
    };
  }

  /** Lists the filled children of slices that have not settled. */
  #filledSlices({ mandate, out, firings }: RestingOrder): OutChild[] {
    return firings.flatMap(({ orderId, n, slice, outcome }) => {
      const job = this.jobs.get(orderId);
      const isKnown = mandate.slices === undefined || out.some((each) => each.orderId === orderId);
      if (isKnown || outcome !== "filled" || job === undefined || job.isSettled) return [];
      return [{ orderId, n, leg: 0, slice, validUntil: job.validUntil }];
    });
  }

  #move(order: RestingOrder): boolean {
    const { orderId } = order.mandate;
    const known = this.parents.get(orderId);
    if (known?.revision !== order.revision) {
      this.seen.add("lost to another run");
      return false;
    }
    this.checks.afterMove(known, order);
    this.parents.set(orderId, { ...order, revision: order.revision + 1 });
    for (const { outcome } of order.firings) this.seen.add(`outcome: ${outcome}`);
    if (known.state === "filled" && order.state === "firing") this.seen.add("taken back");
    const { slices } = order.mandate;
    if (slices && order.firings.length < slices.count && order.nextSlice === undefined)
      this.seen.add("a slice is missed");
    if (order.out.length > 1) this.seen.add("two slices out");
    this.seen.add(`parent: ${order.state}${order.end ? ` ${order.end.reasonCode}` : ""}`);
    return true;
  }

  #fire(
    run: FireRun,
    { order, orderId, child }: FiringEffects["fire"]["ask"] & { child: Prepared },
    isKilled: boolean,
  ): boolean {
    const { mandate, revision } = order;
    const isUnchanged =
      this.parents.get(mandate.orderId)?.revision === revision &&
      !this.cancelled.has(mandate.orderId) &&
      run.read.get(mandate.orderId) === BigInt(this.cancelledAll) &&
      this.#parts.busy(mandate.wallet) === undefined;
    if (!this.#parts.isAtomic) {
      this.#addChild(`${orderId}.${revision}`, order, child);
      if (isKilled) return false;
    }
    if (!isUnchanged) return false;
    if (this.#parts.isAtomic) this.#addChild(orderId, order, child);
    this.checks.beforeFiring(run, order, child.leg, child.chosen.crossed.amount);
    return this.#move(order);
  }

  #addChild(
    orderId: string,
    { mandate, n, dead, out }: RestingOrder,
    { leg, validUntil, chosen }: Prepared,
  ): void {
    must(!this.jobs.has(orderId), "a child is placed twice");
    const { chain, wallet, userID, side, token, isPrivate } = mandate;
    const { quotedOut, minAmountOut } = chosen;
    const { amount } = chosen.crossed;
    const slice = out.at(-1)?.slice;
    // An intruder names any child as dead.
    const after = this.intruder === "fireOrders" ? this.tallies.get(mandate.orderId)?.out?.child : dead;
    const terms = { chain, wallet, userID, side, token, isPrivate, orderId, amount, quotedOut, minAmountOut };
    const child: ChildTerms = {
      ...terms,
      validUntil,
      createdAt: this.nowMs,
      parent: {
        orderId: mandate.orderId,
        mandate: mandateHash,
        leg,
        n,
        ...(slice !== undefined && { slice }),
        ...(after !== undefined && { after }),
      },
    };
    this.addJob(orderId, child, classOf(mandate.legs[leg] as Leg));
  }

  /** Adds an order to the lane. */
  addJob(orderId: string, order: ChildTerms | Omit<ChildTerms, "parent">, kind: LaneJob["kind"]): void {
    const { wallet, validUntil, createdAt, amount, minAmountOut } = order;
    this.jobs.set(orderId, {
      orderId,
      wallet,
      ...("parent" in order && { child: order }),
      kind,
      createdAt,
      validUntil,
      amount,
      minAmountOut,
      hasEnded: false,
      isSettled: false,
      yields: false,
      isCancelling: false,
    });
  }
}

/** A prepared child, with everything that it needs. */
type Prepared = AskedChildOrder & { price: string };
