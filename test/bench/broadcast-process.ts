/** The lower bound for the duration of a broadcast: a loop over the clients of a plain `ws` server. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";
import { say } from "./child.ts";
import { now } from "./statistics.ts";

/** Messages to broadcast one after another. */
export type BroadcastRequest = { messages: readonly string[] };
export type BroadcastAnswer = { sentAt: number };

const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
await once(server, "listening");

process.on("message", ({ messages }: BroadcastRequest) => {
  const sentAt = now();
  let index = 0;
  for (const client of server.clients) client.send(messages[index++ % messages.length] as string);
  say({ sentAt } satisfies BroadcastAnswer);
});

say({ url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}` });
