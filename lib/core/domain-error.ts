import type { OrderStatus } from "./execution-words.ts";
import type { Network } from "./network.ts";
import { ServiceError } from "./service-error.ts";
import type { TokenFlag } from "./token-flag.ts";

/**
 * Codes of domain errors, with the details of each. Amounts and gas prices are decimal text, gas prices in gwei. Taxes
 * and impact are percent, or null if unknown.
 */
export type DomainErrorDetails = {
  /** Field that breaks a rule of the domain. */
  INVALID_REQUEST: { field: string };
  /** Name of the missing header. */
  IDEMPOTENCY_KEY_MISSING: { field: string };
  /** Id of what the first request with this key created: an order or a wallet, or the reward that it bought. */
  IDEMPOTENCY_KEY_REUSED: { orderId: string } | { walletId: string } | { redemptionId: string };
  /** Maximum accepted age of the sign-in, in seconds. */
  SIGN_IN_REQUIRED: { maxAgeSeconds: number };
  KEY_NOT_FOUND: undefined;
  KEY_LIMIT_REACHED: { limit: number };
  INVALID_PRIVATE_KEY: undefined;
  UNKNOWN_IMPORT_KEY: undefined;
  INVALID_CIPHERTEXT: undefined;
  ADDRESS_MISMATCH: undefined;
  EXPORT_DISABLED: undefined;
  EXPORT_NOT_FOUND: undefined;
  EXPORT_LIMIT_REACHED: { limit: number };
  /** Time when the announced unlocking takes effect. Absent if no unlocking is announced. */
  EXPORT_LOCKED: { unlocksAt?: string };
  INVALID_SETTING: undefined;
  PRECONDITION_FAILED: undefined;
  WALLET_LIMIT_REACHED: undefined;
  /** Chains on which this deployment trades. */
  UNSUPPORTED_CHAIN: { chains: readonly Network[] };
  /** Present if pools that the service does not read could make the trade. */
  NO_ROUTE: { reason: "ROUTE_NEEDS_JUPITER" } | undefined;
  AMOUNT_TOO_SMALL: undefined;
  /** Coin or token whose balance is too low: an address, or `native`. */
  INSUFFICIENT_BALANCE: {
    token: string;
    symbol: string;
    needed: string;
    available: string;
    /** The part of `needed` that the sales of a buy's exits may cost. */
    forExits?: string;
  };
  TRADING_DISABLED: undefined;
  MARKETS_DISABLED: undefined;
  LOOK_LIMIT_REACHED: undefined;
  /** Rule that forbids the order. The limit has the form that the rule gives it: an amount, or a percentage. */
  POLICY_LIMIT:
    | { rule: "tradingEnabled" }
    | { rule: "maxSlippage"; limit: number; requested: number }
    | { rule: "tokens" | "maxOrder" | "maxPerOrder" | "maxPerDay"; limit: string; requested: string }
    | { rule: "networkFeesPerDay"; limit: string; requested: string; resetsAt: string };
  /** Field of the program's key that forbids the order. Amounts are in the coin of the order's chain. */
  KEY_LIMIT:
    | { rule: "expiresAt" | "scopes" | "chains" | "wallets" | "tokens" }
    | { rule: "maxPerOrder" | "maxPerDay"; limit: string; requested: string };
  WALLET_NOT_FOUND: undefined;
  TOKEN_NOT_FOUND: undefined;
  ORDER_NOT_FOUND: undefined;
  DEVICES_DISABLED: undefined;
  DEVICE_NOT_FOUND: undefined;
  DEVICE_LIMIT_REACHED: { limit: number };
  /** Name of the field in which the request must set the minimum output. */
  NO_REFERENCE: { field: "minAmountOut" };
  PRICE_IMPACT_TOO_HIGH: { priceImpact: number; limit: number };
  GAS_PRICE_TOO_HIGH: { gasPrice: string; limit: string };
  /** Decimal text in SOL: the order's budget, and the lowest budget that can pay the relay for each attempt. */
  PRIORITY_FEE_TOO_LOW: { priorityFee: string; least: string };
  TOKEN_UNSAFE: { flags: readonly TokenFlag[]; buyTax: number | null; sellTax: number | null };
  REWARD_NOT_FOUND: undefined;
  REWARD_UNAVAILABLE: undefined;
  OUT_OF_STOCK: undefined;
  INSUFFICIENT_POINTS: { needed: number; available: number };
  REWARD_BUSY: undefined;
  WALLET_BUSY: undefined;
  /**
   * Price of one token now, as decimal text. For an exit also what a token would bring if it were sold again at once, and
   * the exit's place in the list.
   */
  WOULD_FIRE_NOW: { price: string; roundTrip?: string; exit?: number };
  /** Why exits could not sell the token. */
  EXITS_UNAVAILABLE: { reason: "ROUTE_NEEDS_JUPITER" | "CANNOT_SELL" };
  TOO_MANY_RESTING: { limit: number };
  AUTO_BUY_OFF: undefined;
  NO_PRESET: undefined;
  /** The open position, if one is the reason. */
  ALREADY_HELD: { positionId?: string };
  /** Decimal text in the chain's coin: what the fullest pool holds, and what the preset demands. */
  LIQUIDITY_TOO_LOW: { liquidity: string; least: string };
  ORDER_NOT_CANCELLABLE: { status: OrderStatus };
};

export type DomainErrorCode = keyof DomainErrorDetails;

type Rest<Details> = Details extends undefined ? [] : [details: Details];

/** Reports that a request breaks a rule of the domain. The message is for the caller and never quotes a secret. */
export class DomainError<Code extends DomainErrorCode = DomainErrorCode> extends ServiceError {
  declare readonly code: Code;
  readonly details: DomainErrorDetails[Code];

  constructor(code: Code, message: string, ...[details]: Rest<DomainErrorDetails[Code]>) {
    super(message, { name: "DomainError", code });
    this.details = details as DomainErrorDetails[Code];
  }
}
