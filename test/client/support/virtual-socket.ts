import type { Clock } from "../../../lib/client/clock.ts";
import type { SocketConstructor, SocketLike } from "../../../lib/client/socket.ts";
import type { FaultyService, Link } from "./faulty-service.ts";

type Listener = (event: never) => void;

/** WebSockets to a service of the same process. */
export function virtualSockets(service: FaultyService, clock: Clock): SocketConstructor {
  return class implements SocketLike {
    onopen: Listener | null = null;
    onmessage: Listener | null = null;
    onclose: Listener | null = null;
    onerror: Listener | null = null;
    #link: Link | undefined;

    constructor() {
      clock.after(20, () => {
        const handshake = service.handshake();
        if (handshake === "refused") this.onclose?.({} as never);
        if (handshake !== "accepted") return;
        this.#link = service.connect({
          deliver: (data) => this.onmessage?.({ data } as never),
          drop: () => this.onclose?.({} as never),
        });
        this.onopen?.({} as never);
      });
    }

    send(text: string): void {
      if (this.#link !== undefined) service.receive(this.#link, text);
    }

    close(): void {
      if (this.#link !== undefined) this.#link.isOpen = false;
    }
  };
}
