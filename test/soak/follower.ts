import { setTimeout as pause } from "node:timers/promises";
import { WebSocket } from "ws";
import type { Patch } from "./model.ts";
import type { Service } from "./service.ts";

/** A client that follows its user's data as docs/streams.md describes. */
export type Follower = {
  /** Versions of orders and positions by id. */
  executions(): ReadonlyMap<string, number>;
  /** Known settings by chain. */
  settings(): ReadonlyMap<string, Patch>;
  /** True once connected and subscribed with the settings loaded. */
  isReady(): boolean;
  /** Time of the newest price, in milliseconds since the epoch. */
  pricesAsOf(): number;
  /** Unsubscribes from prices, then subscribes to everything again. */
  fidget(): void;
  counts: FollowerCounts;
  stop(): void;
};

export type FollowerCounts = { connections: number; refusals: number; closes: number; messages: number };

type Execution = { orderId?: string; positionId?: string; version: number };
type Message = {
  type?: string;
  id?: number | string;
  channel?: string;
  more?: boolean;
  data?: unknown;
};

const channels = ["orders", "positions", "prices"];

/** Milliseconds to wait for snapshots and settings before asking again. */
const askAgainMs = 2500;
/** Milliseconds to wait for a reply before reconnecting. */
const answerMs = 5000;
/** First pause before reconnecting, in milliseconds. Doubles with each refusal. */
const reconnectMs = 300;
const maxReconnectMs = 3000;

const chainNames = { ethereum: "eth", solana: "sol", base: "base" } as const;

/**
 * Follows a user's data with a test client.
 *
 * @param check called with each text sent to the user and the settings in it
 */
export function follow(
  service: Service,
  user: { token: string },
  check: (text: string, settings: Patch | undefined) => void,
): Follower {
  const counts: FollowerCounts = { connections: 0, refusals: 0, closes: 0, messages: 0 };
  const { target } = service;
  let stopped = false;
  let socket: WebSocket | undefined;
  let state = newState();

  void (async () => {
    let pauseMs = reconnectMs;
    while (!stopped) {
      pauseMs = (await lifeOfConnection()) ? reconnectMs : Math.min(2 * pauseMs, maxReconnectMs);
      if (!stopped) await pause(pauseMs, undefined, { ref: false });
    }
  })();

  /** Runs one connection until it closes. Returns false if it was refused. */
  async function lifeOfConnection(): Promise<boolean> {
    let opened = false;
    const own = newState();
    const connection = new WebSocket(target.streamUrl, {
      headers: { Authorization: `Bearer ${user.token}` },
    });
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    connection.on("error", () => end());
    connection.on("close", () => end());
    connection.on("unexpected-response", (request) => {
      counts.refusals++;
      request.destroy();
      end();
    });
    connection.on("message", (data) => {
      const text = data.toString();
      counts.messages++;
      target.keep(text);
      const message = JSON.parse(text) as Message;
      check(text, settingsOf(message));
      take(own, message);
    });
    connection.on("open", () => {
      opened = true;
      counts.connections++;
      // Drops the data of earlier connections.
      state = own;
      socket = connection;
      void prepare(own, connection);
    });
    await ended;
    if (socket === connection) {
      if (!stopped) counts.closes++;
      socket = undefined;
    }
    connection.terminate();
    return opened;
  }

  /** Subscribes and loads the settings until both have succeeded. */
  async function prepare(own: State, connection: WebSocket): Promise<void> {
    while (connection.readyState === WebSocket.OPEN && !(own.settingsRead && own.awaited.size === 0)) {
      if (own.awaited.size > 0) ask(own, connection, "subscribe", [...own.awaited]);
      const answer = own.settingsRead ? undefined : await service.send(user, "GET", "/getUserData");
      if (answer !== undefined) check(answer.text, undefined);
      if (answer?.status === 200) readSettings(own, answer.json);
      await pause(own.settingsRead && own.awaited.size === 0 ? 0 : askAgainMs, undefined, { ref: false });
    }
  }

  async function resubscribe(own: State, connection: WebSocket): Promise<void> {
    for (const channel of channels) own.awaited.add(channel);
    connection.send(JSON.stringify({ type: "ping", id: "p" }));
    own.since = ask(own, connection, "unsubscribe", ["prices"]);
    // Waits for a reply before the next message, because the service may handle a connection's messages concurrently.
    for (let waitedMs = 0; waitedMs < answerMs && own.answered < own.since; waitedMs += 50) await pause(50);
    // Disconnects without a reply, because the service might still unsubscribe the client later.
    if (own.answered < own.since) connection.terminate();
    else await prepare(own, connection);
  }

  return {
    executions: () => state.executions,
    settings: () => new Map([...state.settings].map(([chain, { values }]) => [chain, values])),
    isReady: () => socket !== undefined && state.settingsRead && state.awaited.size === 0,
    pricesAsOf: () => state.pricesAsOf,
    counts,
    fidget() {
      if (socket?.readyState !== WebSocket.OPEN || state.awaited.size > 0) return;
      void resubscribe(state, socket);
    },
    stop() {
      stopped = true;
      socket?.terminate();
    },
  };
}

