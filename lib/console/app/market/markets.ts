import type {
  Market,
  MarketRecord,
  Network,
  Position,
  TerminalState,
  TokenName,
} from "trading-terminal-client";
import { isSameToken } from "trading-terminal-client/markets";
import { isAddressOn } from "../explorers.ts";

/** The fields of a market that both the stream and the REST API have. */
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

/** Markets are old after this time: heads come at least each ten seconds, and take a moment. */
export const oldMs = 12_000;

/** The age of a chain's markets. Undefined before its first head has come. */
export function headAgeMs(
  state: TerminalState | undefined,
  chain: Network,
  nowMs: number,
): number | undefined {
  const heads: Partial<Record<Network, { time: string }>> = state?.heads ?? {};
  const { time } = heads[chain] ?? {};
  return time === undefined ? undefined : Math.max(0, nowMs - Date.parse(time));
}

/** A connection follows at most 20 tokens. The chart adds its token before the page drops the previous one. */
const mostTokens = 19;

/** Names the tokens that the page shows: the ticket's with candles, then those of open positions. */
export function shownTokens(
  ticket: { chain: Network; token: string },
  positions: readonly Position[],
): (TokenName & { candles?: true })[] {
  const named = [
    ...(isAddressOn(ticket.chain, ticket.token)
      ? [
          {
            chain: ticket.chain,
            token: ticket.token,
            ...(ticket.chain !== "sol" && { candles: true as const }),
          },
        ]
      : []),
    ...positions.flatMap(({ chain, token, status }) =>
      status === "open" && token !== undefined ? [{ chain, token }] : [],
    ),
  ];
  const isFirst = (each: TokenName, index: number) =>
    named.findIndex((other) => isSameToken(other, each)) === index;
  return named.filter(isFirst).slice(0, mostTokens);
}

/** Gives a market of the REST API the form of the stream's. */
export const knownMarket = ({ pool, ...market }: Market): KnownMarket => ({
  ...market,
  ...(pool !== undefined && { quote: pool.quote }),
});
