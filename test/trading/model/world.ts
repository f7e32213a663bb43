import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import type { EvmSnapshot } from "../../../lib/chains/evm/rules/host-snapshot.ts";
import type { EvmIntent, UnsignedEvmTransaction } from "../../../lib/chains/evm/rules/intent.ts";
import type { EvmOrderSettings } from "../../../lib/chains/evm/rules/order-settings.ts";
import { evmOrderSettingsOf } from "../../../lib/chains/evm/rules/order-settings.ts";
import type { Look } from "../../../lib/orders/block.ts";
import type { Effect, Effects, Procedure, Question, SignRequest } from "../../../lib/orders/effects.ts";
import type { LaneKey } from "../../../lib/orders/intent.ts";
import { mayHaveChanged } from "../../../lib/orders/lane-watch.ts";
import type { ProgramFacts } from "../../../lib/orders/program-limits.ts";
import type { MissedToken, ReaderLease, TradeStep } from "../../../lib/orders/table-step.ts";
import type { TradeOrder } from "../../../lib/orders/trade-order.ts";
import type { Limits } from "../../../lib/orders/wallet-policy.ts";
import { packed } from "../../../lib/trading/items/items.ts";
import type { PlaceAnswer, PlaceRequest } from "../../../lib/trading/procedures/placing.ts";
import type { RunStart } from "../../../lib/trading/procedures/work-lane.ts";
import { draftOf, quoteFrom, setupName, weiInGwei } from "../../support/place-request.ts";
import { wideLimits } from "../../support/trading.ts";
import type { ChainUnderTest } from "./chain-under-test.ts";
import { Invariants } from "./invariants.ts";
import { truthOf } from "./lies.ts";
import { Machines } from "./machines.ts";
import { type Answer, labelOf, type Process, type Wake } from "./process.ts";
import type { Random } from "./random.ts";
import { Starts } from "./starts.ts";
import type { System } from "./system.ts";
import { isRetired, ModelTable } from "./table.ts";

export const chain = "eth";

/** Simulates everything around the code under test: chain, table, machines, clients and their clocks. */
export class World extends Machines {
  readonly table = new ModelTable();
  readonly invariants: Invariants;
  readonly starts: Starts;
  readonly maxGasPrices = new Map<string, bigint>();
  isStopped = false;
  /** Lease of the reader. Without it, the sweep wakes every lane. */
  readerLease: ReaderLease | undefined;
  chainLimits = wideLimits;
  readonly system: System;
  readonly chain: ChainUnderTest;

  constructor(random: Random, system: System, chainUnderTest: ChainUnderTest, nowMs: number) {
    super(random, chainUnderTest.seen, nowMs);
    this.system = system;
    this.chain = chainUnderTest;
    this.invariants = new Invariants(this);
    this.starts = new Starts(chainUnderTest.seen);
  }

  startWork(event: Wake, skewMs = 0, missed?: MissedToken): Process | undefined {
    const { wallet, reservation, isTwin } = event;
    const lane: LaneKey = { chain, wallet };
    const others = this.processes.filter(
      ({ name, lane: other }) => name === "work" && other?.wallet === wallet,
    );
    if (others.length > 0) this.seen.add("two runs for a lane");
    if (skewMs !== 0) this.seen.add("clock is wrong");
    const holder = this.newId("holder");
    const { chainLimits } = this;
    const work = (start: RunStart) =>
      this.system.work(lane, holder, chainLimits, setupName, { ...start, missed });
    const procedure = isTwin ? this.system.twin(lane, { reservation }, work) : work({ reservation });
    const start = this.starts.started(event, this.table.get("lane", lane), this.nowMs + skewMs);
    return this.start({ name: "work", procedure, lane, start, skewMs, chainLimits });
  }

  protected sign(request: SignRequest): Procedure<unknown> {
    return this.system.sign(request as SignRequest<Evm>);
  }

  place(request: PlaceRequest, onAnswer: (answer: PlaceAnswer | undefined) => void): void {
    this.start({ name: "place", procedure: this.system.place(request) }, (end) =>
      onAnswer("result" in end ? (end.result as PlaceAnswer) : undefined),
    );
  }

