import * as v from "valibot";
import type { Asset } from "../price.ts";

/** An event in a venue's message. One message may have several events. */
export type VenueEvent =
  /** A product's price. `asOf` is the venue's own time for the price, or undefined if the message has none. */
  | { kind: "price"; product: string; price: string; asOf: Date | undefined }
  | { kind: "acknowledged"; products: readonly string[] }
  /** A subscription failed. `product` is undefined if the venue does not name it. */
  | { kind: "refused"; product: string | undefined }
  | { kind: "unreadable"; what: Unreadable };

export type Unreadable = "not text" | "not JSON" | "not a message" | "not a price";

/** The protocol of a venue. */
export type Venue = {
  /** Names that the venue uses for the assets' USD prices. */
  products: Readonly<Record<Asset, string>>;
  /**
   * Makes the message that subscribes to one product. Each product gets its own message, because Coinbase rejects a
   * whole message if it does not know one product in it.
   */
  subscribe: (product: string) => string;
  /** Reads the events of a message. Heartbeats and messages of unknown types contain no events. */
  read: (message: object) => readonly VenueEvent[];
};

/** A positive decimal number as text: no sign, no exponent, and no more digits than a price can have. */
export const PositiveDecimal = v.pipe(
  v.string(),
  v.regex(/^(0|[1-9]\d{0,17})(\.\d{1,30})?$/),
  v.regex(/[1-9]/),
);

const plain = new Intl.NumberFormat("en-US", { useGrouping: false, maximumFractionDigits: 100 });

/** Writes the shortest decimal that parses to this number, without an exponent. */
export const decimalText = (number: number): string => plain.format(number);

/** A time in the format of RFC 3339, with any number of decimal places in the seconds. */
export const VenueTime = v.pipe(
  v.string(),
  v.isoTimestamp(),
  v.transform((text) => new Date(text)),
  v.date(),
);
