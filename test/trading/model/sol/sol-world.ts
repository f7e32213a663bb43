import { signRequested } from "../../../../lib/chains/families/sign-rules.ts";
import type { Sol } from "../../../../lib/chains/sol/rules/family.ts";
import type { SolIntent } from "../../../../lib/chains/sol/rules/intent.ts";
import type { SolLimits } from "../../../../lib/chains/sol/rules/limits.ts";
import type { SolMessage } from "../../../../lib/chains/sol/rules/message.ts";
import { cancelling } from "../../../../lib/orders/cancelling.ts";
import { firstAfter } from "../../../../lib/orders/cutoffs.ts";
import type { Effect, LaneView, Procedure, Question, SignRequest } from "../../../../lib/orders/effects.ts";
import { reservedLane } from "../../../../lib/orders/lane-steps.ts";
import { mayHaveChanged } from "../../../../lib/orders/lane-watch.ts";
import type { MissedToken, TradeStep } from "../../../../lib/orders/table-step.ts";
import { type TradeOrder, unstarted } from "../../../../lib/orders/trade-order.ts";
import type { Limits } from "../../../../lib/orders/wallet-policy.ts";
import { packed } from "../../../../lib/trading/items/items.ts";
import {
  newReader,
  newSweepMemory,
  readChain,
  sweepLanes,
} from "../../../../lib/trading/procedures/reading.ts";
import { type RunStart, workIfNotBegun, workLane } from "../../../../lib/trading/procedures/work-lane.ts";
import { cancellingAll } from "../cancelling-all.ts";
import { inParts, isOdd } from "../in-parts.ts";
import { Machines } from "../machines.ts";
import { type Answer, labelOf, type Process, type Wake } from "../process.ts";
import type { Random } from "../random.ts";
import { Starts } from "../starts.ts";
import { isRetired, ModelTable } from "../table.ts";
import { must } from "../violation.ts";
import { isSignedByHelper } from "./model-helpers.ts";
import type { SolChainUnderTest, SolFlaws } from "./sol-chain-under-test.ts";
import { SolInvariants } from "./sol-invariants.ts";
import { factsAtPlacing, setup } from "./sol-placed.ts";

export const chain = "sol" as const;

/** Time between two blocks. */
export const blockMs = 200;

/** Time at which each history starts. */
export const startMs = Date.UTC(2026, 10, 21, 20);

type SolProcess = Process<Sol>;

/** Procedures under test. A mutant replaces one of them. */
export type SolSystem = {
  cancel: typeof cancelling;
  cancelAll: typeof cancellingAll;
  work: typeof workLane;
  twin: typeof workIfNotBegun;
  sign: typeof signRequested;
  watch: () => ReturnType<typeof readChain>;
  sweep: () => ReturnType<typeof sweepLanes>;
  /** Protections that a mutant leaves out. */
  flaws?: SolFlaws;
};

export const theSolSystem: SolSystem = {
  cancel: cancelling,
  cancelAll: cancellingAll,
  work: (lane, holder, ...rest) => inParts(workLane(lane, holder, ...rest), isOdd(holder)),
  twin: workIfNotBegun,
  sign: signRequested,
  watch: () => readChain(chain, newReader()),
  sweep: () => sweepLanes(chain, newSweepMemory()),
};

/** Simulates everything around the code under test: chain, table, machines and clocks. */
export class SolWorld extends Machines<Sol> {
  readonly table = new ModelTable<Sol>();
  readonly chain: SolChainUnderTest;
  readonly invariants: SolInvariants;
  readonly starts: Starts;
  readonly system: SolSystem;
  chainLimits: SolLimits;
  isStopped = false;
  /** Signers that an attacker has called. */
  readonly called = new Set<SolProcess>();
  /** Orders for whose first runs an attacker has made up facts. */
  readonly madeUp = new Set<string>();
  /** Id with which each run takes its lane. */
  private readonly holders = new Map<SolProcess, string>();

  constructor(random: Random, system: SolSystem, chainUnderTest: SolChainUnderTest, nowMs: number) {
    super(random, chainUnderTest.seen, nowMs);
    this.chain = chainUnderTest;
    this.system = system;
    this.invariants = new SolInvariants(this);
    this.starts = new Starts(chainUnderTest.seen);
    this.chainLimits = chainUnderTest.scale.limits;
    Object.assign(chainUnderTest.flaws ?? {}, system.flaws);
  }

