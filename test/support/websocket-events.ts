import type { WebSocketEvent } from "../../lib/runtime/websocket.ts";
import { type Headers, headerForms } from "./events.ts";

type Context = WebSocketEvent["requestContext"];

/** Builds a WebSocket API event for the connection `c1` of the user `alice`, with the parts that functions read. */
function event(eventType: Context["eventType"], routeKey: string, rest: object = {}): WebSocketEvent {
  const requestContext = {
    eventType,
    routeKey,
    connectionId: "c1",
    requestTimeEpoch: Date.parse("2026-11-21T09:00:00.000Z"),
    authorizer: { principalId: "alice" },
  } as Context;
  return { requestContext, isBase64Encoded: false, ...rest };
}

export const connectEvent = (headers: Headers = {}) => event("CONNECT", "$connect", headerForms(headers));

export const disconnectEvent = () => event("DISCONNECT", "$disconnect", headerForms({}));

/**
 * Builds an event for a client's message.
 * @param content text, or a value that is sent as JSON.
 */
export const messageEvent = (content: unknown, routeKey = "$default") =>
  event("MESSAGE", routeKey, { body: typeof content === "string" ? content : JSON.stringify(content) });

/** The table's item for the connection `c1`. */
export const connectionItem = {
  PK: "CONNECTIONS#alice",
  SK: "CONNECTION#c1",
  userID: "alice",
  connectionId: "c1",
  shard: 2,
  connectedAt: "2026-11-21T09:00:00.000Z",
  expiresAt: Date.parse("2026-11-21T11:10:00.000Z") / 1000,
};
