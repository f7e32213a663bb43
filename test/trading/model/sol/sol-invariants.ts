import type { Evm } from "../../../../lib/chains/evm/rules/family.ts";
import { attemptsOf, mostClears } from "../../../../lib/chains/sol/rules/attempts.ts";
import type { Sol } from "../../../../lib/chains/sol/rules/family.ts";
import { mostFeeLamports } from "../../../../lib/chains/sol/rules/fees.ts";
import { isSameSolRoute } from "../../../../lib/chains/sol/rules/intent.ts";
import type { SolAttempt, SolSlot } from "../../../../lib/chains/sol/rules/slot.ts";
import { dayOf } from "../../../../lib/core/time.ts";
import type { Recipients } from "../../../../lib/orders/effects.ts";
import type { Items } from "../../../../lib/orders/table-step.ts";
import type { TradeOrder } from "../../../../lib/orders/trade-order.ts";
import { openPolicy } from "../../../../lib/orders/wallet-policy.ts";
import { checkCutoff } from "../cancel-all.ts";
import { checkEarnedBy } from "../earned.ts";
import { checkPosition } from "../invariants.ts";
import type { Process } from "../process.ts";
import type { ModelTable } from "../table.ts";
import { must } from "../violation.ts";
import type { Signed, SolChainUnderTest } from "./sol-chain-under-test.ts";

type Change = { kind: string; name: string; before: unknown; after: unknown };

type SolWorld = {
  table: ModelTable<Sol>;
  chain: SolChainUnderTest;
  /** Signers that an attacker has called. */
  called: ReadonlySet<Process<Sol>>;
  /** Orders for whose first runs an attacker has made up facts. */
  madeUp: ReadonlySet<string>;
  callerOf(signer: Process<Sol>): Process<Sol> | undefined;
  orderNamed(userID: string, orderId: string): TradeOrder<Sol> | undefined;
};

const helperOf = ({ message }: Signed) => ("build" in message ? message.build.helper : undefined);

/** Checks the invariants after every step. */
export class SolInvariants {
  /** All signed messages, keyed by order, including unrecorded ones. */
  readonly signed = new Map<string, (Signed & { process: Process<Sol> })[]>();
  /** Bytes of the messages that the signer has recorded. */
  readonly recorded = new Set<string>();
  /** Maximum amount that the messages of a day may spend, by user, wallet and day. */
  private readonly spent = new Map<string, bigint>();
  private readonly world: SolWorld;
  private readonly allCancelled = new Set<string>();

  constructor(world: SolWorld) {
    this.world = world;
  }

  noteSigned(process: Process<Sol>, signed: Signed): void {
    const { orderId } = signed.intent;
    this.signed.set(orderId, [...(this.signed.get(orderId) ?? []), { ...signed, process }]);
  }

  beforeSend(raw: string, to: Recipients): void {
    must(this.recorded.has(raw), "sent bytes that are not recorded");
    const [signed] = [...this.signed.values()].flat().filter((each) => each.raw === raw);
    const isSecret = signed?.intent.isPrivate === true && signed.message.purpose === "swap";
    must(!isSecret || to === "relay", "gave hidden bytes to hosts");
  }

  /** Notes orders that were open before their user cancelled all. */
  noteAllCancelled(orderIds: readonly string[]): void {
    for (const orderId of orderIds) this.allCancelled.add(orderId);
  }

  afterWrite(process: Process<Sol>, changes: readonly Change[]): void {
    const isOfOrder = changes.some(({ kind }) => kind === "order");
    for (const { kind, before, after } of changes) {
      if (kind === "book" && !isOfOrder) this.checkDeparture(after as Items["book"]);
      if (kind === "position") checkPosition(before as Items["position"], after as Items["position"]);
      if (kind === "bytes") this.recorded.add((after as { raw: string }).raw);
      if (kind === "slot") this.checkSlot(before as SolSlot | undefined, after as SolSlot | undefined);
      if (kind === "cutoff") checkCutoff(process.name, before, after);
      if (kind === "ledger" || kind === "day")
        must(process.name === "sign", "another function wrote the signer's records");
      if (kind === "order") this.checkOrder(before as TradeOrder<Sol> | undefined, after as TradeOrder<Sol>);
      if (kind === "lane" && after === undefined)
        must(
          !this.world.table.all("job").some(({ wallet }) => wallet === process.lane?.wallet),
          "deleted a lane with jobs",
        );
    }
    const isFilled = (order: unknown) => (order as TradeOrder<Evm> | undefined)?.life.status === "filled";
    const isFill = changes.some(
      ({ kind, before, after }) => kind === "order" && isFilled(after) && !isFilled(before),
    );
    checkEarnedBy(changes, this.world.table);
    must(!isFill || changes.some(({ kind }) => kind === "book"), "recorded a fill without its position");
    if (changes.some(({ kind }) => kind === "ledger")) this.checkSignature(changes);
  }

