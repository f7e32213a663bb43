import * as v from "valibot";
import { channels } from "../domain/channel.ts";
import { networks } from "../domain/network.ts";
import { nativeAssets } from "../domain/price.ts";
import { chains } from "../domain/settings.ts";
import { Order, Position } from "./execution-schema.ts";
import { Timestamp } from "./scalars.ts";
import { StreamedSettings } from "./settings-schema.ts";

const id = "must be text of 1 to 64 characters, or a whole number";

/** Chosen by the client; the answer carries it as it came. */
export const MessageId = v.union(
  [v.pipe(v.string(), v.minLength(1, id), v.maxLength(64, id)), v.pipe(v.number(), v.safeInteger(id))],
  id,
);

const names = "must be an array of at most 100 channel names";

/** Which names are channels is looked at later, so that the good ones of a request count beside bad ones. */
const ChannelNames = v.pipe(v.array(v.string("must be text"), names), v.maxLength(100, names));

const optionalId = { id: v.optional(MessageId) };

/** What a client may send, by the route of its `type`. */
export const clientMessages = {
  subscribe: v.pipe(
    v.strictObject({ type: v.literal("subscribe"), ...optionalId, channels: ChannelNames }),
    v.title("Subscribe"),
  ),
  unsubscribe: v.pipe(
    v.strictObject({ type: v.literal("unsubscribe"), ...optionalId, channels: ChannelNames }),
    v.title("Unsubscribe"),
  ),
  ping: v.pipe(v.strictObject({ type: v.literal("ping"), ...optionalId }), v.title("Ping")),
};

/** The closed list of error codes. */
export const messageErrorCodes = [
  "INVALID_JSON",
  "INVALID_MESSAGE",
  "UNKNOWN_TYPE",
  "UNKNOWN_CHANNEL",
  "NOT_CONNECTED",
  "INTERNAL_ERROR",
] as const;

export type MessageErrorCode = (typeof messageErrorCodes)[number];

export const PriceData = v.pipe(
  v.object({
    chain: v.picklist(networks),
    symbol: v.picklist([...new Set(Object.values(nativeAssets))]),
    price: v.string(),
    currency: v.literal("USD"),
    source: v.string(),
    asOf: Timestamp,
  }),
  v.title("Price"),
);

const dataOf = { orders: v.array(Order), positions: v.array(Position), prices: v.array(PriceData) };

const time = { time: Timestamp };

/** What a channel holds, or what has changed in it. */
const channelMessage = <Type extends string, More extends v.ObjectEntries>(
  type: Type,
  title: string,
  more: More,
) =>
  v.variant("channel", [
    v.pipe(
      v.object({
        type: v.literal(type),
        channel: v.literal("orders"),
        ...more,
        ...time,
        data: dataOf.orders,
      }),
      v.title(`Orders${title}`),
    ),
    v.pipe(
      v.object({
        type: v.literal(type),
        channel: v.literal("positions"),
        ...more,
        ...time,
        data: dataOf.positions,
      }),
      v.title(`Positions${title}`),
    ),
    v.pipe(
      v.object({
        type: v.literal(type),
        channel: v.literal("prices"),
        ...more,
        ...time,
        data: dataOf.prices,
      }),
      v.title(`Prices${title}`),
    ),
  ]);

/** What the service sends. */
export const serverMessages = {
  subscriptions: v.pipe(
    v.object({
      type: v.literal("subscriptions"),
      ...optionalId,
      channels: v.array(v.picklist(channels)),
      ...time,
    }),
    v.title("Subscriptions"),
    v.description("Every channel that the connection is now subscribed to."),
  ),
  snapshot: channelMessage("snapshot", "Snapshot", {
    more: v.pipe(v.optional(v.literal(true)), v.description("Another snapshot of this channel follows.")),
  }),
  update: channelMessage("update", "Update", {}),
  TradingSettingsUpdated: v.pipe(
    v.object({
      type: v.literal("TradingSettingsUpdated"),
      ...time,
      data: v.object({ chain: v.picklist(chains), version: v.number(), settings: StreamedSettings }),
    }),
    v.title("TradingSettingsUpdated"),
  ),
  pong: v.pipe(v.object({ type: v.literal("pong"), ...optionalId, ...time }), v.title("Pong")),
  error: v.pipe(
    v.object({
      type: v.literal("error"),
      ...optionalId,
      code: v.picklist(messageErrorCodes),
      message: v.string(),
    }),
    v.title("ErrorMessage"),
  ),
};

export type ServerMessage = {
  [Type in keyof typeof serverMessages]: v.InferInput<(typeof serverMessages)[Type]>;
}[keyof typeof serverMessages];

/** A message as it goes over the wire: what its schema lists, and no other field. */
export function encodeMessage(message: ServerMessage): string {
  return JSON.stringify(v.parse(serverMessages[message.type] as v.GenericSchema, message));
}

/** Tells a client what is wrong with their message. */
export const errorMessage = (code: MessageErrorCode, message: string): ServerMessage => ({
  type: "error",
  code,
  message,
});
