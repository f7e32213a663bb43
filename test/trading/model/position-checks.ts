import { type Book, holdingsAfter } from "../../../lib/orders/book.ts";
import { formatAmount } from "../../../lib/orders/decimal-text.ts";
import type { Position } from "../../../lib/orders/execution.ts";
import { type BookEvent, nothingHeld } from "../../../lib/orders/holding.ts";
import type { ModelTable } from "./table.ts";
import { must } from "./violation.ts";

type Positions = Pick<ModelTable, "all" | "get">;

/** Checks that all events of a book are final, and that the sweep knows whether its position is open. */
export function checkBook(table: Positions, book: Book): void {
  must(book.events.length === 0, "a book has events that are not final");
  const isOpen = book.base.closedAt === undefined;
  must(
    isOpen === (table.get("held", book) !== undefined),
    "the sweep does not know which positions are open",
  );
}

/**
 * Checks that the positions of a book follow from its events.
 *
 * @returns the positions that have fills. `isTakenBack` is true if another one has lost its only fill.
 */
export function checkFollows(
  table: Positions,
  book: Book,
  events: readonly BookEvent[],
  decimals: { token: number; coin: number },
): { kept: Position[]; isTakenBack: boolean } {
  const holdings = holdingsAfter(nothingHeld, events).filter(({ ordinal }) => ordinal > 0);
  const stored = table
    .all("position")
    .filter(
      (each) => each.userID === book.userID && each.wallet === book.wallet && each.token === book.token,
    );
  must(
    stored.every(({ settled }) => settled === true),
    "a position never settled",
  );
  const kept = stored.filter(({ networkFees }) => networkFees !== "0");
  must(kept.length === holdings.length, "there are positions without fills, or fills without a position");
  for (const { amount, cost, realizedPnl, closedAt } of holdings) {
    const isSame = kept.some(
      (each) =>
        each.amount === formatAmount(amount, decimals.token) &&
        each.cost === formatAmount(cost, decimals.coin) &&
        each.realizedPnl === formatAmount(realizedPnl, decimals.coin) &&
        each.status === (closedAt === undefined ? "open" : "closed"),
    );
    must(isSame, "a position does not follow from its fills");
  }
  return { kept, isTakenBack: kept.length < stored.length };
}
