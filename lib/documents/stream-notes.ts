import type { clientMessages, serverMessages } from "../api/messages.ts";

export type ClientType = keyof typeof clientMessages;
export type ServerType = keyof typeof serverMessages;

/** What a message of a client is answered with. */
export const replies: Record<ClientType, readonly ServerType[]> = {
  subscribe: ["subscriptions", "error"],
  unsubscribe: ["subscriptions", "error"],
  ping: ["pong", "error"],
};

/** What the service sends without being asked, or more than an answer. */
export const sends = {
  snapshot: "Send what a channel holds, once it is subscribed to",
  update: "Send what has changed in a channel, to who is subscribed to it",
  TradingSettingsUpdated: "Send changed settings to every connection of their user; it takes no subscription",
  error: "Say what is wrong with a message, whatever its type",
} satisfies Partial<Record<ServerType, string>>;

/** What a client can rely on, as Markdown. */
export const delivery = `Prices for everybody, orders and positions for their owner, as they change.

**Order.** A new subscription is answered with \`subscriptions\`, the whole set; then comes a \`snapshot\` of each
channel that is new in it, in several messages where it is too much for one: all but the last say \`more: true\`.
What changes meanwhile is in the snapshot, or comes as an \`update\`, which may be earlier than both answers, or in
both ways.

**Duplicates.** Changes of orders, positions and settings are sent at least once, those of one record in order as a
rule; after a fault one may come again, or late. Of prices the latest count, and some in between may be left out.
Records are whole, so keep the one with the greater \`version\` (prices: the later \`asOf\`) and drop the other.

**Connections** are closed after ten minutes without a message in either direction, and after two hours in any
case. A user has 100 at most: another is refused with status 429, as are connections that come too fast. Send
a \`ping\` every few minutes. After a close, connect and subscribe again: the snapshots bring everything up to
date.

**New types** of message and new fields may be added at any time; ignore what you do not know.`;
