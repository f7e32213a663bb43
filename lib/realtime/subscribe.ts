import type * as v from "valibot";
import type { clientMessages } from "../api/client-messages.ts";
import { errorMessage, type ServerMessage } from "../api/server-messages.ts";
import { type TradingChain, tradingChains } from "../core/chain-facts.ts";
import { type Channel, channels, isChannel, ordered } from "../core/channel.ts";
import {
  following,
  type MarketSubscription,
  mostCandleTokens,
  mostFollowedTokens,
  type Pace,
} from "../markets/core/market-subscription.ts";
import { ensureMarketReader, type StartReader } from "../markets/items/market-reader.ts";
import { type MarketNews, writeNews } from "../markets/items/news.ts";
import { isInForce } from "../orders/program-key.ts";
import { programKeysOfUser } from "../programs/program-keys.ts";
import type { Table } from "../table/table.ts";
import { announcedToUser } from "../wallets/export/announced-exports.ts";
import { shownPolicies } from "../wallets/guard-records.ts";
import { exportsAnnounced, policyUpdated, programKeyChanged } from "./change-messages.ts";
import {
  addChannels,
  type ConnectionName,
  removeChannels,
  type Subscriptions,
} from "./connection-records.ts";

import { errorsOf, type FieldProblem, type NamedToken, readTokens } from "./named-tokens.ts";
import { type PriceReader, snapshotsOf } from "./snapshots.ts";

type Received<Type extends keyof typeof clientMessages> = ConnectionName & { now: Date } & Omit<
    v.InferOutput<(typeof clientMessages)[Type]>,
    "type" | "id"
  >;

/** A request to subscribe or unsubscribe a connection. */
export type SubscribeRequest = Received<"subscribe">;
export type UnsubscribeRequest = Received<"unsubscribe">;

/** Access to markets. Absent if markets are switched off. */
export type MarketAccess = {
  chains: readonly TradingChain[];
  startReader: StartReader;
} & Announcer;

type Announcer = {
  /**
   * Receives errors that keep readMarkets from learning of a change. It finds the change within a minute, and
   * publishChanges starts a run if none is active.
   */
  onFault: (error: unknown) => void;
};

/**
 * Subscribes a connection to channels, then reads a snapshot of each channel in the request. In this order, no change
 * is lost between the snapshot and the first update, though a change made in between may arrive twice. Channels that
 * the connection is already subscribed to get a snapshot too, so that repeating a request after a fault brings missing
 * data. Then sends exports that can still be cancelled, and a lock. The state of tokens is sent only by readMarkets.
 */
export async function subscribe(
  table: Table,
  request: SubscribeRequest,
  { prices, markets }: { prices?: PriceReader; markets?: MarketAccess | undefined } = {},
): Promise<ServerMessage[]> {
  const { userID, connectionId, now } = request;
  const { known, problems } = readChannels(request.channels);
  const wish = readWish(request, known, markets);
  let refused: readonly FieldProblem[] = [];
  const changed = await addChannels(table, request, known, (before) => {
    if (wish.every === undefined && wish.tokens.length === 0) return before;
    const followed = followedBy(before, wish);
    refused = followed.problems;
    return followed.markets;
  });
  if (changed === undefined) return [notConnected];
  const { after, shard } = changed;
  const isFollowing = after.markets !== undefined && known.includes("prices");
  const [exports, policies, keys, ...snapshots] = await Promise.all([
    announcedToUser(table, userID, now),
    shownPolicies(table, userID),
    programKeysOfUser(table, userID, now),
    ...ordered(known).map((channel) => snapshotsOf(table, channel, userID, now, prices)),
    ...(isFollowing ? [announce(table, { userID, connectionId, shard, tokens: wish.tokens }, markets)] : []),
  ]);
  return [
    ...problems,
    ...errorsOf([...wish.problems, ...refused]),
    subscriptions(after, now),
    ...snapshots.flat(),
    // Sends announcements that the user missed while offline: of exports, of an unlocking, of looser policies, or of
    // program keys.
    ...exportsAnnounced(exports, now),
    ...policies
      .filter(({ change, pending }) => change === "loosened" || pending !== undefined)
      .map((each) => policyUpdated(each, now)),
    ...keys.filter((key) => isInForce(key, now.getTime())).map((key) => programKeyChanged(key, now)),
  ];
}

