import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import type { EvmOrderFacts } from "../../../lib/chains/evm/rules/host-snapshot.ts";
import {
  allowsRoute,
  type EvmIntent,
  type UnsignedEvmTransaction,
} from "../../../lib/chains/evm/rules/intent.ts";
import { type EvmSlot, minedAttempt } from "../../../lib/chains/evm/rules/slot.ts";
import { coinText } from "../../../lib/orders/decimal-text.ts";
import type { Recipients } from "../../../lib/orders/effects.ts";
import type { BookEvent } from "../../../lib/orders/holding.ts";
import type { Items, Ledger } from "../../../lib/orders/table-step.ts";
import type { TradeOrder } from "../../../lib/orders/trade-order.ts";
import { feeBudgetOf } from "../../support/signed-bytes.ts";
import { checkCutoff } from "./cancel-all.ts";
import type { ChainUnderTest } from "./chain-under-test.ts";
import { checkEarnedBy } from "./earned.ts";
import { checkEnding, checkPlan, checkRoutes, honest } from "./lie-checks.ts";
import { PolicyChecks } from "./policy-checks.ts";
import type { Process } from "./process.ts";
import { ProgramChecks } from "./program-checks.ts";
import { isRetired, type ModelTable } from "./table.ts";
import { must } from "./violation.ts";

type Facts = { table: ModelTable; chain: ChainUnderTest; seen: Set<string>; nowMs: number };

type Signature = { raw: string; transaction: UnsignedEvmTransaction; sawStop: boolean };

type Change = { kind: string; before: unknown; after: unknown };

/** Checks the invariants after each step. */
export class Invariants {
  private readonly signed = new Map<string, Signature>();
  private readonly recorded = new Map<string, EvmSlot>();
  private readonly intents = new Map<string, EvmIntent>();
  /** Facts that honest hosts gave when each order was placed. */
  private readonly placed = new Map<string, { createdMs: number; facts: readonly EvmOrderFacts[] }>();
  private readonly swaps = new Map<string, EvmSlot>();
  private readonly slots = new Map<string, Map<number, EvmSlot>>();
  private readonly swapNonces = new Map<string, number>();
  /** Maps a sale to the sales at lower nonces that were unfilled when it was planned. */
  private readonly unfilled = new Map<string, string[]>();
  private readonly departures = new Map<string, BookEvent[]>();
  private readonly policyChecks: PolicyChecks;
  private readonly programChecks: ProgramChecks;
  private readonly allCancelled = new Set<string>();
  private readonly facts: Facts;

  constructor(facts: Facts) {
    this.facts = facts;
    this.policyChecks = new PolicyChecks(facts);
    this.programChecks = new ProgramChecks(facts);
  }

  noteSigned(hash: string, signature: Signature): void {
    this.signed.set(hash, signature);
  }

  beforeSend(raw: string, to: Recipients): void {
    const slot = this.recorded.get(raw);
    must(slot !== undefined, "bytes were sent that are not on record");
    const isClear = [...this.signed.values()].some(
      (each) => each.raw === raw && each.transaction.call.purpose === "clear",
    );
    must(!slot.isPrivate || isClear || to === "relay", "a private transaction was sent to everybody");
    must(slot.isPrivate || to === "hosts", "a public transaction was sent to the relay");
  }

  /** Returns the departures recorded in a book, each placed after the fills that were final by then. */
  /** Notes orders that were open before their user cancelled all. */
  noteAllCancelled(orderIds: readonly string[]): void {
    for (const orderId of orderIds) this.allCancelled.add(orderId);
  }

  departuresOf({ userID, wallet, token }: Items["book"]): readonly BookEvent[] {
    return this.departures.get([userID, wallet, token].join()) ?? [];
  }

