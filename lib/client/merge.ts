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
 * The data that a connection has received so far. Messages come at least once and may be late: the record with the
 * highest version counts, or the latest `asOf`. None of these functions changes its arguments.
 */
export type Held = {
  readonly followed: ReadonlySet<Followed>;
  /** The parts that are still incomplete. */
  readonly awaited: ReadonlySet<Followed>;
  readonly orders: Records<Order>;
  readonly positions: Records<Position>;
  readonly prices: ReadonlyMap<string, Price>;
  readonly markets: HeldMarkets;
  readonly settings: ReadonlyMap<SettingsChain, Settings>;
  readonly wallets: ReadonlyMap<string, Wallet>;
  /** The versions of retired wallets. */
  readonly retired: ReadonlyMap<string, number>;
  /** True if a message names an active wallet that the list may lack, so the list must be read again. */
  readonly walletsBehind: boolean;
  /** The wallets that messages have changed since the list was requested. */
  readonly walletNews: ReadonlySet<string>;
};

/**
 * Starts the data of a connection. Records of earlier connections are dropped, since snapshots are newer. Prices and markets
 * are kept, since what comes first can be older than what was known.
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

/** Returns the same object if the message changes nothing. */
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

/** The service replies with the settings in the form of the message. */
export function withSettings(held: Held, { chain, version, settings }: SettingsMessage): Held {
  if (!held.followed.has("settings")) return held;
  const changed: Settings = { ...settings, version };
  return withParts(held, { settings: merged(held.settings, [changed], () => chain, byVersion) });
}

/** Marks a part as complete. Settings are complete when those of every chain have arrived. */
export const complete = (held: Held, what: Followed): Held =>
  held.awaited.has(what)
    ? { ...held, awaited: new Set([...held.awaited].filter((one) => one !== what)) }
    : held;

/** An unlisted wallet may have been retired long ago if the message is late. Only the list can decide. */
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
 * Takes the list of all active wallets, which was requested after everything else in `held` had arrived, except
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
  // The list may have been read while such a wallet was retired, before it was restored.
  const missing = [...held.wallets].filter(([id]) => held.walletNews.has(id) && !wallets.has(id));
  for (const [id, wallet] of missing) wallets.set(id, wallet);
  const walletsBehind = held.walletsBehind || missing.length > 0;
  return complete({ ...held, wallets, walletsBehind }, "wallets");
}

/** Prepares a request for the list: wallets named by later messages may be missing from it. */
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

/** Returns the state. Undefined until everything is complete. */
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

/** The order in which the tokens were followed. */
const inOrder = ({ tokens, records }: HeldMarkets) =>
  [...tokens.keys()].flatMap((key) => records.get(key) ?? []);

const made = new WeakMap<object, unknown>();

/** Caches a derived object, so that unchanged parts are the same object in the next state. */
function shown<Value>(source: object, make: () => Value): Value {
  if (!made.has(source)) made.set(source, make());
  return made.get(source) as Value;
}
