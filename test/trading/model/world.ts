import type { Effect, Effects, Question } from "../../../lib/trading/core/effects.ts";
import type { HostSnapshot, Look } from "../../../lib/trading/core/evm/host-snapshot.ts";
import { newestAttempt } from "../../../lib/trading/core/evm/slot.ts";
import type { Intent, LaneKey } from "../../../lib/trading/core/intent.ts";
import type { PlaceAnswer, PlaceRequest } from "../../../lib/trading/core/placing.ts";
import type { ReaderLease, TradeStep } from "../../../lib/trading/core/table-step.ts";
import type { TradeOrder } from "../../../lib/trading/core/trade-order.ts";
import { defaultOrderSettings } from "../../../lib/trading/core/trading-chain.ts";
import type { Limits } from "../../../lib/trading/core/wallet-policy.ts";
import { packed } from "../../../lib/trading/items/items.ts";
import { draftOf, quoteFrom, setupName, weiInGwei } from "../../support/place-request.ts";
import { wideLimits } from "../../support/trading.ts";
import type { ChainUnderTest } from "./chain-under-test.ts";
import { Invariants } from "./invariants.ts";
import { truthOf } from "./lies.ts";
import { type Answer, type End, labelOf, type Process } from "./process.ts";
import type { Random } from "./random.ts";
import type { System } from "./system.ts";
import { isRetired, ModelTable } from "./table.ts";

export type Fault = "none" | "before" | "after";

export const chain = "eth";

/** Everything around the code under test: chain, table, machines, clients and their clocks. */
export class World {
  readonly table = new ModelTable();
  readonly processes: Process[] = [];
  /** Events so far, for the coverage. */
  readonly seen: Set<string>;
  readonly invariants: Invariants;
  readonly maxGasPrices = new Map<string, bigint>();
  readonly wakes: LaneKey[] = [];
  nowMs: number;
  isStopped = false;
  /** Without a lease, the sweep wakes every lane. */
  readerLease: ReaderLease | undefined;
  chainLimits = wideLimits;
  private ids = 0;
  readonly random: Random;
  readonly system: System;
  readonly chain: ChainUnderTest;

  constructor(random: Random, system: System, chainUnderTest: ChainUnderTest, nowMs: number) {
    this.random = random;
    this.system = system;
    this.chain = chainUnderTest;
    this.nowMs = nowMs;
    this.seen = chainUnderTest.seen;
    this.invariants = new Invariants(this);
  }

  newId(prefix: string): string {
    return `${prefix}${++this.ids}`;
  }

  start(
    process: Pick<Process, "name" | "procedure"> & Partial<Process>,
    onEnd: Process["onEnd"] = () => undefined,
  ): Process | undefined {
    const first = process.procedure.next();
    if (first.done) {
      onEnd({ result: first.value });
      return undefined;
    }
    const started = {
      id: ++this.ids,
      effect: first.value,
      skewMs: 0,
      clockMs: 0,
      isFrozen: false,
      sawStop: false,
      chainLimits: this.chainLimits,
      snapshots: new Map(),
      quotes: [],
      onEnd,
      ...process,
    };
    this.processes.push(started);
    return started;
  }

  startWork(lane: LaneKey, skewMs = 0): Process | undefined {
    const { wallet } = lane;
    const others = this.processes.filter(
      ({ name, lane: other }) => name === "work" && other?.wallet === wallet,
    );
    if (others.length > 0) this.seen.add("two runs for a lane");
    if (skewMs !== 0) this.seen.add("clock is wrong");
    const procedure = this.system.work({ chain, wallet }, this.newId("holder"), this.chainLimits, setupName);
    const { chainLimits } = this;
    return this.start({ name: "work", procedure, lane: { chain, wallet }, skewMs, chainLimits });
  }

  place(request: PlaceRequest, onAnswer: (answer: PlaceAnswer | undefined) => void): void {
    this.start({ name: "place", procedure: this.system.place(request) }, (end) =>
      onAnswer("result" in end ? (end.result as PlaceAnswer) : undefined),
    );
  }

  /** Carries out the next effect of a process, with a fault before or after it. */
  async step(process: Process, fault: Fault = "none"): Promise<void> {
    const { signer } = process;
    if (signer !== undefined && this.processes.includes(signer)) return this.step(signer, fault);
    const { effect } = process;
    if (fault === "before") return this.crash(process, `${process.name} before ${labelOf(effect)}`);
    if (effect.do === "sign") {
      if (signer === undefined) return this.invokeSigner(process);
      return this.end(process, { failure: "the signer failed" });
    }
    const answer = await this.carryOut(process, effect);
    if (fault === "after") return this.crash(process, `${process.name} after ${labelOf(effect)}`);
    this.resume(process, answer);
  }

