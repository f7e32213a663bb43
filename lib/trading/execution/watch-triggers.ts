import { randomUUID } from "node:crypto";
import { ChainUnavailable } from "../../chains/hosts/host-fault.ts";
import type { TradingChain } from "../../core/chain-facts.ts";
import { delay } from "../../core/time.ts";
import type { FireAnswer, FireRequest } from "../../orders/resting/hand-over.ts";
import type { Trigger } from "../../orders/resting/stored.ts";
import { type DueOrder, Turns } from "../../orders/resting/turns.ts";
import { LeasedRun, type LeasedRunDeps } from "./leased-run.ts";
import type { ReadTimes } from "./read-chains.ts";
import type { WatchedChain } from "./watched-chain.ts";

export type WatchDeps = {
  leases: Pick<LeasedRunDeps["effects"], "readReaderLease" | "changeReaderLease">;
  chains: readonly WatchedChain[];
  readTriggers: (chain: TradingChain) => Promise<readonly Trigger[]>;
  /** Invokes fireOrders, and returns its findings about the orders by their ids. */
  fire: (request: FireRequest) => Promise<FireAnswer>;
  /** Receives errors. The run continues. */
  onFault: (error: unknown) => void;
  /** Receives the first error each time that all hosts of a chain fail. */
  onSilence: (error: unknown) => void;
};

/** Interval at which all rows are read again, with few rows and with many. */
const newsMs = { few: 2000, many: 5000 };
const manyRows = 5000;

/** Number of hand-overs at once. Stops of sol have their own places, because they need several readings in a row. */
const places = { usual: 8, stopsOfSol: 8 };

const dispatchMs = 50;

/** Time without rows after which a run ends. */
const mostIdleMs = 5 * 60_000;

/**
 * Searches for resting orders whose prices may be reached, and hands them over to fireOrders, until another run takes
 * over or no order rests. It decides nothing: its results are only hints.
 */
export async function watchTriggers(deps: WatchDeps, times: ReadTimes): Promise<void> {
  await new WatchRun(deps, times).start();
}

class WatchRun {
  readonly #deps: WatchDeps;
  readonly #times: ReadTimes;
  readonly #untilMs: number;
  readonly #turns = new Turns();
  /** The tokens that are being handed over, by the kind of place. */
  readonly #busy = { usual: new Set<string>(), stopsOfSol: new Set<string>() };
  readonly #silent = new Set<TradingChain>();
  #isOver = false;

  constructor(deps: WatchDeps, times: ReadTimes) {
    this.#deps = deps;
    this.#times = times;
    this.#untilMs = Date.now() + times.longestMs;
  }

  async start(): Promise<void> {
    const { leases, onFault } = this.#deps;
    const effects = {
      ...leases,
      isReaderNeeded: async () => (await this.#read()) > 0,
      tryReader: async () =>
        (await Promise.all(this.#deps.chains.map((each) => this.#look(each)))).includes(true),
    };
    const { build } = this.#times;
    await LeasedRun.start("triggers", { run: randomUUID(), build }, { effects, onFault }, (leased) =>
      this.#watch(leased),
    );
  }

  async #watch(leased: LeasedRun): Promise<void> {
    const isOver = () => this.#isOver || leased.isOver;
    const others = this.#deps.chains.map((watched) => this.#lookAgain(watched, isOver));
    const handing = this.#handOver(isOver);
    try {
      await this.#readAgain(leased);
    } finally {
      this.#isOver = true;
      await Promise.all([...others, handing]);
    }
  }

  /** Reads the rows again and again, until the run is over or no order rests. */
  async #readAgain(leased: LeasedRun): Promise<void> {
    let busyMs = Date.now();
    while (!leased.isOver && Date.now() < this.#untilMs) {
      leased.beginRound();
      const startMs = Date.now();
      const rows = await this.#survive(() => this.#read());
      if (rows !== 0) busyMs = Date.now();
      if (Date.now() - busyMs >= mostIdleMs) {
        if (await this.#survive(() => leased.hasEnded())) return;
        busyMs = Date.now();
      }
      const pauseMs = rows !== undefined && rows >= manyRows ? newsMs.many : newsMs.few;
      await delay(Math.max(0, startMs + pauseMs - Date.now()));
    }
  }

  async #read(): Promise<number> {
    const { chains, readTriggers } = this.#deps;
    const counts = await Promise.all(
      chains.map(async (watched) => {
        const rows = await readTriggers(watched.chain);
        watched.orders.take(rows, Date.now());
        return rows.length;
      }),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }

  async #lookAgain(watched: WatchedChain, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const startMs = Date.now();
      await this.#look(watched);
      await delay(Math.max(0, startMs + watched.pauseMs - Date.now()));
    }
  }

  /** Looks once. Returns false if no host answers. */
  async #look(watched: WatchedChain): Promise<boolean> {
    const { onFault, onSilence } = this.#deps;
    try {
      await watched.look(Date.now);
      this.#silent.delete(watched.chain);
      return true;
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) onFault(error);
      else if (!this.#silent.has(watched.chain)) onSilence(error);
      this.#silent.add(watched.chain);
      return false;
    }
  }

  async #handOver(isOver: () => boolean): Promise<void> {
    const underWay = new Set<Promise<void>>();
    for (; !isOver(); await delay(dispatchMs)) {
      const due = this.#due();
      for (const place of ["usual", "stopsOfSol"] as const) {
        const busy = this.#busy[place];
        while (busy.size < places[place]) {
          const orders = this.#turns.next(due[place].filter((order) => !busy.has(tokenOf(order))));
          const [first] = orders;
          if (first === undefined) break;
          busy.add(tokenOf(first));
          const handing = this.#fire(orders).finally(() => {
            busy.delete(tokenOf(first));
            underWay.delete(handing);
          });
          underWay.add(handing);
        }
      }
    }
    await Promise.all(underWay);
  }

  /** Lists the due orders by their kind of place. A token is handed over once at a time, so that a wave is chosen once. */
  #due(): Record<keyof typeof places, DueOrder[]> {
    const due = { usual: [] as DueOrder[], stopsOfSol: [] as DueOrder[] };
    for (const { chain, orders } of this.#deps.chains)
      for (const order of orders.due(Date.now()))
        due[chain === "sol" && orders.hasStop(order.orderId) ? "stopsOfSol" : "usual"].push(order);
    return due;
  }

  async #fire(orders: readonly DueOrder[]): Promise<void> {
    const { chain, token } = orders[0] as DueOrder;
    const watched = this.#deps.chains.find((each) => each.chain === chain) as WatchedChain;
    this.#turns.begin(orders, Date.now());
    for (const { orderId } of orders) watched.orders.begin(orderId);
    const words = await this.#survive(() =>
      this.#deps.fire({
        chain: watched.chain,
        token,
        orders: orders.map(({ orderId, userID, wallet }) => ({ orderId, userID, wallet })),
      }),
    );
    const nowMs = Date.now();
    for (const { orderId } of orders) watched.orders.end(orderId, words?.[orderId], nowMs);
    for (const [userID, own] of Map.groupBy(orders, (order) => order.userID))
      this.#turns.end(
        userID,
        own
          .filter(({ purpose }) => purpose === "fire")
          .map(({ orderId }) => words?.[orderId]?.state === "out"),
      );
  }

  /** Carries out a step. If it fails, the next round tries again. */
  async #survive<Result>(step: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await step();
    } catch (error) {
      this.#deps.onFault(error);
      return undefined;
    }
  }
}

const tokenOf = ({ chain, token }: Pick<DueOrder, "chain" | "token">): string => `${chain} ${token}`;
