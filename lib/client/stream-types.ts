import type { components, ServerMessage } from "./openapi.ts";

type Schemas = components["schemas"];

export type Order = Schemas["Order"];
export type Position = Schemas["Position"];
export type Price = Schemas["Price"];
export type Network = Price["chain"];

export type SettingsMessage = Extract<ServerMessage, { type: "TradingSettingsUpdated" }>["data"];
type StreamedWallet = Extract<ServerMessage, { type: "WalletsUpdated" }>["data"]["wallets"][number];

/** The chains that have trading settings. */
export type SettingsChain = SettingsMessage["chain"];

/** A user's settings of a chain. Version 0: the defaults. */
export type Settings = SettingsMessage["settings"] & { version: number };

/** An active wallet. */
export type Wallet = Omit<StreamedWallet, "state">;

/** What a stream can follow: the channels of the service, and what it sends without a subscription. */
export type Followed = "orders" | "positions" | "prices" | "settings" | "wallets";

/** All that a stream follows, as it is now. What it does not follow is empty. */
export type TerminalState = {
  /** The newest first: the open ones, and those that ended within seven days. */
  readonly orders: readonly Order[];
  readonly positions: readonly Position[];
  readonly prices: Readonly<Partial<Record<Network, Price>>>;
  readonly settings: Readonly<Partial<Record<SettingsChain, Settings>>>;
  readonly wallets: readonly Wallet[];
};

export type StreamStatus =
  | { status: "connecting" }
  /** Connected, and reading what there is. */
  | { status: "syncing" }
  /** The state is whole, and follows each change. */
  | { status: "live" }
  /** Not connected. The state is the last one. `code`: why, as far as it is known. UNAUTHORIZED: a new token did not help. */
  | {
      status: "waiting";
      retryInMs: number;
      code: "CLOSED" | "SILENT" | "REFUSED" | "UNAUTHORIZED" | "TOKEN_ERROR";
    }
  | { status: "closed" };

export type FollowOptions = {
  channels: readonly Followed[];
  /** Called with the whole state, and again with each change. After a new connection, not before it is whole again. */
  onState?: (state: TerminalState) => void;
  /** Called with each message of the service, before `onState`. */
  onMessage?: (message: ServerMessage) => void;
  onStatus?: (status: StreamStatus) => void;
};

export type Stream = {
  /** The last whole state; undefined until there is one. */
  readonly state: TerminalState | undefined;
  /**
   * Resolves to the first result that is neither undefined, null nor false. Rejects when the stream is closed. It looks at the
   * last state first, which is an old one while the stream is away.
   */
  until<Found>(find: (state: TerminalState) => Found | undefined | null | false): Promise<Found>;
  close(): void;
};