  private noteDeparture(before: Items["book"], after: Items["book"]): void {
    const { userID, wallet, token } = after;
    must(before.events.length === 0, "tokens left while a fill was not final");
    const { table, chain } = this.facts;
    const shared = table.all("book").filter((book) => book.wallet === wallet && book.token === token);
    const left = shared.reduce((sum, { base }) => sum + base.amount, 0n);
    must(left >= (chain.leastHeld?.(wallet, token) ?? 0n), "a lie has shrunk a position");
    const counted = this.facts.table
      .all("order")
      .filter(({ intent }) => intent.userID === userID && intent.wallet === wallet && intent.token === token)
      .map(({ intent, ending }) => ending?.soldOutAt ?? this.swapOf(intent.orderId)?.place ?? -1);
    const place = Math.max(-1, ...counted) + 0.5;
    const name = [userID, wallet, token].join();
    const time = "2026-11-21T20:00:00.000Z";
    const event = {
      kind: "moved-out",
      orderId: "",
      place,
      settled: true,
      time,
      left: after.base.amount,
    } as const;
    this.departures.set(name, [...(this.departures.get(name) ?? []), event]);
    this.facts.seen.add("a departure");
    if (after.base.amount === 0n) this.facts.seen.add("closed by a departure");
  }

  async afterWrite(process: Process, changes: readonly Change[]) {
    const isOfOrder = changes.some(({ kind }) => kind === "order");
    for (const { kind, before, after } of changes)
      if (kind === "book" && !isOfOrder) this.noteDeparture(before as Items["book"], after as Items["book"]);
    const { name } = process;
    for (const { kind, before, after } of changes) {
      if (kind === "order")
        await this.checkOrder(before as TradeOrder<Evm> | undefined, after as TradeOrder<Evm>, process);
      if (kind === "slot")
        await this.checkSlot(before as EvmSlot | undefined, after as EvmSlot | undefined, process);
      if (kind === "ledger")
        this.checkLedger(before as Ledger<Evm> | undefined, after as Ledger<Evm>, changes);
      if (kind === "day" || kind === "keyDay") must(name === "sign", "somebody else counted what was signed");
      if (kind === "ledger") must(name === "sign", "somebody else wrote the signer's ledger");
      if (kind === "bytes") must(name === "sign", "somebody else wrote signed bytes");
      if (kind === "cancellation") must(name.startsWith("cancel"), "somebody else cancelled an order");
      if (kind === "cutoff") checkCutoff(name, before, after);
      if (kind === "position") checkPosition(before as Items["position"], after as Items["position"]);
      if (kind === "lane" && after === undefined) this.checkEmptyLane(before as Items["lane"]);
    }
    checkEarnedBy(changes, this.facts.table);
  }

  private async checkOrder(
    before: TradeOrder<Evm> | undefined,
    after: TradeOrder<Evm>,
    process: Process,
  ): Promise<void> {
    const { intent, life } = after;
    if (before === undefined) {
      must(!this.facts.table.isCancelled(intent), "accepted an order that is void");
      checkRoutes(intent, process);
      const facts = honest(process).flatMap(({ orders }) => [...orders.values()]);
      this.placed.set(intent.orderId, { createdMs: Date.parse(after.placed.createdAt), facts });
      this.intents.set(intent.orderId, intent);
      return;
    }
    must(!before.life.settled, "a settled order changed");
    must(intent === this.intents.get(intent.orderId), "the intent changed");
    must(after.revision === before.revision + 1, "an order was written over");
    const isVisible = visibleIn(after) !== visibleIn(before);
    must(
      after.version === before.version + (isVisible ? 1 : 0),
      "the version does not follow the visible changes",
    );
    this.facts.seen.add(`${life.status} ${life.reasonCode ?? ""}`.trim());
    if (life.status !== "open" && before.life.status !== "open" && life.status !== before.life.status)
      this.facts.seen.add(`corrected from ${before.life.status} to ${life.status}`);
    if (life.status === "open" && before.life.status !== "open") this.facts.seen.add("corrected to open");
    must(life.reasonCode !== "SIGNING_REFUSED", "the signer refused a genuine order");
    const isSigned = this.swaps.get(intent.orderId)?.state !== "planned" && after.swapNonce !== undefined;
    if (life.status === "expired" && isSigned && before.life.status === "open")
      must(
        honest(process).every(({ latest }) => latest.time > intent.validUntil) || this.isCleared(intent),
        "expired while a block could still fill it",
      );
    if (before.ending === undefined) checkEnding(after, process);
    this.checkBook(after);
    if (life.settled) await this.checkSettled(after);
  }

  /** Detects a mined clear, even if a reorganisation has moved it to before the deadline. */
  private isCleared({ orderId }: EvmIntent): boolean {
    const own = this.facts.table.all("slot").filter((slot) => slot.orderId === orderId);
    return own.some((slot) => minedAttempt(slot)?.purpose === "clear");
  }

