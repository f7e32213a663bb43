import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { WebSocket } from "ws";
import { json } from "../http/messages.ts";
import { listen } from "../http/server.ts";
import { type Connection, openConnection, type StreamLimits } from "./connection.ts";
import type { Peer } from "./events.ts";
import { createUpgrade, type ForwardedUpgrade, upgradeRequired } from "./upgrade.ts";
import type { WebSocketApi } from "./websocket-api.ts";

type SocketApi = Omit<WebSocketApi, "place">;

/** Serves the sockets of a WebSocket API. */
export type StreamServer = {
  /** URL, for example `ws://127.0.0.1:3001`. */
  url: string;
  /** Finds an open connection by its id. */
  find: (connectionId: string) => Connection | undefined;
  /** Takes over an upgrade request that another server received. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, forwarded?: ForwardedUpgrade): void;
  /** Starts admitting clients. Until then they get a 503. */
  serve(api: SocketApi): void;
  /** Closes all connections and gives the functions of `$disconnect` a moment to run. */
  close(): Promise<void>;
};

const ABNORMAL = 1006;
const GOING_AWAY = [1001, "Going away"] as const;
const STOP_MS = 1000;

const starting = json(503, { message: "The runner is starting" }, ["Retry-After", "1"]);

/**
 * Listens on a port of 127.0.0.1, even before there is an API to serve. Port 0 stands for any free port.
 *
 * @throws {StartupError} if the port is in use or this process may not use it
 */
export async function openStreamServer(
  port: number,
  limits: StreamLimits,
  onFault: (error: unknown) => void,
): Promise<StreamServer> {
  let api: SocketApi | undefined;
  const connections = new Map<string, Connection>();
  const sockets = new Set<Duplex>();
  /** Promises of open connections. Each resolves when the function of `$disconnect` has run. */
  const ends = new Set<Promise<void>>();

  const upgrade = createUpgrade({
    limits,
    connect: async (request) => (await api?.connect(request)) ?? { refusal: starting },
    onOpen: open,
    // Runs $disconnect, because the function of $connect has already run for this client.
    onLost: (peer) => void disconnect(peer, ABNORMAL, ""),
    onFault,
  });
  const take: StreamServer["upgrade"] = (request, socket, head, forwarded) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    upgrade(request, socket, head, forwarded);
  };
  const listener = await listen(port, async () => upgradeRequired, onFault, {
    option: "--stream-port",
    upgrade: take,
  });

  async function disconnect(peer: Peer, code: number, reason: string): Promise<void> {
    await api?.disconnect(peer, code, reason).catch(onFault);
  }

  function open(websocket: WebSocket, socket: Duplex, peer: Peer): void {
    const end = Promise.withResolvers<void>();
    ends.add(end.promise);
    const connection = openConnection(websocket, socket, peer, limits, {
      onMessage(body) {
        api?.message(peer, body).then((answer) => answer !== undefined && connection.send(answer), onFault);
      },
      async onClose(code, reason) {
        connections.delete(peer.connectionId);
        await disconnect(peer, code, reason);
        ends.delete(end.promise);
        end.resolve();
      },
    });
    connections.set(peer.connectionId, connection);
  }

  async function closeAll(): Promise<void> {
    const closed = listener.close();
    for (const connection of connections.values()) connection.close(...GOING_AWAY);
    await Promise.race([Promise.all(ends), delay(STOP_MS, undefined, { ref: false })]);
    api = undefined;
    for (const socket of sockets) socket.destroy();
    await closed;
  }
  let closing: Promise<void> | undefined;

  return {
    url: listener.url.replace("http:", "ws:"),
    upgrade: take,
    find(connectionId) {
      const connection = connections.get(connectionId);
      return connection?.isOpen ? connection : undefined;
    },
    serve(opened) {
      api = opened;
    },
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
}
