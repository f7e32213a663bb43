import { AsyncLocalStorage } from "node:async_hooks";
import { afterEach, beforeEach, vi } from "vitest";
import type { EvmChain } from "../../../lib/core/chain-facts.ts";
import { decimalOf } from "../../../lib/core/decimal.ts";
import { Coins } from "../../../lib/markets/coins.ts";
import type { Candle } from "../../../lib/markets/core/candle.ts";
import type { ChunkKind } from "../../../lib/markets/core/candle-chunk.ts";
import { withCandles } from "../../../lib/markets/core/candles.ts";
import type { TokenName } from "../../../lib/markets/core/market.ts";
import { composer, type MarketDelivery } from "../../../lib/markets/core/market-delivery.ts";
import type { MinuteRecord } from "../../../lib/markets/core/market-record.ts";
import type { Follower } from "../../../lib/markets/demand.ts";
import { EvmMarkets } from "../../../lib/markets/evm/markets.ts";
import { minuteOf, type PoolBase } from "../../../lib/markets/evm/rules/pool-book.ts";
import type { FoundMarket, FoundPool, MarketState } from "../../../lib/markets/evm/rules/token-market.ts";
import { HeldTokens } from "../../../lib/markets/held-tokens.ts";
import type { MarketItem } from "../../../lib/markets/items/market-items.ts";
import type { FoundNews } from "../../../lib/markets/items/news.ts";
import { readMarkets } from "../../../lib/markets/read-markets.ts";
import type { TokenStore } from "../../../lib/markets/runs/chain-markets.ts";
import { Superseded } from "../../../lib/markets/runs/token-store.ts";
import type { ReaderLease } from "../../../lib/orders/table-step.ts";
import { nativeToken } from "../../../lib/orders/trading-chain.ts";
import type { Price } from "../../../lib/prices/price.ts";
import { type Chance, createChance } from "../../soak/chance.ts";
import { ModelChain, modelPools } from "../evm/rules/model/model-chain.ts";
import { ModelHosts } from "../evm/rules/model/model-hosts.ts";
import { trueMinute } from "../evm/rules/model/truth.ts";

/** Gives each pool of the model chain its own token. */
export const modelTokens = modelPools.map(({ pool }) => `token of ${pool}`);

const blockSeconds = { eth: 12, avax: 1, base: 0.2 } as const;

type ModelChainName = EvmChain & keyof typeof blockSeconds;

/** A run of readMarkets, which may die at any effect. */
export type Process = {
  build: string;
  /** Number of effects until the run dies, and whether the last of these effects still happens. */
  diesAfter: number;
  isLastDone: boolean;
  isDead: boolean;
  isOver: boolean;
  hosts: ModelHosts;
};

const running = new AsyncLocalStorage<Process>();

/** Runs tests in virtual time. */
export function virtualTimeForTests(): void {
  beforeEach(() => {
    vi.useFakeTimers();
    endTimersWithProcesses();
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });
}

/** Ends a process's timers when the process dies, because they would slow down the other processes. */
function endTimersWithProcesses(): void {
  const { setTimeout: setTimer } = globalThis;
  vi.stubGlobal("setTimeout", (call: () => void, ms?: number) => {
    const process = running.getStore();
    if (process?.isDead) return undefined;
    return setTimer(() => process?.isDead || call(), ms);
  });
}

/** Everything that a client knows. */
export type Client = Follower & {
  every: 1 | 5;
  receivedMs: number[];
  minutes: Map<string, Map<string, MinuteRecord>>;
  prices: Map<string, string | undefined>;
  merged: Map<string, { revision: number; block: number }>;
};

/** Rule by which the table refuses writes. A mutant replaces it. */
export type WorldSystem = { isStale: (epoch: number, known: number) => boolean };

export const theWorldSystem: WorldSystem = { isStale: (epoch, known) => known > epoch };

