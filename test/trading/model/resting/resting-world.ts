import type { SignedNonce } from "../../../../lib/chains/evm/rules/death.ts";
import type {
  ChildView,
  FiringEffect,
  FiringEffects,
  FiringFamily,
  FiringProcedure,
  ParentView,
} from "../../../../lib/orders/resting/firing.ts";
import type { RestingOrder } from "../../../../lib/orders/resting/life.ts";
import type { ChildTerms } from "../../../../lib/orders/resting/mandate.ts";
import { firing } from "../../../../lib/trading/procedures/firing.ts";
import { must } from "../violation.ts";
import { mandateHash, RestingLane } from "./resting-lane.ts";

type FireRun = {
  procedure: FiringProcedure<string[]>;
  effect: FiringEffect;
  read: Map<string, bigint>;
  nowMs: number;
};

/** Simulates runs of fireOrders beside a lane. */
export class RestingWorld extends RestingLane {
  readonly runs: FireRun[] = [];

  startFiring(): void {
    const request = { chain: "eth", orderIds: [...this.parents.keys()], random: this.random.next } as const;
    const procedure = firing(this.system.family as FiringFamily, request);
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
    if (!next.done) run.effect = next.value;
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
            return order === undefined ? [] : [this.system.view(this.#viewOf(order))];
          }),
          out: { buy: 0n, sell: 0n },
        };
      case "childWords": {
        const { signed } = effect as FiringEffects<SignedNonce>["childWords"]["ask"];
        const words = this.hosts.nonceWords(signed?.swap);
        return signed === undefined ? words : this.system.heard(words, signed.swap);
      }
      case "priceWords": {
        const words = this.hosts.priceWords(effect.amount, effect.distances);
        this.checks.notePrices(run, words[1]);
        return this.system.heardPrices(words, effect.distances);
      }
      case "quoteSums":
        return this.hosts.ladders(effect.sums);
      case "prepareChild":
        return { price: "1", block: this.chain.head.number, ...effect };
      case "moveParent":
        return this.#move(effect.order, effect.revision);
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

  #viewOf(order: RestingOrder): ParentView<SignedNonce> {
    const { orderId, amount, createdAt } = order.mandate;
    const busy = this.busy();
    const children = order.out.map(({ orderId: id }): [string, ChildView<SignedNonce>] => {
      const job = this.jobs.get(id);
      const swap = this.signedNonce(id);
      return [
        id,
        {
          hasEnded: job?.hasEnded ?? false,
          isSettled: job?.isSettled ?? false,
          yields: job?.yields ?? false,
          isProvenDead: job !== undefined && this.isProvenDead(job),
          signed: swap && { swap, deadline: swap.deadline },
        },
      ];
    });
    return {
      order,
      children: new Map(children),
      end: {
        isCancelled: this.cancelled.has(orderId) || this.cancelledAll >= createdAt,
        isRetired: false,
        isVoid: this.isVoid.has(orderId),
      },
      amount,
      slippagePpm: order.mandate.legs.map(() => 50_000n),
      isPublic: false,
      busy: busy && { orderId: busy.orderId, kind: busy.kind, yields: busy.yields },
    };
  }

  #move(order: RestingOrder, revision: number): boolean {
    const { orderId } = order.mandate;
    const known = this.parents.get(orderId);
    if (known?.revision !== revision) {
      this.seen.add("lost to another run");
      return false;
    }
    this.checks.afterMove(known, order);
    this.parents.set(orderId, order);
    for (const { outcome } of order.firings) this.seen.add(`outcome: ${outcome}`);
    if (known.state === "filled" && order.state === "firing") this.seen.add("taken back");
    this.seen.add(`parent: ${order.state}${order.end ? ` ${order.end.reasonCode}` : ""}`);
    return true;
  }

  #fire(
    run: FireRun,
    { order, revision, orderId, child }: FiringEffects["fire"]["ask"] & { child: Prepared },
    isKilled: boolean,
  ): boolean {
    const { mandate } = order;
    const isUnchanged =
      this.parents.get(mandate.orderId)?.revision === revision &&
      !this.cancelled.has(mandate.orderId) &&
      run.read.get(mandate.orderId) === BigInt(this.cancelledAll) &&
      this.busy() === undefined;
    if (!this.system.isAtomic) {
      this.#addChild(`${orderId}.${revision}`, order, child);
      if (isKilled) return false;
    }
    if (!isUnchanged) return false;
    if (this.system.isAtomic) this.#addChild(orderId, order, child);
    this.checks.beforeFiring(run, order, child.leg);
    return this.#move(order, revision);
  }

  #addChild(orderId: string, { mandate, n }: RestingOrder, { leg, validUntil, chosen }: Prepared): void {
    must(!this.jobs.has(orderId), "a child is placed twice");
    const { chain, wallet, userID, side, token, isPrivate } = mandate;
    const { quotedOut, minAmountOut } = chosen;
    const { amount } = chosen.crossed;
    const terms = { chain, wallet, userID, side, token, isPrivate, orderId, amount, quotedOut, minAmountOut };
    const child: ChildTerms = {
      ...terms,
      validUntil,
      createdAt: this.nowMs,
      parent: { orderId: mandate.orderId, mandate: mandateHash, leg, n },
    };
    this.addJob(orderId, child, mandate.legs[leg]?.kind ?? "market");
  }
}

/** A prepared child, with all that was asked for. */
type Prepared = FiringEffects["prepareChild"]["ask"] & { price: string; block: number };
