import type {
  MarketMinute,
  MarketRecord,
  Order,
  Position,
  Price,
  ServerMessage,
  TerminalState,
} from "trading-terminal-client";
import type { Chance } from "../../soak/chance.ts";

type StoredWallet = Extract<ServerMessage, { type: "WalletsUpdated" }>["data"]["wallets"][number];
export type SettingsData = Extract<ServerMessage, { type: "TradingSettingsUpdated" }>["data"];

const time = "2026-11-21T09:30:00.000Z";
const chains = ["eth", "base", "sol"] as const;

/** Tokens that every stream follows. */
export const followedTokens = [
  { chain: "base", token: "0xAb", candles: true },
  { chain: "eth", token: "0xCd", candles: true },
] as const;

/** One user's data on the service, with random changes. */
export class TerminalTable {
  readonly orders = new Map<string, Order>();
  readonly positions = new Map<string, Position>();
  readonly prices = new Map<string, Price>();
  readonly settings = new Map<string, SettingsData>(chains.map((chain) => [chain, settingsOf(chain, 0)]));
  readonly wallets = new Map<string, StoredWallet>();
  readonly markets = new Map<string, MarketRecord>();
  /** Prices before their last change. */
  olderPrices: readonly Price[] = [];
  readonly #chance: Chance;
  #ids = 0;

  constructor(chance: Chance) {
    this.#chance = chance;
    for (let changes = 0; changes < 8; changes++) this.change();
  }

  /** Makes a random change. Returns the message that announces it. */
  change(): ServerMessage {
    const chance = this.#chance;
    const kind = chance.weighted({ order: 4, position: 2, price: 2, market: 3, settings: 2, wallet: 3 });
    switch (kind) {
      case "order": {
        const order = this.#next(this.orders, newOrder);
        const changed = { ...order, settled: order.version > 3 };
        this.orders.set(order.orderId, changed);
        return { type: "update", channel: "orders", time, data: [changed] };
      }
      case "position": {
        const position = this.#next(this.positions, newPosition);
        this.positions.set(position.positionId, position);
        return { type: "update", channel: "positions", time, data: [position] };
      }
      case "price": {
        const asOf = new Date(Date.parse(time) + 1000 * ++this.#ids).toISOString();
        const chain = chance.pick(["eth", "sol"] as const);
        const price = {
          chain,
          symbol: "ETH",
          price: `${this.#ids}`,
          currency: "USD",
          source: "s",
          asOf,
        } as const;
        this.olderPrices = [...this.prices.values()];
        this.prices.set(chain, price);
        return { type: "update", channel: "prices", time, data: [price] };
      }
      case "market": {
        const { record, minutes } = this.#nextMarket(chance.pick(followedTokens));
        return { type: "update", channel: "prices", time, heads: {}, data: [{ ...record, minutes }] };
      }
      case "settings": {
        const chain = chance.pick(chains);
        const data = settingsOf(chain, (this.settings.get(chain)?.version ?? 0) + 1);
        this.settings.set(chain, data);
        return { type: "TradingSettingsUpdated", time, data };
      }
      case "wallet": {
        const wallet = this.#next(this.wallets, newWallet);
        // Renames, retires or restores a wallet.
        const state = wallet.version > 1 && chance.below(2) === 0 ? "retired" : "active";
        const changed = { ...wallet, state, slotName: `v${wallet.version}` } as const;
        this.wallets.set(wallet._id, changed);
        return { type: "WalletsUpdated", time, data: { wallets: [changed] } };
      }
    }
  }

  /** Creates the next version of a record, or a new record. */
  #next<Item extends { version: number }>(
    items: ReadonlyMap<string, Item>,
    make: (id: string) => Item,
  ): Item {
    const known = [...items.values()];
    if (known.length === 0 || (known.length < 6 && this.#chance.below(3) === 0))
      return make(`${++this.#ids}`);
    const item = this.#chance.pick(known);
    return { ...item, version: item.version + 1 };
  }

  /** Creates a market's next record, or one after a reorganisation, with its changed minutes. */
  #nextMarket({ chain, token }: (typeof followedTokens)[number]) {
    const chance = this.#chance;
    const old = this.markets.get(token);
    const isTakenBack = old !== undefined && chance.below(6) === 0;
    const asOf = new Date(Date.parse(time) + 1000 * ++this.#ids).toISOString();
    const record: MarketRecord = {
      chain,
      token,
      price: `${this.#ids}`,
      flags: [],
      asOf,
      revision: (old?.revision ?? 0) + Number(isTakenBack),
      block: (old?.block ?? 100) + (isTakenBack ? -chance.below(5) : 1 + chance.below(3)),
    };
    const known = old?.minutes ?? [];
    const isNext = known.length === 0 || chance.below(3) === 0;
    const at = isNext ? known.length : chance.below(known.length);
    const minute = minuteAt(at, this.#ids);
    const all = isNext ? [...known, minute] : known.with(at, minute);
    this.markets.set(token, { ...record, minutes: all });
    return { record, minutes: [minute] };
  }

  /** Returns all markets of the followed tokens, like a full update. */
  allMarkets(): MarketRecord[] {
    return followedTokens.flatMap(({ token }) => this.markets.get(token) ?? []);
  }

  activeWallets() {
    return [...this.wallets.values()]
      .filter(({ state }) => state === "active")
      .map(({ state: _, ...wallet }) => wallet);
  }

  /** Returns the state that a client must eventually show. */
  state(): TerminalState {
    return {
      orders: [...this.orders.values()].toSorted((a, b) => (a.orderId < b.orderId ? 1 : -1)),
      positions: [...this.positions.values()].toSorted((a, b) => (a.positionId < b.positionId ? 1 : -1)),
      prices: Object.fromEntries(this.prices),
      markets: this.allMarkets(),
      heads: {},
      settings: Object.fromEntries(
        [...this.settings.values()].map(({ chain, version, settings }) => [chain, { ...settings, version }]),
      ),
      wallets: this.activeWallets(),
    };
  }
}

const minuteAt = (index: number, price: number): MarketMinute => {
  const text = `${price}` as const;
  const start = new Date(Date.parse(time) + 60_000 * index).toISOString();
  return { time: start, open: text, high: text, low: text, close: text, volume: "1", trades: price };
};

const settingsOf = (chain: (typeof chains)[number], version: number): SettingsData => ({
  chain,
  version,
  settings: { slippage: version + 1, priorityFee: 0, mevProtection: true, autoBuy: false, autoSell: false },
});

const newOrder = (orderId: string): Order => ({
  orderId,
  wallet: "0x1",
  chain: "eth",
  symbol: "MOON/ETH",
  side: "buy",
  type: "market",
  status: "open",
  amount: "1",
  filledAmount: "0",
  createdAt: time,
  updatedAt: time,
  version: 1,
});

const newPosition = (positionId: string): Position => ({
  positionId,
  wallet: "0x1",
  chain: "eth",
  symbol: "MOON/ETH",
  status: "open",
  amount: "1",
  averageEntryPrice: "1",
  realizedPnl: "0",
  openedAt: time,
  updatedAt: time,
  version: 1,
});

const newWallet = (_id: string): StoredWallet & { network: "eth" } => ({
  _id,
  UserID: "alice",
  generatedWalletAddress: `0x${_id}`,
  slotName: "Wallet",
  colortag: "blue",
  network: "eth",
  walletType: "generated",
  createdAt: time,
  version: 1,
  state: "active",
});