  /** Makes a write that the code under test never would. */
  async tamper(step: TradeStep): Promise<void> {
    this.table.write(step);
  }

  /** Stops every machine at once. */
  restart(): void {
    this.seen.add("restart");
    for (const process of [...this.processes]) this.end(process, { failure: "restart" });
    this.wakes.length = 0;
  }

  private invokeSigner(process: Process): void {
    if (process.effect.do !== "sign") return;
    const { skewMs, chainLimits } = process;
    const procedure = this.system.sign(process.effect.request);
    const signer = this.start({ name: "sign", procedure, skewMs, chainLimits }, (end) => {
      if (!this.processes.includes(process)) return;
      if ("result" in end) this.resume(process, end.result as Answer);
      else this.end(process, end);
    });
    if (signer !== undefined && this.processes.includes(process)) process.signer = signer;
  }

  private resume(process: Process, answer: Answer): void {
    delete process.signer;
    const next = process.procedure.next(answer);
    if (next.done) this.end(process, { result: next.value });
    else process.effect = next.value;
  }

  private crash(process: Process, label: string): void {
    this.seen.add(`crash: ${label}`);
    if (process.name === "work" && process.snapshots.size === 0)
      this.seen.add(`crash: ${label}, without asking`);
    this.end(process, { failure: label });
  }

  private end(process: Process, end: End): void {
    const index = this.processes.indexOf(process);
    if (index < 0) return;
    this.processes.splice(index, 1);
    process.onEnd(end);
  }

  protected async carryOut(process: Process, effect: Effect): Promise<Answer> {
    switch (effect.do) {
      case "now":
        process.clockMs = this.nowMs + process.skewMs;
        return process.clockMs;
      case "pause":
        this.nowMs += effect.ms;
        return undefined;
      case "readLane":
        return this.laneView(effect.lane.wallet, effect.day);
      case "readSigning": {
        process.sawStop = this.isStopped;
        const { wallet, nonce, orderId, userID } = effect.request;
        return {
          order: this.orderNamed(userID, orderId),
          slot: this.table.get("slot", { chain, wallet, nonce }),
          ledger: this.table.get("ledger", { orderId }),
          isRetired: isRetired(this.table.get("wallet", { chain, wallet, userID })),
          isStopped: this.isStopped,
          isCancelled: this.table.get("cancellation", { userID, orderId }) !== undefined,
          maxGasPrice: this.maxGasPrices.get(userID) ?? 0n,
          limits: this.limitsOf(userID, wallet, effect.day),
          chainLimits: process.chainLimits,
        };
      }
      case "readPlacing": {
        const { userID, key, lane } = effect;
        const used = key === undefined ? undefined : this.table.get("key", { userID, key });
        const wallet = this.table.get("wallet", { ...lane, userID });
        return {
          used,
          order: used && this.orderNamed(userID, used.orderId),
          hasWallet: !isRetired(wallet),
          laneOrders: this.ordersOf(lane.wallet),
          jobs: this.table.get("lane", lane)?.jobs,
          settings: {
            ...defaultOrderSettings.eth,
            maxGasPrice: Number(this.maxGasPrices.get(userID) ?? 0n) / weiInGwei,
          },
          isStopped: this.isStopped,
          limits: this.limitsOf(userID, lane.wallet, effect.day),
        };
      }
      case "readOrder": {
        const order = this.orderNamed(effect.userID, effect.orderId);
        const slots = this.table.all("slot").filter(({ orderId }) => orderId === effect.orderId);
        return { order, slots };
      }
      case "readLanes":
        return this.table.all("lane");
      case "write": {
        const changes = this.table.write(effect.step);
        if (changes === undefined) this.seen.add(`lost: ${labelOf(effect)}`);
        else {
          this.seen.add(labelOf(effect));
          await this.invariants.afterWrite(process, changes);
        }
        return changes !== undefined;
      }
      case "hostSnapshot": {
        const snapshot = await this.chain.hostSnapshot(effect.host, effect.question);
        process.snapshots.set(effect.host, snapshot);
        return snapshot;
      }
      case "quote": {
        const orders = [draftOf(effect.question)] as const;
        const { wallet } = effect.question;
        const question = { chain, wallet, hashes: [], orders } as const;
        const seen = [
          await this.chain.hostSnapshot(0, question),
          await this.chain.hostSnapshot(1, question),
        ] as const;
        seen.forEach((snapshot, host) => {
          process.snapshots.set(host as 0 | 1, snapshot);
        });
        process.quotes = seen.map((each) => quoteFrom(each && truthOf(each), orders[0]));
        return [quoteFrom(seen[0], orders[0]), quoteFrom(seen[1], orders[0])];
      }
      case "look":
        return this.look(effect);
      case "minedIn": {
        const receipts = (await this.snapshot(effect.host, { hashes: effect.hashes }))?.receipts;
        return receipts && new Map(effect.hashes.map((hash) => [hash, receipts.get(hash)?.block.hash ?? ""]));
      }
      case "readReaderLease":
        return this.readerLease;
      case "changeReaderLease":
      case "startReader":
        throw new Error("the test of readers has its own world");
      case "sign":
        throw new Error("the signer is a process");
      case "send":
        this.invariants.beforeSend(effect.raw, effect.to);
        return this.chain.send(effect.raw, effect.to);
      case "wake":
        this.wakes.push(effect.lane);
        return undefined;
      case "makeMac":
        return macOf(effect.intent);
      case "checkMac":
        return effect.mac === macOf(effect.intent);
      case "signBytes": {
        const signed = await this.chain.sign(effect.transaction);
        const { transaction } = effect;
        this.invariants.noteSigned(signed.hash, { raw: signed.raw, transaction, sawStop: process.sawStop });
        return signed;
      }
    }
  }

