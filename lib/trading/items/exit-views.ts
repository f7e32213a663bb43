import { signedBy } from "../../chains/families/fire.ts";
import { type Book, openPositionBy, openPositionOf, positionOfFill } from "../../orders/book.ts";
import type { BuyView, ChildView, ExitView } from "../../orders/resting/firing.ts";
import { childIdOf, type Mandate } from "../../orders/resting/mandate.ts";
import type { StoredResting } from "../../orders/resting/stored.ts";
import type { Ledger } from "../../orders/table-step.ts";
import { type AnyOrder, hasEnded } from "../../orders/trade-order.ts";
import type { Table } from "../../table/table.ts";
import { find } from "./found-items.ts";
import { keysOfItems } from "./items.ts";
import { tradeKeyOf } from "./lane-records.ts";
import { restedIn } from "./resting-records.ts";

/** Facts from the table about the buy and the position of an exit. */
export type ExitRecords = Omit<ExitView, "isDust">;

/** The order whose swap buys the tokens of an exit, as far as it is known. */
type Buyer = Pick<BuyView, "child" | "markerId"> & {
  /** True if the buy rested and has ended without a fill. */
  isOver: boolean;
};

type Found = Awaited<ReturnType<typeof find>>;

/**
 * Reads what exits depend on, by their ids: their buys, until these are final, and then the books of their tokens, which
 * have the fills of all buys that were read as filled.
 */
export async function readExits(
  table: Table,
  orders: readonly StoredResting[],
): Promise<ReadonlyMap<string, ExitRecords>> {
  const exits = orders.filter(({ mandate }) => mandate.exit !== undefined);
  const following = exits.filter(({ entry }) => !entry?.isFinal);
  const found = await find(
    table,
    following
      .map(({ mandate }) => buyNameOf(mandate))
      .flatMap((name) => [tradeKeyOf(name), keysOfItems.resting({ mandate: name })]),
  );
  const buyers = new Map(following.map(({ mandate }) => [mandate.orderId, buyerOf(mandate, found)]));
  const names = following.flatMap(({ mandate: { orderId, userID } }) => {
    const { child } = buyers.get(orderId) ?? {};
    return child === undefined ? [] : [{ userID, orderId: child.orderId }];
  });
  const ofBuyers = await find(
    table,
    names.flatMap((name) => [tradeKeyOf(name), keysOfItems.ledger(name)]),
  );
  const books = await find(
    table,
    exits.map(({ mandate }) => keysOfItems.book(mandate)),
  );
  return new Map(
    exits.map(({ mandate }): [string, ExitRecords] => {
      const buyer = buyers.get(mandate.orderId);
      const book = books.get("book", mandate);
      const openPositionId = book && openPositionOf(book);
      const isClosed = book?.events.length === 0 && openPositionId === undefined;
      return [
        mandate.orderId,
        { openPositionId, isClosed, buy: buyer && buyOf(buyer, mandate, ofBuyers, book) },
      ];
    }),
  );
}

const buyNameOf = (mandate: Mandate) => ({ ...mandate, orderId: mandate.exit?.of ?? "" });

/** Finds the buyer: a market order itself, or the child of a resting order that has filled. */
function buyerOf(mandate: Mandate, found: Found): Buyer {
  const name = buyNameOf(mandate);
  const { orderId: markerId } = name;
  const resting =
    found.get("resting", { mandate: name }) ?? restedIn(found.stored("order", { intent: name }));
  if (resting === undefined) {
    const { validUntil = 0 } = found.get("order", { intent: name })?.intent ?? {};
    return { child: { orderId: markerId, leg: 0, n: 0, validUntil }, markerId, isOver: false };
  }
  const { filled, firings, state } = resting;
  const filling = firings.find(({ orderId }) => orderId === filled);
  // Computes the id, because executeOrders could name another order in the record of a buy that has ended.
  const child = filling && { orderId: childIdOf(name, filling.n), leg: 0, n: filling.n, validUntil: 0 };
  return { child, markerId, isOver: state === "done" && filled === undefined };
}

function buyOf(
  { child, markerId, isOver }: Buyer,
  { userID }: Mandate,
  found: Found,
  book: Book | undefined,
): BuyView {
  const order = child && found.get("order", { intent: { userID, orderId: child.orderId } });
  const { status, settled } = order?.life ?? {};
  return {
    child,
    markerId,
    view: order && viewOf(order, child && found.get("ledger", child)),
    isFilled: status === "filled",
    positionId: order && book && positionOf(order, book),
    isSettled: settled ?? isOver,
  };
}

/** Finds the position of a buy. Once the book has summed its fill up, a position that was opened later is another one. */
function positionOf({ intent, life, updatedAt }: AnyOrder, book: Book): string | undefined {
  const known = positionOfFill(book, intent.orderId);
  if (known !== undefined || !life.settled) return known;
  // The clock of a chain may be ahead, but no fill is later than its order's deadline.
  return openPositionBy(book, Math.max(Date.parse(updatedAt), intent.validUntil * 1000));
}

const viewOf = (order: AnyOrder, ledger: Ledger | undefined): ChildView => ({
  hasEnded: hasEnded(order),
  yields: false,
  isRefused: false,
  isProvenDead: false,
  signed: ledger && signedBy(ledger, []),
});
