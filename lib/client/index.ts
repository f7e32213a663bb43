export type { components, operations, ServerMessage } from "./openapi.ts";
export type { KeyStore } from "./request-keys.ts";
export type {
  CallOptions,
  OperationName,
  RestAnswer,
  RestData,
  RestError,
  RestRequest,
} from "./rest-types.ts";
export type { SocketConstructor } from "./socket.ts";
export type {
  Followed,
  FollowOptions,
  Network,
  Order,
  Position,
  Price,
  Settings,
  SettingsChain,
  Stream,
  StreamStatus,
  TerminalState,
  Wallet,
} from "./stream-types.ts";
export { createTerminal, type Terminal, type TerminalOptions } from "./terminal.ts";
export type { TokenProvider } from "./token-keeper.ts";
