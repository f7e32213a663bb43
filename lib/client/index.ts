export type { WaitLimits } from "./clock.ts";
export type { components, Decimal, EvmAddress, operations, ServerMessage } from "./openapi.ts";
export type { OrderWait } from "./order-waiter.ts";
export type { KeyStore } from "./request-keys.ts";
export type { Retry } from "./rest-caller.ts";
export type {
  Call,
  CallOptions,
  OperationName,
  PagedName,
  RestAnswer,
  RestData,
  RestError,
  RestRequest,
} from "./rest-types.ts";
export type { SocketConstructor } from "./socket.ts";
export type {
  Followed,
  FollowedToken,
  FollowOptions,
  MarketHeads,
  MarketMinute,
  MarketRecord,
  Network,
  Order,
  Position,
  Price,
  Settings,
  SettingsChain,
  Stream,
  StreamStatus,
  TerminalState,
  TokenName,
  TradingChain,
  Wallet,
} from "./stream-types.ts";
export { createTerminal, type Terminal, type TerminalOptions } from "./terminal.ts";
export type { TokenProvider } from "./token-keeper.ts";
export {
  type Attempt,
  type AutomaticOrderRequest,
  type Balance,
  type Candle,
  type ExportLock,
  type ImportKey,
  type InspectedToken,
  isAmount,
  isEvmAddress,
  type Leaderboard,
  type Market,
  type OrderReport,
  type OrderRequest,
  type Policy,
  type Pool,
  type Preset,
  type Profile,
  type Quote,
  type QuoteRequest,
  type Redemption,
  type Referrals,
  type RestingOrderRequest,
  type Reward,
  type Token,
  type ValuedPosition,
  type WalletEvent,
} from "./types.ts";
