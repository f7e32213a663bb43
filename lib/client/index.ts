export type { components, operations } from "./openapi.ts";
export type { KeyStore } from "./request-keys.ts";
export type {
  CallOptions,
  OperationName,
  RestAnswer,
  RestData,
  RestError,
  RestRequest,
} from "./rest-types.ts";
export { createTerminal, type Terminal, type TerminalOptions } from "./terminal.ts";
export type { TokenProvider } from "./token-keeper.ts";
