import type { EvmClient } from "../../lib/chains/evm/calls/hosts.ts";
import type { Evm } from "../../lib/chains/evm/rules/family.ts";
import type { EvmSnapshot } from "../../lib/chains/evm/rules/host-snapshot.ts";
import { signEvmTransaction } from "../../lib/chains/evm/rules/sign.ts";
import type { EvmReader } from "../../lib/chains/evm/venues/reader.ts";
import type { EvmChain } from "../../lib/core/chain-facts.ts";
import { seededRandom } from "../../lib/local/src/random.ts";
import type { Question, SignRequest } from "../../lib/orders/effects.ts";
import type { LaneKey } from "../../lib/orders/intent.ts";
import { mayHaveChanged } from "../../lib/orders/lane-watch.ts";
import type { Lane, ReaderLease } from "../../lib/orders/table-step.ts";
import { lookEffects } from "../../lib/trading/execution/look-effects.ts";
import { readChains } from "../../lib/trading/execution/read-chains.ts";
import { type Performers, runProcedure } from "../../lib/trading/execution/run-procedure.ts";
import { WakeQueue } from "../../lib/trading/execution/wake-queue.ts";
import { placing } from "../../lib/trading/procedures/placing.ts";
import { newSweepMemory, sweepLanes } from "../../lib/trading/procedures/reading.ts";
import { type RunStart, workLane } from "../../lib/trading/procedures/work-lane.ts";
import { draftOf, placeRequest, quoteFrom, setupName } from "../support/place-request.ts";
import { wideLimits } from "../support/trading.ts";
import { inVirtualTime } from "../support/virtual-clock.ts";
import { inParts } from "../trading/model/in-parts.ts";
import { ModelTable } from "../trading/model/table.ts";
import { countsOf, type HostCounts, isShared } from "./host-requests.ts";
import type { OrderCalls, Stage } from "./order-calls.ts";
import { type Finality, hostOf, TimedChain } from "./timed-chain.ts";
import { snapshotOf, viewsOf } from "./views.ts";

export type WatchOptions = {
  chain: EvmChain;
  /** Average number of lanes. */
  lanes: number;
  finality: Finality;
  calls: OrderCalls;
  seed?: number;
};

/** Estimated durations of AWS and host calls, in milliseconds. */
const times = { table: 8, invoke: 14, queue: 30, signer: 45, roundTrip: 40 };

/** Causes of an order's requests to hosts. The sweep's runs find nothing to do. */
export const askers = [
  "the quote",
  "the swap",
  "the fill",
  "the sweep's runs",
  "the end",
  "the reader",
] as const;

export type Asker = (typeof askers)[number];

export type WatchReport = {
  /** Number of counted orders, all of them settled. */
  orders: number;
  /** Counts of both hosts together for each order. */
  perOrder: Record<Asker, HostCounts>;
  /** Number of executeOrders runs for each order, by purpose. */
  runs: Record<Exclude<Asker, "the quote" | "the reader">, number>;
  /** Requests per minute that serve all lanes, and new orders per minute. */
  shared: HostCounts;
  ordersPerMinute: number;
  /** Milliseconds from a transaction's block to the recorded fill. */
  fills: { usual: number[]; afterJump: number[] };
  /** Maximum number of lanes that become due at a jump of the final block. */
  mostDue: number;
};

const nothing = (): HostCounts => ({ requests: 0, calls: 0, units: 0 });

function add(sum: HostCounts, counts: HostCounts, times = 1): void {
  for (const name of ["requests", "calls", "units"] as const) sum[name] += times * counts[name];
}

const startMs = Date.UTC(2026, 10, 21, 20);

/** A fill counts as delayed by a jump within this time. Readers request the final block at least every ten seconds. */
const afterJumpMs = 15_000;

/** Number of the final block's jumps during which orders are counted. */
const countedJumps = 4;

const minuteMs = 60_000;

/**
 * Simulates random orders in virtual time on a chain with late finality, using the product's reader, sweep and runs of
 * executeOrders. Counts orders for some jumps once the average number of lanes is reached, then waits until they
 * settle.
 */
export const watchOrders = (options: WatchOptions): Promise<WatchReport> =>
  inVirtualTime(startMs, () => new Watched(options).run());

