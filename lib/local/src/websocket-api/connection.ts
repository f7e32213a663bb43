import type { WebSocket } from "ws";
import type { Peer } from "./events.ts";

/** An open connection. */
export type Connection = {
  readonly peer: Peer;
  /** When the last message went either way, in milliseconds since the epoch. */
  readonly lastActiveAt: number;
  /** False from the moment on when either side has begun to end it. */
  readonly isOpen: boolean;
  /** Sends a text message. False, and nothing is sent, when the client leaves too much unread. */
  send(text: string | Buffer): boolean;
  close(code: number, reason: string): void;
};

type Listeners = {
  onMessage: (body: string) => void;
  /** Hears once why the connection ended, whoever ended it and however. */
  onClose: (code: number, reason: string) => void;
};

const NO_STATUS = 1005;
const UNSUPPORTED_DATA = 1003;
const GOING_AWAY = [1001, "Going away"] as const;

/** What `ws` closes a connection with when a client breaks the protocol, by the code of its error. */
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
  /** Set as soon as this side ends the connection; whatever the client says of it then does not count. */
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
    // What a client still sends after this side has ended the connection.
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

/**
 * What API Gateway allows a connection, see "Quotas for configuring and running a WebSocket API". Its limit of 32 KB for
 * a single frame is not emulated, since `ws` tells of messages only: a client must split what is larger by itself.
 */
export type StreamLimits = {
  /** Bytes of a message, in either direction. A client that sends more is closed with 1009. */
  messageBytes: number;
  /** A connection without a message in either direction is closed after that time. Pings are no messages. */
  idleMs: number;
  /** Nothing keeps a connection longer. */
  durationMs: number;
  /** Bytes that may wait for a client that does not read. AWS does not tell its own number. */
  bufferBytes: number;
};

export const awsLimits: StreamLimits = {
  messageBytes: 128 * 1024,
  idleMs: 10 * 60_000,
  durationMs: 2 * 60 * 60_000,
  bufferBytes: 1024 * 1024,
};
