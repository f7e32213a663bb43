import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";

/** What a venue does with a message of a client. */
export type Speech = {
  answer(message: Record<string, unknown>, say: (message: object) => void, subscribed: Set<string>): void;
  /** The message that tells a price. */
  price(product: string, price: number): object;
  heartbeats(products: readonly string[]): object[];
};

export type VenueServer = Awaited<ReturnType<typeof startServer>>;

/** Milliseconds. */
const betweenTicks = 20;

/** A venue on 127.0.0.1 that does as it is told, faults included, until the test is over. */
export async function startServer(speech: Speech, port = 0) {
  const server = new WebSocketServer({ host: "127.0.0.1", port });
  await once(server, "listening");
  const open = new Map<WebSocket, Set<string>>();
  const closings: number[] = [];
  let connections = 0;
  let ticks = 0;
  const mode = { prices: true, heartbeats: true, answers: true, garbage: undefined as string | undefined };

  server.on("connection", (socket) => {
    connections++;
    const subscribed = new Set<string>();
    open.set(socket, subscribed);
    socket.on("close", (code) => {
      open.delete(socket);
      closings.push(code);
    });
    socket.on("message", (data) => {
      const say = (message: object) => socket.send(JSON.stringify(message));
      if (mode.answers) speech.answer(JSON.parse(String(data)), say, subscribed);
    });
  });

  const ticking = setInterval(() => {
    ticks++;
    for (const [socket, subscribed] of open) {
      const prices = [...subscribed].map((product) => speech.price(product, 100 + ticks / 100));
      if (mode.prices) for (const message of prices) socket.send(JSON.stringify(message));
      if (mode.heartbeats)
        for (const message of speech.heartbeats([...subscribed])) socket.send(JSON.stringify(message));
      if (mode.garbage !== undefined) {
        socket.send(mode.garbage);
        socket.send(Buffer.from(mode.garbage));
      }
    }
  }, betweenTicks);

  async function close() {
    clearInterval(ticking);
    for (const socket of server.clients) socket.terminate();
    await new Promise((resolve) => server.close(resolve));
  }
  onTestFinished(close);

  return {
    port: (server.address() as AddressInfo).port,
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** What it does, and does not do; may be changed at any time. */
    mode,
    /** The codes with which connections were closed. */
    closings,
    /** How many connections were made so far. */
    connections: () => connections,
    openConnections: () => open.size,
    /** Ends every connection in good order. */
    hangUp() {
      for (const socket of open.keys()) socket.close(1001);
    },
    /** Is gone from every connection without a word: nothing is sent or read any more, not even the end. */
    vanish() {
      for (const socket of open.keys()) {
        socket.pause();
        open.delete(socket);
      }
    },
    close,
  };
}
