import type { Asset } from "../domain/price.ts";
import type { Unreadable, Venue, VenueEvent } from "./venue.ts";

/** Hears what a feed says, and what is wrong with it. */
export type Ear = {
  price(told: { asset: Asset; price: string; asOf: Date | undefined }): void;
  /** A product that the venue does not tell the price of. It may be named again. */
  absent(product: { asset: Asset; product: string; reason: "refused" | "not acknowledged" }): void;
  fault(what: FeedFault): void;
};

export type FeedFault = Unreadable | "closed" | "silent" | "request refused";

/**
 * What is said to a venue and heard from it over one connection, apart from the socket.
 *
 * @param refused products that the venue does not have. They are not asked for, and new ones are added.
 */
export function dialogue({ products, subscribe, read }: Venue, refused: Set<string>, ear: Ear) {
  const wanted = new Map(Object.entries(products).map(([asset, product]) => [product, asset as Asset]));
  const unconfirmed = new Set([...wanted.keys()].filter((product) => !refused.has(product)));

  function absent(product: string, reason: "refused" | "not acknowledged") {
    const asset = wanted.get(product);
    if (asset !== undefined) ear.absent({ asset, product, reason });
  }

  function hear(event: VenueEvent) {
    switch (event.kind) {
      case "price": {
        const asset = wanted.get(event.product);
        unconfirmed.delete(event.product);
        if (asset !== undefined) ear.price({ asset, price: event.price, asOf: event.asOf });
        return;
      }
      case "acknowledged":
        for (const product of event.products) unconfirmed.delete(product);
        return;
      case "refused":
        if (event.product === undefined || !wanted.has(event.product)) return ear.fault("request refused");
        unconfirmed.delete(event.product);
        refused.add(event.product);
        return absent(event.product, "refused");
      case "unreadable":
        return ear.fault(event.what);
    }
  }

  return {
    /** What to send once the connection is open. */
    requests: () => [...unconfirmed].map(subscribe),

    /** Takes in a message. @returns whether it was any use, if only to show that the venue is there. */
    hear(data: unknown): boolean {
      const events = eventsOf(data, read);
      for (const event of events) hear(event);
      return events.length === 0 || events.some(({ kind }) => kind !== "unreadable");
    },

    /** To be called when the venue has had the time to acknowledge: tells what it has left out. */
    overdue() {
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
