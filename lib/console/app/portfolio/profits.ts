import type { Network, Order, Position } from "trading-terminal-client";
import { minus, textOfUnits, unitsIn } from "../exact.ts";
import { hasFill } from "../fills-csv.ts";
import { coinOf, pairUnits } from "../format.ts";
import { dayIn } from "./calendar.ts";

/** Profit of one day in UTC on one chain, as decimal text in the chain's coin. */
export type DayProfit = {
  /** A day, such as 2026-11-30. */
  day: string;
  chain: Network;
  fills: number;
  /** Proceeds of sales, less what was paid for the tokens that they sold. */
  gross: string;
  /** Network fees: of sales, of the purchases of what they sold, and of orders that moved no position. */
  fees: string;
};

export type Profits = {
  /** Days with a fill or a fee, the earliest first. */
  days: readonly DayProfit[];
  /** Net profit that the service's positions have beyond those of `days`, by chain. Only differences are listed. */
  undated: ReadonlyMap<Network, string>;
  /** Numbers of fills that count in part or not at all. */
  leftOut: {
    /** Fills of other engines, which do not say what was paid and received in coin. */
    foreign: number;
    /** Sales of tokens of which some or all were not bought here, so that nobody knows their cost. */
    uncosted: number;
    /** Fills whose network fee is not known yet. */
    feeless: number;
  };
};

/** Decimal places of coins. */
const coinPlaces: Readonly<Record<Network, number>> = { eth: 18, base: 18, bsc: 18, avax: 18, sol: 9 };

/** Decimal places with which tokens are counted. No token of a record has more. */
const tokenPlaces = 40;

/** Tokens that orders bought and the wallet still holds, and what was paid for them. */
type Held = { amount: bigint; cost: bigint; costFees: bigint };

const nothingHeld: Held = { amount: 0n, cost: 0n, costFees: 0n };

type Fill = { side: "buy" | "sell"; spent: bigint; received: bigint; fee: bigint };

/** The effect of an event on a holding. `fees` are those that count from now on. */
type Outcome = {
  held: Held;
  gross: bigint;
  fees: bigint;
  /** True if the service's position has the fees, too. */
  isBooked: boolean;
};

/** True for a trade of a token for the chain's coin, as all are that this service makes. */
const isInCoin = (trade: Order | Position): boolean =>
  trade.token !== undefined && pairUnits(trade).quote === coinOf[trade.chain];

const bookOf = ({ chain, wallet, token }: Pick<Order, "chain" | "wallet" | "token">) =>
  `${chain} ${wallet} ${token}`;

/**
 * Computes the net profit of each day from own fills, by the rule of the service's positions: a sale costs its share of
 * what was paid for all tokens of the wallet, rounded down to the coin's smallest unit, and so do the network fees of
 * their purchases. Fills apply in the order in which their orders were placed, and count on that day.
 *
 * @param positions All positions. Those whose tokens have left the wallet start again from nothing; the sums of all are compared.
 */