  /** Makes a write that the code under test never makes. */
  async tamper(step: TradeStep): Promise<void> {
    this.table.write(step);
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
        return this.laneView(effect.lane.wallet, effect.day, effect.missed);
      case "readSigning": {
        process.sawStop = this.isStopped;
        const { wallet, place: nonce, orderId, userID, claimed } = effect.request as SignRequest<Evm>;
        return {
          isClaimGenuine: claimed !== undefined && claimed.mac === macOf(claimed.intent),
          order: this.orderNamed(userID, orderId),
          slot: this.table.get("slot", { chain, wallet, place: nonce }),
          ledger: this.table.get("ledger", { orderId }),
          isRetired: isRetired(this.table.get("wallet", { chain, wallet, userID })),
          isStopped: this.isStopped,
          isCancelled: this.table.get("cancellation", { userID, orderId }) !== undefined,
          cutoffs: this.table.cutoffsOver({ userID, chain, wallet }),
          maxGasPrice: this.maxGasPrices.get(userID) ?? 0n,
          limits: this.limitsOf(userID, wallet, effect.day),
          program: this.programOf(userID, claimed?.intent.by, effect.day),
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
          settings: this.settingsOf(userID),
          isStopped: this.isStopped,
          cutoffs: this.table.cutoffsOver({ userID, ...lane }),
          limits: this.limitsOf(userID, lane.wallet, effect.day),
          program: this.programOf(userID, effect.by, effect.day),
        };
      }
      case "readOrder": {
        const order = this.orderNamed(effect.userID, effect.orderId);
        const slots = this.table.all("slot").filter(({ orderId }) => orderId === effect.orderId);
        return { order, slots };
      }
      case "readOpenOrders":
        return this.table.openOrders(effect.scope);
      case "readLanes":
        return this.table
          .all("lane")
          .filter((lane) => effect.sinceMs === undefined || mayHaveChanged(lane, effect.sinceMs));
      case "write": {
        const lane = process.lane && this.table.get("lane", process.lane);
        this.starts.beforeWrite(process, lane);
        const changes = this.table.write(effect.step);
        if (changes === undefined) this.seen.add(`lost: ${labelOf(effect)}`);
        else {
          this.seen.add(labelOf(effect));
          this.starts.afterWrite(process, effect, lane);
          await this.invariants.afterWrite(process, changes);
        }
        return changes !== undefined;
      }
      case "hostSnapshot": {
        const snapshot = await this.chain.hostSnapshot(effect.host, effect.question as Question<Evm>);
        process.snapshots.set(effect.host, snapshot);
        return snapshot;
      }
      case "quote": {
        const orders = [draftOf(effect.question as Evm["quoteQuestion"])] as const;
        const { wallet } = effect.question as Evm["quoteQuestion"];
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
      case "isReaderNeeded":
      case "tryReader":
      case "startReader":
        throw new Error("the test of readers has its own world");
      case "childWords":
        throw new Error("no order is a child");
      case "beginLane":
        throw new Error("the model carries out its parts");
      case "sign":
        throw new Error("the signer is a process");
      case "send":
        this.invariants.beforeSend(effect.raw, effect.to);
        return this.chain.send(effect.raw, effect.to);
      case "wake":
        this.addWakes(effect);
        return undefined;
      case "readParent":
        return undefined;
      case "readResting":
        return [];
      case "makeMandateMac":
      case "startTriggers":
        throw new Error("no order rests");
      case "makeMac":
        return macOf(effect.intent as EvmIntent);
      case "checkMac":
        return effect.mac === macOf(effect.intent as EvmIntent);
      case "signBytes": {
        const transaction = effect.unsigned as UnsignedEvmTransaction;
        const signed = await this.chain.sign(transaction);
        this.invariants.noteSigned(signed.hash, { raw: signed.raw, transaction, sawStop: process.sawStop });
        return signed;
      }
      case "signAsHelper":
        throw new Error("the chain is not Solana");
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

  /** Queries one of the two hosts about the chain, for any wallet. */
  private async snapshot(
    host: number,
    question: Pick<Partial<Question<Evm>>, "hashes" | "blocks">,
  ): Promise<EvmSnapshot | undefined> {
    const [{ wallet } = { wallet: "" }] = this.table.all("wallet");
    const asked = { chain, wallet, hashes: [], orders: [], ...question } as const;
    return this.chain.hostSnapshot(host % 2 === 0 ? 0 : 1, asked);
  }

  private settingsOf(userID: string): EvmOrderSettings {
    const maxGasPrice = Number(this.maxGasPrices.get(userID) ?? 0n) / weiInGwei;
    return { ...evmOrderSettingsOf("eth"), maxGasPrice };
  }

  private orderNamed(userID: string, orderId: string): TradeOrder<Evm> | undefined {
    return this.table.get("order", { intent: { userID, orderId } }) as TradeOrder<Evm> | undefined;
  }

  ordersOf(wallet: string): TradeOrder<Evm>[] {
    return this.table
      .all("job")
      .filter((job) => job.wallet === wallet)
      .map(({ userID, orderId }) => this.orderNamed(userID, orderId) as TradeOrder<Evm>);
  }

  private limitsOf(userID: string, wallet: string, day: string): Limits {
    const key = { chain, wallet, userID } as const;
    return { stored: this.table.get("policy", key), count: this.table.get("day", { ...key, day }) };
  }

  private programOf(userID: string, keyId: string | undefined, day: string): ProgramFacts | undefined {
    if (keyId === undefined) return undefined;
    return {
      key: this.table.get("programKey", { userID, keyId }),
      count: this.table.get("keyDay", { userID, chain, wallet: keyId, day }),
    };
  }

  private laneView(wallet: string, day: string, missed?: MissedToken) {
    const orders = this.ordersOf(wallet);
    const isHere = (item: LaneKey) => item.wallet === wallet;
    const jobs = this.table.all("job").filter(isHere);
    const slots = this.table
      .all("slot")
      .filter(isHere)
      .toSorted((a, b) => a.place - b.place);
    const newest = slots.flatMap(({ attempts }) => attempts.at(-1)?.hash ?? []);
    const bytes = newest.flatMap((hash) => this.table.get("bytes", { chain, wallet, hash }) ?? []);
    const lane = this.table.get("lane", { chain, wallet });
    const tokens = [...(lane?.watch?.departures ?? []), ...(missed ? [missed] : [])].map(
      ({ token }) => token,
    );
    return {
      // Counts the jobs that were read, as a real run does.
      lane: lane && { ...lane, jobs: jobs.length },
      ...(tokens.length > 0 && { missed: [...new Set(tokens)] }),
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
        orders.filter(({ intent }) => this.table.isCancelled(intent)).map(({ intent }) => intent.orderId),
      ),
      bytes: new Map(bytes.map(({ hash, raw }) => [hash, raw])),
      maxGasPrices: this.maxGasPrices,
      limits: new Map(jobs.map(({ userID }) => [userID, this.limitsOf(userID, wallet, day)])),
      isStopped: this.isStopped,
    };
  }
}

export const macOf = (intent: EvmIntent) => `MAC of ${JSON.stringify(packed(intent))}`;
