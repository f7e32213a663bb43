import { solFiring } from "../../../../lib/chains/sol/fire.ts";
import type { MessageWord, SignedMessages } from "../../../../lib/chains/sol/rules/child-sight.ts";
import { objectionToChild } from "../../../../lib/orders/resting/child-rule.ts";
import type { FiringFamily } from "../../../../lib/orders/resting/firing.ts";
import type { ChildTerms } from "../../../../lib/orders/resting/mandate.ts";
import { fillIdOf } from "../../../../lib/orders/resting/slices.ts";
import { type ChildFacts, tallyAfter } from "../../../../lib/orders/resting/tally.ts";
import type { Random } from "../random.ts";
import { must } from "../violation.ts";
import type { Intruder, LaneJob } from "./resting-checks.ts";
import { mandateHash, RestingRuns } from "./resting-runs.ts";
import type { SolChain, SolMessage } from "./sol-chain.ts";

/** The code under test. A mutant replaces a part of it. */
export type SolSystem = {
  family: FiringFamily<SignedMessages, MessageWord>;
  objection: typeof objectionToChild;
  /** Names the marker of a child. */
  markerOf: (child: ChildTerms) => string;
  /** True if lamports that anybody has paid in count as a marker. */
  countsDeposits: boolean;
};

export const solSystem: SolSystem = {
  family: solFiring,
  objection: objectionToChild,
  markerOf: ({ parent }) => fillIdOf(parent),
  countsDeposits: false,
};

const feeOfMessage = 10n;
const mostMessages = 3;
/** Number of blocks for which a message lives. */
const liveHeights = 150;

type LedgerOf = { messages: SolMessage[]; signedAtMs: number };

type SolWords = readonly (MessageWord | undefined)[];

/** Simulates the signer and the lane of a wallet on Solana. */
export class SolWorld extends RestingRuns<SignedMessages, MessageWord> {
  readonly chain: SolChain;
  readonly system: SolSystem;
  readonly ledgers = new Map<string, LedgerOf>();
  /** True if an executeOrders that was taken over asks for clears of children whose orders rest on. */
  asksForClears = false;
  #signatures = 0;

  constructor(random: Random, chain: SolChain, system: SolSystem, intruder?: Intruder) {
    super(random, intruder, {
      network: "sol",
      chain,
      looks: {
        back: { limit: [], stop: [] },
        mostAgeSeconds: 15,
        readings: { limit: { n: 2, ms: 2000 }, stop: { n: 4, ms: 8000 } },
      },
      family: system.family,
      signedOf: (orderId) => this.signedOf(orderId),
      askChild: ({ child: { orderId }, signed }) => {
        const job = this.jobs.get(orderId);
        const marker = job === undefined ? "" : this.#markerOf(job);
        const words = chain.messageWords(signed, marker);
        if (!system.countsDeposits || !chain.deposits.has(marker)) return words;
        const [a, b] = words.map((word) => word && { ...word, isMarked: true });
        return [a, b];
      },
      askPrices: (amount) => chain.priceWords(amount),
      hearPrices: (words) => words,
      hearBirth: (words) => words,
      hearBought: (byHosts) => byHosts,
      changeView: (view) => view,
      askSums: (sums) => chain.ladders(sums),
      busy: () => undefined,
      isProvenDead: () => false,
      isAtomic: true,
    });
    this.chain = chain;
    this.system = system;
  }