export function profitsOf(orders: readonly Order[], positions: readonly Position[]): Profits {
  const books = new Map<string, Held>();
  const days = new Map<string, { day: string; chain: Network; fills: number; gross: bigint; fees: bigint }>();
  const booked = new Map<Network, bigint>();
  const leftOut = { foreign: 0, uncosted: 0, feeless: 0 };

  function count(
    at: string,
    chain: Network,
    fills: number,
    { gross, fees, isBooked }: Omit<Outcome, "held">,
  ) {
    const day = dayIn(at);
    const sum = days.get(`${day} ${chain}`) ?? { day, chain, fills: 0, gross: 0n, fees: 0n };
    const next = { ...sum, fills: sum.fills + fills, gross: sum.gross + gross, fees: sum.fees + fees };
    days.set(`${day} ${chain}`, next);
    if (isBooked) booked.set(chain, (booked.get(chain) ?? 0n) + gross - fees);
  }

  function addFill(order: Order) {
    const { chain, side, createdAt, filledAmount, receivedAmount, networkFee } = order;
    if (!isInCoin(order) || receivedAmount === undefined) {
      leftOut.foreign++;
      return;
    }
    const coin = coinPlaces[chain];
    const [paidIn, receivedIn] = side === "buy" ? [coin, tokenPlaces] : [tokenPlaces, coin];
    const fill = {
      side,
      spent: unitsIn(filledAmount, paidIn),
      received: unitsIn(receivedAmount, receivedIn),
      fee: unitsIn(networkFee ?? "0", coin),
    };
    const held = books.get(bookOf(order)) ?? nothingHeld;
    if (networkFee === undefined) leftOut.feeless++;
    if (side === "sell" && fill.spent > held.amount) leftOut.uncosted++;
    const outcome = afterFill(held, fill);
    books.set(bookOf(order), outcome.held);
    count(createdAt, chain, 1, outcome);
  }

  /** Counts what an order without a fill has cost. The child of a resting order has its fees. */
  function addFees(order: Order) {
    const { chain, createdAt, networkFee = "0", childOrderId } = order;
    const fees = unitsIn(networkFee, coinPlaces[chain]);
    if (isInCoin(order) && childOrderId === undefined && fees > 0n)
      count(createdAt, chain, 0, { gross: 0n, fees, isBooked: false });
  }

  function empty(position: Position) {
    const { chain, closedAt = "" } = position;
    const { costFees: fees } = books.get(bookOf(position)) ?? nothingHeld;
    books.delete(bookOf(position));
    if (fees > 0n) count(closedAt, chain, 0, { gross: 0n, fees, isBooked: true });
  }

  for (const event of inOrder(orders, positions))
    if (!("orderId" in event)) empty(event);
    else if (hasFill(event)) addFill(event);
    else addFees(event);
  return {
    days: [...days.values()]
      .map(({ gross, fees, ...day }) => ({
        ...day,
        gross: textOfUnits(gross, coinPlaces[day.chain]),
        fees: textOfUnits(fees, coinPlaces[day.chain]),
      }))
      .toSorted((a, b) => (a.day < b.day ? -1 : 1)),
    undated: undatedIn(positions, booked),
    leftOut,
  };
}

/** Lists orders, and positions whose tokens have left the wallet, in the order in which they count. */
function inOrder(orders: readonly Order[], positions: readonly Position[]): (Order | Position)[] {
  const moved = positions.filter(({ reason }) => reason === "MOVED_OUT");
  const keyed = [
    ...orders.map((order) => ({ key: `${order.createdAt} ${order.orderId}`, event: order })),
    ...moved.map((position) => ({ key: position.closedAt ?? position.updatedAt, event: position })),
  ];
  return keyed.toSorted((a, b) => (a.key < b.key ? -1 : 1)).map(({ event }) => event);
}

/** Applies a fill to what its wallet holds of the token. */
function afterFill(held: Held, { side, spent, received, fee }: Fill): Outcome {
  const unbooked = { held, gross: 0n, fees: fee, isBooked: false };
  if (side === "buy") {
    if (held.amount === 0n && received === 0n) return unbooked;
    const { amount, cost, costFees } = held;
    const next = { amount: amount + received, cost: cost + spent, costFees: costFees + fee };
    return { held: next, gross: 0n, fees: 0n, isBooked: true };
  }
  if (held.amount === 0n) return unbooked;
  // Tokens sold beyond the holding have no known cost, so their share of the proceeds is no profit.
  const own = spent < held.amount ? spent : held.amount;
  const left = (paid: bigint) => paid - (paid * own) / held.amount;
  const next = { amount: held.amount - own, cost: left(held.cost), costFees: left(held.costFees) };
  const proceeds = spent === 0n ? 0n : (received * own) / spent;
  const gross = proceeds - (held.cost - next.cost);
  return { held: next, gross, fees: fee + held.costFees - next.costFees, isBooked: true };
}

/** Compares with what the service counts: tokens may have left a wallet in part, or fills came in another order. */
function undatedIn(positions: readonly Position[], booked: ReadonlyMap<Network, bigint>) {
  const rest = new Map([...booked].map(([chain, net]) => [chain, -net]));
  for (const position of positions) {
    if (!isInCoin(position)) continue;
    // Positions that were closed long ago have no net profit, and no fees of tokens that are still held.
    const {
      chain,
      realizedPnl,
      networkFees = "0",
      netRealizedPnl = minus(realizedPnl, networkFees),
    } = position;
    rest.set(chain, (rest.get(chain) ?? 0n) + unitsIn(netRealizedPnl, coinPlaces[chain]));
  }
  return new Map(
    [...rest]
      .filter(([, units]) => units !== 0n)
      .map(([chain, units]) => [chain, textOfUnits(units, coinPlaces[chain])]),
  );
}
