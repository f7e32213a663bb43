import type { Row } from "./types.ts";

/** Rights to show a market, to note that somebody wants it, and to count the user's requests. */
const showsMarket = {
  table: ["dynamodb:GetItem", "dynamodb:Query", "dynamodb:PutItem", "dynamodb:UpdateItem"],
  writes: ["MARKETNEWS", "MARKETLOOKS"],
  memoryMB: 1024,
  timeoutSeconds: 25,
} as const;

/** Rows that read the markets of tokens, show them, or reject requests for them. */
export const marketRows = {
  getMarket: {
    kind: "rest",
    deployed: "with markets",
    method: "GET",
    path: "/api/v2/markets/{chain}/{token}",
    scope: "read",
    summary: "Read the price, the volume and the liquidity of a token",
    ...showsMarket,
    invokes: ["readMarkets", "feedPrices"],
    env: ["TRADING", "HOST_KEYS", "PRICE_FEEDS"],
    impact: "Users cannot read the market of a token. The stream and orders are not affected.",
  },
  listCandles: {
    kind: "rest",
    deployed: "with markets",
    method: "GET",
    path: "/api/v2/markets/{chain}/{token}/candles",
    scope: "read",
    summary: "List the candles of a token",
    ...showsMarket,
    invokes: ["readMarkets"],
    env: ["TRADING", "HOST_KEYS"],
    impact: "Users see no charts of the past. The stream and orders are not affected.",
  },
  listNewTokens: {
    kind: "rest",
    deployed: "with markets",
    method: "GET",
    path: "/api/v2/tokens/new",
    scope: "read",
    summary: "List the tokens of a chain that have pools of the last day",
    table: ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"],
    writes: ["NEWTOKENS"],
    env: ["TRADING", "HOST_KEYS"],
    memoryMB: 1024,
    timeoutSeconds: 25,
    impact: "Users see no new tokens. Search, markets and orders are not affected.",
  },
  // Needs no schedule, because the first client that requests a market starts a run.
  readMarkets: {
    kind: "internal",
    deployed: "with markets",
    summary: "Follow the markets of tokens that somebody wants, and pass them on to clients",
    table: [
      "dynamodb:GetItem",
      "dynamodb:BatchGetItem",
      "dynamodb:Query",
      "dynamodb:PutItem",
      "dynamodb:UpdateItem",
    ],
    writes: ["MARKETS", "MARKET", "MARKETINDEX", "MARKETREADER", "MARKETHELD", "MARKETLOOKS"],
    // Starts runs of single chains.
    invokes: ["deliver", "feedPrices", "readMarkets", "loadHistory"],
    env: ["TRADING", "HOST_KEYS", "CHANNEL_SHARDS", "PRICE_FEEDS", "MARKET_TOKENS"],

    memoryMB: 1024,
    // Lets a run hand over to the next one within ten minutes, or continue for 13 if no other run starts.
    timeoutSeconds: 900,
    impact: "Prices, charts and volumes of tokens stop. Orders and the prices of coins are not affected.",
  },
  loadHistory: {
    kind: "internal",
    deployed: "with markets",
    summary: "Read the last 24 hours of a token's market from its chain",
    table: ["dynamodb:GetItem", "dynamodb:Query", "dynamodb:PutItem", "dynamodb:UpdateItem"],
    writes: ["MARKET"],
    env: ["TRADING", "HOST_KEYS"],
    memoryMB: 1024,
    timeoutSeconds: 60,
    impact: "Charts of tokens begin when somebody first watches them, without the history before.",
  },
  refuseMarkets: {
    kind: "refusal",
    refuses: "with markets",
    summary: "Reject requests for markets where they are off",
    memoryMB: 256,
    impact: "Users who ask for a market get a 500 instead of the answer that markets are off.",
  },
} as const satisfies Record<string, Row>;
