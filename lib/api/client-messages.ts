import * as v from "valibot";

const idRule = "must be text of 1 to 64 characters, or a whole number";

/** An id that the client chooses. The reply repeats it unchanged. */
export const MessageIDSchema = v.union(
  [
    v.pipe(v.string(), v.minLength(1, idRule), v.maxLength(64, idRule)),
    v.pipe(v.number(), v.safeInteger(idRule)),
  ],
  idRule,
);

const namesRule = "must be an array of at most 100 channel names";

/** Unknown names are rejected later, so that the known channels of the request still count. */
const ChannelNamesSchema = v.pipe(v.array(v.string("must be text"), namesRule), v.maxLength(100, namesRule));

const optionalId = { id: v.optional(MessageIDSchema) };

/** The messages that a client may send, by `type`. Each type is a route of the WebSocket API. */
export const clientMessages = {
  subscribe: v.pipe(
    v.strictObject({ type: v.literal("subscribe"), ...optionalId, channels: ChannelNamesSchema }),
    v.title("Subscribe"),
  ),
  unsubscribe: v.pipe(
    v.strictObject({ type: v.literal("unsubscribe"), ...optionalId, channels: ChannelNamesSchema }),
    v.title("Unsubscribe"),
  ),
  ping: v.pipe(v.strictObject({ type: v.literal("ping"), ...optionalId }), v.title("Ping")),
};
