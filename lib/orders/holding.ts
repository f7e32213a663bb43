import type { CoinUnits, TokenUnits } from "../core/units.ts";
import { greatest } from "./bigints.ts";

/** A swap that is in a block. */
export type Fill = {
  orderId: string;
  /** Position in the sequence of the wallet's fills. Later fills have higher numbers. */
  place: number;
  /** True if the fill is final. */
  settled: boolean;
  /** Time of the block, in ISO 8601. */
  time: string;
  /** Network fee for all transactions of the order. */
  networkFee: CoinUnits;
} & (Purchase | Sale);

type Purchase = { kind: "buy"; spent: CoinUnits; received: TokenUnits };

type Sale = {
  kind: "sell";
  spent: TokenUnits;
  received: CoinUnits;
  /** Number of tokens that the wallet held before the fill. */
  held: TokenUnits;
};

/** A sale that needed no transaction, because the wallet held no tokens. */
export type SoldOut = { kind: "sold-out"; orderId: string; place: number; settled: boolean; time: string };

/**
 * A fill whose block was replaced, while its order may still fill again. It changes no position, but later events
 * cannot become final before it.
 */
export type TakenBack = { kind: "taken-back"; orderId: string; place: number; settled: false };

/** Tokens that left the wallet without an order. */
export type MovedOut = {
  kind: "moved-out";
  orderId: string;
  place: number;
  settled: boolean;
  time: string;
  /** Tokens of the position that are still in the wallet. */
  left: TokenUnits;
};

export type BookEvent = Fill | SoldOut | TakenBack | MovedOut;

/** One position: tokens that orders bought and the wallet still holds. */
export type Holding = {
  /** The position's number in its book, starting at 1. */
  ordinal: number;
  amount: TokenUnits;
  /** The greatest `amount` so far. Absent in holdings of earlier versions that no buy has changed since. */
  most?: TokenUnits;
  /** Coin that was paid for the held `amount`. */
  cost: CoinUnits;
  realizedPnl: CoinUnits;
  networkFees: CoinUnits;
  /** The part of `networkFees` that was paid for the held `amount`. Absent in holdings of earlier versions. */
  costFees?: CoinUnits;
  movedOut: TokenUnits;
  /** Cost and amount of the position when it last held any tokens. */
  entry: { cost: CoinUnits; amount: TokenUnits };
  settled: boolean;
  openedAt: string;
  closedAt?: string;
  /** Why the position was closed, if not by a sale. */
  reason?: "MOVED_OUT";
};

/** The base of every new book: a closed position that never held anything. */
export const nothingHeld: Holding = {
  ordinal: 0,
  amount: 0n,
  cost: 0n,
  realizedPnl: 0n,
  networkFees: 0n,
  movedOut: 0n,
  entry: { cost: 0n, amount: 0n },
  settled: true,
  openedAt: "",
  closedAt: "",
};

/**
 * Applies an event to a position. The result has a new number if the event opens a new position.
 *
 * @param nextOrdinal The lowest number for a new position.
 */
export function afterEvent(held: Holding, event: BookEvent, nextOrdinal: number): Holding {
  switch (event.kind) {
    case "taken-back":
      return held;
    case "buy":
      // Ignores a buy if its token logged no transfer to the wallet, because a position of 0 tokens would have no
      // price.
      if (held.closedAt !== undefined && event.received === 0n) return held;
      return bought(held.closedAt === undefined ? held : opened(held, event, nextOrdinal), event);
    case "sell":
      return held.closedAt === undefined ? sold(foundLess(held, event.held), event) : held;
    case "sold-out":
    case "moved-out": {
      if (held.closedAt !== undefined) return held;
      const left = foundLess(held, event.kind === "sold-out" ? 0n : event.left);
      const isClosed = left.amount === 0n;
      return {
        ...closedIfEmpty(left, event.time),
        settled: held.settled && event.settled,
        ...(isClosed && { reason: "MOVED_OUT" }),
      };
    }
  }
}

const opened = (last: Holding, { time }: Fill, nextOrdinal: number): Holding => {
  const { closedAt: _, ...empty } = nothingHeld;
  return { ...empty, ordinal: Math.max(last.ordinal + 1, nextOrdinal), openedAt: time };
};

function bought(held: Holding, { spent, received, networkFee, settled }: Fill & Purchase): Holding {
  const [cost, amount] = [held.cost + spent, held.amount + received];
  return {
    ...held,
    cost,
    amount,
    most: greatest(held.most ?? held.amount, amount),
    entry: { cost, amount },
    networkFees: held.networkFees + networkFee,
    costFees: (held.costFees ?? 0n) + networkFee,
    settled: held.settled && settled,
  };
}

/** Returns what was paid for the held tokens after some of them have gone. The costs of those are rounded down. */
function costsWithout({ amount, cost, costFees = 0n }: Holding, gone: TokenUnits) {
  const rest = (paid: CoinUnits) => (amount === 0n ? paid : paid - (paid * gone) / amount);
  return { cost: rest(cost), costFees: rest(costFees) };
}

/** When tokens leave the wallet without an order, their share of the cost is deducted from the position. */
function foundLess(held: Holding, found: TokenUnits): Holding {
  const moved = held.amount - found;
  if (moved <= 0n) return held;
  const costs = costsWithout(held, moved);
  return {
    ...held,
    ...costs,
    amount: found,
    movedOut: held.movedOut + moved,
    entry: found === 0n ? held.entry : { cost: costs.cost, amount: found },
  };
}

function sold(held: Holding, { spent, received, networkFee, settled, time }: Fill & Sale): Holding {
  // If a sale sells more tokens than the position holds, the others have no cost, and their share of the proceeds does
  // not count as profit of the position.
  const own = spent < held.amount ? spent : held.amount;
  const costs = costsWithout(held, own);
  const proceeds = spent === 0n ? 0n : (received * own) / spent;
  const amount = held.amount - own;
  return closedIfEmpty(
    {
      ...held,
      ...costs,
      amount,
      entry: amount === 0n ? held.entry : { cost: costs.cost, amount },
      realizedPnl: held.realizedPnl + proceeds - (held.cost - costs.cost),
      networkFees: held.networkFees + networkFee,
      settled: held.settled && settled,
    },
    time,
  );
}

const closedIfEmpty = (held: Holding, time: string): Holding =>
  held.amount === 0n ? { ...held, closedAt: time } : held;

/** Profit of the sales less all network fees that were not paid for tokens still held. */
export const netRealizedPnl = ({ realizedPnl, networkFees, costFees = 0n }: Holding): CoinUnits =>
  realizedPnl - (networkFees - costFees);

/** True if almost all of a position was sold. Nobody sells such a rest, so it does not count as held. */
export const isDust = ({ amount, most = amount }: Holding): boolean => amount * 1000n < most;
