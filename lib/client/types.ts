import type { components, Decimal, EvmAddress } from "./openapi.ts";

type Schemas = components["schemas"];

/** Body of `placeOrder` for a real order. Fields that exclude each other are in separate variants. */
export type OrderRequest = Schemas["PlaceOrder"] & { dryRun?: false };
/** Body of `placeOrder` for a real order that waits for a price. Its `type` decides about the other fields. */
export type RestingOrderRequest = (
  | Schemas["PlaceLimitOrder"]
  | Schemas["PlaceStopOrder"]
  | Schemas["PlacePair"]
  | Schemas["PlaceTrailingStop"]
  | Schemas["PlaceTwap"]
) & { dryRun?: false };
/** Body of `placeOrder` for a buy that the user's preset describes. */
export type AutomaticOrderRequest = Schemas["PlaceAutomaticBuy"];
/** The terms of automatic orders on a chain. */
export type Preset = Schemas["Preset"];
/** Body of `quoteOrder`. */
export type QuoteRequest = Schemas["QuoteRequest"];
export type Quote = Schemas["Quote"];
/** A transaction of an order. Only transactions on sol have a `lastValidBlockHeight`. */
export type Attempt = Schemas["Attempt"] | Schemas["SolAttempt"];
/** Result of a filled order. Only fills on sol have a `rent`. */
export type OrderReport = Schemas["OrderReport"] | Schemas["SolOrderReport"];
export type Token = Schemas["Token"];
export type InspectedToken = Schemas["InspectedToken"];
export type Pool = Schemas["Pool"];
/** A token's market, as `getMarket` returns it. */
export type Market = Schemas["Market"];
export type Candle = Schemas["Candle"];
/** A position. It has a value if `valued` was requested. */
export type ValuedPosition = Schemas["ListedPosition"];
export type Balance = Schemas["Balance"];
export type Policy = Schemas["WalletPolicy"];
export type WalletEvent = Schemas["WalletEvent"];
export type ImportKey = Schemas["ImportKey"];
export type ExportLock = Schemas["ExportLock"];
export type Reward = Schemas["Reward"];
export type Redemption = Schemas["Redemption"];
export type Leaderboard = Schemas["Leaderboard"];
export type Profile = Schemas["ProfileData"];
export type Referrals = Schemas["ReferralData"];

/** True for 0x and 40 hex digits. The service also checks the checksum. */
export const isEvmAddress = (text: string | undefined): text is EvmAddress =>
  text !== undefined && /^0x[\da-f]{40}$/i.test(text);

/** True for digits with or without a point: the form of amounts and prices. */
export const isAmount = (text: string | undefined): text is Decimal =>
  text !== undefined && /^\d+(\.\d+)?$/.test(text);
