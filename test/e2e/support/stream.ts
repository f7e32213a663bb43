import { text } from "node:stream/consumers";
import { expect, onTestFinished } from "vitest";
import { WebSocket as ClientSocket } from "ws";
import type { Answer } from "./client.ts";
import { deployment } from "./deployment.ts";
import { createInbox, type Inbox, type Message } from "./inbox.ts";
import type { User } from "./users.ts";

/** What a client sends to connect. */
export type Handshake = {
  /** Sent as `Authorization: Bearer <token>`. */
  token?: string;
  headers?: Record<string, string>;
  subprotocols?: string[];
  /** What stands behind the address, from the question mark on. */
  query?: string;
};

/** An open connection. It ends with the test that opened it. */
export type Stream = Inbox & {
  /** What the server chose; empty when it chose none. */
  subprotocol: string;
  /** Text and bytes are sent as they are, anything else as JSON. */
  send(message: unknown): void;
  /** Sends text in frames of their own, as one message. */
  sendInFrames(parts: readonly string[]): void;
  /** Sends the message and takes the answer that carries its id. */
  ask(message: Partial<Message> & { id: string | number }): Promise<Message>;
  /** Resolves to the code of the close frame, or 1006 when there was none. */
  closed: Promise<number>;
  close(): void;
  /** Ends it as a crash of the client would: without a close frame. */
  terminate(): void;
};

/** Connects with the user's token in the header. */
export const streamOf = ({ token }: User): Promise<Stream> => connect({ token });

/** @throws when the connection is refused. */
export async function connect(handshake: Handshake): Promise<Stream> {
  const outcome = await attempt(handshake);
  if ("status" in outcome) throw new Error(`The connection is refused with ${outcome.status}`);
  return outcome;
}

/** How the service refuses to connect. */
export async function refusalOf(handshake: Handshake): Promise<Answer> {
  const outcome = await attempt(handshake);
  if (!("status" in outcome)) throw new Error("The connection is not refused");
  return outcome;
}

async function attempt({ token, headers, subprotocols, query = "" }: Handshake): Promise<Stream | Answer> {
  const socket = new ClientSocket(`${deployment().streamUrl}${query}`, subprotocols, {
    headers: { ...(token !== undefined && { Authorization: `Bearer ${token}` }), ...headers },
  });
  const { promise, resolve, reject } = Promise.withResolvers<Stream | Answer>();
  // Listens from the start: the first message may come with the handshake's answer.
  const stream = streamOver(socket);
  socket.on("error", reject);
  socket.on("open", () => resolve(stream()));
  socket.on("unexpected-response", async (request, response) => {
    const body = await text(response);
    request.destroy();
    resolve({
      status: response.statusCode ?? 0,
      headers: new Headers(response.headers as Record<string, string>),
      text: body,
      json: undefined,
    });
  });
  return promise;
}

function streamOver(socket: ClientSocket): () => Stream {
  const inbox = createInbox();
  const { promise: closed, resolve } = Promise.withResolvers<number>();
  socket.on("message", (data) => inbox.put(data.toString()));
  socket.on("close", (code) => {
    inbox.close(code);
    resolve(code);
  });
  onTestFinished(() => socket.terminate());
  const send = (message: unknown) =>
    socket.send(
      typeof message === "string" || message instanceof Uint8Array ? message : JSON.stringify(message),
    );
  return () => ({
    ...inbox,
    subprotocol: socket.protocol,
    send,
    sendInFrames: (parts) => {
      for (const [index, part] of parts.entries()) socket.send(part, { fin: index === parts.length - 1 });
    },
    ask: (message) => {
      send(message);
      return inbox.take({ id: message.id });
    },
    closed,
    close: () => socket.close(),
    terminate: () => socket.terminate(),
  });
}

/** Subscribes, and takes the acknowledgement and the snapshot of each channel. */
export async function subscribe(stream: Stream, ...channels: string[]): Promise<Message[]> {
  const id = `subscribe ${channels}`;
  const answer = await stream.ask({ type: "subscribe", id, channels });
  expect(answer).toMatchObject({ type: "subscriptions", channels: expect.arrayContaining(channels) });
  const snapshots: Message[] = [];
  for (const channel of channels) snapshots.push(await stream.take({ type: "snapshot", channel }));
  return snapshots;
}

/** Sees to it that the connection is of use: it is open, and answers. */
export async function expectToWork(stream: Stream): Promise<void> {
  const id = `still there? ${stream.received.length}`;
  expect(await stream.ask({ type: "ping", id })).toMatchObject({ type: "pong" });
}