export class World {
  readonly chance: Chance;
  readonly chain: ModelChain;
  readonly chainName: ModelChainName;
  readonly processes: Process[] = [];
  readonly clients = new Map<string, Client>();
  readonly rows = new Map<string, { item: MarketItem<MarketState>; epoch: number }>();
  readonly chunks = new Map<string, { candles: Candle[]; epoch: number }>();
  readonly faults: unknown[] = [];
  news: FoundNews[] = [];
  lease: ReaderLease | undefined;
  isTableThrottled = false;
  isDeliverThrottled = false;
  /** Seconds that deliver takes when deliveries are slow. */
  slowness = 0;
  questions = 0;
  onSaved: (token: TokenName, candles: readonly Candle[], hosts: ModelHosts) => void = () => {};

  readonly #isStale: WorldSystem["isStale"];

  constructor(seed: string, { isStale } = theWorldSystem) {
    this.#isStale = isStale;
    this.chance = createChance(seed);
    this.chainName = this.chance.pick(["eth", "avax", "base"] as const);
    this.chain = new ModelChain(this.chance, blockSeconds[this.chainName]);
    vi.setSystemTime(this.chain.head.time * 1000);
  }

  get seconds(): number {
    return Math.floor(Date.now() / 1000);
  }

  mine(): void {
    while (this.chain.head.time + blockSeconds[this.chainName] <= this.seconds) this.chain.mine();
    this.noteViews();
  }

  noteViews(): void {
    for (const { hosts } of this.processes) hosts.noteView();
  }

  follow(connectionId: string, tokens: readonly string[], every: 1 | 5 = 1): void {
    const named = tokens.map((token) => ({ chain: this.chainName, token, candles: true as const }));
    const shard = connectionId.length % 2;
    const known = this.clients.get(connectionId);
    const client: Client = known ?? {
      userID: connectionId,
      connectionId,
      shard,
      every,
      tokens: named,
      receivedMs: [],
      minutes: new Map(),
      prices: new Map(),
      merged: new Map(),
    };
    client.tokens = named;
    this.clients.set(connectionId, client);
    const id = `${Date.now()} ${connectionId} ${this.news.length}`;
    this.news.push({ id, atMs: Date.now(), userID: connectionId, connectionId, shard, tokens: named });
  }

  leave(connectionId: string): void {
    this.clients.delete(connectionId);
  }

