import { logFault } from "./log.ts";
import { subprotocolsOf, tokenSubprotocol } from "./subprotocol.ts";
import { connectionOf, type WebSocketEvent, type WebSocketResult } from "./websocket-event.ts";

type Connection = { userID: string; connectionID: string; now: Date };
/**
 * The ring around `$connect`. The client is connected when this answers 200.
 *
 * @param open tells whether there is room for the connection.
 */
export function connect(open: (connection: Connection) => Promise<boolean>) {
  return (event: WebSocketEvent) =>
    handle("connect", "CONNECT", event, async (connection) => {
      if (!(await open(connection))) return { statusCode: 429 };
      if (!subprotocolsOf(asked(event)).includes(tokenSubprotocol)) return { statusCode: 200 };
      // A browser gives up when none of the subprotocols that it asked for is chosen.
      return { statusCode: 200, headers: { "Sec-WebSocket-Protocol": tokenSubprotocol } };
    });
}

/** The ring around `$disconnect`, which nobody waits for. */
export function disconnect(close: (connection: Connection) => Promise<void>) {
  return (event: WebSocketEvent) =>
    handle("disconnect", "DISCONNECT", event, async (connection) => {
      await close(connection);
      return { statusCode: 200 };
    });
}

async function handle(
  name: "connect" | "disconnect",
  eventType: WebSocketEvent["requestContext"]["eventType"],
  event: WebSocketEvent,
  answer: (connection: Connection) => Promise<WebSocketResult>,
): Promise<WebSocketResult> {
  try {
    // The type of a message, which its sender chooses, must not become a route of the connection itself.
    if (event.requestContext.eventType !== eventType) return { statusCode: 400 };
    return await answer({
      ...connectionOf(event),
      now: new Date(event.requestContext.requestTimeEpoch),
    });
  } catch (error) {
    logFault(name, error);
    return { statusCode: 500 };
  }
}

const asked = ({ headers = {}, multiValueHeaders = {} }: WebSocketEvent) => ({ headers, multiValueHeaders });
