import { BalancesAnswerSchema, BalancesQuerySchema } from "./balance-schema.ts";
import type { HttpErrorCode } from "./errors.ts";
import {
  ListOrdersQuerySchema,
  ListPositionsQuerySchema,
  OrderAnswerSchema,
  OrderPageSchema,
  OrderPathSchema,
  PositionPageSchema,
} from "./execution-list-schema.ts";
import type { OperationSchemas } from "./operation-schema.ts";
import {
  CancelledAnswerSchema,
  CancelledCountSchema,
  CancelOrderSchema,
  CancelOrdersSchema,
  PlaceAnyOrderSchema,
  PlacedAnswerSchema,
  PlaceOrderHeadersSchema,
} from "./order-request-schema.ts";
import { GivenPresetSchema, PresetAnswerSchema, PresetPathSchema } from "./preset-schema.ts";
import { QuoteAnswerSchema, QuoteRequestSchema } from "./quote-schema.ts";
import { NoQuerySchema } from "./scalars.ts";
import { IfMatchHeadersSchema, IfNoneMatchHeadersSchema } from "./settings-schema.ts";
import {
  InspectedTokenAnswerSchema,
  ListTokensQuerySchema,
  TokenListSchema,
  TokenPathSchema,
} from "./token-schema.ts";

/**
 * Errors of operations that query chains. If the deployment trades on no chain, another function answers the requests.
 */
const ofChains = ["UNSUPPORTED_CHAIN", "TRADING_DISABLED"] as const satisfies HttpErrorCode[];

export const listTokens = {
  query: ListTokensQuerySchema,
  success: TokenListSchema,
  errors: [...ofChains, "LOOK_LIMIT_REACHED", "CHAIN_UNAVAILABLE"],
} as const satisfies OperationSchemas;

export const inspectToken = {
  path: TokenPathSchema,
  query: NoQuerySchema,
  success: InspectedTokenAnswerSchema,
  errors: [...ofChains, "TOKEN_NOT_FOUND", "CHAIN_UNAVAILABLE"],
} as const satisfies OperationSchemas;

export const readBalances = {
  query: BalancesQuerySchema,
  success: BalancesAnswerSchema,
  errors: [...ofChains, "WALLET_NOT_FOUND", "TOKEN_NOT_FOUND", "CHAIN_UNAVAILABLE"],
} as const satisfies OperationSchemas;

export const quoteOrder = {
  query: NoQuerySchema,
  body: QuoteRequestSchema,
  success: QuoteAnswerSchema,
  errors: [
    ...ofChains,
    "NO_ROUTE",
    "AMOUNT_TOO_SMALL",
    "INSUFFICIENT_BALANCE",
    "WALLET_NOT_FOUND",
    "TOKEN_NOT_FOUND",
    "CHAIN_UNAVAILABLE",
  ],
  isRepeatable: true,
} as const satisfies OperationSchemas;

export const listOrders = {
  query: ListOrdersQuerySchema,
  success: OrderPageSchema,
} as const satisfies OperationSchemas;

export const getOrder = {
  path: OrderPathSchema,
  query: NoQuerySchema,
  success: OrderAnswerSchema,
  errors: ["ORDER_NOT_FOUND"],
} as const satisfies OperationSchemas;

export const placeOrder = {
  query: NoQuerySchema,
  headers: PlaceOrderHeadersSchema,
  body: PlaceAnyOrderSchema,
  success: PlacedAnswerSchema,
  answerHeaders: {
    "Idempotent-Replayed": "`true` if the key placed the order before. The response shows its current state.",
  },
  errors: [
    "IDEMPOTENCY_KEY_MISSING",
    "IDEMPOTENCY_KEY_REUSED",
    "AUTO_BUY_OFF",
    "NO_PRESET",
    "ALREADY_HELD",
    ...ofChains,
    "WALLET_NOT_FOUND",
    "WALLET_BUSY",
    "POLICY_LIMIT",
    "KEY_LIMIT",
    "TOKEN_NOT_FOUND",
    "NO_ROUTE",
    "AMOUNT_TOO_SMALL",
    "GAS_PRICE_TOO_HIGH",
    "PRIORITY_FEE_TOO_LOW",
    "INSUFFICIENT_BALANCE",
    "TOKEN_UNSAFE",
    "NO_REFERENCE",
    "PRICE_IMPACT_TOO_HIGH",
    "SIGN_IN_REQUIRED",
    "EXITS_UNAVAILABLE",
    "WOULD_FIRE_NOW",
    "TOO_MANY_RESTING",
    "LIQUIDITY_TOO_LOW",
    "CHAIN_UNAVAILABLE",
  ],
  keyMakes: "orderId",
} as const satisfies OperationSchemas;

export const cancelOrder = {
  path: OrderPathSchema,
  query: NoQuerySchema,
  body: CancelOrderSchema,
  success: CancelledAnswerSchema,
  errors: ["TRADING_DISABLED", "ORDER_NOT_FOUND", "ORDER_NOT_CANCELLABLE"],
  isRepeatable: true,
} as const satisfies OperationSchemas;

export const cancelOrders = {
  query: NoQuerySchema,
  body: CancelOrdersSchema,
  success: CancelledCountSchema,
  errors: ["TRADING_DISABLED", "WALLET_NOT_FOUND"],
  isRepeatable: true,
} as const satisfies OperationSchemas;

const presetTag = { ETag: 'Version of the preset for If-Match, such as `"5"`.' };

export const setPreset = {
  path: PresetPathSchema,
  query: NoQuerySchema,
  headers: IfMatchHeadersSchema,
  body: GivenPresetSchema,
  success: PresetAnswerSchema,
  answerHeaders: presetTag,
  errors: ["TRADING_DISABLED", "WALLET_NOT_FOUND", "PRECONDITION_FAILED"],
} as const satisfies OperationSchemas;

export const getPreset = {
  path: PresetPathSchema,
  query: NoQuerySchema,
  headers: IfNoneMatchHeadersSchema,
  success: PresetAnswerSchema,
  answerHeaders: presetTag,
  errors: ["TRADING_DISABLED", "NO_PRESET"],
  statuses: { NO_PRESET: 404 },
} as const satisfies OperationSchemas;

export const listPositions = {
  query: ListPositionsQuerySchema,
  success: PositionPageSchema,
} as const satisfies OperationSchemas;
