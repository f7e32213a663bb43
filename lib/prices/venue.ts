import type { Asset } from "../domain/price.ts";

/** What a venue's message says. One message may say several things. */
export type VenueEvent =
  /** `asOf` is the venue's own time, and undefined when it tells none. */
  | { kind: "price"; product: string; price: string; asOf: Date | undefined }
  | { kind: "acknowledged"; products: readonly string[] }
  /** A subscription failed; `product` is undefined when the venue does not say which. */
  | { kind: "refused"; product: string | undefined }
  | { kind: "unreadable"; what: Unreadable };

export type Unreadable = "not text" | "not JSON" | "not a message" | "not a price";

/** How a venue is spoken to. */
export type Venue = {
  /** What it calls the price of an asset in USD. */
  products: Readonly<Record<Asset, string>>;
  /**
   * The message that asks for one product's prices. Each product has a message of its own, since Coinbase refuses a
   * whole message for one product that it does not know.
   */
  subscribe(product: string): string;
  /** Reads a message. Of heartbeats, and of types that are not known here, there is nothing to tell. */
  read(message: object): readonly VenueEvent[];
};
