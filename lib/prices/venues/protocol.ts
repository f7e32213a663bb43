import * as v from "valibot";
import type { Asset } from "../../domain/price.ts";

/** What a venue's message says. One message may hold several events. */
export type VenueEvent =
  /** `asOf` is the venue's own time; undefined when the message has none. */
  | { kind: "price"; product: string; price: string; asOf: Date | undefined }
  | { kind: "acknowledged"; products: readonly string[] }
  /** A subscription failed. `product` is undefined when the venue does not name it. */
  | { kind: "refused"; product: string | undefined }
  | { kind: "unreadable"; what: Unreadable };

export type Unreadable = "not text" | "not JSON" | "not a message" | "not a price";

/** The protocol of a venue. */
export type Venue = {
  /** The venue's name for the USD price of each asset. */
  products: Readonly<Record<Asset, string>>;
  /**
   * The message that subscribes to one product. Each product gets its own message, because Coinbase rejects a whole
   * message when it does not know one of the products in it.
   */
  subscribe(product: string): string;
  /** Heartbeats and unknown types of messages yield no events. */
  read(message: object): readonly VenueEvent[];
};

/** A positive decimal number as text: no sign, no exponent, and no more digits than a price can have. */
export const PositiveDecimal = v.pipe(
  v.string(),
  v.regex(/^(0|[1-9]\d{0,17})(\.\d{1,30})?$/),
  v.regex(/[1-9]/),
);

const plain = new Intl.NumberFormat("en-US", { useGrouping: false, maximumFractionDigits: 100 });

/** The shortest decimal that parses to this number, without an exponent. */
export const decimalText = (number: number): string => plain.format(number);

/** RFC 3339, with any fraction of a second. */
export const VenueTime = v.pipe(
  v.string(),
  v.isoTimestamp(),
  v.transform((text) => new Date(text)),
  v.date(),
);