type State = {
  executions: Map<string, number>;
  /** Settings by chain. Values read over HTTP have version 0, so that any event replaces them. */
  settings: Map<string, { version: number; values: Patch }>;
  settingsRead: boolean;
  /** Channels with incomplete snapshots. */
  awaited: Set<string>;
  /** Ids of the last request, the last unsubscribe and the last reply. */
  asked: number;
  since: number;
  answered: number;
  pricesAsOf: number;
};

const newState = (): State => ({
  executions: new Map(),
  settings: new Map(),
  settingsRead: false,
  awaited: new Set(channels),
  asked: 0,
  since: 0,
  answered: 0,
  pricesAsOf: 0,
});

/** Sends a request and returns its id. */
function ask(state: State, socket: WebSocket, type: "subscribe" | "unsubscribe", wanted: string[]): number {
  state.asked++;
  socket.send(JSON.stringify({ type, id: state.asked, channels: wanted }));
  return state.asked;
}

const settingsOf = ({ type, data }: Message): Patch | undefined =>
  type === "TradingSettingsUpdated" ? (data as { settings: Patch }).settings : undefined;

function take(state: State, { type, id, channel = "", more, data }: Message): void {
  if (type === "subscriptions") state.answered = Math.max(state.answered, Number(id));
  if (type === "TradingSettingsUpdated") {
    const { chain, version, settings } = data as { chain: string; version: number; settings: Patch };
    if (version > (state.settings.get(chain)?.version ?? 0))
      state.settings.set(chain, { version, values: settings });
  }
  if (type !== "update" && type !== "snapshot") return;
  // Ignores snapshots from before the last unsubscribe, which do not confirm the new subscription.
  if (type === "snapshot" && more !== true && state.answered > state.since) state.awaited.delete(channel);
  if (channel === "prices") {
    for (const { asOf } of data as { asOf: string }[])
      state.pricesAsOf = Math.max(state.pricesAsOf, Date.parse(asOf));
    return;
  }
  for (const { orderId, positionId, version } of data as Execution[]) {
    const id = orderId ?? positionId ?? "";
    state.executions.set(id, Math.max(version, state.executions.get(id) ?? 0));
  }
}

function readSettings(state: State, profile: unknown): void {
  for (const [chain, values] of settingsIn(profile))
    if (!state.settings.has(chain)) state.settings.set(chain, { version: 0, values });
  state.settingsRead = true;
}

/** Extracts the settings of each chain from a response of getUserData. */
export function settingsIn(profile: unknown): [chain: string, Patch][] {
  const { tradingSettings } = profile as { tradingSettings: Record<keyof typeof chainNames, Patch> };
  return Object.entries(chainNames).map(([name, chain]) => [
    chain,
    tradingSettings[name as keyof typeof chainNames],
  ]);
}
