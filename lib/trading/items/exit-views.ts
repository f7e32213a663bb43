import { signedBy } from "../../chains/families/fire.ts";
import { openPositionOf, positionOfFill } from "../../orders/book.ts";
import type { BuyView, ChildView, ExitView } from "../../orders/resting/firing.ts";
import type { Mandate } from "../../orders/resting/mandate.ts";
import type { StoredResting } from "../../orders/resting/stored.ts";
import type { Ledger } from "../../orders/table-step.ts";
import { type AnyOrder, hasEnded } from "../../orders/trade-order.ts";
import type { Table } from "../../table/table.ts";
import { find } from "./found-items.ts";
import { keysOfItems } from "./items.ts";
import { tradeKeyOf } from "./lane-records.ts";
import { restedIn } from "./resting-records.ts";

/** What the table says about the buy and the position of an exit. */
export type ExitRecords = Omit<ExitView, "isDust">;

/** The order whose swap buys the tokens of an exit, as far as it is known. */
type Buyer = Pick<BuyView, "child" | "markerId"> & {
  /** True if the buy rested and has ended without a fill. */
  isOver: boolean;
};

type Found = Awaited<ReturnType<typeof find>>;

/** Reads what exits depend on, by their ids: their buys, until these are final, and the books of their tokens. */
export async function readExits(
  table: Table,
  orders: readonly StoredResting[],
): Promise<ReadonlyMap<string, ExitRecords>> {
  const exits = orders.filter(({ mandate }) => mandate.exit !== undefined);
  const following = exits.filter(({ entry }) => !entry?.isFinal);
  const found = await find(table, [
    ...exits.map(({ mandate }) => keysOfItems.book(mandate)),
    ...following
      .map(({ mandate }) => buyNameOf(mandate))
      .flatMap((name) => [tradeKeyOf(name), keysOfItems.resting({ mandate: name })]),
  ]);
  const buyers = new Map(following.map(({ mandate }) => [mandate.orderId, buyerOf(mandate, found)]));
  const names = following.flatMap(({ mandate: { orderId, userID } }) => {
    const { child } = buyers.get(orderId) ?? {};
    return child === undefined ? [] : [{ userID, orderId: child.orderId }];
  });
  const ofBuyers = await find(
    table,
    names.flatMap((name) => [tradeKeyOf(name), keysOfItems.ledger(name)]),
  );
  return new Map(
    exits.map(({ mandate }): [string, ExitRecords] => {
      const buyer = buyers.get(mandate.orderId);
      const book = found.get("book", mandate);
      const buy = buyer && buyOf(buyer, mandate, ofBuyers);
      const orderId = buyer?.child?.orderId;
      const positionId = book && orderId && positionOfFill(book, orderId);
      return [
        mandate.orderId,
        { openPositionId: book && openPositionOf(book), buy: buy && { ...buy, positionId } },
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
    restedIn(found.stored("order", { intent: name })) ?? found.get("resting", { mandate: name });
  if (resting === undefined) {
    const { validUntil = 0 } = found.get("order", { intent: name })?.intent ?? {};
    return { child: { orderId: markerId, leg: 0, n: 0, validUntil }, markerId, isOver: false };
  }
  const { filled, firings, state } = resting;
  const filling = firings.find(({ orderId }) => orderId === filled);
  const child = filling && { orderId: filling.orderId, leg: 0, n: filling.n, validUntil: 0 };
  return { child, markerId, isOver: state === "done" && filled === undefined };
}

function buyOf({ child, markerId, isOver }: Buyer, { userID }: Mandate, found: Found): BuyView {
  const order = child && found.get("order", { intent: { userID, orderId: child.orderId } });
  const { status, spent, received, settled } = order?.life ?? {};
  return {
    child,
    markerId,
    view: order && viewOf(order, child && found.get("ledger", child)),
    fill: status === "filled" && spent && received ? { spent, received } : undefined,
    isSettled: settled ?? isOver,
  };
}

const viewOf = (order: AnyOrder, ledger: Ledger | undefined): ChildView => ({
  hasEnded: hasEnded(order),
  yields: false,
  isRefused: false,
  isProvenDead: false,
  signed: ledger && signedBy(ledger, [], "stop"),
});
