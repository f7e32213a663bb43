import * as v from "valibot";
import {
  mostCandleTokens,
  mostFollowedTokens,
  mostNamedTokens,
  paces,
} from "../markets/core/market-subscription.ts";

const idRule = "must be text of 1 to 64 characters, or a whole number";

/** Id that the client chooses. The reply repeats it unchanged. */
export const MessageIDSchema = v.union(
  [
    v.pipe(v.string(), v.minLength(1, idRule), v.maxLength(64, idRule)),
    v.pipe(v.number(), v.safeInteger(idRule)),
  ],
  idRule,
);

const namesRule = "must be an array of at most 100 channel names";

/**
 * Accepts unknown names of channels. They are rejected later, so the known channels in the same request still count.
 */
const ChannelNamesSchema = v.pipe(v.array(v.string("must be text"), namesRule), v.maxLength(100, namesRule));

const optionalId = { id: v.optional(MessageIDSchema) };

const tokensRule = `must be an array of at most ${mostNamedTokens} tokens`;

/**
 * Accepts any text as a chain or an address. Wrong ones are rejected later, so the other tokens in the same request
 * still count.
 */
const given = (description: string) => v.pipe(v.string("must be text"), v.description(description));

const named = {
  chain: given("A chain whose tokens trade here"),
  token: given("Address of the token: on EVM chains in upper, lower or checksum case; on sol in base58"),
};

const tokensOf = <Entries extends v.ObjectEntries>(title: string, entries: Entries) =>
  v.optional(
    v.pipe(
      v.array(v.pipe(v.strictObject(entries), v.title(title)), tokensRule),
      v.maxLength(mostNamedTokens, tokensRule),
    ),
  );

/** The messages that a client may send, by `type`. Each type is a route of the WebSocket API. */
export const clientMessages = {
  subscribe: v.pipe(
    v.strictObject({
      type: v.literal("subscribe"),
      ...optionalId,
      channels: ChannelNamesSchema,
      every: v.pipe(
        v.optional(v.picklist(paces)),
        v.description("Shortest time between two updates of `prices`, in seconds: 1 by default"),
      ),
      tokens: v.pipe(
        tokensOf("FollowedToken", {
          ...named,
          candles: v.pipe(
            v.optional(v.boolean()),
            v.description(
              `True to get the token's minutes as well: at most ${mostCandleTokens} tokens of a connection`,
            ),
          ),
        }),
        v.description(
          `More tokens to follow, at most ${mostFollowedTokens} for a connection in all. They need the channel \`prices\``,
        ),
      ),
    }),
    v.title("Subscribe"),
  ),
  unsubscribe: v.pipe(
    v.strictObject({
      type: v.literal("unsubscribe"),
      ...optionalId,
      channels: v.pipe(
        v.optional(ChannelNamesSchema),
        v.description(
          "Channels to leave. Leaving `prices` also unfollows all tokens. Required if there are no tokens",
        ),
      ),
      tokens: tokensOf("UnfollowedToken", named),
    }),
    v.forward(
      v.check(({ channels, tokens }) => (channels ?? tokens) !== undefined, `is required and ${namesRule}`),
      ["channels"],
    ),
    v.title("Unsubscribe"),
  ),
  ping: v.pipe(v.strictObject({ type: v.literal("ping"), ...optionalId }), v.title("Ping")),
};