  /** Checks that a position shrinks without an order only if the wallet lacked its tokens in some block. */
  private checkDeparture({ wallet, token }: Items["book"]): void {
    const { table, chain } = this.world;
    const shared = table.all("book").filter((book) => book.wallet === wallet && book.token === token);
    const left = shared.reduce((sum, { base }) => sum + base.amount, 0n);
    must(left >= (chain.leastHeld?.(wallet, token) ?? 0n), "a lie has shrunk a position");
  }

  /** Checks a signature that the signer has recorded. */
  private checkSignature(changes: readonly Change[]): void {
    const after = (wanted: string) => changes.find(({ kind }) => kind === wanted)?.after;
    const slot = after("slot") as SolSlot;
    const order = this.world.orderNamed(slot.userID, slot.orderId) as TradeOrder<Sol>;
    const { intent } = order;
    const newest = slot.attempts.at(-1);
    const count = (purpose: string) => slot.attempts.filter((each) => each.purpose === purpose).length;
    must(count("swap") <= attemptsOf(intent) && count("clear") <= mostClears, "signed too many messages");
    const { baseFee } = this.world.chain.scale;
    const fees = slot.attempts.reduce((sum, each) => sum + mostFeeLamports(each, baseFee), 0n);
    const signatures = slot.attempts.reduce((sum, each) => sum + each.signatures, 0);
    const most = intent.budgetLamports + baseFee * BigInt(signatures);
    must(fees <= most, "signed beyond the order's budget");
    const spent = this.noteSpending(slot, order);
    if (newest?.purpose !== "swap") return;
    const { wallet, userID, orderId, token, validUntil, amount, side, routes } = intent;
    const signed = this.signed.get(orderId)?.findLast(({ hash }) => hash === newest.hash);
    if (signed?.message.purpose !== "swap") throw new Error("A recorded message was never signed");
    const { message, process } = signed;
    must(!process.sawStop, "signed while trading was stopped");
    must(process.clockMs < validUntil * 1000, "signed after the order was too old");
    this.checkFacts(process, order);
    must(message.amountIn > 0n && message.amountIn <= amount, "signed for more than the order's amount");
    must(
      routes.some((route) => isSameSolRoute(route, message.route)),
      "signed for another pool",
    );
    if ("build" in message) {
      const { helper } = message.build;
      const ofHelper = this.signed.get(orderId)?.filter((each) => helperOf(each) === helper) ?? [];
      must(new Set(ofHelper.map(({ hash }) => hash)).size === 1, "a helper key has signed twice");
    }
    const { policy } = this.world.table.get("policy", { chain: "sol", wallet, userID }) ?? {
      policy: openPolicy,
    };
    must(policy.tradingEnabled, "signed for a wallet that may not trade");
    must(
      side === "sell" || policy.maxPerOrder === undefined || message.amountIn <= policy.maxPerOrder,
      "signed a buy above the policy's limit",
    );
    must(
      side === "sell" || policy.maxPerDay === undefined || spent <= policy.maxPerDay,
      "signed a buy above the limit of its day",
    );
    must(
      this.world.table.get("cancellation", { userID, orderId }) === undefined && !order.isCancelling,
      "signed for a cancelled order",
    );
    must(
      !this.world.table.isCancelled(intent) && !this.allCancelled.has(orderId),
      "signed after the user had cancelled all orders",
    );
    must(
      this.world.table.get("wallet", { chain: "sol", wallet, userID })?.retiredAt === undefined,
      "signed for a retired wallet",
    );
    must(order.life.status === "open", "signed for an order that has ended");
    // The signer ignores other orders, so an attacker may get two orders for one token filled, each as ordered.
    if (this.isAttacked(orderId)) return;
    const others = this.world.table.all("slot").filter((each) => {
      const other = this.world.orderNamed(each.userID, each.orderId);
      return (
        each.wallet === wallet &&
        each.orderId !== orderId &&
        other?.intent.token === token &&
        !this.isAttacked(each.orderId)
      );
    });
    must(
      others.every(({ attempts }) => this.world.chain.areSpent(attempts)),
      "signed for a token of which another order is under way",
    );
  }