  /** Records an order as placing does, with a minimum below the current price. */
  async place(terms: SolIntent): Promise<void> {
    const { wallet, userID, orderId, token } = terms;
    const cutoffs = this.table.cutoffsOver(terms);
    const intent = { ...terms, createdAt: Math.max(this.nowMs, firstAfter(terms, cutoffs)) };
    const createdAt = new Date(this.nowMs).toISOString();
    const order: TradeOrder<Sol> = {
      intent,
      mac: solMacOf(intent),
      placed: { clientOrderId: orderId, symbol: `${token}/SOL`, decimals: 6, createdAt },
      quoted: { networkFee: 0n },
      amount: intent.amount,
      isCancelling: false,
      life: unstarted,
      revision: 1,
      version: 1,
      updatedAt: createdAt,
    };
    const lane = this.table.get("lane", { chain, wallet });
    const facts = await factsAtPlacing(this, order, (lane?.jobs ?? 0) + 1);
    const job = { chain, wallet, orderId, userID, token, ...(facts !== undefined && { facts }) } as const;
    const isReserved = lane === undefined && this.random.chance(0.5);
    const reservation = isReserved ? orderId : undefined;
    const step: TradeStep = [
      { kind: "put", of: "order", item: order, when: "absent" },
      { kind: "put", of: "job", item: job, when: "absent" },
      {
        kind: "change",
        of: "lane",
        item: { chain, wallet },
        ...(reservation !== undefined && { set: reservedLane(reservation, this.nowMs) }),
        add: { jobs: 1 },
        when: lane === undefined ? "absent" : { jobs: lane.jobs },
      },
    ];
    if (this.table.write(step) === undefined) throw new Error("The order is not recorded");
    this.addWakes({ lane: { chain, wallet }, job, reservation });
  }

  startWork(
    wallet: string,
    skewMs = 0,
    missed?: MissedToken,
    event: Wake = missed ? { chain, wallet } : this.eventFor({ chain, wallet }),
  ): SolProcess | undefined {
    const { reservation, isTwin } = event;
    if (this.processes.some(({ name, lane }) => name === "work" && lane?.wallet === wallet))
      this.seen.add("two runs for a lane");
    const lane = { chain, wallet } as const;
    const holder = this.newId("holder");
    const work = (start: RunStart) =>
      this.system.work(lane, holder, this.chainLimits, setup, { ...start, missed });
    const procedure = isTwin ? this.system.twin(lane, { reservation }, work) : work({ reservation });
    const start = this.starts.started(event, this.table.get("lane", lane), this.nowMs + skewMs);
    const started = this.start({ name: "work", procedure, lane, start, skewMs });
    if (started !== undefined) this.holders.set(started, holder);
    return started;
  }

  /** Finds the run that waits for a signer. Undefined if there is none, or an attacker has called the signer. */
  callerOf(signer: SolProcess): SolProcess | undefined {
    return this.processes.find((process) => process.signer === signer);
  }

  /** Makes a write that the code under test never makes. */
  tamper(step: TradeStep): void {
    this.table.write(step);
  }

  protected sign(request: SignRequest): Procedure<unknown> {
    return this.system.sign(request);
  }