  private async look({ host, heights }: Effects["look"]["ask"]): Promise<Look | undefined> {
    const head = (await this.snapshot(host, {}))?.latest;
    const parent = (head?.number ?? 0) - 1;
    const snapshot = await this.snapshot(host, { blocks: [parent, ...heights] });
    if (head === undefined || snapshot === undefined) return undefined;
    const { blocks: hashes, finalized: final } = snapshot;
    return { number: head.number, time: head.time, parentHash: hashes.get(parent) ?? "", hashes, final };
  }

  /** Asks one of the two hosts about the chain, by any wallet. */
  private async snapshot(
    host: number,
    question: Pick<Partial<Question>, "hashes" | "blocks">,
  ): Promise<HostSnapshot | undefined> {
    const [{ wallet } = { wallet: "" }] = this.table.all("wallet");
    const asked = { chain, wallet, hashes: [], orders: [], ...question } as const;
    return this.chain.hostSnapshot(host % 2 === 0 ? 0 : 1, asked);
  }

  private orderNamed(userID: string, orderId: string): TradeOrder | undefined {
    return this.table.get("order", { intent: { userID, orderId } });
  }

  ordersOf(wallet: string): TradeOrder[] {
    return this.table
      .all("job")
      .filter((job) => job.wallet === wallet)
      .map(({ userID, orderId }) => this.orderNamed(userID, orderId) as TradeOrder);
  }

  private limitsOf(userID: string, wallet: string, day: string): Limits {
    const key = { chain, wallet, userID } as const;
    return { stored: this.table.get("policy", key), count: this.table.get("day", { ...key, day }) };
  }

  private laneView(wallet: string, day: string) {
    const orders = this.ordersOf(wallet);
    const isHere = (item: LaneKey) => item.wallet === wallet;
    const jobs = this.table.all("job").filter(isHere);
    const slots = this.table
      .all("slot")
      .filter(isHere)
      .toSorted((a, b) => a.nonce - b.nonce);
    const newest = slots.flatMap((slot) => newestAttempt(slot)?.hash ?? []);
    const bytes = newest.flatMap((hash) => this.table.get("bytes", { chain, wallet, hash }) ?? []);
    return {
      lane: this.table.get("lane", { chain, wallet }),
      jobs,
      slots,
      orders,
      books: this.table.all("book").filter(isHere),
      retired: new Set(
        this.table
          .all("wallet")
          .filter((item) => isHere(item) && isRetired(item))
          .map(({ userID }) => userID),
      ),
      cancelled: new Set(
        jobs.filter((job) => this.table.get("cancellation", job)).map(({ orderId }) => orderId),
      ),
      bytes: new Map(bytes.map(({ hash, raw }) => [hash, raw])),
      maxGasPrices: this.maxGasPrices,
      limits: new Map(jobs.map(({ userID }) => [userID, this.limitsOf(userID, wallet, day)])),
      isStopped: this.isStopped,
    };
  }
}

const macOf = (intent: Intent) => `MAC of ${JSON.stringify(packed(intent))}`;