  /** Checks that a run that has asked no host signs only if the facts of the placing are fresh. */
  private checkFacts(signer: Process<Sol>, { intent, placed }: TradeOrder<Sol>): void {
    const { world } = this;
    const caller = world.callerOf(signer);
    if (caller === undefined || caller.snapshots.size > 0) return;
    const ageMs = caller.clockMs - Date.parse(placed.createdAt);
    must(ageMs >= 0 && ageMs <= 2000, "signed from old facts");
    world.chain.seen.add(
      world.madeUp.has(intent.orderId) ? "signed from made-up facts" : "signed from facts of the placing",
    );
  }

  /** Adds the newest message to the total of its user, wallet and day, and returns the total. */
  private noteSpending(slot: SolSlot, { intent: { side, userID, wallet } }: TradeOrder<Sol>): bigint {
    const newest = slot.attempts.at(-1) as SolAttempt;
    const isFirst = slot.attempts.filter(({ purpose }) => purpose === "swap").length === 1;
    const amount = side === "buy" && newest.purpose === "swap" && isFirst ? (newest.amountIn ?? 0n) : 0n;
    const key = `${userID} ${wallet} ${dayOf(newest.signedAtMs)}`;
    const spent =
      (this.spent.get(key) ?? 0n) + amount + mostFeeLamports(newest, this.world.chain.scale.baseFee);
    this.spent.set(key, spent);
    return spent;
  }

  private checkSlot(before: SolSlot | undefined, after: SolSlot | undefined): void {
    if (before === undefined || after === undefined) return;
    must(after.attempts.length >= before.attempts.length, "forgot an attempt");
  }

  /** Checks a settled order against the final chain. */
  private checkOrder(before: TradeOrder<Sol> | undefined, { intent, life }: TradeOrder<Sol>): void {
    must(before?.life.settled !== true, "changed an order that was settled");
    if (!life.settled) return;
    const { chain } = this.world;
    const { orderId, minAmountOut } = intent;
    // Skips signatures that were never recorded, because they never leave the function.
    const hashes = this.recordedOf(orderId);
    const receipts = hashes.flatMap((hash) => chain.finalReceipt(hash) ?? []);
    const fills = receipts.filter(
      ({ status, hash }) => status === "ok" && isSwap(this.signed, orderId, hash),
    );
    must(fills.length <= 1, "an order filled twice");
    const [fill] = fills;
    if (life.status === "filled") {
      must(fill?.status === "ok" && fill.spent === life.spent, "settled a fill that is not final");
      must(fill.received >= minAmountOut, "filled below the minimum");
      return;
    }
    must(fill === undefined, `settled as ${life.status}, but filled`);
    const marked = chain.isMarkedForEver(orderId);
    must(
      chain.isDead(hashes) || marked || hashes.length === 0,
      `settled as ${life.status}, but a message may still fill it`,
    );
  }

  /** Returns true if an attacker has made the signer sign for an order. */
  isAttacked = (orderId: string): boolean =>
    this.signed.get(orderId)?.some(({ process }) => this.world.called.has(process)) === true;

  recordedOf = (orderId: string): string[] => {
    const signed = this.signed.get(orderId) ?? [];
    return [...new Set(signed.flatMap(({ raw, hash }) => (this.recorded.has(raw) ? [hash] : [])))];
  };

  /** Counts the signatures that an order's recorded messages pay for. */
  signaturesOf(orderId: string): number {
    const signed = this.signed.get(orderId) ?? [];
    const ofHash = (hash: string) => signed.find((each) => each.hash === hash)?.message.signatures ?? 0;
    return this.recordedOf(orderId).reduce((sum, hash) => sum + ofHash(hash), 0);
  }
}

const isSwap = (signed: SolInvariants["signed"], orderId: string, hash: string): boolean =>
  signed.get(orderId)?.find((each) => each.hash === hash)?.message.purpose === "swap";
