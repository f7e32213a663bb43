import type { Sol } from "../../../../lib/chains/sol/rules/family.ts";
import type { SolReceipt, SolSnapshot } from "../../../../lib/chains/sol/rules/host-snapshot.ts";
import type { SolSlot } from "../../../../lib/chains/sol/rules/slot.ts";
import type {
  Effect,
  Effects,
  LaneView,
  Question,
  SignAnswer,
  SignRequest,
} from "../../../../lib/orders/effects.ts";
import type { TradeOrder } from "../../../../lib/orders/trade-order.ts";
import { workLane } from "../../../../lib/trading/procedures/work-lane.ts";
import {
  attemptOf,
  factsOf,
  failed,
  filled,
  limits,
  orderOf,
  route,
  slotOf,
  snapshotOf,
} from "../../../chains/sol/fixtures.ts";
import { ModelTable } from "../table.ts";
import { must } from "../violation.ts";
import { outAtPrice } from "./resting-chain.ts";
import type { LaneJob } from "./resting-checks.ts";
import { markersIn, type SolBlock, type SolMessage } from "./sol-chain.ts";
import { SolWorld } from "./sol-world.ts";

const lane = { chain: "sol", wallet: "wallet" } as const;
const userID = "alice";

type Answer = Effects[keyof Effects]["answer"];

/** A world whose children are executed by the lane of executeOrders itself. Only the signer is simulated. */
export class SolLaneWorld extends SolWorld {
  /** Changes the answers that the lane gets. A mutant replaces it. */
  answered: (effect: Effect, answer: Answer) => Answer = (_, answer) => answer;
  readonly #table = new ModelTable<Sol>();
  readonly #signed = new Map<string, SolMessage>();
  #runs = 0;

