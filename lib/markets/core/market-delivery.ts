import type { TradingChain } from "../../core/chain-facts.ts";
import type { Price } from "../../prices/price.ts";
import type { TokenName } from "./market.ts";
import type { MarketHeads, MarketRecord } from "./market-record.ts";
import type { MarketSubscription } from "./market-subscription.ts";

/**
 * The least that a connection gets: what has changed; at least the heads, so that it knows that nothing has; or all of its
 * tokens and the coins, in case it has missed some.
 */
export type Least = "changes" | "heads" | "everything";

/** The part of a delivery for connections of one pace. Changes after this time are new to them. */
type Window = { sinceMs: number; least: Least };

/** A delivery to the connections with tokens in one shard. readMarkets has one under way for a shard at a time. */
export type MarketDelivery = {
  shard: number;
  markets: {
    /** When it was put together. */
    atMs: number;
    heads: MarketHeads;
    coins: readonly { price: Price; changedAtMs: number }[];
    records: readonly { record: MarketRecord; changedAtMs: number }[];
    /** For connections that get changes each second. */
    fast: Window;
    /** Changes for connections with a pace of five seconds that are in this phase. */
    slow: Window & { phase: number };
    /** Connections that get everything, whatever their pace and phase. */
    newConnections: readonly string[];
    /** A list of subscribers that was read before this time is out of date. */
    listSinceMs: number;
  };
};

export type Markets = MarketDelivery["markets"];

/** The number of phases: the slow pace in seconds. */
export const phases = 5;

/** The phase of a slow connection, so that a fifth of them gets changes in each second. */
export function phaseOf(connectionId: string): number {
  let hash = 0;
  for (let index = 0; index < connectionId.length; index++)
    hash = (Math.imul(hash, 31) + connectionId.charCodeAt(index)) >>> 0;
  return hash % phases;
}

type Recipient = MarketSubscription & { connectionId: string };

/** The content of one message. All its parts are those of the delivery, so that each is encoded once for all messages. */
export type MarketMessage = {
  heads: MarketHeads;
  coins: readonly Price[];
  records: readonly { record: MarketRecord; hasMinutes: boolean }[];
};

const nameOf = ({ chain, token }: TokenName) => `${chain} ${token}`;

/** Makes a function that selects the content of a connection's message. Undefined if it gets none. */
export function composer(markets: Markets): (recipient: Recipient) => MarketMessage | undefined {
  const records = new Map(markets.records.map((each) => [nameOf(each.record), each]));
  const newcomers = new Set(markets.newConnections);
  return ({ connectionId, every, tokens }) => {
    const { sinceMs, least } = windowOf(markets, every, connectionId, newcomers);
    const isNew = ({ changedAtMs }: { changedAtMs: number }) =>
      least === "everything" || changedAtMs > sinceMs;
    const coins = markets.coins.filter(isNew).map(({ price }) => price);
    const selected = tokens.flatMap((token) => {
      const found = records.get(nameOf(token));
      return found && isNew(found) ? [{ record: found.record, hasMinutes: token.candles === true }] : [];
    });
    const heads = headsOf(markets.heads, tokens);
    const isDue =
      coins.length + selected.length > 0 || (least !== "changes" && Object.keys(heads).length > 0);
    return isDue ? { heads, coins, records: selected } : undefined;
  };
}

const notNow: Window = { sinceMs: Number.POSITIVE_INFINITY, least: "changes" };

function windowOf(
  { fast, slow }: Markets,
  every: MarketSubscription["every"],
  connectionId: string,
  newcomers: ReadonlySet<string>,
): Window {
  if (newcomers.has(connectionId)) return { ...fast, least: "everything" };
  if (every === 1) return fast;
  return phaseOf(connectionId) === slow.phase ? slow : notNow;
}

function headsOf(heads: MarketHeads, tokens: readonly TokenName[]): MarketHeads {
  const chains = new Set<TradingChain>(tokens.map(({ chain }) => chain));
  return Object.fromEntries([...chains].flatMap((chain) => (heads[chain] ? [[chain, heads[chain]]] : [])));
}
