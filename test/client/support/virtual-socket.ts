import type { Clock } from "../../../lib/client/clock.ts";
import type { SocketConstructor, SocketLike } from "../../../lib/client/socket.ts";
import type { FaultyService, Link } from "./faulty-service.ts";

type Listener = (event: { data?: unknown }) => void;

/** WebSockets to a service of the same process. */
export function virtualSockets(service: FaultyService, clock: Clock): SocketConstructor {
  return class implements SocketLike {
    readonly #listeners: [string, Listener][] = [];
    #link: Link | undefined;

    constructor() {
      clock.after(20, () => {
        const handshake = service.handshake();
        if (handshake === "refused") this.#emit("close");
        if (handshake !== "accepted") return;
        this.#link = service.connect({
          deliver: (data) => this.#emit("message", { data }),
          drop: () => this.#emit("close"),
        });
        this.#emit("open");
      });
    }

    addEventListener(type: string, listener: (event: never) => void): void {
      this.#listeners.push([type, listener as Listener]);
    }

    send(text: string): void {
      if (this.#link !== undefined) service.receive(this.#link, text);
    }

    close(): void {
      if (this.#link !== undefined) this.#link.isOpen = false;
    }

    #emit(type: string, event: { data?: unknown } = {}): void {
      for (const [listened, listener] of this.#listeners) if (listened === type) listener(event);
    }
  };
}
