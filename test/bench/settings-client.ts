import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { WebSocket } from "ws";
import type { Service } from "./service.ts";
import { now } from "./statistics.ts";

/** A user's connection, and their changes of the settings for eth. */
export type SettingsClient = {
  /** Messages so far. */
  readonly received: number;
  /** Makes a change, as soon as the plan allows it. Returns which change it is, from 1 on. */
  change(): Promise<number>;
  /** When this version, or a later one, was received. Rejects if the connection closes before. */
  receipt(version: number): Promise<number>;
  close(): void;
};

/** The user may not have another connection. */
export class TooManyConnections extends Error {}

export async function openClient(service: Service, token: string): Promise<SettingsClient> {
  const headers = { Authorization: `Bearer ${token}` };
  const socket = new WebSocket(service.streamUrl, { headers });
  const latest = { version: 0, at: 0 };
  const waiting = new Set<() => void>();
  let [changes, received] = [0, 0];
  socket.on("message", (data) => {
    const event: { type: string; data: { version: number } } = JSON.parse(data.toString());
    if (event.type !== "TradingSettingsUpdated") return;
    received++;
    if (event.data.version <= latest.version) return;
    Object.assign(latest, { version: event.data.version, at: now() });
    for (const check of waiting) check();
  });
  socket.on("unexpected-response", (_, { statusCode }) => {
    socket.emit("error", statusCode === 429 ? new TooManyConnections() : new Error(`Status ${statusCode}`));
  });
  await once(socket, "open");

  return {
    get received() {
      return received;
    },
    async change() {
      for (;;) {
        const answer = await fetch(`${service.baseUrl}/updateTradingSettings/eth`, {
          method: "POST",
          headers: { ...headers, "Content-Type": "application/json" },
          body: JSON.stringify({ slippage: 1 + Math.floor(Math.random() * 1000) / 100 }),
        });
        await answer.arrayBuffer();
        if (answer.ok) return ++changes;
        if (answer.status !== 429) throw new Error(`A change of settings is answered by ${answer.status}`);
        await pause(1000 * Number(answer.headers.get("Retry-After") ?? 1));
      }
    },
    async receipt(version) {
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      const check = () => latest.version >= version && resolve(latest.at);
      const onClose = () => reject(new Error("The connection was closed"));
      waiting.add(check);
      socket.on("close", onClose);
      check();
      return promise.finally(() => {
        waiting.delete(check);
        socket.off("close", onClose);
      });
    },
    close() {
      socket.terminate();
    },
  };
}