  /** Starts a run, as publishChanges does. */
  start(build: string, diesAfter = Number.POSITIVE_INFINITY): Process {
    const hosts = new ModelHosts(this.chain, this.chance);
    const process: Process = {
      build,
      diesAfter,
      isLastDone: this.chance.below(2) === 0,
      isDead: false,
      isOver: false,
      hosts,
    };
    this.processes.push(process);
    const times = { build, shiftMs: 8 * 60_000, longestMs: 13 * 60_000 };
    void running
      .run(process, () => readMarkets(this.#deps(process), times))
      .then(
        () => {
          process.isOver = true;
        },
        (error: unknown) => {
          if (!isThrottle(error)) this.faults.push(error);
          process.isOver = true;
        },
      );
    return process;
  }

  /**
   * Performs an effect of a process, which may die before or after the effect. A throttled table refuses the effect.
   */
  #effect<Args extends readonly unknown[], Result>(
    process: Process,
    act: (...args: Args) => Result | Promise<Result>,
    { isOfTable = true } = {},
  ) {
    return async (...args: Args): Promise<Result> => {
      if (process.isDead) return forever();
      process.diesAfter--;
      if (process.diesAfter < 0 && !process.isLastDone) {
        process.isDead = true;
        return forever();
      }
      await undefined;
      if (isOfTable && this.isTableThrottled) throw new Error("throttled");
      const result = await act(...args);
      if (process.diesAfter < 0) {
        process.isDead = true;
        return forever();
      }
      return process.isDead ? forever() : result;
    };
  }

  #deps(process: Process): Parameters<typeof readMarkets>[0] {
    const effect = <Args extends readonly unknown[], Result>(
      act: (...args: Args) => Result | Promise<Result>,
    ) => this.#effect(process, act);
    const outside = <Args extends readonly unknown[], Result>(
      act: (...args: Args) => Result | Promise<Result>,
    ) => this.#effect(process, act, { isOfTable: false });
    const store = this.#store(process);
    const onFault = (error: unknown) => {
      if (!isThrottle(error)) this.faults.push(error);
    };
    const coins = new Coins({ store, poolPrice: async () => undefined });
    const { hosts } = process;
    const ask = <Args extends readonly unknown[], Result>(act: (...args: Args) => Promise<Result>) =>
      outside(async (...args: Args) => {
        this.questions++;
        hosts.nowMs = Date.now();
        return act(...args);
      });
    const markets = new EvmMarkets({
      chain: this.chainName,
      hosts: {
        look: ask((asked) => hosts.look(asked)),
        events: ask((of, asked) => hosts.events(of, asked)),
        headers: ask((of, asked) => hosts.headers(of, asked)),
        states: ask((of, asked) => hosts.states(of, asked)),
        leaveHost: () => {
          hosts.memory.host++;
        },
      },
      find: ask(async (token) => this.#find(token)),
      store,
      loadHistory: outside((pool: FoundPool, base: PoolBase) => this.#loadHistory(pool, base)),
      countHistory: async () => true,
      uncountHistory: async () => {},
      coinUsdAt: (start) => coins.usdAt(this.chainName, start),
      onFault,
      onWarning: onFault,
    });
    const followers = effect(() => [...this.clients.values()].map((client) => ({ ...client })));
    return {
      leases: {
        readReaderLease: effect(({ chain }) =>
          chain === "markets" && this.lease ? { ...this.lease } : undefined,
        ),
        changeReaderLease: effect(({ when, set }) => this.#changeLease(when, set)),
      },
      startReader: async () => {},
      demand: {
        async *readFollowers() {
          yield await followers();
        },
        readNewsSince: effect((sinceMs: number) => this.news.filter(({ atMs }) => atMs >= sinceMs - 2000)),
      },
      chains: [markets],
      coins,
      isListed: () => false,
      mostOn: () => 150,
      holdings: new HeldTokens(effect(() => [])),
      heldNotes: { write: effect(() => {}), read: effect(() => []) },
      readPrices: effect(() => this.#prices()),
      deliver: outside((delivery: MarketDelivery) => this.#deliver(delivery)),
      store,
      saveIndex: effect(() => true),
      onFault,
      // Warns of old blocks, as the model stops chains for minutes.
      onWarning: () => {},
    };
  }

  #changeLease(when: Partial<ReaderLease> | undefined, set: Partial<ReaderLease>): boolean {
    const fields = Object.entries(when ?? {}) as [keyof ReaderLease, unknown][];
    const holds =
      when === undefined
        ? this.lease === undefined
        : fields.every(([name, value]) => this.lease?.[name] === value);
    if (holds) this.lease = { ...this.lease, ...set } as ReaderLease;
    return holds;
  }

  #prices(): Price[] {
    const asOf = new Date().toISOString();
    return [
      { chain: this.chainName, symbol: "ETH", price: "2000", currency: "USD", source: "coinbase", asOf },
    ];
  }

  #find(token: string): FoundMarket | undefined {
    const pool = modelPools[modelTokens.indexOf(token)];
    if (pool === undefined) return undefined;
    const found = { ...pool, token, feeBps: 30, depth: decimalOf(10n, 0) };
    const chain = this.chainName;
    const supply = decimalOf(1n, 9);
    return { token: { chain, token, symbol: "T", name: "T", decimals: 18, supply }, pools: [found] };
  }

  /** Reads the history from the chain as it is now, like a single host. */
  #loadHistory(pool: FoundPool, { time }: PoolBase): "complete" {
    const name = `${this.chainName} ${pool.token} minutes`;
    const known = this.chunks.get(name) ?? { candles: [], epoch: 0 };
    const found: Candle[] = [];
    for (let start = minuteOf(time) - 1800; start <= minuteOf(time); start += 60) {
      const truth = trueMinute(this.chain.blocks, pool, start);
      const rest = {
        pool: { pool: pool.pool, quote: pool.quote },
        isFinal: false,
        hasGaps: start === minuteOf(time),
      };
      if (truth !== undefined) found.push({ ...truth, ...rest });
    }
    const kept = known.candles.filter(({ isFinal }) => isFinal);
    const candles = withCandles(withCandles(known.candles, found), kept);
    this.chunks.set(name, { ...known, candles });
    return "complete";
  }

  #store(process: Process): TokenStore<MarketState> {
    const effect = <Args extends readonly unknown[], Result>(
      act: (...args: Args) => Result | Promise<Result>,
    ) => this.#effect(process, act);
    const nameOf = ({ chain, token }: TokenName, kind: ChunkKind) => `${chain} ${token} ${kind}`;
    return {
      readMarket: effect((name: TokenName) => structuredClone(this.rows.get(name.token)?.item)),
      loadCandles: effect((name: TokenName, kind: ChunkKind, { from, to }: { from: number; to: number }) =>
        (this.chunks.get(nameOf(name, kind))?.candles ?? []).filter(
          ({ start }) => start >= from && start <= to,
        ),
      ),
      writer: (epoch) => ({
        saveMarket: effect((item: MarketItem<MarketState>) => {
          const known = this.rows.get(item.market.token);
          if (known !== undefined && this.#isStale(epoch, known.epoch)) throw new Superseded();
          this.rows.set(item.market.token, { item: structuredClone(item), epoch });
        }),
        saveCandles: effect((name: TokenName, kind: ChunkKind, candles: readonly Candle[]) => {
          if (candles.length === 0) return;
          const known = this.chunks.get(nameOf(name, kind)) ?? { candles: [], epoch };
          if (this.#isStale(epoch, known.epoch)) throw new Superseded();
          const isKept = ({ trades }: Candle) => trades !== 0 || name.token === nativeToken;
          const merged = withCandles(known.candles, candles).filter(isKept);
          this.chunks.set(nameOf(name, kind), { candles: merged, epoch });
          if (kind === "minutes") this.onSaved(name, candles, process.hosts);
        }),
      }),
    };
  }

  minutesOf(token: string): Candle[] {
    return this.chunks.get(`${this.chainName} ${token} minutes`)?.candles ?? [];
  }

  async #deliver({ shard, markets }: MarketDelivery): Promise<{ isDelivered: boolean }> {
    if (this.isDeliverThrottled) throw new Error("throttled");
    for (let left = this.slowness; left > 0; left--) await new Promise((end) => setTimeout(end, 1000));
    await new Promise((end) => setTimeout(end, this.chance.below(900)));
    if (Date.now() - markets.atMs >= 3000) return { isDelivered: false };
    const messageFor = composer(markets);
    for (const client of this.clients.values()) {
      if (client.shard !== shard) continue;
      const message = messageFor(client);
      if (message === undefined) continue;
      client.receivedMs.push(Date.now());
      for (const { record } of message.records) merge(client, record);
    }
    await new Promise((end) => setTimeout(end, this.chance.below(300)));
    return { isDelivered: true };
  }
}

function merge(client: Client, record: MarketDelivery["markets"]["records"][number]["record"]): void {
  const { token, revision, block, price, minutes = [] } = record;
  const known = client.merged.get(token);
  if (known && (known.revision > revision || (known.revision === revision && known.block > block))) return;
  client.merged.set(token, { revision, block });
  client.prices.set(token, price);
  const own = client.minutes.get(token) ?? new Map<string, MinuteRecord>();
  client.minutes.set(token, own);
  for (const minute of minutes) own.set(minute.time, minute);
}

const isThrottle = (error: unknown) => error instanceof Error && error.message === "throttled";

const forever = <Result>() => new Promise<Result>(() => {});