  /** Checks that a fill and its position were written together. */
  private checkBook(order: TradeOrder<Evm>): void {
    const { intent, life } = order;
    const book = this.facts.table.get("book", intent);
    const event = book?.events.find(({ orderId }) => orderId === intent.orderId);
    if (life.status !== "filled") {
      must(
        event === undefined || !("spent" in event),
        "a position counts a fill of an order that is not filled",
      );
      return;
    }
    must(book !== undefined && (life.settled || event !== undefined), "a fill is not in its position");
    if (event?.kind === "buy" || event?.kind === "sell")
      must(event.spent === life.spent && event.received === life.received, "a position has other amounts");
    for (const { ordinal: _, ...position } of book.positions) {
      const stored = this.facts.table.get("position", { ...position, userID: book.userID });
      must(stored?.version === position.version, "a position was not written with its fill");
    }
  }

  private async checkSettled(order: TradeOrder<Evm>): Promise<void> {
    const { intent, life, swapNonce, approveNonces } = order;
    const { chain } = this.facts;
    this.checkDetails(order);
    const { wallet } = intent;
    if (approveNonces.length > 0 && life.status !== "filled" && life.networkFee > 0n)
      this.facts.seen.add("an approval came to nothing");
    if (life.status === "filled") must(await chain.isFinal(life.txHash ?? ""), "settled before it was final");
    if (life.reasonCode === "NONCE_TAKEN") {
      const nonces = [...approveNonces, ...(swapNonce === undefined ? [] : [swapNonce])];
      const taken = await Promise.all(nonces.map((nonce) => chain.isForeign(wallet, nonce)));
      must(taken.includes(true), "nobody else has used the nonce");
    }
    const own = [...(this.slots.get(intent.orderId)?.values() ?? [])];
    const hasFailed = own.some(({ receipt }) => receipt?.status === "failed");
    const isTaken = own.some(({ state }) => state === "taken");
    // Late approvals by another sale may keep replacing this sale's approval.
    const isUnapproved = approveNonces.length > 1 && swapNonce === undefined;
    must(
      life.reasonCode !== "REVERTED" || hasFailed || isTaken || isUnapproved,
      "no transaction of the order has failed",
    );
    const swap = this.swapOf(intent.orderId);
    const reason = (swap?.receipt as { reason?: string } | undefined)?.reason;
    if (life.status === "rejected" && reason === "allowance") {
      const taken = await Promise.all(approveNonces.map((nonce) => chain.isForeign(wallet, nonce)));
      // After a reorganisation, an earlier sale may leave its allowance behind, and this sale's approval then fails.
      const hasFailedApproval = own.some(
        ({ call, receipt: seen }) => call.purpose === "approve" && seen?.status === "failed",
      );
      // The router's allowance may come from another order's approval.
      const isTakenBack = this.facts.seen.has("approval taken back");
      // An earlier sale may still fill after a reorganisation, and then uses up the allowance.
      const earlier = approveNonces.length === 0 ? (this.unfilled.get(intent.orderId) ?? []) : [];
      const isUsedBelow = earlier.some((orderId) => hasFilled(this.swapOf(orderId)));
      must(
        taken.includes(true) || hasFailedApproval || isTakenBack || isUsedBelow,
        "a sale was sent without its allowance",
      );
    }
  }

  /** Checks the details that clients can still read after the slots are gone. */
  private checkDetails({ intent, life, details }: TradeOrder<Evm>): void {
    const own = [...(this.slots.get(intent.orderId)?.values() ?? [])];
    const signed = own.reduce((sum, { attempts }) => sum + attempts.length, 0);
    must(details?.attempts.length === signed, "a settled order does not show its transactions");
    must((details.report !== undefined) === (life.status === "filled"), "there is no report of a fill");
    must(
      details.attempts.every(({ outcome }) => outcome !== "pending"),
      "a transaction of a settled order is pending",
    );
    const total = details.report?.networkFee.total ?? coinText(intent.chain, life.networkFee);
    must(total === coinText(intent.chain, life.networkFee), "a report has other network fees");
  }

  /** Returns the last slot of an order's swap. */
  swapOf(orderId: string): EvmSlot | undefined {
    return this.swaps.get(orderId);
  }

