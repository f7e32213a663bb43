import { objectIn } from "./answer.ts";
import type { Clock } from "./clock.ts";
import type { ServerMessage } from "./openapi.ts";

type Listener = (event: never) => void;

/** Parts of a WebSocket that the client uses, in browsers and in the package ws. */
export type SocketLike = {
  send(text: string): void;
  close(code?: number): void;
  onopen: Listener | null;
  onmessage: Listener | null;
  onclose: Listener | null;
  onerror: Listener | null;
};

export type SocketConstructor = new (url: string, protocols?: string[]) => SocketLike;

export type ConnectionEvents = {
  onOpen(): void;
  onMessage(message: ServerMessage): void;
  /** Called once, as the last event. `opened` is true if the service accepted the connection. */
  onEnd(why: { code: "CLOSED" | "SILENT"; opened: boolean }): void;
};

/** Sends pings, because proxies may close quiet connections. A pong proves that the connection works. */
const usualPingMs = 60_000;
const answerWithinMs = 20_000;
/** Shorter time limit for the pong of a connection that may have broken unnoticed. */
const proofWithinMs = 3000;

type ConnectionOptions = {
  WebSocket: SocketConstructor;
  url: string;
  protocols: string[];
  /** If no message arrives for this time, the client sends a ping. By default, it sends a ping every minute. */
  quietMs?: number | undefined;
};

/** One WebSocket connection. It ends when it is closed or when a pong is overdue. */
export class Connection {
  readonly #socket: SocketLike;
  readonly #clock: Clock;
  readonly #events: ConnectionEvents;
  #opened = false;
  #ended = false;
  readonly #quietMs: number | undefined;
  #isPinging = false;
  #cancel: () => void;

  /** @throws the errors of the WebSocket constructor */
  constructor(
    { WebSocket, url, protocols, quietMs }: ConnectionOptions,
    clock: Clock,
    events: ConnectionEvents,
  ) {
    this.#clock = clock;
    this.#events = events;
    this.#quietMs = quietMs;
    this.#socket = new WebSocket(url, protocols);
    this.#cancel = clock.after(answerWithinMs, () => this.#end("SILENT"));
    this.#socket.onopen = () => this.#open();
    this.#socket.onmessage = ({ data }: { data: unknown }) => this.#take(data);
    this.#socket.onclose = () => this.#end("CLOSED");
    // Handles errors, because the package ws throws without a listener. A close event follows.
    this.#socket.onerror = () => {};
  }

  /** Drops messages while the connection is closed, because everything needed is sent once it opens. */
  send(message: object): void {
    if (this.#ended || !this.#opened) return;
    this.#socket.send(JSON.stringify(message));
  }

  /** Ends the connection unless a pong arrives soon. */
  probe(): void {
    if (this.#opened) this.#ping(proofWithinMs);
  }

  /** Ends the connection without an event. */
  close(): void {
    this.#ended = true;
    this.#cancel();
    this.#socket.close(1000);
  }

  #open(): void {
    if (this.#ended) return;
    this.#opened = true;
    this.#pingLater();
    this.#events.onOpen();
  }

  #take(data: unknown): void {
    if (this.#ended) return;
    const message = objectIn(String(data)) as ServerMessage | undefined;
    if (message?.type === "pong" || (this.#quietMs !== undefined && !this.#isPinging)) this.#pingLater();
    if (message?.type !== undefined) this.#events.onMessage(message);
  }

  #pingLater(): void {
    this.#isPinging = false;
    this.#cancel();
    this.#cancel = this.#clock.after(this.#quietMs ?? usualPingMs, () => this.#ping(answerWithinMs));
  }

  #ping(withinMs: number): void {
    this.#isPinging = true;
    this.#cancel();
    this.#cancel = this.#clock.after(withinMs, () => this.#end("SILENT"));
    this.send({ type: "ping" });
  }

  #end(code: "CLOSED" | "SILENT"): void {
    if (this.#ended) return;
    this.close();
    this.#events.onEnd({ code, opened: this.#opened });
  }
}