const pause = (ms: number) => new Promise<void>((end) => void setTimeout(end, ms));

/** An order's lane, its table and whether it is counted. */
type Watch = {
  lane: LaneKey;
  table: ModelTable;
  isCounted: boolean;
};

class Watched {
  readonly #options: WatchOptions;
  readonly #chain: TimedChain;
  readonly #watches = new Map<string, Watch>();
  readonly #perOrder = Object.fromEntries(askers.map((asker) => [asker, nothing()])) as Record<
    Asker,
    HostCounts
  >;
  readonly #runs = { "the swap": 0, "the fill": 0, "the sweep's runs": 0, "the end": 0 };
  readonly #fills: WatchReport["fills"] = { usual: [], afterJump: [] };
  readonly #shared = nothing();
  readonly #reader: Performers;
  #lease: ReaderLease | undefined;
  #orders = 0;
  #isCounting = false;
  #isOver = false;
  #mostDue = 0;

  constructor(options: WatchOptions) {
    this.#options = options;
    const { chain } = options;
    this.#chain = new TimedChain(chain, options.finality);
    const host = hostOf(this.#chain, async (calls) => {
      await pause(times.roundTrip);
      const request = { calls };
      const isOfAll = isShared(request);
      if (this.#isCounting && isOfAll) add(this.#shared, countsOf([{ ...request, at: 0 }]));
      if (!isOfAll) this.#countReading(calls);
    });
    const client = { hosts: [host], inOrder: () => [host] } as Partial<EvmClient> as EvmClient;
    const reader = { chain, client } as EvmReader;
    this.#reader = {
      ...lookEffects(new Map([[chain, reader]])),
      readLanes: async ({ sinceMs }) => {
        await pause(times.table);
        return this.#lanes().filter((lane) => sinceMs === undefined || mayHaveChanged(lane, sinceMs));
      },
      readReaderLease: () => this.#lease,
      changeReaderLease: ({ when = {}, set }) => {
        const isAsBefore = Object.entries(when).every(
          ([name, value]) => this.#lease?.[name as keyof ReaderLease] === value,
        );
        if (isAsBefore) this.#lease = { ...this.#lease, ...set } as ReaderLease;
        return isAsBefore;
      },
      now: () => Date.now(),
    };
  }

  async run(): Promise<WatchReport> {
    const { lanes, finality } = this.#options;
    const lifeMs = (finality.lateSeconds + finality.jumpSeconds) * 1000;
    // An order waits half the time between two jumps on average.
    const meanLifeMs = (finality.lateSeconds + finality.jumpSeconds / 2) * 1000;
    const countedMs = countedJumps * finality.jumpSeconds * 1000;
    void this.#schedule();
    const arrivals = this.#arrivals(meanLifeMs / lanes);
    await pause(lifeMs);
    this.#isCounting = true;
    await pause(countedMs);
    this.#isCounting = false;
    for (let left = true; left; ) {
      await pause(minuteMs);
      left = [...this.#watches.values()].some(({ isCounted }) => isCounted);
    }
    this.#isOver = true;
    await arrivals;
    const count = (counts: HostCounts, by: number): HostCounts => ({
      requests: counts.requests / by,
      calls: counts.calls / by,
      units: counts.units / by,
    });
    const each = Object.entries(this.#perOrder).map(([asker, counts]) => [
      asker,
      count(counts, this.#orders),
    ]);
    const runs = Object.entries(this.#runs).map(([what, number]) => [what, number / this.#orders]);
    return {
      orders: this.#orders,
      perOrder: Object.fromEntries(each) as WatchReport["perOrder"],
      runs: Object.fromEntries(runs) as WatchReport["runs"],
      shared: count(this.#shared, countedMs / minuteMs),
      ordersPerMinute: this.#orders / (countedMs / minuteMs),
      fills: this.#fills,
      mostDue: this.#mostDue,
    };
  }

  /** Starts the reader and the sweep every minute, like EventBridge. */
  async #schedule(): Promise<void> {
    const { chain } = this.#options;
    const wake = async (lane: LaneKey) => this.#invoke(lane);
    const fail = (error: unknown) => {
      throw error;
    };
    const deps = {
      effects: this.#reader as Required<Performers>,
      wakeOf:
        () =>
        ({ lane }: { lane: LaneKey }) =>
          wake(lane) as Promise<undefined>,
      onFault: fail,
      onSilence: fail,
    };
    const memory = newSweepMemory();
    while (!this.#isOver) {
      void readChains(deps, [chain], { build: "b", longestMs: 13 * minuteMs });
      const wakes = new WakeQueue(wake);
      await runProcedure(sweepLanes(chain, memory), {
        ...this.#reader,
        wake: ({ lane }) => void wakes.add(lane) as undefined,
      });
      await pause(minuteMs);
    }
  }

  /** Places orders at random, on average at this interval. */
  async #arrivals(stepMs: number): Promise<void> {
    const random = seededRandom(this.#options.seed ?? 1);
    for (let index = 0; !this.#isOver; index++) {
      await pause(Math.round(-Math.log(1 - random()) * stepMs));
      void this.#place(`0x${index.toString(16)}`);
    }
  }

  async #place(wallet: string): Promise<void> {
    const { chain, calls } = this.#options;
    const lane = { chain, wallet };
    const isCounted = this.#isCounting;
    const watch = { lane, table: new ModelTable(), isCounted };
    watch.table.put("wallet", { ...lane, userID: wallet });
    this.#watches.set(wallet, watch);
    if (isCounted) {
      this.#orders++;
      add(this.#perOrder["the quote"], calls.quote, 2);
    }
    const nowMs = Date.now();
    const request = placeRequest({
      wallet,
      orderId: wallet,
      userID: wallet,
      key: wallet,
      fingerprint: wallet,
      side: "buy",
      token: "MOON",
      amount: 10n ** 17n,
      slippage: 10,
      isPrivate: false,
      maxGasPrice: 10n ** 11n,
      gasPreset: "medium",
      validUntil: Math.floor(nowMs / 1000) + 600,
      nowMs,
    });
    const setup = { chain, hasRelay: false, limits: wideLimits, listed: [], name: setupName };
    const answer = await runProcedure(placing({ ...request, chain, setup }), this.#effectsOf(watch));
    if ("refused" in answer) throw new Error(`An order was refused: ${answer.refused}`);
  }

  /** Starts a run for a lane without waiting for its end. */
  async #invoke(lane: LaneKey, start: RunStart = {}): Promise<void> {
    await pause(times.invoke);
    const watch = this.#watches.get(lane.wallet);
    if (watch !== undefined) void pause(times.queue).then(() => this.#work(watch, start));
  }

  async #work(watch: Watch, start: RunStart): Promise<void> {
    const { lane, table } = watch;
    const wasPlanned = table.all("slot").length > 0;
    let stage: Stage | undefined;
    const asked = nothing();
    const effects = this.#effectsOf(watch, (question) => {
      stage ??= this.#stageOf(question);
      add(asked, this.#options.calls[this.#stageOf(question)], 2);
    });
    const holder = `${lane.wallet} ${Date.now()}`;
    const wasFilled = isFilled(table);
    await runProcedure(inParts(workLane(lane, holder, wideLimits, setupName, start), false), effects);
    // The first run sends the swap that was planned at placement, or plans it with the data that was read then.
    if (start.reservation !== undefined || (!wasPlanned && table.all("slot").length > 0)) stage ??= "unsent";
    const isOver = table.get("lane", lane) === undefined;
    if (isOver) this.#watches.delete(lane.wallet);
    if (!watch.isCounted || stage === undefined) return;
    const last = isOver ? "the end" : "the sweep's runs";
    const what = stage !== "mined" ? "the swap" : wasFilled ? last : "the fill";
    this.#runs[what]++;
    add(this.#perOrder[what], asked);
  }

  #stageOf({ hashes }: Question<Evm>): Stage {
    if (hashes.length === 0) return "unsent";
    return hashes.some((hash) => this.#chain.blockOf(hash) !== undefined) ? "mined" : "sent";
  }

  #lanes(): readonly Lane[] {
    const { chain } = this.#options;
    const lanes = [...this.#watches.values()].flatMap(
      ({ lane, table }) => table.get("lane", { chain, wallet: lane.wallet }) ?? [],
    );
    const final = this.#chain.finalized().number;
    const due = lanes.filter(({ watch }) => (watch?.finalFrom ?? Number.POSITIVE_INFINITY) <= final);
    this.#mostDue = Math.max(this.#mostDue, due.length);
    return lanes;
  }

  /** Counts receipts and headers that the reader requests for single orders. */
  #countReading(calls: Parameters<typeof countsOf>[0][number]["calls"]): void {
    const counted = calls.filter(({ method, params }) => {
      const watch = method === "eth_getTransactionReceipt" && this.#watches.get(walletIn(String(params[0])));
      return watch ? watch.isCounted : this.#isCounting;
    });
    if (counted.length === 0) return;
    const { calls: count, units } = countsOf([{ calls: counted, at: 0 }]);
    add(this.#perOrder["the reader"], { requests: counted.length / calls.length, calls: count, units });
  }

  #effectsOf({ lane, table }: Watch, onQuestion: (question: Question<Evm>) => void = () => {}): Performers {
    const { wallet } = lane;
    const views = viewsOf(lane, table);
    const afterTable = async <Answer>(answer: () => Answer): Promise<Answer> => {
      await pause(times.table);
      return answer();
    };
    let answers: { question: Question<Evm>; snapshot: Promise<EvmSnapshot> } | undefined;
    const performers: Performers = {
      now: () => Date.now(),
      pause: ({ ms }) => pause(ms) as Promise<undefined>,
      readPlacing: () => afterTable(views.placing),
      quote: async ({ question }) => {
        await pause(2 * times.roundTrip);
        const draft = draftOf(question);
        const asked = { ...lane, hashes: [], orders: [draft] };
        const quote = () => quoteFrom(snapshotOf(this.#chain, asked), draft);
        return [quote(), quote()];
      },
      makeMac: () => "mac",
      checkMac: () => true,
      readLane: () => afterTable(views.lane),
      /** Both hosts are called in parallel, in two rounds, or three if a transaction was sent. */
      hostSnapshot: ({ question }) => {
        if (answers?.question !== question) {
          onQuestion(question as Question<Evm>);
          const rounds = question.hashes.length > 0 ? 3 : 2;
          const snapshot = pause(rounds * times.roundTrip).then(() =>
            snapshotOf(this.#chain, question as Question<Evm>),
          );
          answers = { question: question as Question<Evm>, snapshot };
        }
        return answers.snapshot;
      },
      sign: async ({ request }) => {
        await pause(times.signer);
        return runProcedure(signEvmTransaction(request as SignRequest<Evm>), performers);
      },
      readSigning: ({ request }) => views.signing(request.place),
      signBytes: () => ({ hash: transactionOf(wallet), raw: transactionOf(wallet) }),
      send: async ({ raw }) => {
        await pause(times.roundTrip / 2);
        this.#chain.take(raw);
        if (this.#watches.get(wallet)?.isCounted) {
          const sent = countsOf([{ calls: [{ method: "eth_sendRawTransaction", params: [] }], at: 0 }]);
          add(this.#perOrder["the swap"], sent, 2);
        }
        await pause(times.roundTrip / 2);
        return "reached" as const;
      },
      wake: ({ job, reservation }) => this.#invoke(lane, { job, reservation }) as Promise<undefined>,
      write: ({ step }) =>
        afterTable(() => {
          const wasFilled = isFilled(table);
          const isWritten = table.write(step) !== undefined;
          if (isWritten && !wasFilled && isFilled(table)) this.#noteFill(table);
          return isWritten;
        }),
    };
    return performers;
  }

  #noteFill(table: ModelTable): void {
    if (!this.#isCounting) return;
    const [slot] = table.all("slot");
    const block = this.#chain.blockOf(slot?.attempts.at(-1)?.hash ?? "");
    if (block === undefined) throw new Error("A fill has no block");
    const isAfterJump = Date.now() - this.#chain.jumpMs() < afterJumpMs;
    this.#fills[isAfterJump ? "afterJump" : "usual"].push(Date.now() - this.#chain.msOf(block.number));
  }
}

const isFilled = (table: ModelTable) => table.all("order").some(({ life }) => life.status === "filled");

/** Returns the hash of a wallet's transaction. */
const transactionOf = (wallet: string) => `0x${wallet.slice(2).padStart(64, "0")}`;
const walletIn = (hash: string) => `0x${BigInt(hash).toString(16)}`;
