import type { AnyError } from "./answer.ts";
import type { WaitLimits } from "./clock.ts";
import type { components, ServerMessage } from "./openapi.ts";

type Schemas = components["schemas"];

export type Order = Schemas["Order"];
export type Position = Schemas["Position"];
export type Price = Schemas["Price"];
export type Network = Price["chain"];
/** A token's market: its price, depth and changes. Only connections that follow the token get it. */
export type MarketRecord = Schemas["MarketRecord"];
export type MarketMinute = Schemas["MarketMinute"];
export type TradingChain = MarketRecord["chain"];
/**
 * The newest block of each followed chain that the service has read. Prices are as old as this block, even if nobody
 * trades.
 */
export type MarketHeads = Schemas["MarketsUpdate"]["heads"];

/** A token on a chain. On EVM chains, its address may have any case. */
export type TokenName = { chain: TradingChain; token: string };

/** A token to follow. `candles` adds its minute candles. */
export type FollowedToken = TokenName & { candles?: boolean };

export type SettingsMessage = Extract<ServerMessage, { type: "TradingSettingsUpdated" }>["data"];
type StreamedWallet = Extract<ServerMessage, { type: "WalletsUpdated" }>["data"]["wallets"][number];

/** Chains that have trading settings. */
export type SettingsChain = SettingsMessage["chain"];

/** A user's settings for a chain. Version 0 means the defaults. */
export type Settings = SettingsMessage["settings"] & { version: number };

/** Removes a field from each variant of a union. */
export type Without<Item, Key extends PropertyKey> = Item extends unknown ? Omit<Item, Key> : never;

/** An active wallet. Its network decides the format of its address. */
export type Wallet = Without<StreamedWallet, "state">;

/** Data that a stream can follow: channels of the service, and messages that need no subscription. */
export const followable = ["orders", "positions", "prices", "settings", "wallets"] as const;

export type Followed = (typeof followable)[number];

/** Current state of everything that a stream follows. All other parts are empty. */
export type TerminalState = {
  /** Open orders and those that ended within seven days, newest first. */
  readonly orders: readonly Order[];
  readonly positions: readonly Position[];
  readonly prices: Readonly<Partial<Record<Network, Price>>>;
  /**
   * Known markets of the followed tokens. A market with `candles` has all known minute candles of the last day, oldest
   * first.
   */
  readonly markets: readonly MarketRecord[];
  readonly heads: MarketHeads;
  readonly settings: Readonly<Partial<Record<SettingsChain, Settings>>>;
  readonly wallets: readonly Wallet[];
};

export type StreamStatus =
  | { status: "connecting" }
  /** Connected, but still reading the current data. */
  | { status: "syncing" }
  /** The state is complete and follows each change. */
  | { status: "live" }
  /**
   * Not connected: the state is the last known one. `code` gives the reason if it is known. UNAUTHORIZED: a new token
   * did not help.
   */
  | {
      status: "waiting";
      retryInMs: number;
      code: "CLOSED" | "SILENT" | "REFUSED" | "UNAUTHORIZED" | "TOKEN_ERROR";
    }
  /** Closed by you, or because of an error that would only occur again, as with a key that has ended. */
  | { status: "closed"; error?: AnyError };

export type FollowOptions = {
  channels: readonly Followed[];
  /** Tokens whose markets are followed. They need the channel `prices`. */
  tokens?: readonly FollowedToken[];
  /** Seconds between two price updates: 1, or 5 for less traffic. */
  every?: 1 | 5;
  /**
   * Milliseconds without a message after which a ping checks the connection. The answer to the ping calls `onMessage`,
   * so that a page can show the age of its data. By default, a ping is sent every minute.
   */
  quietMs?: number;
  /**
   * Called with the complete state, and again after each change. After a reconnection, the first call waits until the
   * state is complete again.
   */
  onState?: (state: TerminalState) => void;
  /** Called with each message of the service, before `onState`. */
  onMessage?: (message: ServerMessage) => void;
  onStatus?: (status: StreamStatus) => void;
};

export type Stream = {
  /** The last complete state, or undefined before there is one. */
  readonly state: TerminalState | undefined;
  /**
   * Resolves to the first result other than undefined, null or false. Checks the last known state first, which may be
   * old while the stream is disconnected. Rejects when the stream is closed, with the signal's reason on abort, or with
   * a TimeoutError.
   */
  until<Found>(
    find: (state: TerminalState) => Found | undefined | null | false,
    limits?: WaitLimits,
  ): Promise<Found>;
  /** Follows more tokens, or changes the options of tokens that are already followed. Needs the channel `prices`. */
  addTokens(tokens: readonly FollowedToken[]): void;
  removeTokens(tokens: readonly TokenName[]): void;
  /**
   * Reconnects at once. A page does so by itself when the network returns, and checks the connection when it is shown.
   */
  reconnect(): void;
  close(): void;
};
