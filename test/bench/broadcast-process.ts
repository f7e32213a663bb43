/** The lower bound of a broadcast: a loop over the clients of a bare `ws` server. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";
import { say } from "./child.ts";
import { now } from "./statistics.ts";

export type BroadcastRequest = { message: string };
export type BroadcastAnswer = { sentAt: number };

const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
await once(server, "listening");

process.on("message", ({ message }: BroadcastRequest) => {
  const sentAt = now();
  for (const client of server.clients) client.send(message);
  say({ sentAt } satisfies BroadcastAnswer);
});

say({ url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}` });
