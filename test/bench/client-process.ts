/** A process whose clients receive prices and record the arrival times. */
import { once } from "node:events";
import { WebSocket } from "ws";
import { say } from "./child.ts";
import { now } from "./statistics.ts";

export type ClientRequest =
  | { do: "connect"; url: string; clients: number; tokens: readonly string[]; subscribe: boolean }
  | { do: "count" }
  | { do: "report" };

/** Arrival times of the tick with this `asOf`, one for each client. Duplicates are counted separately. */
export type TickReport = { asOf: string; receivedAt: number[]; duplicates: number };

export type ClientAnswer = { messages: number; ticks: TickReport[]; closed: number };

/** Maximum number of concurrent handshakes. */
const concurrency = 16;

const ticks = new Map<string, TickReport>();
let messages = 0;
let closed = 0;

async function open(request: Extract<ClientRequest, { do: "connect" }>, index: number): Promise<void> {
  const { url, tokens, subscribe } = request;
  const token = tokens[index % tokens.length];
  const socket = new WebSocket(url, {
    perMessageDeflate: false,
    headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
  });
  const seen = new Set<string>();
  const ready = Promise.withResolvers<void>();
  socket.on("message", (data) => {
    const receivedAt = now();
    const message = JSON.parse(data.toString());
    if (message.type === "snapshot") return ready.resolve();
    if (message.type === "update") note(message.data[0].asOf, receivedAt, seen);
  });
  socket.on("close", () => {
    closed++;
    ready.reject(new Error("A client lost its connection"));
  });
  await once(socket, "open");
  if (!subscribe) return;
  socket.send(JSON.stringify({ type: "subscribe", channels: ["prices"] }));
  await ready.promise;
}

function note(asOf: string, receivedAt: number, seen: Set<string>): void {
  const tick = ticks.get(asOf) ?? { asOf, receivedAt: [], duplicates: 0 };
  ticks.set(asOf, tick);
  messages++;
  if (seen.has(asOf)) {
    tick.duplicates++;
    return;
  }
  seen.add(asOf);
  tick.receivedAt.push(receivedAt);
}

async function connect(request: Extract<ClientRequest, { do: "connect" }>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < request.clients) await open(request, next++);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

process.on("message", async (request: ClientRequest) => {
  if (request.do === "connect") await connect(request);
  const report = request.do === "report" ? [...ticks.values()] : [];
  say({ messages, ticks: report, closed } satisfies ClientAnswer);
});

say({});
