import type { SignedNonce } from "../../../../lib/chains/evm/rules/death.ts";
import type { Evm } from "../../../../lib/chains/evm/rules/family.ts";
import type { EvmReceipt, EvmSnapshot } from "../../../../lib/chains/evm/rules/host-snapshot.ts";
import type { UnsignedEvmTransaction } from "../../../../lib/chains/evm/rules/intent.ts";
import { signedNonceOf } from "../../../../lib/chains/evm/rules/ledger.ts";
import { signEvmTransaction } from "../../../../lib/chains/evm/rules/sign.ts";
import { mostFeeOf } from "../../../../lib/chains/evm/rules/slot.ts";
import { dayOf } from "../../../../lib/core/time.ts";
import type {
  Effect,
  Effects,
  LaneView,
  Question,
  SignAnswer,
  SignRequest,
} from "../../../../lib/orders/effects.ts";
import type { Mandate } from "../../../../lib/orders/resting/mandate.ts";
import type { TradeOrder } from "../../../../lib/orders/trade-order.ts";
import { type Limits, openPolicy } from "../../../../lib/orders/wallet-policy.ts";
import { workLane } from "../../../../lib/trading/procedures/work-lane.ts";
import { gwei, orderFacts, routeFacts, snapshot } from "../../../support/lane-states.ts";
import { intent, tradeOrder, v2, wideLimits } from "../../../support/trading.ts";
import { checkEarned } from "../earned.ts";
import { ModelTable } from "../table.ts";
import { must } from "../violation.ts";
import { modelMac, runSigner, type Signer } from "./model-signer.ts";
import { nonceOf, outAtPrice, type PricedBlock, type Signed, usualWallet } from "./resting-chain.ts";
import type { LaneJob } from "./resting-checks.ts";
import { RestingWorld } from "./resting-world.ts";

const lane = { chain: "eth", wallet: usualWallet } as const;
const userID = "alice";

/** The most that a swap pays the network when it is first signed, for one unit of the histories' budgets. */
const unit = (134_415n * 2n * gwei) / 10n;

/** Coin that buys spend, for one unit of the histories' amounts. */
const coinUnit = 10n ** 12n;

type Answer = Effects[keyof Effects]["answer"];

/** A world whose children are executed by the lane of executeOrders and by the signer. Only MACs and keys are simulated. */
export class LaneWorld extends RestingWorld {
  /** Changes the answers that the lane gets. A mutant replaces it. */
  answered: (effect: Effect, answer: Answer) => Answer = (_, answer) => answer;
  /** The signer. A mutant replaces it. */
  signer: Signer<Evm> = signEvmTransaction;
  #table = new ModelTable<Evm>();
  readonly #signed = new Map<string, Signed & { most: bigint }>();
  #runs = 0;
  /** Limit of the wallet's policy, if it buys. */
  #maxPerDay: bigint | undefined;

  /** Gives mandates a gas price, and amounts and budgets in proportion to the fees of real transactions. */
  override rest({ feesLimit, feesStop, ...mandate }: Mandate): void {
    const amount = mandate.side === "buy" ? mandate.amount * coinUnit : mandate.amount;
    if (mandate.side === "buy") this.#maxPerDay = (5n * amount) / 2n;
    super.rest({
      ...mandate,
      amount,
      maxGasPrice: intent().maxGasPrice,
      feesLimit: feesLimit * unit,
      feesStop: feesStop * unit,
    });
  }