/**
 * Announces a connection to readMarkets, which sends the connection's first message. Starts a run if none is active.
 * Never fails, because after an outage so many clients subscribe at once that news may be throttled.
 */
async function announce(
  table: Table,
  news: MarketNews,
  markets: MarketAccess | undefined,
): Promise<ServerMessage[]> {
  if (markets === undefined) return [];
  const { startReader, onFault } = markets;
  await writeNews(table, news).catch(onFault);
  await ensureMarketReader(table, startReader).catch(onFault);
  return [];
}

export async function unsubscribe(
  table: Table,
  request: UnsubscribeRequest,
  { onFault }: Announcer,
): Promise<ServerMessage[]> {
  const { userID, connectionId, now } = request;
  const { known, problems } = readChannels(request.channels ?? []);
  const named = readTokens(request.tokens ?? [], tradingChains);
  const changed = await removeChannels(table, request, known, named.tokens);
  if (changed === undefined) return [notConnected];
  const { before, after, shard } = changed;
  // Announces the change, because deliver could otherwise use an outdated list for some seconds.
  if (before.markets !== after.markets)
    await writeNews(table, { userID, connectionId, shard, tokens: [] }).catch(onFault);
  return [...problems, ...errorsOf(named.problems), subscriptions(after, now)];
}

function subscriptions({ channels: names, markets }: Subscriptions, now: Date): ServerMessage {
  return {
    type: "subscriptions",
    channels: ordered(names),
    ...(markets && { every: markets.every, tokens: [...markets.tokens] }),
    time: now.toISOString(),
  };
}

/** The part of a request that concerns tokens. */
type Wish = { every?: Pace | undefined; tokens: readonly NamedToken[]; problems: readonly FieldProblem[] };

function readWish(
  { every, tokens = [] }: SubscribeRequest,
  known: readonly Channel[],
  markets: MarketAccess | undefined,
): Wish {
  const named = [...(every === undefined ? [] : ["every"]), ...(tokens.length === 0 ? [] : ["tokens"])];
  const refuse = (code: FieldProblem["code"], text: string): Wish => ({
    tokens: [],
    problems: named.map((field) => ({ field, code, text })),
  });
  if (!known.includes("prices")) return refuse("INVALID_MESSAGE", "must come with the channel prices");
  if (markets === undefined) return refuse("MARKETS_DISABLED", "cannot be used: markets are switched off");
  return { every, ...readTokens(tokens, markets.chains) };
}

/**
 * Changes the tokens that a connection follows, and returns the names of the fields whose tokens exceed the
 * connection's limit.
 */
function followedBy(
  before: MarketSubscription | undefined,
  { every, tokens: named }: Wish,
): { markets: MarketSubscription; problems: FieldProblem[] } {
  const { tokens, tooMany, withoutCandles } = following(
    before?.tokens ?? [],
    named.map(({ chain, token, candles }) => ({ chain, token, ...(candles && { candles }) })),
  );
  const code = "TOO_MANY_TOKENS" as const;
  const problems = [
    ...tooMany.map((index) => ({
      field: `${named[index]?.field}`,
      code,
      text: `cannot be followed: a connection has at most ${mostFollowedTokens} tokens`,
    })),
    ...withoutCandles.map((index) => ({
      field: `${named[index]?.field}.candles`,
      code,
      text: `cannot be true: a connection has candles of at most ${mostCandleTokens} tokens`,
    })),
  ];
  return { markets: { every: every ?? before?.every ?? 1, tokens }, problems };
}

const notConnected = errorMessage("NOT_CONNECTED", "This connection is no longer known. Connect again.");

/** Splits names into channels and the error messages for unknown names. */
function readChannels(names: readonly string[]): { known: Channel[]; problems: ServerMessage[] } {
  const unknown = [...new Set(names.filter((name) => !isChannel(name)))];
  const known = names.filter(isChannel);
  if (unknown.length === 0) return { known, problems: [] };
  const named = unknown.filter((name) => /^[A-Za-z][\w.-]{0,31}$/.test(name)).slice(0, 5);
  const others = unknown.length - named.length;
  const list = [...named, ...(others > 0 ? [`${others} other${others > 1 ? "s" : ""}`] : [])].join(", ");
  const message = `Unknown in channels: ${list}. Channels are ${channels.join(", ")}.`;
  return { known, problems: [errorMessage("UNKNOWN_CHANNEL", message)] };
}