  override work(): void {
    for (const job of this.jobs.values()) if (this.#orderOf(job.orderId) === undefined) this.#place(job);
    let pausedMs = 0;
    const procedure = workLane(lane, `run${this.#runs++}`, limits, "");
    for (let next = procedure.next(); !next.done; ) {
      const effect = next.value;
      if (this.random.chance(0.003)) break;
      if (effect.do === "pause") pausedMs += effect.ms;
      next = procedure.next(this.answered(effect, this.#answer(effect, this.nowMs + pausedMs)));
    }
    for (const { intent: own, life } of this.#table.all("order")) {
      const job = this.jobs.get(own.orderId);
      if (job !== undefined)
        Object.assign(job, { hasEnded: life.status !== "open", isSettled: life.settled });
      if (life.settled) this.seen.add(`settled: ${life.reasonCode ?? life.status}`);
    }
    for (const ended of this.#table.all("ended")) this.ended.set(ended.orderId, ended);
  }

  /** Lets the lane finish, and checks that it does. */
  override finish(): void {
    for (let block = 0; block < 40; block++) {
      this.chain.mine();
      this.work();
    }
    for (const { intent: own, life } of this.#table.all("order"))
      must(life.settled, `${own.orderId} never settles but is ${life.status}`);
  }

  #orderOf = (orderId: string): TradeOrder<Sol> | undefined =>
    this.#table.get("order", { intent: { userID, orderId } });

  #place({ orderId, child, amount, minAmountOut, validUntil, createdAt }: LaneJob): void {
    const mandate = child && this.parents.get(child.parent.orderId)?.mandate;
    const order = orderOf(
      { amount, ...(mandate && { mandate }) },
      {
        ...lane,
        orderId,
        side: "sell",
        token: "token",
        amount,
        minAmountOut,
        quotedOut: minAmountOut,
        createdAt,
        validUntil,
        ...(child && { parent: child.parent }),
      },
    );
    this.#table.put("order", order);
    this.#table.put("job", { ...lane, orderId, userID, token: "token" });
    const held = this.#table.get("lane", lane);
    this.#table.put("lane", { ...lane, ...held, jobs: (held?.jobs ?? 0) + 1 });
  }

  #answer(effect: Effect, nowMs: number): Answer {
    switch (effect.do) {
      case "now":
        return nowMs;
      case "readLane":
        return this.#view() as LaneView;
      case "hostSnapshot":
        return this.#snapshot(effect.host, effect.question as Question<Sol>);
      case "write":
        return this.#table.write(effect.step) !== undefined;
      case "sign":
        return this.#answerOfSigner(effect.request as SignRequest<Sol>, nowMs);
      case "send":
        this.chain.send(this.#signed.get(effect.raw) as SolMessage);
        return "reached";
      case "pause":
        return undefined;
      default:
        throw new Error(`the world has no ${effect.do}`);
    }
  }

  #view(): LaneView<Sol> {
    const jobs = this.#table.all("job");
    const orders = jobs.map(({ orderId }) => this.#orderOf(orderId) as TradeOrder<Sol>);
    const slots = this.#table.all("slot").toSorted((a, b) => a.place - b.place);
    const newest = slots.flatMap(({ attempts }) => attempts.at(-1)?.hash ?? []);
    const isCancelled = ({ intent: { parent } }: TradeOrder<Sol>) =>
      this.cancelled.has(parent?.orderId ?? "");
    return {
      lane: this.#table.get("lane", lane),
      jobs,
      slots,
      orders,
      books: this.#table.all("book"),
      retired: new Set(),
      cancelled: new Set(orders.filter(isCancelled).map(({ intent: own }) => own.orderId)),
      maxGasPrices: new Map(),
      limits: new Map(),
      bytes: new Map(newest.map((hash) => [hash, hash])),
      isStopped: false,
      children: new Map(
        orders.map((order) => {
          const { orderId, parent } = order.intent;
          return [orderId, { ledger: this.#ledgerOf(order), ended: this.ended.get(parent?.orderId ?? "") }];
        }),
      ),
    };
  }

  #ledgerOf({ intent: { orderId, validUntil } }: TradeOrder<Sol>) {
    const messages = this.ledgers.get(orderId)?.messages;
    return (
      messages && {
        ...lane,
        userID,
        orderId,
        validUntil,
        messages: messages.map(({ signature: hash, kind: purpose }) => ({
          hash,
          purpose,
          signatures: 1 as const,
          mostFeeLamports: 10n,
        })),
        revision: messages.length,
      }
    );
  }

  /** Asks a host, which answers about final blocks alone. */
  #snapshot(host: 0 | 1, question: Question<Sol>): SolSnapshot | undefined {
    const sight = this.chain.sightOf(host);
    if (sight === undefined) return undefined;
    const final = finalOf(sight.blocks);
    const { height, price } = final.at(-1) as SolBlock;
    const common = this.chain.blocks.at(-8)?.height ?? 0;
    const receipts = finalOf(sight.blocks)
      .filter((block) => sight.receipts.includes(block))
      .flatMap((block) => receiptsIn(block).filter(({ hash }) => question.hashes.includes(hash)));
    const marked = markersIn(final);
    const isMarked = (orderId: string) => marked.has(question.parents?.get(orderId) ?? orderId);
    return snapshotOf({
      height: { slot: height, blockHeight: height },
      blockhash: { hash: `${common}`, lastValidBlockHeight: common + 150 },
      orders: new Map(
        question.orders.map(({ orderId, amount }) => [
          orderId,
          factsOf({ held: amount, routes: [{ ...route, amountOut: outAtPrice(price, amount) }] }),
        ]),
      ),
      receipts: new Map(receipts.map((receipt) => [receipt.hash, receipt])),
      markers: new Map(question.marked.map((orderId) => [orderId, isMarked(orderId)])),
    });
  }

  #answerOfSigner(
    { place, orderId, purpose, attempt, message }: SignRequest<Sol>,
    nowMs: number,
  ): SignAnswer<Sol> {
    const job = this.jobs.get(orderId);
    const slot = this.#table.get("slot", { ...lane, place });
    if (job === undefined || (slot !== undefined && slot.orderId !== orderId)) return { later: "it is gone" };
    const known = slot?.attempts[attempt - 1];
    if (slot !== undefined && known !== undefined) return { slot, raw: known.hash };
    const signed = this.sign(job, purpose);
    if (signed === undefined) return { later: "a rule forbids it" };
    const { signature, lastHeight } = signed;
    this.#signed.set(signature, signed);
    const { microLamportsPerUnit } = message;
    const added = attemptOf(signature, {
      purpose,
      microLamportsPerUnit,
      lastValidBlockHeight: lastHeight,
      signedAtMs: nowMs,
    });
    const item: SolSlot = slotOf({
      ...lane,
      place,
      orderId,
      userID,
      ...slot,
      state: "signed",
      attempts: [...(slot?.attempts ?? []), added],
      revision: (slot?.revision ?? 0) + 1,
    });
    this.#table.put("slot", item);
    return { slot: item, raw: signature };
  }
}

const finalOf = (blocks: readonly SolBlock[]): readonly SolBlock[] => blocks.slice(0, -5);

const receiptsIn = ({ height, time, ran }: SolBlock): SolReceipt[] =>
  ran.map(({ message: { signature, kind, amount }, status, out }) => {
    const common = { block: { number: height, hash: `${height}`, time }, fee: 10n };
    if (status === "failed") return failed(signature, common);
    const traded = kind === "swap" ? { spent: amount, received: out } : { spent: 0n, received: 0n };
    return filled(signature, { ...common, ...traded });
  });
