import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { openMarket, trade } from "./market.ts";
import { heartbeat, ticker } from "./messages.ts";
import { createSubscriber, type Subscriber } from "./subscriber.ts";

const betweenTradesMs = 100;
const betweenHeartbeatsMs = 1000;

export type SimulatedVenue = { url: string; close(): Promise<void> };

/**
 * Picks the port of a runner's venue. It is far from common ports and the same in every run, because the stacks contain
 * the port and could not be reused otherwise.
 *
 * @param runner A URL of the runner
 */
export function portBeside(runner: string): number {
  const port = Number(new URL(runner).port);
  return port < 45_536 ? port + 20_000 : port - 20_000;
}

/**
 * Starts a venue with invented prices on 127.0.0.1. It offers the public ticker and heartbeat channels of Coinbase
 * Exchange's feed, so that its clients also work with the real feed.
 *
 * @param port Preferred port. If it is in use, the venue takes any free port
 * @param subscribeWithinMs Longest time that a connection may stay without a subscription
 */
export async function startVenue({ port = 0, subscribeWithinMs = 5000 } = {}): Promise<SimulatedVenue> {
  const server = await listen(port).catch(() => listen(0));

  const market = openMarket();
  const subscribers = new Map<WebSocket, Subscriber>();
  const send = (socket: WebSocket, message: object) => socket.send(JSON.stringify(message));

  server.on("connection", (socket) => {
    const subscriber = createSubscriber((product) => market.has(product));
    subscribers.set(socket, subscriber);
    const tooLate = setTimeout(() => socket.close(), subscribeWithinMs);
    socket.on("error", () => socket.terminate());
    socket.on("close", () => {
      clearTimeout(tooLate);
      subscribers.delete(socket);
    });
    socket.on("message", (data) => {
      const { answer, added } = subscriber.request(String(data));
      send(socket, answer);
      if (subscriber.isSubscribed()) clearTimeout(tooLate);
      for (const product of added.flatMap((id) => market.get(id) ?? []))
        send(socket, ticker(product, new Date()));
    });
  });

  const trading = setInterval(() => {
    const products = [...market.values()];
    const product = products[Math.floor(Math.random() * products.length)];
    if (product === undefined) return;
    const traded = trade(product, Math.random());
    market.set(traded.id, traded);
    const message = ticker(traded, new Date());
    for (const [socket, subscriber] of subscribers)
      if (subscriber.has("ticker", traded.id)) send(socket, message);
  }, betweenTradesMs);

  const beating = setInterval(() => {
    for (const [socket, subscriber] of subscribers)
      for (const product of market.values())
        if (subscriber.has("heartbeat", product.id)) send(socket, heartbeat(product, new Date()));
  }, betweenHeartbeatsMs);

  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      clearInterval(trading);
      clearInterval(beating);
      const closed = once(server, "close");
      server.close();
      for (const socket of server.clients) socket.terminate();
      await closed;
    },
  };
}

async function listen(port: number): Promise<WebSocketServer> {
  const server = new WebSocketServer({ host: "127.0.0.1", port, maxPayload: 64 * 1024 });
  await once(server, "listening");
  return server;
}
