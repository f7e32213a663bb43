import type { TradingChain } from "../../core/chain-facts.ts";
import type { Price } from "../../prices/price.ts";
import { nameOf, type TokenName } from "./market.ts";
import type { MarketHeads, MarketRecord } from "./market-record.ts";
import { isSameToken, type MarketSubscription } from "./market-subscription.ts";

/**
 * The minimum that a connection gets: only the changes; also the heads, which prove that nothing has changed; or all of
 * its tokens and the coins, in case it has missed some.
 */
export type Least = "changes" | "heads" | "everything";

/** Part of a delivery for connections of one pace. Changes after `sinceMs` are new to these connections. */
type Window = { sinceMs: number; least: Least };

/** A market for clients, with the time when it last changed. */
export type ChangedRecord = { record: MarketRecord; changedAtMs: number };

/**
 * A delivery to the connections of one shard that follow tokens. readMarkets has at most one delivery to a shard in
 * progress.
 */
export type MarketDelivery = {
  shard: number;
  markets: {
    /** Time when the delivery was assembled. */
    atMs: number;
    heads: MarketHeads;
    coins: readonly { price: Price; changedAtMs: number }[];
    records: readonly ChangedRecord[];
    /** Tokens that are not read, for the connections that asked for them. Absent if there are none. */
    refusals?: readonly { connectionId: string; records: readonly ChangedRecord[] }[];
    /** Changes for connections that get changes each second. */
    fast: Window;
    /** Changes for connections with a pace of five seconds that are in this phase. */
    slow: Window & { phase: number };
    /** Ids of connections that receive every update, whatever their update interval and phase. */
    newConnections: readonly string[];
    /** A list of subscribers read before this time counts as outdated. */
    listSinceMs: number;
  };
};

export type Markets = MarketDelivery["markets"];

/** Number of phases, which equals the slow pace in seconds. */
export const phases = 5;

/** Returns the phase of a slow connection. The phases spread slow connections evenly over five seconds. */
export function phaseOf(connectionId: string): number {
  let hash = 0;
  for (let index = 0; index < connectionId.length; index++)
    hash = (Math.imul(hash, 31) + connectionId.charCodeAt(index)) >>> 0;
  return hash % phases;
}

type Recipient = MarketSubscription & { connectionId: string };

/** Content of one message. All its parts are shared with the delivery, so that each part is encoded only once. */
export type MarketMessage = {
  heads: MarketHeads;
  coins: readonly Price[];
  records: readonly { record: MarketRecord; hasMinutes: boolean }[];
};

/** Makes a function that selects the content of a connection's message. Undefined if the connection gets none. */
export function composer(markets: Markets): (recipient: Recipient) => MarketMessage | undefined {
  const records = new Map(markets.records.map((each) => [nameOf(each.record), each]));
  const newcomers = new Set(markets.newConnections);
  const refusals = new Map(markets.refusals?.map((each) => [each.connectionId, each.records]));
  return ({ connectionId, every, tokens }) => {
    const { sinceMs, least } = windowOf(markets, every, connectionId, newcomers);
    const isNew = ({ changedAtMs }: { changedAtMs: number }) =>
      least === "everything" || changedAtMs > sinceMs;
    const coins = markets.coins.filter(isNew).map(({ price }) => price);
    const refused = refusals.get(connectionId);
    const selected = tokens.flatMap((token) => {
      const found = records.get(nameOf(token)) ?? refused?.find(({ record }) => isSameToken(record, token));
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
