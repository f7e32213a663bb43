import * as v from "valibot";
import { type Network, networks } from "../core/network.ts";

/** A fill that waits to be credited to its user. The step that settles the order writes it. */
export type EarnedFill = {
  kind: "fill";
  userID: string;
  orderId: string;
  chain: Network;
  token: string;
  side: "buy" | "sell";
  /** Amount that a buy spent or a sale received, in the coin's smallest units and without network fees, as digits. */
  coinUnits: string;
  /** Time of the fill's block, ISO 8601. */
  filledAt: string;
  /** Time at which the order was settled, ISO 8601. */
  at: string;
};

/** A referrer's share of another user's credit, in millionths. That credit writes it. */
export type EarnedShare = {
  kind: "share";
  /** Id of the referrer. */
  userID: string;
  microXp: number;
  microPoints: number;
  /** Digest of the other user's orders. */
  of: string;
  /** Time of the other user's credit, ISO 8601. */
  at: string;
};

export type EarnedRow = EarnedFill | EarnedShare;

/** A time whose day has ten characters, because days are compared as text. */
const Time = v.pipe(
  v.string(),
  v.isoTimestamp(),
  v.check((text) => !Number.isNaN(Date.parse(text))),
);
const Micros = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

const Row = v.variant("kind", [
  v.object({
    kind: v.literal("fill"),
    userID: v.string(),
    orderId: v.string(),
    chain: v.picklist(networks),
    token: v.string(),
    side: v.picklist(["buy", "sell"]),
    coinUnits: v.pipe(v.string(), v.regex(/^\d{1,80}$/)),
    filledAt: Time,
    at: v.string(),
  }),
  v.object({
    kind: v.literal("share"),
    userID: v.string(),
    microXp: Micros,
    microPoints: Micros,
    of: v.string(),
    at: v.string(),
  }),
]) satisfies v.GenericSchema<EarnedRow>;

/** True if a stored row has the form of an earned row. */
export const isEarnedRow = (content: unknown): content is EarnedRow => v.is(Row, content);