  #markerOf({ child, orderId }: LaneJob): string {
    return child === undefined ? orderId : this.system.markerOf(child);
  }

  #isSigned(orderId = ""): boolean {
    return this.ledgers.has(orderId);
  }

  signedOf(orderId: string): { swap: SignedMessages; deadline: number } | undefined {
    const fillOf = (id: string) => {
      const { parent } = this.jobs.get(id)?.child ?? {};
      return parent === undefined ? id : fillIdOf(parent);
    };
    const all = [...this.ledgers.values()].flatMap(({ messages }) => messages);
    const ofFill = all.filter((each) => fillOf(each.orderId) === fillOf(orderId));
    const own = ofFill.filter((each) => each.orderId === orderId && each.kind === "swap");
    if (own.length === 0) return undefined;
    const others = ofFill.filter((each) => each.kind === "swap" && each.orderId !== orderId);
    return {
      swap: {
        own,
        siblings: others.map(({ signature }) => signature),
        clears: ofFill.filter(({ kind }) => kind === "clear"),
      },
      deadline: Math.ceil(this.nowMs / 1000) - 1,
    };
  }

  /** Signs a message, and records it. Undefined if a rule forbids it. */
  sign(job: LaneJob, kind: SolMessage["kind"]): SolMessage | undefined {
    const { child, orderId, amount, minAmountOut } = job;
    const ledger = this.ledgers.get(orderId) ?? { messages: [], signedAtMs: this.nowMs };
    if (kind === "swap" && (job.isCancelling || this.nowMs >= job.validUntil * 1000)) return undefined;
    if (child !== undefined && !this.#countsChild(child, kind, ledger)) return undefined;
    const message: SolMessage = {
      signature: `m${this.#signatures++}`,
      kind,
      orderId,
      marker: this.#markerOf(job),
      lastHeight: this.chain.head.height + liveHeights,
      amount,
      minAmountOut,
    };
    this.ledgers.set(orderId, { ...ledger, messages: [...ledger.messages, message] });
    if (child === undefined || kind === "clear") return message;
    const { exit } = this.parents.get(child.parent.orderId)?.mandate ?? {};
    must(exit === undefined || this.#isSigned(exit.of), "an exit is signed whose buy never was");
    this.checks.afterSignature(child, message);
    return message;
  }

  /** Asks the rule about a child, and records the signature in the tally. */
  #countsChild(child: ChildTerms, kind: SolMessage["kind"], ledger: LedgerOf): boolean {
    const order = this.parents.get(child.parent.orderId);
    if (order === undefined) return false;
    const isFirstSwap = ledger.messages.length === 0;
    const facts: ChildFacts = {
      mandate: order.mandate,
      child,
      isMandateGenuine: this.checks.isGenuine(order.mandate),
      isChildGenuine: true,
      mandateHash,
      purpose: kind,
      isFirstSwap,
      first: isFirstSwap ? undefined : { signedAtMs: ledger.signedAtMs },
      tally: this.tallies.get(order.mandate.orderId),
      ended: this.ended.get(order.mandate.orderId),
      isCancelled: this.cancelled.has(order.mandate.orderId),
      hasBought: this.#isSigned(order.mandate.exit?.of),
      cutoffs: { all: { userID: order.mandate.userID, before: this.cancelledAll } },
      spends: child.amount,
      fees: { most: feeOfMessage, adds: isFirstSwap ? feeOfMessage : 0n },
      feesOfDay: { adds: 0n, ofLimits: 0n, limit: 10n ** 6n },
      newOfDay: 0,
    };
    if (this.system.objection(facts, this.nowMs) !== undefined) return false;
    this.tallies.set(order.mandate.orderId, tallyAfter(facts, this.nowMs, 0).tally);
    return true;
  }

  /** Does what executeOrders does for the lane. */
  work(): void {
    for (const job of this.jobs.values()) {
      if (job.isSettled) continue;
      const swap = this.signedOf(job.orderId)?.swap;
      const [a, b] = this.chain.messageWords(swap, "");
      const receipts = (swap?.own ?? []).map(({ signature }) =>
        [a, b].map((word) => word?.receipts.get(signature)),
      );
      const fill = receipts.find((both) => both.every((receipt) => receipt?.status === "ok"));
      if (fill !== undefined) job.hasEnded = true;
      // Trusts the higher of two heights, because the lower one may be a lie.
      const height = Math.max(...(fill ?? []).map((receipt) => receipt?.height ?? 0));
      if (fill !== undefined && [a, b].every((word) => word !== undefined && word.finalHeight >= height))
        job.isSettled = true;
      if (this.#isOver(job, swap, [a, b])) job.hasEnded = job.isSettled = true;
      if (job.hasEnded) continue;
      const messages = this.ledgers.get(job.orderId)?.messages ?? [];
      const isCleared = messages.some(({ kind }) => kind === "clear");
      const isDue = job.isCancelling || (this.asksForClears && this.random.chance(0.2));
      if (isDue && messages.length > 0 && !isCleared) this.#send(this.sign(job, "clear"));
      else if (!job.isCancelling && messages.length < mostMessages) this.#send(this.sign(job, "swap"));
    }
  }

  /** True if no further message of a child gets signed, and none that is signed can run. */
  #isOver({ isCancelling, validUntil }: LaneJob, swap: SignedMessages | undefined, words: SolWords): boolean {
    if (!isCancelling && this.nowMs < validUntil * 1000) return false;
    return words.every(
      (word) =>
        word !== undefined &&
        (swap?.own ?? []).every(
          ({ signature, lastHeight }) =>
            (word.receipts.get(signature)?.height ?? lastHeight + 1) <= word.finalHeight,
        ),
    );
  }

  /** Called when all parents have come to their end. */
  finish(): void {}

  #send(message: SolMessage | undefined): void {
    if (message !== undefined) this.chain.send(message);
  }
}
