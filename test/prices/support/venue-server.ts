import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { TestContext } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";

/** Protocol of a venue. */
export type Protocol = {
  answer(message: Record<string, unknown>, say: (message: object) => void, subscribed: Set<string>): void;
  /** Makes the message that carries a price. */
  price(product: string, price: number): object;
  heartbeats(products: readonly string[]): object[];
};

export type VenueServer = Awaited<ReturnType<typeof startServer>>;

const tickMs = 20;

/** Starts a venue on 127.0.0.1 with faults that a test can switch on. It stops when the test ends. */
export async function startServer(test: TestContext, protocol: Protocol, port = 0) {
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
      if (mode.answers) protocol.answer(JSON.parse(String(data)), say, subscribed);
    });
  });

  const ticking = setInterval(() => {
    ticks++;
    for (const [socket, subscribed] of open) {
      const prices = [...subscribed].map((product) => protocol.price(product, 100 + ticks / 100));
      if (mode.prices) for (const message of prices) socket.send(JSON.stringify(message));
      if (mode.heartbeats)
        for (const message of protocol.heartbeats([...subscribed])) socket.send(JSON.stringify(message));
      if (mode.garbage !== undefined) {
        socket.send(mode.garbage);
        socket.send(Buffer.from(mode.garbage));
      }
    }
  }, tickMs);

  async function close() {
    clearInterval(ticking);
    for (const socket of server.clients) socket.terminate();
    await new Promise((resolve) => server.close(resolve));
  }
  test.onTestFinished(close);

  return {
    port: (server.address() as AddressInfo).port,
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Behaviour of the venue, which a test may change at any time. */
    mode,
    /** Close codes of all closed connections. */
    closings,
    connections: () => connections,
    openConnections: () => open.size,
    /** Closes every connection with code 1001. */
    hangUp() {
      for (const socket of open.keys()) socket.close(1001);
    },
    /** Falls silent on every connection without closing it: neither sends nor reads any longer. */
    vanish() {
      for (const socket of open.keys()) {
        socket.pause();
        open.delete(socket);
      }
    },
    close,
  };
}
