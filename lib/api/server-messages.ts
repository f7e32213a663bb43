import * as v from "valibot";
import { channels } from "../core/channel.ts";
import { chains } from "../core/network.ts";
import { MessageIDSchema } from "./client-messages.ts";
import { type MessageErrorCode, messageErrorCodes } from "./errors.ts";
import { OrderSchema, PositionSchema } from "./execution-schema.ts";
import { followedEntries, MarketsUpdateSchema } from "./market-messages.ts";
import { PriceSchema } from "./price-schema.ts";
import { ProgramKeySchema } from "./program-key-schema.ts";
import { RedemptionSchema } from "./redemption-schema.ts";
import { CountSchema, ThumbprintSchema, TimestampSchema } from "./scalars.ts";
import { ExportLockSchema } from "./sealed-wallet-schema.ts";
import { StreamedSettingsSchema } from "./settings-schema.ts";
import { progressEntries } from "./user-data-schema.ts";
import { policyStateEntries } from "./wallet-policy-schema.ts";
import { StreamedWalletSchema } from "./wallet-schema.ts";

const dataOf = {
  orders: v.array(OrderSchema),
  positions: v.array(PositionSchema),
  prices: v.array(PriceSchema),
};

const optionalId = { id: v.optional(MessageIDSchema) };

const time = { time: TimestampSchema };

/** Makes a channel's message: a snapshot with all of the channel's records, or an update with the changed ones. */
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

const programKeyMessage = <const Type extends string>(type: Type) =>
  v.pipe(
    v.object({ type: v.literal(type), ...time, data: v.object({ key: ProgramKeySchema }) }),
    v.title(type),
  );

/** Messages that the service sends, by `type`. */
export const serverMessages = {
  subscriptions: v.pipe(
    v.object({
      type: v.literal("subscriptions"),
      ...optionalId,
      channels: v.array(v.picklist(channels)),
      ...followedEntries,
      ...time,
    }),
    v.title("Subscriptions"),
    v.description("All channels that the connection now subscribes to."),
  ),
  snapshot: channelMessage("snapshot", "Snapshot", {
    more: v.pipe(v.optional(v.literal(true)), v.description("Another snapshot of this channel follows.")),
  }),
  // Puts the update of markets first, because the schema of the other updates would drop its `heads`.
  update: v.variant("channel", [MarketsUpdateSchema, ...channelMessage("update", "Update", {}).options]),
  TradingSettingsUpdated: v.pipe(
    v.object({
      type: v.literal("TradingSettingsUpdated"),
      ...time,
      data: v.object({ chain: v.picklist(chains), version: v.number(), settings: StreamedSettingsSchema }),
    }),
    v.title("TradingSettingsUpdated"),
  ),
  WalletsUpdated: v.pipe(
    v.object({
      type: v.literal("WalletsUpdated"),
      ...time,
      data: v.object({ wallets: v.array(StreamedWalletSchema) }),
    }),
    v.title("WalletsUpdated"),
  ),
  WalletExportRequested: v.pipe(
    v.object({
      type: v.literal("WalletExportRequested"),
      ...time,
      data: v.object({
        walletId: v.string(),
        availableAt: TimestampSchema,
        thumbprint: ThumbprintSchema,
        version: v.number(),
      }),
    }),
    v.title("WalletExportRequested"),
  ),
  ExportLockUpdated: v.pipe(
    v.object({ type: v.literal("ExportLockUpdated"), ...time, data: ExportLockSchema }),
    v.title("ExportLockUpdated"),
  ),
  WalletPolicyUpdated: v.pipe(
    v.object({
      type: v.literal("WalletPolicyUpdated"),
      ...time,
      data: v.object({
        walletId: v.string(),
        ...policyStateEntries,
        change: v.pipe(
          v.picklist(["tightened", "announced", "loosened"]),
          v.description(
            "`tightened`: nothing became looser; `announced`: `pending` was announced; `loosened`: a looser policy has just taken effect.",
          ),
        ),
        version: v.number(),
      }),
    }),
    v.title("WalletPolicyUpdated"),
  ),
  ProgramKeyAdded: programKeyMessage("ProgramKeyAdded"),
  ProgramKeyRevoked: programKeyMessage("ProgramKeyRevoked"),
  RewardRedeemed: v.pipe(
    v.object({
      type: v.literal("RewardRedeemed"),
      ...time,
      data: v.object({ redemption: RedemptionSchema }),
    }),
    v.title("RewardRedeemed"),
  ),
  ProfileUpdated: v.pipe(
    v.object({
      type: v.literal("ProfileUpdated"),
      ...time,
      data: v.object({ ...progressEntries, points: CountSchema, version: v.number() }),
    }),
    v.title("ProfileUpdated"),
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

/**
 * Encodes a message with only the fields of its schema.
 *
 * @throws {v.ValiError} if a field of the schema is missing or wrong.
 */
export function encodeMessage(message: ServerMessage): string {
  return JSON.stringify(v.parse(serverMessages[message.type] as v.GenericSchema, message));
}

export const errorMessage = (code: MessageErrorCode, message: string): ServerMessage => ({
  type: "error",
  code,
  message,
});

/** Maximum number of bytes of data in one message. API Gateway accepts 128 KB for the whole message. */
const maxDataBytes = 120_000;

/** Splits a list, in order, into as few parts as fit into messages. An empty list gives one empty part. */
export function inParts<Item>(items: readonly Item[]): Item[][] {
  let part: Item[] = [];
  const parts = [part];
  let bytes = 0;
  for (const item of items) {
    const size = Buffer.byteLength(JSON.stringify(item)) + 1;
    if (part.length > 0 && bytes + size > maxDataBytes) {
      part = [];
      parts.push(part);
      bytes = 0;
    }
    part.push(item);
    bytes += size;
  }
  return parts;
}
