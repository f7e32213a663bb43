import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { WebSocket } from "ws";
import type { Service } from "./service.ts";
import { now, type Spread, spreadOf } from "./statistics.ts";

type Event = { type: string; data: { version: number } };

/** Time between changes, so that a user's plan of 1,000 requests a minute allows all of them. */
const pauseMs = 70;

/** Measures consecutive changes of settings, each in milliseconds from the response to the event. */
export async function settingsLatency(service: Service, changes: number): Promise<Spread> {
  const token = await service.token("benchmark-settings");
  const headers = { Authorization: `Bearer ${token}` };
  const socket = new WebSocket(service.streamUrl, { headers });
  await once(socket, "open");

  const change = async (version: number) => {
    const answer = await fetch(`${service.baseUrl}/updateTradingSettings/eth`, {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json" },
      body: JSON.stringify({ slippage: (1000 + version) / 1000 }),
    });
    await answer.json();
    if (!answer.ok) throw new Error(`A change of settings answered ${answer.status}`);
    return now();
  };
  const latencies: number[] = [];
  // Skips the first change, which starts processes.
  for (let version = 1; version <= 1 + changes; version++) {
    const [answeredAt, receivedAt] = await Promise.all([change(version), receiptOf(socket, version)]);
    if (version > 1) latencies.push(receivedAt - answeredAt);
    await setTimeout(pauseMs);
  }
  socket.terminate();
  return spreadOf(latencies);
}

function receiptOf(socket: WebSocket, version: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const onMessage = (data: Buffer) => {
    const receivedAt = now();
    const event: Event = JSON.parse(data.toString());
    if (event.type !== "TradingSettingsUpdated" || event.data.version !== version) return;
    socket.off("message", onMessage).off("close", onClose);
    resolve(receivedAt);
  };
  const onClose = () => reject(new Error("The connection was closed"));
  socket.on("message", onMessage).on("close", onClose);
  return promise;
}
