import type { WebSocket } from "ws";
import type { Peer } from "./events.ts";

/**
 * API Gateway's limits of a connection, from "Quotas for configuring and running a WebSocket API". Its limit of 32 KB per
 * frame is not emulated, since `ws` reports whole messages only; clients must split larger messages into frames.
 */
export type StreamLimits = {
  /** Maximum size of a message in either direction. A client that sends more is closed with 1009. */
  messageBytes: number;
  /** A connection is closed after this time without a message in either direction. Pings do not count. */
  idleMs: number;
  /** The maximum lifetime of a connection. */
  durationMs: number;
  /** Bytes that are buffered for a client that does not read. AWS does not publish its limit. */
  bufferBytes: number;
};

export const awsLimits: StreamLimits = {
  messageBytes: 128 * 1024,
  idleMs: 10 * 60_000,
  durationMs: 2 * 60 * 60_000,
  bufferBytes: 1024 * 1024,
};

/** An open connection. */
export type Connection = {
  readonly peer: Peer;
  /** The time of the last message in either direction, in milliseconds since the epoch. */
  readonly lastActiveAt: number;
  /** False as soon as either side starts to close it. */
  readonly isOpen: boolean;
  /** Sends a text message. Returns false, without sending, if the client leaves too much unread. */
  send(text: string | Buffer): boolean;
  close(code: number, reason: string): void;
};

type Listeners = {
  onMessage: (body: string) => void;
  /** Called once, however the connection ended. */
  onClose: (code: number, reason: string) => void;
};

const NO_STATUS = 1005;
const UNSUPPORTED_DATA = 1003;
const GOING_AWAY = [1001, "Going away"] as const;

/** The close codes that `ws` sends to clients that break the protocol, by the code of its error. */
const protocolErrors: Record<string, number> = {
  WS_ERR_INVALID_UTF8: 1007,
  WS_ERR_TOO_MANY_BUFFERED_PARTS: 1008,
  WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: 1009,
};
const PROTOCOL_ERROR = 1002;

export function openConnection(
  websocket: WebSocket,
  peer: Peer,
  { idleMs, durationMs, bufferBytes }: StreamLimits,
  { onMessage, onClose }: Listeners,
): Connection {
  let lastActiveAt = peer.connectedAt;
  /** Set as soon as this side ends the connection. From then on the client's close frame is ignored. */
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

  websocket.on("message", (data, isBinary) => {
    // The client may still send after this side has closed the connection.
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
    // Recorded.
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
