import type { WaitLimits } from "./clock.ts";
import type { components, ServerMessage } from "./openapi.ts";

type Schemas = components["schemas"];

export type Order = Schemas["Order"];
export type Position = Schemas["Position"];
export type Price = Schemas["Price"];
export type Network = Price["chain"];
/** A token's market: its price, depth and changes, as a connection that follows the token gets them. */
export type MarketRecord = Schemas["MarketRecord"];
export type MarketMinute = Schemas["MarketMinute"];
export type TradingChain = MarketRecord["chain"];
/** The newest block that was read of each chain of the tokens. Prices are as old as this, even if nobody trades. */
export type MarketHeads = Schemas["MarketsUpdate"]["heads"];

/** A token on a chain. On EVM chains, its address may have any case. */
export type TokenName = { chain: TradingChain; token: string };

/** A token to follow, with `candles` also minute by minute. */
export type FollowedToken = TokenName & { candles?: boolean };

export type SettingsMessage = Extract<ServerMessage, { type: "TradingSettingsUpdated" }>["data"];
type StreamedWallet = Extract<ServerMessage, { type: "WalletsUpdated" }>["data"]["wallets"][number];

/** The chains that have trading settings. */
export type SettingsChain = SettingsMessage["chain"];

/** A user's settings for a chain. Version 0 means the defaults. */
export type Settings = SettingsMessage["settings"] & { version: number };

/** Each variant without a field. */
export type Without<Item, Key extends PropertyKey> = Item extends unknown ? Omit<Item, Key> : never;

/** An active wallet. The form of its address follows from its network. */
export type Wallet = Without<StreamedWallet, "state">;

/** The data that a stream can follow: the channels of the service, and messages that need no subscription. */
export const followable = ["orders", "positions", "prices", "settings", "wallets"] as const;

export type Followed = (typeof followable)[number];

/** The current state of everything that a stream follows. Other parts are empty. */
export type TerminalState = {
  /** Newest first: open orders, and those that ended within seven days. */
  readonly orders: readonly Order[];
  readonly positions: readonly Position[];
  readonly prices: Readonly<Partial<Record<Network, Price>>>;
  /**
   * The markets of the followed tokens, as soon as they have come. Those with `candles` have all minutes of the last day that
   * have come, the oldest first.
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
   * Not connected. The state is the last known one. `code` gives the reason if it is known. UNAUTHORIZED: a new token
   * did not help.
   */
  | {
      status: "waiting";
      retryInMs: number;
      code: "CLOSED" | "SILENT" | "REFUSED" | "UNAUTHORIZED" | "TOKEN_ERROR";
    }
  | { status: "closed" };

export type FollowOptions = {
  channels: readonly Followed[];
  /** Tokens whose markets are followed, too. They need the channel `prices`. */
  tokens?: readonly FollowedToken[];
  /** The seconds between two updates of prices: 1, or 5 for less traffic. */
  every?: 1 | 5;
  /**
   * The time without a message, in milliseconds, after which the connection is checked by a ping. Its pong calls `onMessage`, so
   * that a page can show how old its data is. Without this, a ping is sent each minute.
   */
  quietMs?: number;
  /**
   * Called with the complete state, and again with each change. After a new connection, the first call waits until it
   * is complete again.
   */
  onState?: (state: TerminalState) => void;
  /** Called with each message of the service, before `onState`. */
  onMessage?: (message: ServerMessage) => void;
  onStatus?: (status: StreamStatus) => void;
};

export type Stream = {
  /** The last complete state, or undefined before the first. */
  readonly state: TerminalState | undefined;
  /**
   * Resolves to the first result that is neither undefined, null nor false. It checks the last known state first, which may
   * be old while the stream is away. Rejects when the stream is closed, with the signal's reason when that aborts, and with
   * a TimeoutError when the time has passed.
   */
  until<Found>(
    find: (state: TerminalState) => Found | undefined | null | false,
    limits?: WaitLimits,
  ): Promise<Found>;
  /** Follows more tokens, or those that are followed already with other options. Needs the channel `prices`. */
  addTokens(tokens: readonly FollowedToken[]): void;
  removeTokens(tokens: readonly TokenName[]): void;
  /** Connects again at once. A page does so by itself when the network is back, and checks the connection when it is shown. */
  reconnect(): void;
  close(): void;
};
