import type { TradeOrder } from "../../../lib/orders/trade-order.ts";
import type { EarnedFill } from "../../../lib/rewards/earned-row.ts";
import { must } from "./violation.ts";

type Earning = {
  all(kind: "order"): readonly TradeOrder[];
  all(kind: "earned"): readonly EarnedFill[];
};
type Change = { kind: string; before: unknown; after: unknown };

/** Checks that each filled and settled order has one earned row, with its amount, and that no other order has one. */
export function checkEarned(table: Earning): void {
  const rows = Map.groupBy(table.all("earned"), ({ orderId }) => orderId);
  for (const { intent, life } of table.all("order")) {
    const { userID, orderId, chain, token, side } = intent;
    const own = rows.get(orderId) ?? [];
    const count = life.settled && life.status === "filled" ? 1 : 0;
    must(own.length === count, `an order that should earn ${count} times has earned ${own.length} times`);
    for (const row of own) {
      must(row.coinUnits === String(side === "buy" ? life.spent : life.received), "earned another amount");
      must(
        row.userID === userID && row.chain === chain && row.token === token && row.side === side,
        "earned by another order",
      );
    }
  }
}

/** Checks what a step has earned. A row may be credited and removed at any time, so a later step may not write it again. */
export function checkEarnedBy(changes: readonly Change[], table: Earning): void {
  const settled = changes.flatMap(({ kind, before, after }) => {
    if (kind !== "order") return [];
    const [old, order] = [before, after] as (TradeOrder | undefined)[];
    return order?.life.settled && !old?.life.settled ? [order.intent.orderId] : [];
  });
  const earned = changes.flatMap(({ kind, after }) =>
    kind === "earned" ? [(after as EarnedFill).orderId] : [],
  );
  must(
    earned.every((orderId) => settled.includes(orderId)),
    "an order has earned that has not just settled",
  );
  if (settled.length > 0) checkEarned(table);
}
