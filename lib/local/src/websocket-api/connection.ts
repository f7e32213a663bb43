import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { Peer } from "./events.ts";
import { frameSizes } from "./frame-sizes.ts";

/** Limits of a connection, from AWS's "Quotas for configuring and running a WebSocket API". */
export type StreamLimits = {
  /** Maximum size of a message in either direction. A larger message from a client closes its connection with 1009. */
  messageBytes: number;
  /** Maximum size of a client's frame. A larger one closes the connection with 1009. */
  frameBytes: number;
  /** Time without a message in either direction after which a connection is closed. Pings do not count. */
  idleMs: number;
  /** Maximum lifetime of a connection. */
  durationMs: number;
  /** Maximum number of bytes buffered for a client that does not read. AWS does not publish its limit. */
  bufferBytes: number;
};

export const awsLimits: StreamLimits = {
  messageBytes: 128 * 1024,
  frameBytes: 32 * 1024,
  idleMs: 10 * 60_000,
  durationMs: 2 * 60 * 60_000,
  bufferBytes: 1024 * 1024,
};

export type Connection = {
  readonly peer: Peer;
  /** Time of the last message in either direction, in milliseconds since the epoch. */
  readonly lastActiveAt: number;
  /** False as soon as either side starts to close the connection. */
  readonly isOpen: boolean;
  /** Sends a text message. Returns false without sending if too much is buffered for the client. */
  send(text: string | Buffer): boolean;
  close(code: number, reason: string): void;
};

type Listeners = {
  onMessage: (body: string) => void;
  /** Called exactly once, however the connection ends. */
  onClose: (code: number, reason: string) => void;
};

const NO_STATUS = 1005;
const UNSUPPORTED_DATA = 1003;
const TOO_LARGE = 1009;
const GOING_AWAY = [1001, "Going away"] as const;

/** Close codes that `ws` sends to clients that break the protocol, by its error codes. */
const protocolErrors: Record<string, number> = {
  WS_ERR_INVALID_UTF8: 1007,
  WS_ERR_TOO_MANY_BUFFERED_PARTS: 1008,
  WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: TOO_LARGE,
};
const PROTOCOL_ERROR = 1002;

export function openConnection(
  websocket: WebSocket,
  socket: Duplex,
  peer: Peer,
  { frameBytes, idleMs, durationMs, bufferBytes }: StreamLimits,
  { onMessage, onClose }: Listeners,
): Connection {
  let lastActiveAt = peer.connectedAt;
  /** Set as soon as this side ends the connection. After that, the client's close frame is ignored. */
  let ending: { code: number; reason: string } | undefined;

  const close = (code: number, reason: string) => {
    ending ??= { code, reason };
    websocket.close(code, reason);
  };
  const idle = setTimeout(() => close(...GOING_AWAY), idleMs);
  const duration = setTimeout(() => close(...GOING_AWAY), durationMs);
  const active = () => {
    lastActiveAt = Date.now();
    idle.refresh();
  };

  // Checks the size before `ws` reads a frame, because `ws` reports only whole messages.
  const largestFrame = frameSizes();
  socket.prependListener("data", (chunk: Buffer) => {
    if (largestFrame(chunk) > frameBytes) close(TOO_LARGE, "");
  });
  websocket.on("message", (data, isBinary) => {
    // Ignores data that the client still sends after this side has closed the connection.
    if (websocket.readyState !== websocket.OPEN) return;
    if (isBinary) return close(UNSUPPORTED_DATA, "Binary frames are not supported");
    active();
    onMessage(data.toString());
  });
  websocket.on("error", (error: NodeJS.ErrnoException) => {
    ending ??= { code: protocolErrors[error.code ?? ""] ?? PROTOCOL_ERROR, reason: "" };
  });
  websocket.on("close", (code, reason) => {
    clearTimeout(idle);
    clearTimeout(duration);
    if (ending) onClose(ending.code, ending.reason);
    // Recorded: API Gateway's reason for a close frame without a status.
    else if (code === NO_STATUS) onClose(code, "Client-side close frame status not set");
    else onClose(code, reason.toString());
  });

  return {
    peer,
    get lastActiveAt() {
      return lastActiveAt;
    },
    get isOpen() {
      return websocket.readyState === websocket.OPEN;
    },
    send(text) {
      if (websocket.bufferedAmount + Buffer.byteLength(text) > bufferBytes) return false;
      websocket.send(text, { binary: false });
      active();
      return true;
    },
    close,
  };
}