  private async checkSlot(
    before: EvmSlot | undefined,
    after: EvmSlot | undefined,
    process: Process,
  ): Promise<void> {
    const { table, chain, seen } = this.facts;
    if (after === undefined) {
      if (before !== undefined && before.attempts.length > 0)
        must(
          (await chain.finalNonce(before.wallet)) > before.place,
          "signed bytes were forgotten while they may count",
        );
      return;
    }
    if (after.call.purpose === "swap") this.swaps.set(after.orderId, after);
    const own = this.slots.get(after.orderId) ?? new Map<number, EvmSlot>();
    this.slots.set(after.orderId, own.set(after.place, after));
    if (before === undefined) {
      checkPlan(after, this.intents.get(after.orderId) as EvmIntent, this.factsOfPlan(after, process));
      const others = table
        .all("slot")
        .filter((slot) => slot.wallet === after.wallet && slot.place !== after.place);
      const rivals = others.filter((slot) => isSaleBelow(slot, after) && !hasFilled(slot));
      this.unfilled.set(
        after.orderId,
        rivals.map(({ orderId }) => orderId),
      );
      const latestTime = await chain.latestTime();
      const waits = ({ place: nonce, orderId }: EvmSlot) =>
        nonce > after.place && latestTime > (this.intents.get(orderId) as EvmIntent).validUntil;
      const busy = others.filter(({ state }) => state === "planned" || state === "signed");
      must(busy.every(waits), "two transactions of a wallet are out at a time");
      if (busy.length > 0) seen.add("a gap is filled");
      return;
    }
    if (before.state === "mined" && after.state === "signed") seen.add("receipt gone");
    if (before.state === "taken" && after.state === "signed") seen.add("taken nonce given back");
    must(after.attempts.length >= before.attempts.length, "signed bytes were forgotten");
    for (const { hash } of after.attempts.slice(before.attempts.length))
      this.checkSignature(hash, before, after);
  }

  /** Returns the facts that honest hosts gave to this process, or else the facts from placing. */
  private factsOfPlan({ orderId }: EvmSlot, process: Process): readonly (EvmOrderFacts | undefined)[] {
    const placed = this.placed.get(orderId);
    const hasAsked = [...process.snapshots.values()].some((snapshot) => snapshot?.orders.has(orderId));
    if (hasAsked || placed === undefined) return honest(process).map(({ orders }) => orders.get(orderId));
    const ageMs = process.clockMs - placed.createdMs;
    must(ageMs >= 0 && ageMs <= 2000, "planned from old facts");
    return placed.facts;
  }

  private checkSignature(hash: string, before: EvmSlot, after: EvmSlot): void {
    const signature = this.signed.get(hash);
    must(signature !== undefined, "recorded bytes that were never signed");
    const { raw, transaction, sawStop } = signature;
    must(this.facts.table.get("bytes", { ...after, hash })?.raw === raw, "signed bytes were not recorded");
    const { call, nonce } = transaction;
    const { userID, orderId } = after;
    const order = this.facts.table.get("order", { intent: { userID, orderId } }) as TradeOrder<Evm>;
    this.recorded.set(raw, after);
    this.facts.seen.add(`signed ${call.purpose}${before.attempts.length > 0 ? " again" : ""}`);
    this.checkBudget(this.intents.get(orderId) as EvmIntent);
    if (call.purpose === "clear") {
      must(before.attempts.length > 0, "a nonce was cleared at which nothing was signed");
      return;
    }
    must(!sawStop, "signed after trading was stopped");
    must(
      this.facts.table.get("cancellation", { userID, orderId }) === undefined,
      "signed after the user had cancelled",
    );
    const isCutOff = this.facts.table.isCancelled(this.intents.get(orderId) as EvmIntent);
    must(!isCutOff && !this.allCancelled.has(orderId), "signed after the user had cancelled all orders");
    must(order.life.status === "open" && !order.isCancelling, "signed for an order that has ended");
    const wallet = this.facts.table.get("wallet", { ...order.intent, userID });
    must(!isRetired(wallet), "signed for a retired wallet");
    checkObedience(transaction, this.intents.get(orderId) as EvmIntent, this.facts.chain.l1Fee ?? 0n);
    if (call.purpose !== "swap") return;
    must((this.swapNonces.get(orderId) ?? nonce) === nonce, "the order's swap has two nonces");
    this.swapNonces.set(orderId, nonce);
  }

