import {
  createTerminal,
  type FollowOptions,
  type StreamStatus,
  type TerminalOptions,
} from "trading-terminal-client";
import type { SocketLike } from "../../../lib/client/socket.ts";
import { VirtualClock } from "./virtual-clock.ts";

type Listener = (event: never) => void;

/** A socket controlled by a test. */
export class ScriptedSocket implements SocketLike {
  readonly sent: Record<string, unknown>[] = [];
  isClosed = false;
  readonly url: string;
  readonly protocols: string[];
  onopen: Listener | null = null;
  onmessage: Listener | null = null;
  onclose: Listener | null = null;
  onerror: Listener | null = null;

  constructor(url: string, protocols: string[]) {
    this.url = url;
    this.protocols = protocols;
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }

  close(): void {
    this.isClosed = true;
  }

  emit(type: "open" | "close"): void {
    this[`on${type}`]?.({} as never);
  }

  message(message: object | string): void {
    const data = typeof message === "string" ? message : JSON.stringify(message);
    this.onmessage?.({ data } as never);
  }

  snapshot(channel: string, data: object[] = [], more: object = {}): void {
    this.message({ type: "snapshot", channel, time: "now", data, ...more });
  }
}

/** Opens a stream of orders on a service that does nothing by itself. */
export async function silent(
  options: Partial<FollowOptions> = {},
  more: Partial<TerminalOptions> = {},
  create: typeof createTerminal = createTerminal,
) {
  const clock = new VirtualClock();
  const sockets: ScriptedSocket[] = [];
  const statuses: StreamStatus[] = [];
  const asked: string[] = [];
  const terminal = create(
    {
      baseUrl: "https://host/api/",
      token: async ({ refresh }) => (refresh ? "new" : "old"),
      WebSocket: class extends ScriptedSocket {
        constructor(url: string, protocols: string[] = []) {
          super(url, protocols);
          sockets.push(this);
        }
      },
      fetch: async (url) => {
        asked.push(new URL(String(url)).pathname);
        return Response.json({});
      },
      ...more,
    },
    clock,
  );
  const stream = terminal.follow({
    channels: ["orders"],
    onStatus: (status) => statuses.push(status),
    ...options,
  });
  await clock.advance(0);
  const socket = () => {
    const last = sockets.at(-1);
    if (last === undefined) throw new Error("There is no socket");
    return last;
  };
  return { terminal, stream, clock, sockets, socket, statuses, asked };
}
