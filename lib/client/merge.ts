import { type HeldMarkets, noMarkets, withMarkets } from "./market-merge.ts";
import type { ServerMessage } from "./openapi.ts";
import { merged, noRecords, type Records, withNewer, withParts } from "./records.ts";
import type {
  Followed,
  MarketRecord,
  Order,
  Position,
  Price,
  Settings,
  SettingsChain,
  SettingsMessage,
  TerminalState,
  Wallet,
  Without,
} from "./stream-types.ts";

/**
 * Data that a connection has received so far. Messages may repeat and may be late, so the record with the highest
 * version or the latest `asOf` counts. No function of this file changes its arguments.
 */
export type Held = {
  readonly followed: ReadonlySet<Followed>;
  /** Parts that are still incomplete. */
  readonly awaited: ReadonlySet<Followed>;
  readonly orders: Records<Order>;
  readonly positions: Records<Position>;
  readonly prices: ReadonlyMap<string, Price>;
  readonly markets: HeldMarkets;
  readonly settings: ReadonlyMap<SettingsChain, Settings>;
  readonly wallets: ReadonlyMap<string, Wallet>;
  /** Versions of retired wallets. */
  readonly retired: ReadonlyMap<string, number>;
  /** True if the list must be read again, because a message names an active wallet that it may lack. */
  readonly walletsBehind: boolean;
  /** Wallets that messages have changed since the list was requested. */
  readonly walletNews: ReadonlySet<string>;
};

/**
 * Starts the data of a new connection. Drops records of earlier connections, because snapshots are newer. Keeps prices
 * and markets, because the first ones to arrive on the new connection may be older.
 */
export function newlyHeld(channels: readonly Followed[], before?: Held): Held {
  const followed = new Set(channels);
  return {
    followed,
    awaited: followed,
    orders: noRecords,
    positions: noRecords,
    prices: before?.prices ?? new Map(),
    markets: before?.markets ?? noMarkets,
    settings: new Map(),
    wallets: new Map(),
    retired: new Map(),
    walletsBehind: false,
    walletNews: new Set(),
  };
}

/** Applies a message. Returns the same object if nothing changes. */
export function withMessage(held: Held, message: ServerMessage): Held {
  switch (message.type) {
    case "snapshot":
    case "update": {
      if (!held.followed.has(message.channel)) return held;
      const merged = withRecords(held, message);
      return message.type === "snapshot" && !message.more ? complete(merged, message.channel) : merged;
    }
    case "TradingSettingsUpdated":
      return withSettings(held, message.data);
    case "WalletsUpdated":
      return held.followed.has("wallets") ? message.data.wallets.reduce(withWallet, held) : held;
    default:
      return held;
  }
}

function withRecords(held: Held, message: Extract<ServerMessage, { type: "snapshot" | "update" }>): Held {
  switch (message.channel) {
    case "orders":
      return withParts(held, { orders: withNewer(held.orders, message.data, placeOfOrder) });
    case "positions":
      return withParts(held, { positions: withNewer(held.positions, message.data, placeOfPosition) });
    case "prices": {
      const items: readonly (Price | MarketRecord)[] = message.data;
      const coins = items.filter((item): item is Price => !isMarket(item));
      const heads = "heads" in message ? message.heads : {};
      return withParts(held, {
        prices: merged(held.prices, coins, ({ chain }) => chain, byTime),
        markets: withMarkets(held.markets, heads, items.filter(isMarket)),
      });
    }
    default:
      return held;
  }
}

const isMarket = (item: Price | MarketRecord): item is MarketRecord => "token" in item;

/** The service returns settings in the same form as in messages. */
export function withSettings(held: Held, { chain, version, settings }: SettingsMessage): Held {
  if (!held.followed.has("settings")) return held;
  const changed: Settings = { ...settings, version };
  return withParts(held, { settings: merged(held.settings, [changed], () => chain, byVersion) });
}

/** Marks a part as complete. Settings are complete once those of every chain have arrived. */
export const complete = (held: Held, what: Followed): Held =>
  held.awaited.has(what)
    ? { ...held, awaited: new Set([...held.awaited].filter((one) => one !== what)) }
    : held;

/**
 * Leaves an unlisted wallet for the list to confirm, because a late message may name a wallet that was retired since.
 */
function withWallet(held: Held, { state, ...wallet }: Wallet & { state: "active" | "retired" }): Held {
  const { _id: id, version } = wallet;
  const known = held.wallets.get(id)?.version ?? held.retired.get(id) ?? -1;
  if (version <= known) return held;
  if (state === "retired") {
    const wallets = new Map(held.wallets);
    wallets.delete(id);
    return { ...held, wallets, retired: new Map(held.retired).set(id, version) };
  }
  if (!held.wallets.has(id)) return { ...held, walletsBehind: true };
  const walletNews = new Set(held.walletNews).add(id);
  return { ...held, walletNews, wallets: new Map(held.wallets).set(id, wallet) };
}

/**
 * Applies the list of all active wallets. The list was requested after everything else in `held` had arrived, except
 * messages.
 */
export function withWalletList(
  held: Held,
  list: readonly (Without<Wallet, "version"> & { version?: number })[],
): Held {
  const wallets = new Map<string, Wallet>();
  for (const { version = 0, ...wallet } of list) {
    const { _id: id } = wallet;
    const known = held.wallets.get(id);
    const goneAt = held.retired.get(id);
    if (goneAt !== undefined && goneAt >= version) continue;
    wallets.set(id, known !== undefined && known.version > version ? known : { ...wallet, version });
  }
  // The list may have been read between a wallet's retirement and its restoration.
  const missing = [...held.wallets].filter(([id]) => held.walletNews.has(id) && !wallets.has(id));
  for (const [id, wallet] of missing) wallets.set(id, wallet);
  const walletsBehind = held.walletsBehind || missing.length > 0;
  return complete({ ...held, wallets, walletsBehind }, "wallets");
}

/**
 * Prepares a request for the list of wallets. From now on, notes the wallets that messages change, because the list may
 * lack these changes.
 */
export const askingForWallets = (held: Held): Held => ({
  ...held,
  walletsBehind: false,
  walletNews: new Set(),
});

const placeOfOrder = ({ orderId, createdAt }: Order) => ({ id: orderId, time: createdAt });
const placeOfPosition = ({ positionId, openedAt }: Position) => ({ id: positionId, time: openedAt });

const byVersion = <Item extends { version: number }>(item: Item, old: Item) =>
  item.version > old.version ? item : old;
const byTime = (item: Price, old: Price) => (Date.parse(item.asOf) > Date.parse(old.asOf) ? item : old);

/** Returns the state, or undefined until every part is complete. */
export function stateOf(held: Held): TerminalState | undefined {
  if (held.awaited.size > 0) return undefined;
  const { orders, positions, prices, markets, settings, wallets } = held;
  return {
    orders: orders.newestFirst,
    positions: positions.newestFirst,
    prices: shown(prices, () => Object.fromEntries(prices)),
    markets: shown(markets.records, () => inOrder(markets)),
    heads: markets.heads,
    settings: shown(settings, () => Object.fromEntries(settings)),
    wallets: shown(wallets, () => [...wallets.values()]),
  };
}

/** Sorts by the order in which the tokens were followed. */
const inOrder = ({ tokens, records }: HeldMarkets) =>
  [...tokens.keys()].flatMap((key) => records.get(key) ?? []);

const made = new WeakMap<object, unknown>();

/** Caches a derived object, so that an unchanged part stays the same object. */
function shown<Value>(source: object, make: () => Value): Value {
  if (!made.has(source)) made.set(source, make());
  return made.get(source) as Value;
}
