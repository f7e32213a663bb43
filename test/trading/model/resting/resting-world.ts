import { evmFiring } from "../../../../lib/chains/evm/fire.ts";
import {
  deathOf,
  fillBlockOf,
  type NonceWord,
  type SignedNonce,
} from "../../../../lib/chains/evm/rules/death.ts";
import { objectionToChild } from "../../../../lib/orders/resting/child-rule.ts";
import type { Bought } from "../../../../lib/orders/resting/exits/entry.ts";
import type { BothWords, FiringFamily, ParentView } from "../../../../lib/orders/resting/firing.ts";
import type { ChildTerms, Ended } from "../../../../lib/orders/resting/mandate.ts";
import { type ChildFacts, tallyAfter } from "../../../../lib/orders/resting/tally.ts";
import { lifeSeconds } from "../../../../lib/orders/resting/times.ts";
import type { PriceWord } from "../../../../lib/orders/resting/touch.ts";
import type { Random } from "../random.ts";
import { must } from "../violation.ts";
import type { RestingChain, Signed } from "./resting-chain.ts";
import type { Intruder, LaneJob } from "./resting-checks.ts";
import type { RestingHosts } from "./resting-hosts.ts";
import { mandateHash, RestingRuns } from "./resting-runs.ts";

/** The code under test. A mutant replaces a part of it. */
export type RestingSystem = {
  family: FiringFamily<SignedNonce, NonceWord>;
  deathOf: typeof deathOf;
  objection: typeof objectionToChild;
  tally: typeof tallyAfter;
  /** Changes what fireOrders and executeOrders hear about a nonce. */
  heard: (words: BothWords<NonceWord>, signed: SignedNonce) => BothWords<NonceWord>;
  heardPrices: (words: BothWords<PriceWord>, distances: readonly number[]) => BothWords<PriceWord>;
  /** Changes what fireOrders hears about the sale of what an exit will sell, just after its buy. */
  heardBirth: (words: BothWords<PriceWord>) => BothWords<PriceWord>;
  heardBought: (byHosts: Bought | undefined, written: Bought) => Bought | undefined;
  /** Changes what fireOrders reads. */
  view: (view: ParentView<SignedNonce>) => ParentView<SignedNonce>;
  /** Writes a child and its parent's move in one transaction. */
  isAtomic: boolean;
  /** Reads a child's hashes from its slots, which fireOrders can write, too. */
  readsSlots: boolean;
};

export const restingSystem: RestingSystem = {
  family: evmFiring,
  deathOf,
  objection: objectionToChild,
  tally: tallyAfter,
  heard: (words) => words,
  heardPrices: (words) => words,
  heardBirth: (words) => words,
  heardBought: (byHosts) => byHosts,
  view: (view) => view,
  isAtomic: true,
  readsSlots: false,
};

/** The signer's ledger of an order, with the fees of its signatures. */
type LedgerOf = { swaps: Signed[]; clears: Signed[]; signedAtMs: number };

const feeOfSignature = 10n;
/** Number of further blocks after which an outcome is final. */
const finalDepth = 6;

/** Simulates the signer and the lanes of wallets on eth. */
export class RestingWorld extends RestingRuns<SignedNonce, NonceWord> {
  readonly chain: RestingChain;
  readonly hosts: RestingHosts;
  readonly system: RestingSystem;
  readonly ledgers = new Map<string, LedgerOf>();
  /** Block at which each order's death was proved. The record of an order names only the newest ones. */
  readonly #buried = new Map<string, number>();
  #hashes = 0;

  constructor(
    random: Random,
    chain: RestingChain,
    hosts: RestingHosts,
    system: RestingSystem,
    intruder?: Intruder,
  ) {
    super(random, intruder, {
      network: "eth",
      chain,
      looks: {
        back: { limit: [1], stop: [1, 2] },
        mostAgeSeconds: 36,
        readings: { limit: { n: 1, ms: 0 }, stop: { n: 1, ms: 0 } },
      },
      family: system.family,
      signedOf: (orderId) => {
        const swap = this.signedNonce(orderId);
        return swap && { swap, deadline: swap.deadline };
      },
      askChild({ wallet, signed }) {
        const words = hosts.nonceWords(wallet, signed);
        return signed === undefined ? words : system.heard(words, signed);
      },
      askPrices: (amount, distances) => hosts.priceWords(amount, distances),
      hearPrices: system.heardPrices,
      hearBirth: system.heardBirth,
      hearBought: system.heardBought,
      changeView: system.view,
      askSums: (sums) => hosts.ladders(sums),
      busy: (wallet) => this.busy(wallet),
      isProvenDead: (job) => this.isProvenDead(job),
      isAtomic: system.isAtomic,
    });
    this.chain = chain;
    this.hosts = hosts;
    this.system = system;
  }

