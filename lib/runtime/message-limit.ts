import type { Context } from "aws-lambda";
import { LRUCache } from "lru-cache";
import { encodeMessage, errorMessage } from "../api/server-messages.ts";
import { withDeadline } from "../aws/deadline.ts";
import { messageThrottle } from "../domain/plan.ts";
import { logFault } from "./log.ts";
import type { WebSocketEvent, WebSocketResult } from "./websocket.ts";

/** How to reach a connection. */
export type ConnectionPort = {
  send(connectionID: string, messages: readonly string[]): Promise<void>;
  hangUp(connectionID: string): Promise<unknown>;
};

/** What is left of a connection's messages. */
type Bucket = { tokens: number; filledAtMs: number; isClosing?: true };

/** More connections than one instance of a function meets at a time. The one that has been quiet for longest is forgotten. */
const maxBuckets = 10_000;

const { rateLimit, burstLimit } = messageThrottle;

const tooMany = encodeMessage(
  errorMessage(
    "RATE_LIMITED",
    `Too many messages: at most ${rateLimit} a second, and ${burstLimit} at once. The connection is closed.`,
  ),
);

/** How long the error may take to send. Closing the connection has to fit into the function's time, too. */
const longestSendMs = 3000;

/**
 * What ends a message over the limit. A route that has a response sends the client the body if the connection could not be
 * closed, and would send an empty message for none. The other routes ignore it.
 */
const rejected: WebSocketResult = { statusCode: 200, body: tooMany };

/**
 * Limits the messages of each connection. One that sends more gets one error and is closed. The count is in the memory of
 * this instance of the function, which costs nothing. So the limit is approximate: a connection has it at each instance.
 */
export function limited(
  operation: string,
  { send, hangUp }: ConnectionPort,
  handle: (event: WebSocketEvent, context?: Context) => Promise<WebSocketResult>,
  sendMs = longestSendMs,
) {
  const buckets = new LRUCache<string, Bucket>({ max: maxBuckets });

  return async (event: WebSocketEvent, context?: Context): Promise<WebSocketResult> => {
    const { connectionId: connectionID } = event.requestContext;
    const nowMs = Date.now();
    const { isClosing, ...bucket } = buckets.get(connectionID) ?? { tokens: burstLimit, filledAtMs: nowMs };
    // Messages that were on their way when the connection was closed.
    if (isClosing) return rejected;
    // A clock that is set back takes nothing away.
    const gained = (Math.max(0, nowMs - bucket.filledAtMs) / 1000) * rateLimit;
    const tokens = Math.min(burstLimit, bucket.tokens + gained);
    if (tokens >= 1) {
      buckets.set(connectionID, { tokens: tokens - 1, filledAtMs: nowMs });
      return handle(event, context);
    }

    buckets.set(connectionID, { tokens, filledAtMs: nowMs, isClosing: true });
    try {
      // A client that does not read cannot be sent anything, and is closed nevertheless.
      await withDeadline(sendMs, () => send(connectionID, [tooMany])).catch((error) =>
        logFault(operation, error),
      );
      await hangUp(connectionID);
    } catch (error) {
      logFault(operation, error);
      // The next message tries again.
      buckets.set(connectionID, { tokens, filledAtMs: nowMs });
    }
    return rejected;
  };
}
