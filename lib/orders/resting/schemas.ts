import * as v from "valibot";
import { orderSides } from "../execution.ts";
import { count, listOf, owner, programKeyId, text, units } from "../schema-parts.ts";

/**
 * Maximum of both parts of a ratio. Prices have up to 41 digits before the point and 40 after it, so with a coin of 18
 * decimals a ratio exceeds the 256 bits of amounts.
 */
const mostInRatio = 10n ** 99n;
const part = v.pipe(v.bigint(), v.minValue(1n), v.maxValue(mostInRatio));

/** An exact price: this many units of the coin for this many units of the token. */
const ratio = v.strictObject({ coins: part, tokens: part });

const limit = v.strictObject({ kind: v.literal("limit"), price: ratio });

const limitHint = v.strictObject({
  ...limit.entries,
  /** True if the mark of a trailing stop may rise at the price, and nothing fires. */
  isOfMark: v.exactOptional(v.literal(true)),
});

/** Lowest price that the chain may accept once a leg has fired. */
const worst = ratio;

const stop = v.strictObject({ kind: v.literal("stop"), trigger: ratio, worst });

/** A stop that follows the price upwards. It fires this share below its mark, in millionths. */
const trailing = v.strictObject({ kind: v.literal("trailing"), trailPpm: units, worst });

/** Legs of exits, at a share of the price that the buy has paid, in millionths. */
const gain = v.strictObject({ kind: v.literal("gain"), ppm: units, worst });
const loss = v.strictObject({ kind: v.literal("loss"), ppm: units, worst });

/** A limit whose slices wait for their times. */
const slice = v.strictObject({ kind: v.literal("slice"), worst });

const leg = v.variant("kind", [limit, stop, trailing, gain, loss, slice]);

/** Maximum number of slices of an order. */
export const mostSlices = 100;

/** Terms that a search for reached prices needs, too. */
const standing = {
  ...owner,
  orderId: text,
  side: v.picklist(orderSides),
  token: text,
  /** Maximum amount to spend: coin for a buy, tokens for a sale. */
  amount: units,
};

/**
 * The terms of a resting order, fixed when it is placed. Its MAC proves that placeOrder made them. The signer compares
 * each child with them.
 */
export const mandateTerms = v.strictObject({
  ...standing,
  legs: v.pipe(v.array(leg), v.minLength(1), v.maxLength(2), v.readonly()),
  /** The buy whose tokens an exit sells, and its share of them in millionths. Absent for other orders. */
  exit: v.exactOptional(
    v.strictObject({
      of: text,
      sharePpm: units,
      /** Shares of the buy's other exits, if this one sells what they leave. */
      others: v.exactOptional(listOf(units, 2)),
    }),
  ),
  /** Equal parts of the amount, which are due one after another. */
  slices: v.exactOptional(v.strictObject({ count, everySeconds: count })),
  /** Slippage from the quote of a firing, in millionths. Absent if the user chose none. */
  slippagePpm: v.exactOptional(units),
  isPrivate: v.boolean(),
  /** Coin that all children's transactions may pay the network: those of limits, and those of stops. */
  feesLimit: units,
  feesStop: units,
  /** Highest gas price when the order was placed. Absent on chains without gas. */
  maxGasPrice: v.exactOptional(units),
  /** Time of placing in milliseconds. Cancellations of many orders compare it. */
  createdAt: count,
  /** Time in seconds after which nothing is fired. */
  expiresAt: count,
  /** The program key by which the order was placed. Absent if its user placed it. */
  by: v.exactOptional(programKeyId),
});

/** Data about a resting order for the search for reached prices. No decision depends on it. */
export const triggerTerms = v.strictObject({
  ...standing,
  /** Prices at which to look at the order. */
  legs: v.pipe(v.array(v.variant("kind", [limitHint, stop])), v.readonly()),
  state: v.picklist(["pending", "resting", "suspended", "firing", "filled", "ended", "done"]),
  /** Id of the table in which the order was placed. */
  tableId: v.exactOptional(text),
  /** The buy of an exit. */
  exitOf: v.exactOptional(text),
  /** Time in seconds at which the next slice is due. */
  dueAt: v.exactOptional(count),
  /** End of the mandate in seconds. The row stays beyond it, until the order has ended. */
  restsUntil: count,
});

/** Names the resting order that a child belongs to. */
export const parentTerms = v.strictObject({
  orderId: text,
  /** Hash of the mandate, in hexadecimal digits. */
  mandate: v.pipe(v.string(), v.regex(/^[\da-f]{64}$/)),
  /** Place of the leg that fired, in the mandate's list. */
  leg: count,
  /** Number of the slice, from 1. */
  slice: v.exactOptional(count),
  /** Number of the child among its parent's. */
  n: count,
  /** Id of the newest signed child before this one. fireOrders itself has seen that it can never fill. */
  after: v.exactOptional(text),
  /** Number of the child that has bought the tokens of an exit, or 0 if its buy is a market order. */
  bought: v.exactOptional(count),
});

/** Maximum number of dead children that are remembered with what their signatures may have cost. */
export const mostOwed = 16;

const legClass = v.picklist(["limit", "stop"]);

/** A child whose swap was signed. */
const signedChild = v.strictObject({
  child: text,
  /** Class of the child's leg. */
  kind: legClass,
  /** Coin that a buy spends, which the day's count includes. */
  amount: units,
  /** The most that the child's transactions may pay the network. */
  most: units,
  day: text,
});

const rate = v.strictObject({
  /** Clock hour, counted from 1970. */
  hour: count,
  n: count,
});

const ofClasses = <const Entry extends v.GenericSchema>(entry: Entry) =>
  v.strictObject({ limit: entry, stop: entry });

/** The signer's own record of a resting order. Only the signer may write it. */
export const tallyTerms = v.strictObject({
  orderId: text,
  /** The child that may still fill. The signer signs no other child's swap before this one is dead. */
  out: v.exactOptional(signedChild),
  /** The only child of each slice whose swap is signed. */
  slices: v.exactOptional(listOf(v.strictObject({ slice: count, child: text }), mostSlices)),
  /** Dead children, and those of slices, whose final costs are not yet known, oldest first. */
  owed: listOf(signedChild, mostOwed),
  counts: ofClasses(rate),
  fees: ofClasses(units),
  revision: count,
  /** Expiry in seconds, a day after the mandate's. */
  expiresAt: count,
});

/** A child that can never fill, which executeOrders has proved in blocks of both hosts. */
const deadChild = v.strictObject({
  child: text,
  how: v.picklist(["failed", "cleared", "unused", "foreign"]),
  block: count,
  /** True once the proof is final. */
  final: v.exactOptional(v.literal(true)),
  /** Coin that the child's transactions have paid the network. Present once the proof is final. */
  paid: v.exactOptional(units),
});

/** Children of a resting order that are over. Only executeOrders may write them. */
export const endedTerms = v.strictObject({
  orderId: text,
  dead: listOf(deadChild, mostOwed),
  /** Filled children of slices, with the coin that their transactions have paid the network. */
  filled: v.exactOptional(listOf(v.strictObject({ child: text, paid: units }), mostOwed)),
  revision: count,
  /** Expiry in seconds, a day after the mandate's or, if that is later, after the last record. */
  expiresAt: count,
});
