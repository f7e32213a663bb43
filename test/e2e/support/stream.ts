import { text } from "node:stream/consumers";
import { expect, onTestFinished } from "vitest";
import { WebSocket as ClientSocket } from "ws";
import type { Handshake } from "../../cases/handshakes.ts";
import { type Answer, answerOf } from "./client.ts";
import { deployment } from "./deployment.ts";
import { createInbox, type Inbox, type Message } from "./inbox.ts";
import type { User } from "./users.ts";
import { keepAnswer, noteSecretsIn } from "./written.ts";

/** An open connection, closed at the end of its test. */
export type Stream = Inbox & {
  /** Subprotocol that the server chose, or empty text. */
  subprotocol: string;
  /** Sends a message. Text and bytes are sent unchanged, anything else as JSON. */
  send(message: unknown): void;
  /** Sends texts in separate frames of one message. */
  sendInFrames(parts: readonly string[]): void;
  /** Sends a message and takes the reply with its id. */
  ask(message: Partial<Message> & { id: string | number }): Promise<Message>;
  /** Resolves to the code of the close frame, or to 1006 without such a frame. */
  closed: Promise<number>;
  close(): void;
  /** Ends the connection without a close frame, like a crash of the client. */
  terminate(): void;
};

/** A handshake with an optional address. */
type Addressed = Handshake & { url?: string };

/** Address of the stream at the edge, which also serves the REST API. */
export const edgeAddress = () => `${deployment().baseUrl.replace(/^http/, "ws")}/stream`;

let connected = 0;

/** Alternates between the stream's own address and the edge's, so that tests cover both. */
export function streamAddress(): string {
  const { streamUrl, local } = deployment();
  return local && connected++ % 2 === 1 ? edgeAddress() : streamUrl;
}

/** Connects with the user's token in the header. */
export const streamOf = ({ token }: User): Promise<Stream> => connect({ token });

/**
 * @param keeps whether to search the messages for secrets at the end of the run, as for all clients
 * @throws if the connection is refused.
 */
export async function connect(handshake: Addressed, keeps = true): Promise<Stream> {
  const outcome = await attempt(handshake, keeps);
  if ("status" in outcome) throw new Error(`The connection was refused with ${outcome.status}`);
  return outcome;
}

/** @returns the response that refuses the connection. @throws if it is accepted. */
export async function refusalOf(handshake: Addressed): Promise<Answer> {
  const outcome = await attempt(handshake);
  if (!("status" in outcome)) throw new Error("The connection was admitted");
  return outcome;
}

async function attempt(handshake: Addressed, keeps = true): Promise<Stream | Answer> {
  const { token, headers, subprotocols, query = "", url } = handshake;
  noteSecretsIn({ head: [token ?? "", ...Object.values(headers ?? {}), ...(subprotocols ?? []), query] });
  const socket = new ClientSocket(`${url ?? streamAddress()}${query}`, subprotocols, {
    headers: { ...(token !== undefined && { Authorization: `Bearer ${token}` }), ...headers },
  });
  const { promise, resolve, reject } = Promise.withResolvers<Stream | Answer>();
  // Listens from the start, because the first message may come with the response to the handshake.
  const stream = streamOver(socket, keeps);
  socket.on("error", reject);
  socket.on("upgrade", ({ rawHeaders }) => keepAnswer(JSON.stringify(rawHeaders)));
  socket.on("open", () => resolve(stream()));
  socket.on("unexpected-response", async (request, response) => {
    const body = await text(response);
    request.destroy();
    const received = new Headers(response.headers as Record<string, string>);
    resolve(answerOf(response.statusCode ?? 0, received, body));
  });
  return promise;
}

function streamOver(socket: ClientSocket, keeps: boolean): () => Stream {
  const inbox = createInbox();
  const { promise: closed, resolve } = Promise.withResolvers<number>();
  socket.on("message", (data) => {
    if (keeps) keepAnswer(data.toString());
    inbox.put(data.toString());
  });
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

/** Subscribes, and takes the acknowledgement and each channel's snapshot. */
export async function subscribe(stream: Stream, ...channels: string[]): Promise<Message[]> {
  const id = `subscribe ${channels}`;
  const answer = await stream.ask({ type: "subscribe", id, channels });
  expect(answer).toMatchObject({ type: "subscriptions", channels: expect.arrayContaining(channels) });
  const snapshots: Message[] = [];
  for (const channel of channels) snapshots.push(await stream.take({ type: "snapshot", channel }));
  return snapshots;
}

/** Expects the connection to be open and to answer. */
export async function expectToWork(stream: Stream): Promise<void> {
  const id = `still there? ${stream.received.length}`;
  expect(await stream.ask({ type: "ping", id })).toMatchObject({ type: "pong" });
}
