import type { clientMessages } from "../../api/client-messages.ts";
import type { serverMessages } from "../../api/server-messages.ts";

export type ClientType = keyof typeof clientMessages;
export type ServerType = keyof typeof serverMessages;

/** Types of messages that can reply to each client message. */
export const replies: Record<ClientType, readonly ServerType[]> = {
  subscribe: ["subscriptions", "error"],
  unsubscribe: ["subscriptions", "error"],
  ping: ["pong", "error"],
};

/** Descriptions of each client message. They follow the message's summary. */
export const receives: Record<ClientType, string> = {
  subscribe:
    "A snapshot of each named channel follows, and then updates as they happen. The state of followed tokens arrives with an update within two seconds.",
  unsubscribe: "Messages already under way can still arrive.",
  ping: "Send a ping every few minutes: a connection without messages is closed after ten minutes.",
};

/** Summaries of the message types that the service also sends without a request. */
export const sends = {
  snapshot:
    "Send the contents of a channel to a connection that has subscribed to it, or has missed an update",
  update: "Send changed records of a channel to its subscribers",
  TradingSettingsUpdated:
    "Send changed settings to every connection of their user; no subscription is needed",
  WalletsUpdated: "Send changed wallets to every connection of their user; no subscription is needed",
  WalletExportRequested:
    "Announce a requested export to every connection of its user, without a subscription, and again when they subscribe",
  ExportLockUpdated:
    "Send a lock of exports, its announced end and its end to every connection of its user, without a subscription, and the first two again when they subscribe",
  WalletPolicyUpdated:
    "Send a changed policy to every connection of its user, without a subscription, and a looser one again when they subscribe",
  ProgramKeyAdded:
    "Send a new program key to every connection of its user, without a subscription, and those in force again when they subscribe",
  ProgramKeyRevoked:
    "Send a revoked program key to every connection of its user, without a subscription, and close the connections of its program",
  RewardRedeemed:
    "Send a bought, fulfilled or refunded reward to every connection of the user, without a subscription",
  ProfileUpdated:
    "Send what trades have earned to every connection of the user, without a subscription, at most once a minute",
  error: "Report a problem with a message of any type",
} satisfies Partial<Record<ServerType, string>>;

/** Summaries of messages, by their schemas' titles. */
export const messageSummaries: Readonly<Record<string, string>> = {
  Subscribe:
    "Add channels. Valid names work even next to unknown ones; subscribing again sends the snapshot again.",
  Unsubscribe: "Remove channels. Channels without a subscription are ignored.",
  Ping: "Keep a quiet connection open.",
  Subscriptions: "All channels to which the connection is subscribed.",
  OrdersSnapshot: "The user's orders: all open ones, and the newest 500 that ended within seven days.",
  PositionsSnapshot:
    "The user's positions: all open ones, and the newest 500 that were closed within seven days.",
  PricesSnapshot: "The latest price of each chain's native asset; empty until the first prices arrive.",
  OrdersUpdate: "Complete records of new or changed orders.",
  PositionsUpdate: "Complete records of new or changed positions.",
  PricesUpdate: "The latest prices, at most once a second, for connections that follow no tokens.",
  MarketsUpdate:
    "Coins and tokens that have changed, at most once a second, for connections that have named `tokens` or `every`.",
  TradingSettingsUpdated: "All settings of a chain, after one of them has changed.",
  WalletsUpdated: "Complete records of new or changed wallets. A retired one can be restored for 30 days.",
  WalletExportRequested:
    "Somebody with the user's token has requested to export a wallet. The export is possible at `availableAt`, and can be cancelled. If `thumbprint` does not belong to your own key, somebody else would receive the wallet.",
  ExportLockUpdated:
    "The user's exports are locked, will be unlocked at `unlocksAt`, or have just been unlocked. A later `lockedAt` replaces an earlier one, and its unlocking too.",
  WalletPolicyUpdated:
    "The policy of a wallet, after a change. If `change` is `announced` or `loosened`, and you did not ask for that, somebody else has your token: freeze the wallet.",
  ProgramKeyAdded:
    "A program key is in force. If you did not make it, somebody else has signed in as you: revoke the key.",
  ProgramKeyRevoked: "A program key was revoked, and its program can do nothing more.",
  RewardRedeemed:
    "The user has bought a reward, or an operator has fulfilled or refunded it, as `status` shows.",
  ProfileUpdated:
    "The user's trades have earned XP or points. It is not sent after other changes, such as a purchase.",
  Pong: "The reply to a ping.",
  ErrorMessage: "The problem with a message. The connection stays open, except after RATE_LIMITED.",
};

/** Guarantees of delivery, in Markdown. */
export const delivery = `One connection carries prices for everyone, and orders and positions for their owner, as they change.
The local runner serves it at \`ws://127.0.0.1:3000/stream\`, and by itself at \`ws://127.0.0.1:3001\`.

**Order.** The service answers each subscribe request with \`subscriptions\`, the complete set of channels, and
then sends a \`snapshot\` of every channel in the request, even if the connection has it already. Requested exports
that can still be cancelled follow, policies that are or will be looser, and program keys in force. A snapshot that is too large for one message is split, and all parts but the last
have \`more: true\`. A change made in the meantime is in the snapshot, in an \`update\`, or in both. That \`update\`
can arrive before either reply.

**Duplicates.** Changes to orders, positions, settings, wallets, policies, program keys, requested exports, redemptions and profiles are sent at least once. Changes to one record normally
arrive in order, but after a fault one can arrive twice or late. Only the latest prices and settings matter, so
intermediate ones can be left out. Records are always complete: keep the one with the greater \`version\` (for prices, the
later \`asOf\`) and drop the other.

**Tokens.** A connection that names \`tokens\` or \`every\` gets all prices in updates with \`heads\`: records of coins
without \`token\`, and of its tokens with it. Keep the record with the greater \`revision\`, then the greater
\`block\`, then the later \`asOf\`, and each minute as a whole. Each half minute, an update has all of them.

**Missed messages.** A connection that could not be reached later gets the current settings, wallets, policies and requested exports, recent redemptions and earnings, and a \`snapshot\` of
each of its private channels. A connection that accepts no messages for a minute, while others do, is closed.

**Connections** close after ten minutes without a message in either direction, and after two hours in any case. A
user can have 30 open connections, unless the deployment is configured otherwise. One more is refused with status
429, and so are connections that are opened too fast. A connection can send 10 messages a second, and 50 at once;
one that sends more gets one \`RATE_LIMITED\` and is closed. Send a \`ping\` every few minutes. After a close,
connect and subscribe again: the snapshots bring everything up to date.

**New message types** and new fields can be added at any time. Ignore those that you do not know.`;
