/**
 * A process whose clients receive markets. It parses messages only when it reports, because parsing would delay their
 * receipt.
 */
import { once } from "node:events";
import { WebSocket } from "ws";
import { say } from "./child.ts";
import type { MarketReceipt } from "./market-outcome.ts";
import { now } from "./statistics.ts";

/** Clients of one user, and the message with which they subscribe. Without a message, they only listen. */
export type MarketGroup = { clients: number; authorization?: string; subscribe?: string };

export type MarketClientRequest =
  | { do: "connect"; url: string; groups: readonly MarketGroup[] }
  /** Forgets what was received. */
  | { do: "begin" }
  | { do: "count" }
  | { do: "report" };

export type MarketClientAnswer = {
  messages: number;
  closed: number;
  /** Received messages of each client, grouped by user. */
  receipts: MarketReceipt[][];
  /** Texts of the messages to each group's first client. */
  samples: string[][];
};

/** Maximum number of concurrent handshakes. */
const concurrency = 16;

type Client = { group: number; received: { at: number; data: Buffer }[] };

const clients: Client[] = [];
let closed = 0;

async function open(url: string, { authorization, subscribe }: MarketGroup, group: number): Promise<void> {
  const headers = authorization === undefined ? {} : { Authorization: authorization };
  const socket = new WebSocket(url, { perMessageDeflate: false, headers });
  const client: Client = { group, received: [] };
  clients.push(client);
  socket.on("message", (data: Buffer) => client.received.push({ at: now(), data }));
  socket.on("close", () => closed++);
  await once(socket, "open");
  if (subscribe === undefined) return;
  socket.send(subscribe);
  await once(socket, "message");
}

async function connect(url: string, groups: readonly MarketGroup[]): Promise<void> {
  const left = groups.flatMap((group, index) => Array.from({ length: group.clients }, () => index));
  const work = async () => {
    for (let index = left.pop(); index !== undefined; index = left.pop())
      await open(url, groups[index] as MarketGroup, index);
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  clients.sort((one, other) => one.group - other.group);
}

type Update = {
  type: string;
  time: string;
  data: readonly { token?: string; revision: number; block: number }[];
};

/** Extracts the updates from a client's messages. */
const updatesOf = ({ received }: Client) =>
  received.flatMap(({ at, data }) => {
    const text = data.toString();
    const update = JSON.parse(text) as Update;
    return update.type === "update" ? [{ at, text, bytes: data.length, update }] : [];
  });

function report(): Pick<MarketClientAnswer, "receipts" | "samples"> {
  const firsts = clients.filter(({ group }, index) => clients[index - 1]?.group !== group);
  return {
    receipts: clients.map((client) =>
      updatesOf(client).map(({ at, bytes, update }) => ({
        at,
        bytes,
        sentAt: Date.parse(update.time),
        markets: update.data.flatMap(({ token, revision, block }) =>
          token === undefined ? [] : [{ token, revision, block }],
        ),
      })),
    ),
    samples: firsts.map((client) => updatesOf(client).map(({ text }) => text)),
  };
}

process.on("message", async (request: MarketClientRequest) => {
  if (request.do === "connect") await connect(request.url, request.groups);
  if (request.do === "begin") for (const client of clients) client.received = [];
  const messages = clients.reduce((sum, { received }) => sum + received.length, 0);
  const details = request.do === "report" ? report() : { receipts: [], samples: [] };
  say({ messages, closed, ...details } satisfies MarketClientAnswer);
});

say({});
