import type { Context } from "aws-lambda";
import { encodeMessage, errorMessage } from "../api/server-messages.ts";
import { withDeadline } from "../aws/deadline.ts";
import { RecentMap } from "../core/recent-map.ts";
import { messageThrottle } from "../plans/plan.ts";
import { logFault } from "./log.ts";
import type { WebSocketEvent, WebSocketResult } from "./websocket.ts";

/** Sends messages to a connection and closes it. */
export type ConnectionPort = {
  send: (connectionId: string, messages: readonly string[]) => Promise<void>;
  hangUp: (connectionId: string) => Promise<unknown>;
};

/** Number of messages that a connection may still send, and the error that it got if it is being closed. */
type Bucket = { tokens: number; filledAtMs: number; closing?: string };

/**
 * Maximum number of connections to remember, more than one instance of a function serves at a time. When full, forgets
 * the connection that has sent nothing for longest.
 */
const maxBuckets = 10_000;

const { rateLimit, burstLimit } = messageThrottle;

const tooMany = encodeMessage(
  errorMessage(
    "RATE_LIMITED",
    `Too many messages: at most ${rateLimit} a second, and ${burstLimit} at once. The connection is closed.`,
  ),
);

const keyEnded = encodeMessage(
  errorMessage("NOT_CONNECTED", "The program key of this connection has ended. The connection is closed."),
);

/** Time limit for sending the error. Closing the connection must also fit into the function's time. */
const longestSendMs = 3000;

/**
 * Builds the result for a message that is not handled. On a route with a response, the client gets this body if the
 * connection could not be closed. If the result had no body, the client would get an empty message. Other routes ignore
 * the result.
 */
const rejected = (body: string): WebSocketResult => ({ statusCode: 200, body });

/**
 * Limits the messages of each connection. A connection that sends more, or that outlives the program key that opened
 * it, gets one error and is closed. The count is kept in the memory of one instance of the function; this is free, but
 * makes the limit approximate.
 */
export function limited(
  operation: string,
  { send, hangUp }: ConnectionPort,
  handle: (event: WebSocketEvent, context?: Context) => Promise<WebSocketResult>,
  sendMs = longestSendMs,
) {
  const buckets = new RecentMap<string, Bucket>(maxBuckets);

  return async (event: WebSocketEvent, context?: Context): Promise<WebSocketResult> => {
    const { connectionId, authorizer } = event.requestContext;
    const nowMs = Date.now();
    const { closing, ...bucket } = buckets.get(connectionId) ?? { tokens: burstLimit, filledAtMs: nowMs };
    // Rejects messages that still arrive after the connection is closed.
    if (closing !== undefined) return rejected(closing);
    // Never takes tokens away, even if the clock was set back.
    const gained = (Math.max(0, nowMs - bucket.filledAtMs) / 1000) * rateLimit;
    const tokens = Math.min(burstLimit, bucket.tokens + gained);
    // The context of the authorizer stays with the connection.
    const isKeyOver = Date.parse(authorizer?.programKeyEndsAt ?? "") <= nowMs;
    if (tokens >= 1 && !isKeyOver) {
      buckets.set(connectionId, { tokens: tokens - 1, filledAtMs: nowMs });
      return handle(event, context);
    }

    const error = isKeyOver ? keyEnded : tooMany;
    buckets.set(connectionId, { tokens, filledAtMs: nowMs, closing: error });
    try {
      // Continues if the error cannot be sent, because a client that does not read is closed anyway.
      await withDeadline(sendMs, () => send(connectionId, [error])).catch((fault) =>
        logFault(operation, fault),
      );
      await hangUp(connectionId);
    } catch (fault) {
      logFault(operation, fault);
      // Makes the next message try to close the connection again.
      buckets.set(connectionId, { tokens, filledAtMs: nowMs });
    }
    return rejected(error);
  };
}
