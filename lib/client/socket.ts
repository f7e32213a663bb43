import type { Clock } from "./clock.ts";
import type { ServerMessage } from "./openapi.ts";

type Listener = (event: never) => void;

/** What this needs of the browser's WebSocket, or of the package ws. */
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
  /** Once, and nothing after it. `opened`: whether the service had accepted the connection. */
  onEnd(why: { code: "CLOSED" | "SILENT"; opened: boolean }): void;
};

/** A proxy may close a connection that is quiet for long; a ping owes a pong, which shows that nobody has cut it. */
const pingEveryMs = 60_000;
const answerWithinMs = 20_000;

/** One WebSocket connection, which ends when it is closed, or when it owes an answer for too long. */
export class Connection {
  readonly #socket: SocketLike;
  readonly #clock: Clock;
  readonly #events: ConnectionEvents;
  #opened = false;
  #ended = false;
  #cancel: () => void;

  /** @throws as the constructor of WebSocket does */
  constructor(
    { WebSocket, url, protocols }: { WebSocket: SocketConstructor; url: string; protocols: string[] },
    clock: Clock,
    events: ConnectionEvents,
  ) {
    this.#clock = clock;
    this.#events = events;
    this.#socket = new WebSocket(url, protocols);
    this.#cancel = clock.after(answerWithinMs, () => this.#end("SILENT"));
    this.#socket.onopen = () => this.#open();
    this.#socket.onmessage = ({ data }: { data: unknown }) => this.#take(data);
    this.#socket.onclose = () => this.#end("CLOSED");
    // A close follows. Without a listener, the package ws would throw.
    this.#socket.onerror = () => {};
  }

  send(message: object): void {
    if (this.#ended) return;
    this.#socket.send(JSON.stringify(message));
  }

  /** Ends it without an event. */
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
    const message = parsed(data);
    if (message?.type === "pong") this.#pingLater();
    if (message !== undefined) this.#events.onMessage(message);
  }

  #pingLater(): void {
    this.#cancel();
    this.#cancel = this.#clock.after(pingEveryMs, () => {
      this.send({ type: "ping" });
      this.#cancel = this.#clock.after(answerWithinMs, () => this.#end("SILENT"));
    });
  }

  #end(code: "CLOSED" | "SILENT"): void {
    if (this.#ended) return;
    this.close();
    this.#events.onEnd({ code, opened: this.#opened });
  }
}

function parsed(data: unknown): ServerMessage | undefined {
  try {
    const message: unknown = JSON.parse(String(data));
    return typeof message === "object" && message !== null && "type" in message
      ? (message as ServerMessage)
      : undefined;
  } catch {
    return undefined;
  }
}
