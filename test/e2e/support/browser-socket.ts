import { onTestFinished } from "vitest";
import { createInbox, type Inbox } from "./inbox.ts";
import { streamAddress } from "./stream.ts";
import { keepAnswer, noteSecretsIn } from "./written.ts";

/** A connection by the platform's WebSocket, which sets subprotocols and no headers. */
export type BrowserSocket = Inbox & { subprotocol: string; send(message: object): void };

/** @throws when the connection fails, for example if the server selects none of the subprotocols. */
export async function browserSocket(subprotocols: string[]): Promise<BrowserSocket> {
  noteSecretsIn({ head: subprotocols });
  const socket = new WebSocket(streamAddress(), subprotocols);
  const inbox = createInbox();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.addEventListener("open", () => resolve());
  socket.addEventListener("message", ({ data }) => {
    keepAnswer(String(data));
    inbox.put(String(data));
  });
  socket.addEventListener("error", () => reject(new Error("The connection failed")));
  socket.addEventListener("close", ({ code }) => inbox.close(code));
  onTestFinished(() => socket.close());
  await promise;
  return {
    ...inbox,
    subprotocol: socket.protocol,
    send: (message) => socket.send(JSON.stringify(message)),
  };
}
