import type {
  Market,
  MarketRecord,
  Network,
  Order,
  Position,
  TerminalState,
  TokenName,
} from "trading-terminal-client";
import { isSameToken } from "trading-terminal-client/markets";
import { isAddressOn } from "../explorers.ts";
import { isResting } from "../format.ts";

/** Fields of a market that the stream and the REST API share. */
export type KnownMarket = Pick<
  MarketRecord,
  "price" | "priceUsd" | "liquidity" | "change24h" | "volume24h" | "quote" | "flags" | "asOf"
>;

type Flag = KnownMarket["flags"][number];

export const flagTexts: Readonly<Record<Flag, string>> = {
  THIN: "Thin: a small order moves the price",
  STALE: "Stale: no new block has been read",
  GAPS: "Gaps: swaps may be missing",
  NO_POOL: "No pool pays a price for this token",
  TOO_MANY_TOKENS: "Not read: too many tokens are followed",
};

const dayMinutes = 24 * 60;

/** Formats a time in whole minutes, hours or days. */
function spanText(minutes: number): string {
  if (minutes < 60) return `${Math.floor(minutes)} min`;
  return minutes < 2 * dayMinutes ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / dayMinutes)} d`;
}

/** Says over which time a price has changed: a day, or as long as it is known. */
export function changeSpan(sinceMs: number | undefined, nowMs: number): string {
  const minutes = sinceMs === undefined ? Number.POSITIVE_INFINITY : (nowMs - sinceMs) / 60_000;
  return minutes >= dayMinutes ? "in 24 h" : `in ${spanText(Math.max(1, minutes))}`;
}

/** Says how old a token is at least. Undefined while that says nothing. */
export function leastAge(sinceMs: number | undefined, nowMs: number): string | undefined {
  const minutes = sinceMs === undefined ? 0 : (nowMs - sinceMs) / 60_000;
  return minutes < 1 ? undefined : `at least ${spanText(minutes)}`;
}

/** Age in milliseconds at which a market counts as old. Heads arrive at least every ten seconds, with some delay. */
export const oldMs = 12_000;

/**
 * Lists the warnings to show. A market that nobody has followed lately is stale until the service has read a block for
 * its new follower, so the page waits for that block before it says so.
 *
 * @param shownMs Milliseconds since the page shows the market
 */
export const shownFlags = (flags: readonly Flag[], shownMs: number): readonly Flag[] =>
  shownMs < oldMs ? flags.filter((flag) => flag !== "STALE") : flags;

/** Time after which the page says that nothing answers, in milliseconds. */
const silentMs = 3000;

/**
 * True if a chain does not seem to answer: nothing is known of its market, or no new block.
 *
 * @param shownMs Milliseconds since the page shows the market
 */
export const isSilent = (market: Pick<KnownMarket, "flags"> | undefined, shownMs: number): boolean =>
  market === undefined ? shownMs >= silentMs : shownFlags(market.flags, shownMs).includes("STALE");

/** True for a failure without an answer, after which another try may have one. */
export const mayPass = ({ status }: { status: number }): boolean => status === 0 || status >= 500;

/**
 * Explains why a position has no value.
 *
 * @param flags Flags of its market, undefined while the stream has not delivered it
 * @param shownMs Milliseconds since the page shows the position
 */
export function whyUnvalued(flags: readonly Flag[] | undefined, shownMs: number): string {
  const isStale = flags?.includes("STALE");
  if (shownMs < oldMs && (flags === undefined || isStale)) return "reading …";
  if (flags === undefined) return "waiting for its market";
  if (isStale) return "its market is stale";
  return flags.includes("NO_POOL") ? "no pool pays a price" : "its price is unknown";
}

/** Returns the age of a chain's markets. Undefined until its first head arrives. */
export function headAgeMs(
  state: TerminalState | undefined,
  chain: Network,
  nowMs: number,
): number | undefined {
  const heads: Partial<Record<Network, { time: string }>> = state?.heads ?? {};
  const { time } = heads[chain] ?? {};
  return time === undefined ? undefined : Math.max(0, nowMs - Date.parse(time));
}

/**
 * Maximum number of tokens that the page follows. A connection allows 20, and a new chart adds its token before the
 * page drops the previous one.
 */
const mostTokens = 19;

/**
 * Names the tokens that the page shows: first the ticket's token with candles, then those of open positions, of orders
 * that rest, and of the user's list.
 */
export function shownTokens(
  ticket: { chain: Network; token: string },
  positions: readonly Position[],
  orders: readonly Order[],
  watched: readonly TokenName[] = [],
): (TokenName & { candles?: true })[] {
  const named = [
    ...(isAddressOn(ticket.chain, ticket.token)
      ? [{ chain: ticket.chain, token: ticket.token, candles: true as const }]
      : []),
    ...positions.flatMap(({ chain, token, status }) =>
      status === "open" && token !== undefined ? [{ chain, token }] : [],
    ),
    ...orders.flatMap((order) => {
      const { chain, token } = order;
      return isResting(order) && token !== undefined ? [{ chain, token }] : [];
    }),
    ...watched.map(({ chain, token }) => ({ chain, token })),
  ];
  const isFirst = (each: TokenName, index: number) =>
    named.findIndex((other) => isSameToken(other, each)) === index;
  return named.filter(isFirst).slice(0, mostTokens);
}

/** Converts a market of the REST API to the stream's format. */
export const knownMarket = ({ pool, ...market }: Market): KnownMarket => ({
  ...market,
  ...(pool !== undefined && { quote: pool.quote }),
});