  /** Runs the wallet's lane once. May stop before any effect. */
  override work(isKilled: () => boolean): void {
    this.#place();
    let pausedMs = 0;
    const procedure = workLane(lane, `run${this.#runs++}`, wideLimits, "");
    for (let next = procedure.next(); !next.done; ) {
      const effect = next.value;
      if (isKilled() && this.random.chance(0.1)) break;
      if (effect.do === "pause") pausedMs += effect.ms;
      next = procedure.next(this.answered(effect, this.#answer(effect, this.nowMs + pausedMs)));
    }
    checkEarned(this.#table);
    for (const { intent: own, life } of this.#table.all("order")) {
      const job = this.jobs.get(own.orderId);
      if (job !== undefined)
        Object.assign(job, { hasEnded: life.status !== "open", isSettled: life.settled });
      if (life.settled) this.seen.add("settled");
    }
    for (const { orderId, ...ended } of this.#table.all("ended")) {
      for (const { how } of ended.dead) this.seen.add(`dead: ${how}`);
      this.ended.set(orderId, { orderId, ...ended });
    }
    for (const tally of this.#table.all("tally")) this.tallies.set(tally.orderId, tally);
    const mined = this.chain.blocks.flatMap((block) => block.mined);
    const bought = this.chain.fills().filter(({ orderId }) => this.jobs.get(orderId)?.child?.side === "buy");
    const spent = bought.reduce((sum, fill) => sum + fill.amount, 0n);
    must(spent <= (this.#maxPerDay ?? 0n), "buys are above the day's limit");
    this.checks.afterFees(mined.map(({ tx }) => ({ orderId: tx.orderId, fee: this.#feeOf(tx) })));
  }

  /** Adds new orders to the lane, and what others have written to the table. */
  #place(): void {
    // A restored table knows nothing of its orders.
    if (this.#table.all("order").some((order) => !this.jobs.has(order.intent.orderId)))
      this.#table = new ModelTable<Evm>();
    for (const job of this.jobs.values()) {
      const known = this.#orderOf(job.orderId);
      const order = known ?? this.#newOrder(job);
      if (known === undefined) {
        const { orderId, token } = order.intent;
        this.#table.put("order", order);
        this.#table.put("job", { ...lane, orderId, userID, token });
        const held = this.#table.get("lane", lane);
        this.#table.put("lane", { ...lane, ...held, jobs: (held?.jobs ?? 0) + 1 });
      }
      if (job.yields && !order.yields)
        this.#table.put("order", { ...order, yields: true, revision: order.revision + 1 });
    }
    for (const ended of this.ended.values()) this.#table.put("ended", ended);
    for (const orderId of this.cancelled) this.#table.put("cancellation", { userID, orderId });
    if (this.cancelledAll > 0) this.#table.put("cutoff", { userID, before: this.cancelledAll });
    this.#table.put("wallet", { ...lane, userID });
    const { stored } = this.#limitsAt(this.nowMs);
    if (stored !== undefined) this.#table.put("policy", stored);
  }

  #orderOf = (orderId: string) =>
    this.#table.get("order", { intent: { userID, orderId } }) as TradeOrder<Evm> | undefined;

  #newOrder(job: LaneJob): TradeOrder<Evm> {
    const { orderId, child, amount, minAmountOut, validUntil, createdAt, yields } = job;
    const mandate = child && this.parents.get(child.parent.orderId)?.mandate;
    const own = intent({
      ...lane,
      orderId,
      userID,
      side: child?.side ?? "sell",
      amount,
      minAmountOut,
      quotedOut: minAmountOut,
      routes: [v2],
      createdAt,
      validUntil,
      ...(child && { parent: child.parent }),
    });
    const placed = { ...tradeOrder().placed, createdAt: new Date(createdAt).toISOString() };
    const order = { intent: own, mac: modelMac(own), placed, amount };
    return tradeOrder({ ...order, ...(mandate && { mandate }), ...(yields && { yields }) });
  }

  #answer(effect: Effect, nowMs: number): Answer {
    switch (effect.do) {
      case "now":
        return nowMs;
      case "readLane":
        return this.#view() as LaneView;
      case "hostSnapshot":
        return this.#snapshot(effect.host, effect.question as Question<Evm>);
      case "childWords": {
        const signed = effect.child.signed as SignedNonce;
        return this.system.heard(this.hosts.nonceWords(lane.wallet, signed), signed);
      }
      case "write":
        return this.#table.write(effect.step) !== undefined;
      case "sign":
        return this.#answerOfSigner(effect.request as SignRequest<Evm>, nowMs);
      case "send": {
        const tx = this.#signed.get(effect.raw) as Signed;
        this.#checkSent(tx);
        this.chain.send(tx);
        return "reached";
      }
      case "pause":
        return undefined;
      default:
        throw new Error(`the world has no ${effect.do}`);
    }
  }

  /** Sends no swap of a child that is cancelled, or that makes way for a stop. */
  #checkSent({ kind, orderId }: Signed): void {
    const job = this.jobs.get(orderId);
    if (kind !== "swap" || job === undefined) return;
    must(!this.cancelled.has(job.child?.parent.orderId ?? ""), "a child is sent after its cancellation");
    must(!job.yields, "a child is sent that makes way");
  }

  #view(): LaneView<Evm> {
    const jobs = this.#table.all("job");
    const orders = jobs.map(({ orderId }) => this.#orderOf(orderId) as TradeOrder<Evm>);
    const slots = this.#table.all("slot").toSorted((a, b) => a.place - b.place);
    const newest = slots.flatMap(({ attempts }) => attempts.at(-1)?.hash ?? []);
    const isCancelled = ({ intent: { orderId, parent, createdAt = 0 }, mandate }: TradeOrder<Evm>) =>
      this.cancelled.has(parent?.orderId ?? orderId) ||
      this.cancelledAll >= (mandate?.createdAt ?? createdAt);
    return {
      lane: this.#table.get("lane", lane),
      jobs,
      slots,
      orders,
      books: this.#table.all("book"),
      retired: new Set(),
      cancelled: new Set(orders.filter(isCancelled).map(({ intent: own }) => own.orderId)),
      maxGasPrices: new Map([[userID, 10n ** 18n]]),
      limits: new Map([[userID, this.#limitsAt(this.nowMs)]]),
      bytes: new Map(newest.map((hash) => [hash, hash])),
      isStopped: false,
      children: new Map(
        orders.flatMap((order) => {
          const { orderId, parent } = order.intent;
          if (parent === undefined) return [];
          return [
            [orderId, { ledger: this.#ledgerOf(orderId), ended: this.ended.get(parent.orderId) }] as const,
          ];
        }),
      ),
    };
  }

  #limitsAt(nowMs: number): Limits {
    const policy = { ...openPolicy, ...(this.#maxPerDay !== undefined && { maxPerDay: this.#maxPerDay }) };
    const key = { ...lane, userID };
    const count = this.#table.get("day", { ...key, day: dayOf(nowMs) });
    return { stored: { ...key, policy, revision: 1 }, count };
  }

  override signedNonce(orderId: string): SignedNonce | undefined {
    const ledger = this.#ledgerOf(orderId);
    return ledger && signedNonceOf(ledger);
  }

  #ledgerOf(orderId: string) {
    const ledger = this.#table.get("ledger", { orderId });
    const isForged = this.system.readsSlots && this.intruder === "fireOrders" && this.random.chance(0.3);
    const { signatures = [] } = ledger ?? {};
    return ledger && isForged
      ? { ...ledger, signatures: signatures.map((each) => ({ ...each, hash: "forged" })) }
      : ledger;
  }

  #feeOf = ({ hash }: Signed): bigint => this.#signed.get(hash)?.most ?? 0n;

  /** Asks a host. A host that lies invents a failure. */
  #snapshot(host: 0 | 1, { hashes, orders, blocks = [] }: Question<Evm>): EvmSnapshot | undefined {
    const sight = this.hosts.sightOf(host);
    if (sight === undefined) return undefined;
    const [latest, final] = [sight.blocks.at(-1), sight.blocks.at(-7)] as [
      PricedBlock,
      PricedBlock | undefined,
    ];
    const receipts = sight.receipts.flatMap((block) =>
      block.mined.flatMap(({ tx, status, out }) =>
        hashes.includes(tx.hash) ? [receiptOf(block, tx, status, out, this.#feeOf(tx))] : [],
      ),
    );
    const [lied] = hashes;
    if (sight.lies && lied !== undefined && this.random.chance(0.3)) {
      const tx = this.#signed.get(lied) as Signed;
      receipts.push(receiptOf(latest, tx, "failed", 0n, this.#feeOf(tx)));
    }
    const factsAt = (amount: bigint) =>
      orderFacts({
        held: amount,
        routes: [routeFacts({ amountOut: outAtPrice(latest.price, amount), allowance: 10n ** 30n })],
      });
    return snapshot(undefined, {
      latest,
      finalized: final ?? (sight.blocks[0] as PricedBlock),
      nonce: { latest: nonceOf(latest, lane.wallet), pending: nonceOf(latest, lane.wallet) },
      coins: 10n ** 24n,
      orders: new Map(orders.map(({ orderId, amount }) => [orderId, factsAt(amount)])),
      blocks: new Map(
        sight.blocks.flatMap(({ number, hash }) => (blocks.includes(number) ? [[number, hash]] : [])),
      ),
      receipts: new Map(receipts.map((receipt) => [receipt.hash, receipt])),
    });
  }

  #answerOfSigner(request: SignRequest<Evm>, nowMs: number): SignAnswer<Evm> {
    const bytesOf = (orderId: string, unsigned: UnsignedEvmTransaction) => this.#bytesOf(orderId, unsigned);
    const around = { runs: this, table: this.#table, chainLimits: wideLimits, nowMs, bytesOf };
    const answer = runSigner<Evm>(around, this.signer, request);
    const signed = "raw" in answer ? this.#signed.get(answer.raw) : undefined;
    const { child } = this.jobs.get(request.orderId) ?? {};
    if (signed?.kind === "swap" && child !== undefined) this.checks.afterSignature(child, signed);
    return answer;
  }

  /** Makes the same bytes for the same transaction. */
  #bytesOf(orderId: string, unsigned: UnsignedEvmTransaction): { hash: string; raw: string } {
    const { call, nonce, maxFeePerGas, gasLimit } = unsigned;
    const swap = call.purpose === "swap" ? call : undefined;
    const hash = [
      orderId,
      nonce,
      call.purpose,
      swap?.amountIn,
      swap?.deadline,
      gasLimit,
      maxFeePerGas,
    ].join();
    this.#signed.set(hash, {
      hash,
      kind: call.purpose === "swap" ? "swap" : "clear",
      wallet: lane.wallet,
      nonce,
      orderId,
      deadline: swap?.deadline ?? 0,
      amount: swap?.amountIn ?? 0n,
      minAmountOut: swap?.minAmountOut ?? 0n,
      most: mostFeeOf(unsigned),
    });
    return { hash, raw: hash };
  }
}

/** Each transaction pays the most that it may. */
function receiptOf(
  { number, hash, time }: PricedBlock,
  tx: Signed,
  status: "ok" | "failed",
  out: bigint,
  fee: bigint,
): EvmReceipt {
  const common = {
    hash: tx.hash,
    block: { number, hash, time },
    gasUsed: 1n,
    gasPrice: fee,
    l1Fee: 0n,
    fee,
  };
  if (status === "failed") return { ...common, status, isSlippage: true };
  const spent = tx.kind === "swap" ? tx.amount : 0n;
  return { ...common, status, spent, received: out, moved: spent };
}
