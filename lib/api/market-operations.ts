import type { HttpErrorCode } from "./errors.ts";
import {
  CandlesAnswerSchema,
  CandlesQuerySchema,
  MarketAnswerSchema,
  MarketPathSchema,
} from "./market-schema.ts";
import { NewTokensAnswerSchema, NewTokensQuerySchema } from "./new-token-schema.ts";
import type { OperationSchemas } from "./operation-schema.ts";
import { NoQuerySchema } from "./scalars.ts";

/**
 * Errors of operations about a token's market. If the deployment has no markets, another function answers the requests.
 */
const ofMarkets = [
  "UNSUPPORTED_CHAIN",
  "TRADING_DISABLED",
  "MARKETS_DISABLED",
  "TOKEN_NOT_FOUND",
  "LOOK_LIMIT_REACHED",
  "CHAIN_UNAVAILABLE",
] as const satisfies HttpErrorCode[];

export const getMarket = {
  path: MarketPathSchema,
  query: NoQuerySchema,
  success: MarketAnswerSchema,
  errors: ofMarkets,
} as const satisfies OperationSchemas;

export const listCandles = {
  path: MarketPathSchema,
  query: CandlesQuerySchema,
  success: CandlesAnswerSchema,
  answerHeaders: {
    ETag: "Changes with the candles. A request that sends it in `If-None-Match` gets a 304 if the candles are unchanged.",
  },
  errors: ofMarkets,
} as const satisfies OperationSchemas;

export const listNewTokens = {
  query: NewTokensQuerySchema,
  success: NewTokensAnswerSchema,
  errors: ["UNSUPPORTED_CHAIN", "TRADING_DISABLED", "MARKETS_DISABLED"],
} as const satisfies OperationSchemas;
