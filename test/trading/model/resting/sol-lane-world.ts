import { signedBySol } from "../../../../lib/chains/sol/fire.ts";
import type { SignedMessages } from "../../../../lib/chains/sol/rules/child-sight.ts";
import type { Sol } from "../../../../lib/chains/sol/rules/family.ts";
import type { SolReceipt, SolSnapshot } from "../../../../lib/chains/sol/rules/host-snapshot.ts";
import { signMessage } from "../../../../lib/chains/sol/rules/sign.ts";
import { mostFeeOfMessage } from "../../../../lib/chains/sol/rules/signing-rules.ts";
import type {
  Effect,
  Effects,
  LaneView,
  Question,
  SignAnswer,
  SignRequest,
} from "../../../../lib/orders/effects.ts";
import type { ChildTerms, Mandate } from "../../../../lib/orders/resting/mandate.ts";
import type { TradeOrder } from "../../../../lib/orders/trade-order.ts";
import { packed } from "../../../../lib/trading/items/items.ts";
import { workLane } from "../../../../lib/trading/procedures/work-lane.ts";
import {
  factsOf,
  failed,
  filled,
  intentOf,
  orderOf,
  route,
  snapshotOf,
  limits as usualLimits,
} from "../../../chains/sol/fixtures.ts";
import { checkEarned } from "../earned.ts";
import { ModelTable } from "../table.ts";
import { must } from "../violation.ts";
import { modelMac, runSigner, type Signer } from "./model-signer.ts";
import { outAtPrice } from "./resting-chain.ts";
import type { LaneJob } from "./resting-checks.ts";
import { markersIn, type SolBlock, type SolMessage } from "./sol-chain.ts";
import { SolWorld } from "./sol-world.ts";

const lane = { chain: "sol", wallet: "wallet" } as const;
const userID = "alice";
const limits = { ...usualLimits, maxNetworkFeesPerDay: 10n ** 15n };

/** The most that a message pays the network, for one unit of the histories' budgets. */
const unit = 2500n;

type Answer = Effects[keyof Effects]["answer"];

/** A world whose children are executed by the lane of executeOrders and by the signer. Only MACs and keys are simulated. */
export class SolLaneWorld extends SolWorld {
  /** Changes the answers that the lane gets. A mutant replaces it. */
  answered: (effect: Effect, answer: Answer) => Answer = (_, answer) => answer;
  readonly #table = new ModelTable<Sol>();
  /** The signer. A mutant replaces it. */
  signer: Signer<Sol> = signMessage;
  readonly #signed = new Map<string, SolMessage>();
  readonly #fees = new Map<string, bigint>();
  /** Time of each child's first signature. */
  readonly #firstMs = new Map<string, number>();
  #runs = 0;

  /** Gives mandates budgets in the fees of real messages. */
  override rest({ feesLimit, feesStop, ...mandate }: Mandate): void {
    super.rest({ ...mandate, feesLimit: feesLimit * unit, feesStop: feesStop * unit });
  }

  override work(): void {
    for (const job of this.jobs.values()) if (this.#orderOf(job.orderId) === undefined) this.#place(job);
    for (const orderId of this.cancelled) this.#table.put("cancellation", { userID, orderId });
    this.#table.put("wallet", { ...lane, userID });
    let pausedMs = 0;
    const procedure = workLane(lane, `run${this.#runs++}`, limits, "");
    for (let next = procedure.next(); !next.done; ) {
      const effect = next.value;
      if (this.random.chance(0.003)) break;
      if (effect.do === "pause") pausedMs += effect.ms;
      next = procedure.next(this.answered(effect, this.#answer(effect, this.nowMs + pausedMs)));
    }
    checkEarned(this.#table);
    for (const { intent: own, life } of this.#table.all("order")) {
      const job = this.jobs.get(own.orderId);
      if (job !== undefined)
        Object.assign(job, { hasEnded: life.status !== "open", isSettled: life.settled });
      if (life.settled) this.seen.add(`settled: ${life.reasonCode ?? life.status}`);
    }
    for (const ended of this.#table.all("ended")) this.ended.set(ended.orderId, ended);
    for (const tally of this.#table.all("tally")) this.tallies.set(tally.orderId, tally);
    const ran = this.chain.blocks.flatMap((block) => block.ran.map(({ message }) => message));
    this.checks.afterFees(
      ran.map(({ orderId, signature }) => ({ orderId, fee: this.#fees.get(signature) ?? 0n })),
    );
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
    const own = intentOf({
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
    });
    const order = orderOf({ amount, mac: modelMac(own), ...(mandate && { mandate }) }, own);
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
          const ended = this.ended.get(parent?.orderId ?? "");
          return [orderId, { ledger: this.#table.get("ledger", { orderId }), ended }];
        }),
      ),
    };
  }

  /** Reads the ledgers of the newest children of the order, as fireOrders does. */
  override signedOf(orderId: string): { swap: SignedMessages; deadline: number } | undefined {
    const { child } = this.jobs.get(orderId) ?? {};
    const { out = [], firings = [] } = this.parents.get(child?.parent.orderId ?? "") ?? {};
    const ids = new Set([...out, ...firings].map((each) => each.orderId));
    ids.delete(orderId);
    const ledger = this.#table.get("ledger", { orderId });
    const siblings = [...ids].flatMap((id) => this.#table.get("ledger", { orderId: id }) ?? []);
    return ledger && signedBySol(ledger, siblings);
  }

  /** Asks a host, which answers only about final blocks. */
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

  #answerOfSigner(request: SignRequest<Sol>, nowMs: number): SignAnswer<Sol> {
    const bytesOf = (orderId: string, { message }: Sol["unsigned"]) => this.#bytesOf(orderId, message);
    const around = { runs: this, table: this.#table, chainLimits: limits, nowMs, bytesOf };
    const answer = runSigner<Sol>(around, this.signer, request);
    const signed = "raw" in answer ? this.#signed.get(answer.raw) : undefined;
    if (signed?.kind === "swap") this.#checkSigned(signed, nowMs);
    return answer;
  }

  /** The messages of a child are signed within 8 seconds. */
  #checkSigned(message: SolMessage, nowMs: number): void {
    const { orderId } = message;
    const { child } = this.jobs.get(orderId) ?? {};
    if (child !== undefined) this.checks.afterSignature(child, message);
    const firstMs = this.#firstMs.get(orderId) ?? nowMs;
    this.#firstMs.set(orderId, firstMs);
    must(nowMs <= firstMs + 8000, "a message is signed long after the child's first");
  }

  /** Makes the same signature for the same message. */
  #bytesOf(orderId: string, message: Sol["unsigned"]["message"]): { hash: string; raw: string } {
    const { child, minAmountOut } = this.jobs.get(orderId) as LaneJob;
    const signature = `${orderId} ${JSON.stringify(packed(message))}`;
    this.#signed.set(signature, {
      signature,
      kind: message.purpose,
      orderId,
      marker: this.system.markerOf(child as ChildTerms),
      lastHeight: message.lastValidBlockHeight,
      amount: message.purpose === "swap" ? message.amountIn : 0n,
      minAmountOut,
    });
    this.#fees.set(signature, mostFeeOfMessage(message, limits));
    return { hash: signature, raw: signature };
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
