import { objectIn } from "./answer.ts";
import type { Clock } from "./clock.ts";
import type { ServerMessage } from "./openapi.ts";

type Listener = (event: never) => void;

/** The used part of the browser's WebSocket, or of the package ws. */
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
  /** Called once, as the last event. `opened` is true if the service had accepted the connection. */
  onEnd(why: { code: "CLOSED" | "SILENT"; opened: boolean }): void;
};

/** Proxies may close connections that stay quiet. A ping demands a pong, which proves that the connection works. */
const usualPingMs = 60_000;
const answerWithinMs = 20_000;
/** The limit is shorter if the connection may have broken unnoticed. */
const proofWithinMs = 3000;

type ConnectionOptions = {
  WebSocket: SocketConstructor;
  url: string;
  protocols: string[];
  /** The time without a message after which a ping is sent. By default, one is sent each minute. */
  quietMs?: number | undefined;
};

/** One WebSocket connection. It ends when it is closed, or when a response is overdue. */
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
    // A close event follows. Without a listener, the package ws would throw.
    this.#socket.onerror = () => {};
  }

  /** Drops messages while the connection is closed, because it sends all it needs when it opens. */
  send(message: object): void {
    if (this.#ended || !this.#opened) return;
    this.#socket.send(JSON.stringify(message));
  }

  /** Ends the connection unless a pong comes soon. */
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
