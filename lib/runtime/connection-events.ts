import { logFault } from "./log.ts";
import { subprotocolsOf, tokenSubprotocol } from "./subprotocol.ts";
import { connectionOf, type WebSocketEvent, type WebSocketResult } from "./websocket-event.ts";

type Connection = { userID: string; connectionID: string; now: Date };
type UseCase = (connection: Connection) => Promise<void>;

/** The ring around `$connect`. The client is connected when this answers 200. */
export function connect(open: UseCase) {
  return async (event: WebSocketEvent): Promise<WebSocketResult> => {
    const result = await handle("connect", "CONNECT", event, open);
    if (result.statusCode !== 200 || !subprotocolsOf(asked(event)).includes(tokenSubprotocol)) return result;
    // A browser gives up when none of the subprotocols that it asked for is chosen.
    return { ...result, headers: { "Sec-WebSocket-Protocol": tokenSubprotocol } };
  };
}

/** The ring around `$disconnect`, which nobody waits for. */
export function disconnect(close: UseCase) {
  return async (event: WebSocketEvent): Promise<WebSocketResult> =>
    handle("disconnect", "DISCONNECT", event, close);
}

async function handle(
  name: "connect" | "disconnect",
  eventType: WebSocketEvent["requestContext"]["eventType"],
  event: WebSocketEvent,
  useCase: UseCase,
): Promise<WebSocketResult> {
  try {
    // The type of a message, which its sender chooses, must not become a route of the connection itself.
    if (event.requestContext.eventType !== eventType) return { statusCode: 400 };
    await useCase({ ...connectionOf(event), now: new Date(event.requestContext.requestTimeEpoch) });
    return { statusCode: 200 };
  } catch (error) {
    logFault(name, error);
    return { statusCode: 500 };
  }
}

const asked = ({ headers = {}, multiValueHeaders = {} }: WebSocketEvent) => ({ headers, multiValueHeaders });