  /** Checks that an order's transactions together pay at most twice its gas at its highest gas price. */
  private checkBudget(intent: EvmIntent): void {
    const slots = [...(this.slots.get(intent.orderId)?.values() ?? [])];
    const fees = slots.flatMap(({ attempts }) => {
      const most = attempts.map(({ gasLimit, maxFeePerGas }) => gasLimit * maxFeePerGas);
      return most.length === 0 ? [] : [most.reduce((a, b) => (a > b ? a : b))];
    });
    must(
      fees.reduce((sum, fee) => sum + fee, 0n) <= feeBudgetOf(intent),
      "signed beyond the order's budget for fees",
    );
  }

  private checkLedger(before: Ledger<Evm> | undefined, after: Ledger<Evm>, changes: readonly Change[]): void {
    const written = (wanted: string) => changes.find(({ kind }) => kind === wanted)?.after;
    const slot = written("slot") as EvmSlot | undefined;
    const day = written("day") as Items["day"] | undefined;
    const intent = this.intents.get(after.orderId) as EvmIntent;
    this.policyChecks.check({ before, after, slot, day }, intent);
    const purpose = slot?.attempts.at(-1)?.purpose;
    const keyDay = written("keyDay") as Items["keyDay"] | undefined;
    const isSwapOfBuy = intent.side === "buy" && purpose === "swap";
    this.programChecks.check({ purpose, isSwapOfBuy, day, keyDay }, intent);
  }

  private checkEmptyLane({ wallet }: Items["lane"]): void {
    must(
      !this.facts.table.all("job").some((job) => job.wallet === wallet),
      "a lane was deleted with its jobs",
    );
  }
}

const hasFilled = (slot: EvmSlot | undefined) =>
  slot?.receipt?.status === "ok" && minedAttempt(slot)?.purpose === "swap";

/** Returns true if the first slot sells the second one's token by the same router at a lower nonce. */
const isSaleBelow = ({ place: nonce, call }: EvmSlot, { place: above, call: other }: EvmSlot) =>
  nonce < above &&
  call.purpose === "swap" &&
  call.side === "sell" &&
  call.token === other.token &&
  call.router === other.router;

const visibleIn = ({ amount, life }: TradeOrder<Evm>) => {
  const { status, stage, settled, reasonCode, txHash, spent, received, networkFee } = life;
  return [amount, status, stage, settled, reasonCode, txHash, spent, received, networkFee].join();
};

export function checkPosition(before: Items["position"] | undefined, after: Items["position"]): void {
  must(after.version === (before?.version ?? 0) + 1, "a position's version does not grow by one");
  // Checks that only open positions grow through new fills.
  must(!(before?.settled === true && before.status === "closed"), "a closed, settled position changed");
}

/** Checks the signer's rules once more, using only the intent. */
function checkObedience(transaction: UnsignedEvmTransaction, intent: EvmIntent, l1Fee: bigint): void {
  const { call, gasLimit, maxFeePerGas } = transaction;
  must(transaction.wallet === intent.wallet, "signed by another wallet");
  const mostGas = call.purpose === "approve" ? intent.approvalGas : 2n * intent.gasLimit;
  must(gasLimit <= mostGas && gasLimit <= 1_500_000n, "signed with too much gas");
  const mostPaid = gasLimit * maxFeePerGas + l1Fee;
  must(mostPaid <= gasLimit * intent.maxGasPrice, "signed above the highest gas price");
  if (call.purpose === "approve") {
    must(intent.side === "sell" && call.token === intent.token, "approved another token");
    must(call.amount <= intent.amount, "approved too much");
    return;
  }
  if (call.purpose === "clear") return;
  must(call.token === intent.token && call.side === intent.side, "swapped another token");
  must(call.recipient === intent.wallet, "swapped for somebody else");
  must(call.amountIn > 0n && call.amountIn <= intent.amount, "swapped too much");
  must(call.value === (intent.side === "buy" ? call.amountIn : 0n), "sent the wrong value");
  must(call.minAmountOut >= intent.minAmountOut, "lowered the minimum");
  must(call.deadline === intent.validUntil, "changed the deadline");
  must(allowsRoute(intent, call), "used another route");
  const needsRefund = intent.side === "buy" && call.venue === "uniswap-v3";
  must(!needsRefund || call.hasRefund, "left out the refund");
}
