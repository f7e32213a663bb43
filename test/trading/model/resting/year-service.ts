import { ChainUnavailable } from "../../../../lib/chains/hosts/host-fault.ts";
import { wordOf } from "../../../../lib/orders/resting/hand-over.ts";
import type { RestingOrder } from "../../../../lib/orders/resting/life.ts";
import { type StoredResting, type Trigger, triggerOf } from "../../../../lib/orders/resting/stored.ts";
import { Turns } from "../../../../lib/orders/resting/turns.ts";
import { WatchedChain } from "../../../../lib/trading/execution/watched-chain.ts";
import type { Random } from "../random.ts";
import { outAtPrice } from "./resting-chain.ts";
import type { RestingWorld } from "./resting-world.ts";

/** Runs watchTriggers, fireOrders and executeOrders over a world. */
export class YearService {
  readonly #random: Random;
  readonly #world: RestingWorld;
  #watched: WatchedChain;
  #turns = new Turns();
  /** The orders and rows that the watcher has read last. */
  #rows = new Map<RestingOrder, Trigger>();
  /** The state of each order, and the time since which it has it. */
  readonly #states = new Map<string, { state: RestingOrder["state"]; sinceMs: number }>();

  constructor(random: Random, world: RestingWorld) {
    this.#random = random;
    this.#world = world;
    this.#watched = this.#startWatcher();
  }

  /** A new process of the watcher knows nothing of the earlier one. */
  #startWatcher(): WatchedChain {
    this.#turns = new Turns();
    this.#rows = new Map();
    const priceOf = (host: number) => {
      const sight = this.#world.hosts.sightOf(host % 2 === 0 ? 0 : 1);
      if (sight === undefined) throw new ChainUnavailable("the host is silent");
      return sight.blocks.at(-1)?.price ?? 1n;
    };
    return new WatchedChain("eth", {
      levels: async (tokens, host) => {
        const level = Math.log(Number(priceOf(host)));
        return new Map(tokens.map((token) => [token, [level]]));
      },
      outs: async ({ amounts }, host) => {
        const price = priceOf(host);
        return amounts.map((amount) => outAtPrice(price, amount));
      },
    });
  }

  /** Lets each function run once. */
  async round(isFaulty: boolean): Promise<void> {
    const random = this.#random;
    if (random.chance(isFaulty ? 0.02 : 0.0001)) this.#watched = this.#startWatcher();
    this.#read();
    try {
      await this.#watched.look(() => this.#world.nowMs);
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error;
    }
    const { orders } = this.#watched;
    const due = orders.due(this.#world.nowMs);
    for (let left = due; left.length > 0; ) {
      const next = this.#turns.next(left);
      this.#turns.begin(next, this.#world.nowMs);
      const ids = next.map(({ orderId }) => orderId);
      left = left.filter(({ orderId }) => !ids.includes(orderId));
      this.#fire(ids, isFaulty);
    }
    this.#world.work(() => isFaulty && random.chance(0.1));
  }

  /** Runs fireOrders for some orders. It may die, or stand still until the next round. */
  #fire(orderIds: string[], isFaulty: boolean): void {
    const { runs } = this.#world;
    const { orders } = this.#watched;
    const random = this.#random;
    for (const orderId of orderIds) orders.begin(orderId);
    this.#world.startFiring(orderIds);
    let isLost = false;
    for (const run of [...runs]) {
      while (runs.includes(run)) {
        if (isFaulty && random.chance(0.01)) break;
        const kill = !isFaulty || !random.chance(0.01) ? "none" : random.chance(0.5) ? "before" : "after";
        isLost ||= kill !== "none";
        this.#world.stepRun(run, kill);
      }
    }
    isLost ||= runs.length > 0;
    const { nowMs } = this.#world;
    for (const orderId of orderIds) orders.end(orderId, isLost ? undefined : this.#wordOf(orderId), nowMs);
  }

  #wordOf(orderId: string) {
    const order = this.#world.parents.get(orderId);
    const { nowMs } = this.#world;
    if (order === undefined) return wordOf(undefined, nowMs);
    const { state } = order;
    const known = this.#states.get(orderId);
    const { sinceMs } = known?.state === state ? known : { sinceMs: nowMs };
    this.#states.set(orderId, { state, sinceMs });
    const updatedAt = new Date(sinceMs).toISOString();
    return wordOf({ ...order, updatedAt } as StoredResting, nowMs, this.#world.waiting.includes(orderId));
  }

  /** Reads the rows if one of them has changed. */
  #read(): void {
    const known = this.#rows;
    const orders = [...this.#world.parents.values()].filter(({ state }) => state !== "done");
    if (orders.length === known.size && orders.every((order) => known.has(order))) return;
    this.#rows = new Map(orders.map((order) => [order, known.get(order) ?? triggerOf(order)]));
    this.#watched.orders.take([...this.#rows.values()], this.#world.nowMs);
  }

  forget(orderId: string): void {
    this.#states.delete(orderId);
  }
}