  protected async carryOut(process: SolProcess, effect: Effect): Promise<Answer> {
    switch (effect.do) {
      case "now":
        process.clockMs = this.nowMs + process.skewMs;
        return process.clockMs;
      case "pause":
        this.nowMs += effect.ms;
        return undefined;
      case "readLane":
        return this.laneView(effect.lane.wallet, effect.day, effect.missed);
      case "readSigning": {
        const { wallet, orderId, userID, place, claimed } = effect.request as SignRequest<Sol>;
        process.sawStop = this.isStopped;
        return {
          isClaimGenuine: claimed !== undefined && claimed.mac === solMacOf(claimed.intent),
          order: this.orderNamed(userID, orderId),
          slot: this.table.get("slot", { chain, wallet, place }),
          ledger: this.table.get("ledger", { orderId }),
          isRetired: isRetired(this.table.get("wallet", { chain, wallet, userID })),
          isStopped: this.isStopped,
          isCancelled: this.table.get("cancellation", { userID, orderId }) !== undefined,
          cutoffs: this.table.cutoffsOver({ userID, chain, wallet }),
          maxGasPrice: 0n,
          limits: this.limitsOf(userID, wallet, effect.day),
          chainLimits: process.chainLimits,
        };
      }
      case "readOrder": {
        const order = this.orderNamed(effect.userID, effect.orderId);
        const slots = this.table.all("slot").filter(({ orderId }) => orderId === effect.orderId);
        return { order, slots };
      }
      case "readOpenOrders":
        return this.table.openOrders(effect.scope);
      case "readResting":
        return [];
      case "readLanes":
        return this.table
          .all("lane")
          .filter((lane) => effect.sinceMs === undefined || mayHaveChanged(lane, effect.sinceMs));
      case "readReaderLease":
        return undefined;
      case "write": {
        const before = process.lane && this.table.get("lane", process.lane);
        this.starts.beforeWrite(process, before);
        const changes = this.table.write(effect.step);
        if (changes !== undefined) this.starts.afterWrite(process, effect, before);
        if (changes !== undefined && process.name === "work" && labelOf(effect) !== "take lease")
          must(before?.holder === this.holders.get(process), "a run wrote without holding the lane");
        this.seen.add(changes === undefined ? `lost: ${labelOf(effect)}` : labelOf(effect));
        if (changes !== undefined) this.invariants.afterWrite(process, changes);
        return changes !== undefined;
      }
      case "hostSnapshot": {
        const question = effect.question as Question<Sol>;
        const snapshot = await this.chain.hostSnapshot(effect.host, question, process);
        process.snapshots.set(effect.host, snapshot);
        return snapshot;
      }
      case "look": {
        const snapshot = await this.snapshotBy(effect.host, []);
        if (snapshot === undefined) return undefined;
        const { slot: number } = snapshot.height;
        const time = Math.floor(this.nowMs / 1000);
        const heights = [number - 1, ...effect.heights];
        return {
          number,
          time,
          parentHash: String(number - 1),
          hashes: new Map(heights.map((height) => [height, String(height)])),
          final: { number, time },
        };
      }
      case "minedIn": {
        const receipts = (await this.snapshotBy(effect.host, effect.hashes))?.receipts;
        return receipts && new Map(effect.hashes.map((hash) => [hash, receipts.get(hash)?.block.hash ?? ""]));
      }
      case "send":
        this.invariants.beforeSend(effect.raw, effect.to);
        return this.chain.send(effect.raw, effect.to);
      case "wake":
        this.addWakes(effect);
        return undefined;
      case "checkMac":
        return effect.mac === solMacOf(effect.intent as SolIntent);
      case "signAsHelper":
        return this.chain.helpers?.sign(effect.intent.orderId, effect.message as SolMessage);
      case "signBytes": {
        const { message, helperSignature } = effect.unsigned as Sol["unsigned"];
        if (!isSignedByHelper(message, helperSignature))
          return { refused: "the helper has not signed this message" };
        const signed = await this.chain.sign(effect.intent as SolIntent, message);
        if (!("raw" in signed)) return signed;
        this.invariants.noteSigned(process, signed);
        return signed;
      }
      default:
        throw new Error(`the world has no ${effect.do}`);
    }
  }

  private async snapshotBy(host: number, hashes: readonly string[]) {
    const [{ wallet } = { wallet: "" }] = this.table.all("wallet");
    const question = { chain, wallet, hashes, orders: [], marked: [], wantsBlockhash: false } as const;
    return this.chain.hostSnapshot(host % 2 === 0 ? 0 : 1, question, {});
  }

  orderNamed(userID: string, orderId: string): TradeOrder<Sol> | undefined {
    return this.table.get("order", { intent: { userID, orderId } });
  }

  private limitsOf(userID: string, wallet: string, day: string): Limits {
    const key = { chain, wallet, userID } as const;
    return { stored: this.table.get("policy", key), count: this.table.get("day", { ...key, day }) };
  }

  private laneView(wallet: string, day: string, missed: MissedToken | undefined): LaneView<Sol> {
    const isHere = (item: { wallet: string }) => item.wallet === wallet;
    const jobs = this.table.all("job").filter(isHere);
    const slots = this.table
      .all("slot")
      .filter(isHere)
      .toSorted((a, b) => a.place - b.place);
    const newest = slots.flatMap(({ attempts }) => attempts.at(-1)?.hash ?? []);
    const bytes = newest.flatMap((hash) => this.table.get("bytes", { chain, wallet, hash }) ?? []);
    const orders = jobs.map(({ userID, orderId }) => this.orderNamed(userID, orderId) as TradeOrder<Sol>);
    return {
      lane: this.table.get("lane", { chain, wallet }),
      ...(missed && { missed: [missed.token] }),
      jobs,
      slots,
      orders,
      books: this.table.all("book").filter(isHere),
      retired: new Set(
        this.table.all("wallet").flatMap((item) => (isHere(item) && isRetired(item) ? [item.userID] : [])),
      ),
      cancelled: new Set(
        orders.filter(({ intent }) => this.table.isCancelled(intent)).map(({ intent }) => intent.orderId),
      ),
      bytes: new Map(bytes.map(({ hash, raw }) => [hash, raw])),
      maxGasPrices: new Map(),
      limits: new Map(jobs.map(({ userID }) => [userID, this.limitsOf(userID, wallet, day)])),
      isStopped: this.isStopped,
    };
  }
}

export const solMacOf = (intent: SolIntent) => `MAC of ${JSON.stringify(packed(intent))}`;
