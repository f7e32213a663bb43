import { isDeepStrictEqual } from "node:util";
import { WebSocket } from "ws";
import type { CallLimit } from "./call-limit.ts";
import { eventually, type Patience, Refuted } from "./check.ts";

export type SocketOptions = {
  token?: string | undefined;
  headers?: Record<string, string>;
  subprotocols?: string[];
  /** Another address than the service's own. */
  url?: string;
};

export type Message = { type?: string; [field: string]: unknown };

/** A connection to the WebSocket API. */
export type Socket = {
  subprotocol: string;
  /** The text of every message so far. */
  received: readonly string[];
  send(message: object): void;
  /** Waits for a message with these fields. */
  message(wanted: Message, patience: Patience): Promise<Message>;
  close(): void;
};

/** API Gateway answered a handshake with this status. */
export class HandshakeRefused extends Refuted {
  readonly status: number;

  constructor(status: number) {
    super(`The connection was refused with ${status}`);
    this.status = status;
  }
}

const handshakeMs = 35_000;

/** @throws {HandshakeRefused} */
export async function openSocket(
  streamUrl: string,
  limit: CallLimit,
  { token, headers, subprotocols = [], url = streamUrl }: SocketOptions,
): Promise<Socket> {
  limit.count();
  const socket = new WebSocket(url, subprotocols, {
    headers: { ...(token !== undefined && { Authorization: `Bearer ${token}` }), ...headers },
    handshakeTimeout: handshakeMs,
  });
  const received: string[] = [];
  socket.on("message", (data) => received.push(data.toString()));
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.on("open", resolve);
  socket.on("error", reject);
  socket.on("unexpected-response", (request, response) => {
    reject(new HandshakeRefused(response.statusCode ?? 0));
    request.destroy();
  });
  await promise;
  return {
    subprotocol: socket.protocol,
    received,
    send(message) {
      limit.count();
      socket.send(JSON.stringify(message));
    },
    message: (wanted, patience) =>
      eventually(`No message ${JSON.stringify(wanted)} came`, patience, async () =>
        received.map(read).find((message) => message !== undefined && has(message, wanted)),
      ),
    close: () => socket.close(),
  };
}

/** @returns undefined for a text that is not a JSON object. */
export function read(text: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Message) : undefined;
  } catch {
    return undefined;
  }
}

const has = (message: Message, wanted: Message): boolean =>
  Object.entries(wanted).every(([name, value]) => isDeepStrictEqual(message[name], value));
