import type { Quote, Timings } from "./feed-state.ts";
import type { Asset } from "./price.ts";
import type { Unreadable, Venue, VenueEvent } from "./venues/protocol.ts";

/** A product for which the venue has no price. */
export type AbsentProduct = { asset: Asset; product: string; reason: "refused" | "not acknowledged" };

/** Reason for the end of a connection. `silent` means that no readable message came for too long. */
export type Ending = "closed" | "silent";

export type FeedFault = Unreadable | Ending | "request refused";

/** Receives a feed's data. */
export type FeedListener = {
  quote(quote: Quote): void;
  /** Reports a product without a price. May be called several times for one product. */
  absent(product: AbsentProduct): void;
  fault(fault: FeedFault): void;
};

/** Session of one connection. Handles its messages, but not the socket. */
export type Session = ReturnType<typeof feedSession>;

/**
 * Subscribes to a venue's products, and passes its messages to the listener.
 *
 * @param refused Products that the venue has refused before. They are not requested again. New refusals are added.
 */
export function feedSession(
  { products, subscribe, read }: Venue,
  refused: Set<string>,
  listener: FeedListener,
) {
  const wanted = new Map(Object.entries(products).map(([asset, product]) => [product, asset as Asset]));
  const unconfirmed = new Set([...wanted.keys()].filter((product) => !refused.has(product)));

  function absent(product: string, reason: AbsentProduct["reason"]) {
    const asset = wanted.get(product);
    if (asset !== undefined) listener.absent({ asset, product, reason });
  }

  function handle(event: VenueEvent) {
    switch (event.kind) {
      case "price": {
        const asset = wanted.get(event.product);
        unconfirmed.delete(event.product);
        if (asset !== undefined) listener.quote({ asset, price: event.price, asOf: event.asOf });
        return;
      }
      case "acknowledged":
        for (const product of event.products) unconfirmed.delete(product);
        return;
      case "refused":
        if (event.product === undefined || !wanted.has(event.product))
          return listener.fault("request refused");
        unconfirmed.delete(event.product);
        refused.add(event.product);
        return absent(event.product, "refused");
      case "unreadable":
        return listener.fault(event.what);
    }
  }

  return {
    /** Lists the messages to send when the connection is open. */
    requests: () => [...unconfirmed].map(subscribe),

    /** Returns true if the message was readable, which proves that the connection works. */
    receive(data: unknown): boolean {
      const events = eventsOf(data, read);
      for (const event of events) handle(event);
      return events.length === 0 || events.some(({ kind }) => kind !== "unreadable");
    },

    /**
     * Reports the products that the venue has not acknowledged. Call it once the venue has had enough time to do so.
     */
    reportUnacknowledged() {
      for (const product of unconfirmed) absent(product, "not acknowledged");
    },
  };
}

function eventsOf(data: unknown, read: Venue["read"]): readonly VenueEvent[] {
  if (typeof data !== "string") return [{ kind: "unreadable", what: "not text" }];
  let message: unknown;
  try {
    message = JSON.parse(data);
  } catch {
    return [{ kind: "unreadable", what: "not JSON" }];
  }
  if (typeof message !== "object" || message === null) return [{ kind: "unreadable", what: "not a message" }];
  return read(message);
}

export type OpenSocket = (url: string) => WebSocket;

export type ConnectionOptions = {
  session: Session;
  open: OpenSocket;
  /** Closes the connection with code 1000 when aborted. */
  signal: AbortSignal;
  timings: Pick<Timings, "silenceMs" | "closingMs">;
};

/**
 * Connects, and runs the session until the connection ends. Never throws. If no readable message comes for too long,
 * the connection counts as `silent`, even while it is being opened: the peer may have disappeared without closing,
 * which TCP alone detects only after minutes.
 */
export function runConnection(url: string, { session, open, signal, timings }: ConnectionOptions) {
  return new Promise<Ending>((resolve) => {
    const listening = new AbortController();
    const timers = new Set<NodeJS.Timeout>();
    const after = (delayMs: number, act: () => void) => {
      const timer = setTimeout(act, delayMs);
      timers.add(timer);
      return timer;
    };
    const end = (how: Ending) => {
      listening.abort();
      for (const timer of timers) clearTimeout(timer);
      resolve(how);
    };

    let socket: WebSocket;
    try {
      socket = open(url);
    } catch {
      return end("closed");
    }
    const silence = after(timings.silenceMs, () => {
      // Ends at once, because a dead peer never confirms the close. The operating system drops the connection later.
      socket.close();
      end("silent");
    });
    const on = { signal: listening.signal };
    socket.addEventListener(
      "open",
      () => {
        silence.refresh();
        for (const request of session.requests()) socket.send(request);
        after(timings.silenceMs, () => session.reportUnacknowledged());
      },
      on,
    );
    socket.addEventListener("message", ({ data }) => void (session.receive(data) && silence.refresh()), on);
    // Waits for the close event, which follows every error event.
    socket.addEventListener("close", () => end("closed"), on);
    const leave = () => {
      socket.close(1000);
      after(timings.closingMs, () => end("closed"));
    };
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, on);
  });
}
