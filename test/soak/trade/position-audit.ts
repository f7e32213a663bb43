import { holdingsAfter } from "../../../lib/orders/book.ts";
import { type BookEvent, type Holding, nothingHeld } from "../../../lib/orders/holding.ts";
import { type ShownPosition, type TradeFacts, textOf, unitsOf } from "./facts.ts";
import { amountsOf, feesOf, type TracedOrder } from "./order-audit.ts";

type Place = { userID: string; chain: string; wallet: string; token?: string | undefined };

const bookOf = ({ userID, chain, wallet, token }: Place) => [userID, chain, wallet, token].join(" ");

/** Checks that each position equals the sum of its on-chain fills. Returns differences as sentences. */
export const problemsOfPositions = (facts: TradeFacts, orders: readonly TracedOrder[]): string[] =>
  problemsOfBooks(
    facts.positions,
    orders.map((each) => ({ ...each.order, userID: each.userID, events: eventOf(each, facts) })),
    // Sorts a sell that found no tokens before the transaction that used its nonce.
    ({ kind }) => (kind === "sold-out" ? 0 : 1),
  );

type BookedOrder = Place & { events: readonly BookEvent[] };

/**
 * Checks the positions of each user, wallet and token.
 * @param rank orders events at the same place
 */
export function problemsOfBooks(
  all: readonly ShownPosition[],
  orders: readonly BookedOrder[],
  rank: (event: BookEvent) => number,
): string[] {
  const positions = Map.groupBy(all.filter(isKept), bookOf);
  const books = Map.groupBy(orders, bookOf);
  const unsettled = all.filter(({ settled }) => settled !== true);
  const wrong = [...new Set([...positions.keys(), ...books.keys()])].flatMap((book) => {
    const shown = (positions.get(book) ?? []).toSorted((a, b) => (a.openedAt < b.openedAt ? -1 : 1));
    const events = (books.get(book) ?? []).flatMap((order) => order.events);
    const sorted = events.toSorted((a, b) => a.place - b.place || rank(a) - rank(b));
    const held = holdingsAfter(nothingHeld, sorted).filter(({ ordinal }) => ordinal > 0);
    const foundBySales = held.reduce((sum, { movedOut }) => sum + movedOut, 0n);
    if (held.length > 0 && tokensIn(shown, "movedOut") > foundBySales)
      return problemsOfDepartures(book, shown, sorted);
    if (held.length !== shown.length)
      return [`${book} has ${shown.length} positions instead of ${held.length}`];
    return shown.flatMap((position, index) => problemsOfPosition(position, held[index] as Holding));
  });
  return [
    ...unsettled.map(({ positionId, userID }) => `position ${positionId} of ${userID} never settled`),
    ...wrong,
  ];
}

const tokensIn = (shown: readonly ShownPosition[], field: "amount" | "movedOut") =>
  shown.reduce((sum, each) => sum + unitsOf(each[field], each.token ?? "", each.chain), 0n);

/**
 * Checks positions that shrank between fills because the service noticed missing tokens. It is unknown when the tokens
 * left, but each bought token must still be held, or have been sold or moved out.
 */
function problemsOfDepartures(
  book: string,
  shown: readonly ShownPosition[],
  events: readonly BookEvent[],
): string[] {
  const sum = (kind: "buy" | "sell", field: "spent" | "received") =>
    events.reduce((total, event) => (event.kind === kind ? total + event[field] : total), 0n);
  const sold = sum("buy", "received") - tokensIn(shown, "amount") - tokensIn(shown, "movedOut");
  const isClosed = ({ status, amount }: ShownPosition) => status === "closed" && amount === "0";
  return [
    ...(sold < 0n ? [`${book} holds and has moved out more than was bought`] : []),
    ...(sold > sum("sell", "spent") ? [`${book} has lost bought tokens`] : []),
    ...shown
      .filter((each) => each.reason === "MOVED_OUT" && !(isClosed(each) && each.movedOut !== undefined))
      .map(({ positionId }) => `position ${positionId} was moved out, but is not closed`),
  ];
}

/** True for a position that must be listed. One whose fills were reverted stays closed and empty. */
const isKept = ({ status, amount, networkFees }: ShownPosition) =>
  !(status === "closed" && amount === "0" && networkFees === "0");

function eventOf(each: TracedOrder, { soldOut, chains }: TradeFacts): BookEvent[] {
  const { order, mined, fills } = each;
  const { orderId, wallet, token = "" } = order;
  const at = soldOut.get(orderId);
  const common = { orderId, settled: true };
  if (at !== undefined) return [{ ...common, kind: "sold-out", place: at, time: order.updatedAt }];
  return fills.map((fill) => {
    const time = new Date(fill.time * 1000).toISOString();
    const part = { ...common, ...amountsOf(each, fill), place: fill.nonce, time, networkFee: feesOf(mined) };
    if (order.side === "buy") return { ...part, kind: "buy" };
    const chain = chains.get(order.chain as never);
    const earlier = (chain?.transactions ?? []).filter(
      (other) => other.wallet === wallet && other.nonce < fill.nonce,
    );
    const start = chain?.accounts.get(wallet)?.before.get(token) ?? 0n;
    const held = earlier.reduce((sum, { tokens }) => sum + (tokens.get(token) ?? 0n), start);
    return { ...part, kind: "sell", held };
  });
}

function problemsOfPosition(position: ShownPosition, held: Holding): string[] {
  const { token = "", chain } = position;
  const wanted = {
    status: held.closedAt === undefined ? "open" : "closed",
    amount: textOf(held.amount, token, chain),
    cost: textOf(held.cost, "native", chain),
    realizedPnl: textOf(held.realizedPnl, "native", chain),
    networkFees: textOf(held.networkFees, "native", chain),
    movedOut: held.movedOut === 0n ? undefined : textOf(held.movedOut, token, chain),
    openedAt: held.openedAt,
  };
  return Object.entries(wanted)
    .filter(([field, value]) => position[field as keyof typeof wanted] !== value)
    .map(([field, value]) => {
      const shown = position[field as keyof typeof wanted];
      return `position ${position.positionId} of ${position.userID} has ${field} ${shown} instead of ${value}`;
    });
}