  #dead(orderId: string): Ended {
    return this.ended.get(orderId) ?? { orderId, dead: [], revision: 0, expiresAt: 0 };
  }

  isProvenDead(job: LaneJob): boolean {
    const parentId = job.child?.parent.orderId ?? "";
    return this.#dead(parentId).dead.some(({ child }) => child === job.orderId);
  }

  signedNonce(orderId: string): SignedNonce | undefined {
    const ledger = this.ledgers.get(orderId);
    const [first] = ledger?.swaps ?? [];
    if (ledger === undefined || first === undefined) return undefined;
    const isForged = this.system.readsSlots && this.intruder === "fireOrders" && this.random.chance(0.3);
    return {
      nonce: first.nonce,
      deadline: first.deadline,
      swaps: isForged ? ["forged"] : ledger.swaps.map(({ hash }) => hash),
      clears: ledger.clears.map(({ hash }) => hash),
    };
  }

  #isSigned(orderId = ""): boolean {
    return (this.ledgers.get(orderId)?.swaps.length ?? 0) > 0;
  }

  /** Returns the order that a wallet's lane waits for. */
  busy(wallet: string): LaneJob | undefined {
    return this.#jobsOf(wallet).find((job) => !job.hasEnded && !this.isProvenDead(job));
  }

  #jobsOf(wallet: string): LaneJob[] {
    return [...this.jobs.values()].filter((job) => job.wallet === wallet);
  }

  // The signer.

  /** Signs a transaction, and records it. Undefined if a rule forbids it. */
  sign(orderId: string, nonce: number, kind: "swap" | "clear", askedDeadline?: number): Signed | undefined {
    const job = this.jobs.get(orderId);
    if (job === undefined) return undefined;
    const ledger = this.ledgers.get(orderId) ?? { swaps: [], clears: [], signedAtMs: this.nowMs };
    const [first] = ledger.swaps;
    const nowSeconds = Math.floor(this.nowMs / 1000);
    const { child, wallet, amount, minAmountOut } = job;
    const deadline =
      askedDeadline ?? first?.deadline ?? Math.min(job.validUntil, nowSeconds + this.#lifeOf(job));
    const tx = { kind, wallet, nonce, orderId, deadline, amount, minAmountOut };
    if (first !== undefined && first.nonce !== nonce) return undefined;
    if (kind === "clear" && first === undefined) return undefined;
    if (kind === "swap" && (this.nowMs >= job.validUntil * 1000 || job.yields || job.isCancelling))
      return undefined;
    if (child === undefined) {
      if (kind === "swap" && (this.cancelledAll >= job.createdAt || (first && first.deadline !== deadline)))
        return undefined;
    } else if (!this.#countsChild(child, tx, ledger)) return undefined;
    const signed: Signed = { ...tx, hash: `t${this.#hashes++}` };
    this.ledgers.set(orderId, {
      ...ledger,
      swaps: kind === "swap" ? [...ledger.swaps, signed] : ledger.swaps,
      clears: kind === "clear" ? [...ledger.clears, signed] : ledger.clears,
    });
    if (child !== undefined && kind === "swap") {
      const { exit } = this.parents.get(child.parent.orderId)?.mandate ?? {};
      must(exit === undefined || this.#isSigned(exit.of), "an exit is signed whose buy never was");
      this.checks.afterSignature(child, signed);
    }
    return signed;
  }

  /** Asks the rule about a child, and records the signature in the tally. */
  #countsChild(child: ChildTerms, { kind, deadline }: Omit<Signed, "hash">, ledger: LedgerOf): boolean {
    const { orderId } = child.parent;
    const order = this.parents.get(orderId);
    if (order === undefined) return false;
    const [first] = ledger.swaps;
    const facts: ChildFacts = {
      mandate: order.mandate,
      child,
      isMandateGenuine: this.checks.isGenuine(order.mandate),
      isChildGenuine: true,
      mandateHash,
      purpose: kind === "clear" ? "clear" : "swap",
      isFirstSwap: first === undefined,
      deadline,
      first: first && { signedAtMs: ledger.signedAtMs, deadline: first.deadline },
      tally: this.tallies.get(orderId),
      ended: this.ended.get(orderId),
      isCancelled: this.cancelled.has(orderId),
      hasBought: this.#isSigned(order.mandate.exit?.of),
      cutoffs: { all: { userID: order.mandate.userID, before: this.cancelledAll } },
      spends: child.amount,
      fees: { most: feeOfSignature, adds: first === undefined ? feeOfSignature : 0n },
      feesOfDay: { adds: 0n, ofLimits: 0n, limit: 10n ** 6n },
      newOfDay: 0,
    };
    if (this.system.objection(facts, this.nowMs) !== undefined) return false;
    this.tallies.set(orderId, this.system.tally(facts, this.nowMs, 0).tally);
    return true;
  }

  // The executor.

  /** Records that a child can never fill. */
  proveDead(job: LaneJob, how: Ended["dead"][number]["how"]): void {
    const { child, orderId } = job;
    if (child === undefined || this.isProvenDead(job)) return;
    this.#buried.set(orderId, this.chain.head.number);
    const { dead, revision, expiresAt } = this.#dead(child.parent.orderId);
    this.ended.set(child.parent.orderId, {
      orderId: child.parent.orderId,
      dead: [...dead, { child: orderId, how, block: this.chain.head.number }].slice(-16),
      revision: revision + 1,
      expiresAt,
    });
  }

  /** Does what executeOrders does for each lane. May stop after any step. */
  work(isKilled: () => boolean): void {
    for (const wallet of this.chain.wallets) this.#workLane(wallet, isKilled);
  }

  #workLane(wallet: string, isKilled: () => boolean): void {
    const jobs = this.#jobsOf(wallet).filter(({ isSettled }) => !isSettled);
    if (jobs.length === 0) return;
    for (const job of jobs) {
      const buriedAt = this.#buried.get(job.orderId);
      const isFinal = buriedAt !== undefined && this.chain.head.number - buriedAt >= finalDepth;
      job.isSettled ||= isFinal || (job.hasEnded && !this.ledgers.has(job.orderId));
      if (job.isSettled || buriedAt !== undefined) continue;
      this.#observe(job);
      if (this.intruder === "executeOrders" && this.ledgers.has(job.orderId) && this.random.chance(0.1))
        this.proveDead(job, "failed");
      if (isKilled()) return;
    }
    const agreed = this.hosts.agreedNonce(wallet);
    if (agreed === undefined) return;
    const front = jobs.find(({ orderId }) => this.ledgers.get(orderId)?.swaps[0]?.nonce === agreed.nonce);
    if (front !== undefined) {
      this.#push(front, agreed.time, isKilled);
      return;
    }
    const next = jobs.find(
      (job) => !job.hasEnded && !this.ledgers.has(job.orderId) && this.nowMs < job.validUntil * 1000,
    );
    const signed = next && this.sign(next.orderId, agreed.nonce, "swap");
    if (signed !== undefined && !isKilled()) this.chain.send(signed);
  }

  #observe(job: LaneJob): void {
    const signed = this.signedNonce(job.orderId);
    const words = this.hosts.nonceWords(job.wallet, signed);
    if (signed === undefined) {
      const isPast = words.every((word) => word !== undefined && word.head.time > job.validUntil);
      if (job.yields || (isPast && this.nowMs > job.validUntil * 1000)) job.hasEnded = true;
      return;
    }
    const heard = this.system.heard(words, signed);
    const death = this.system.deathOf("eth", signed, heard);
    if (death !== undefined) {
      this.seen.add(`dead: ${death.how}`);
      if (job.child === undefined) this.#buried.set(job.orderId, this.chain.head.number);
      this.proveDead(job, death.how);
    }
    const fill = fillBlockOf(signed, heard);
    const hasFailed = signed.swaps.some((hash) =>
      heard.some((word) => word?.receipts.get(hash)?.status === "failed"),
    );
    if (fill !== undefined || hasFailed || death !== undefined) job.hasEnded = true;
    if (fill !== undefined && heard.every((word) => (word?.head.number ?? 0) - fill.number >= finalDepth)) {
      job.isSettled = true;
      this.seen.add("settled");
    }
  }

  /** Sends what is signed at the wallet's next nonce, or clears it once the swap is too late. */
  #push(job: LaneJob, time: number, isKilled: () => boolean): void {
    const { swaps, clears } = this.ledgers.get(job.orderId) as LedgerOf;
    const [first] = swaps as [Signed];
    const unsent = [...swaps, ...clears].find((tx) => !this.chain.pool.includes(tx));
    if (unsent !== undefined) {
      this.chain.send(unsent);
      return;
    }
    const isDue = time > first.deadline || job.yields || job.isCancelling;
    if (!isDue && this.random.chance(0.9)) return;
    // Another attempt at the swap pays more for the same call. An intruder may ask for another deadline.
    const isLater = this.intruder === "executeOrders" && this.random.chance(0.9);
    const latest = Math.floor(this.nowMs / 1000) + this.#lifeOf(job) + 2;
    const deadline = isLater ? Math.min(job.validUntil, latest) : undefined;
    const kind = isDue && !isLater ? "clear" : "swap";
    if (isLater && swaps.some((tx) => tx.deadline === deadline)) return;
    if (kind === "clear" && clears.length > 0) return;
    const signed = this.sign(job.orderId, first.nonce, kind, deadline);
    if (signed !== undefined && !isKilled()) this.chain.send(signed);
  }

  #lifeOf({ child }: LaneJob): number {
    const leg = child && this.parents.get(child.parent.orderId)?.mandate.legs[child.parent.leg];
    return leg === undefined ? 600 : lifeSeconds("eth", leg);
  }
}
