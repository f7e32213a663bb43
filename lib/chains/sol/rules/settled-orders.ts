import type { TradeStep } from "../../../orders/table-step.ts";
import { isSolOrder, type TradeOrder } from "../../../orders/trade-order.ts";

/** Lists the orders on Solana that a step settles. No order settles twice. */
export const solOrdersSettledBy = (step: TradeStep): TradeOrder<"sol">[] =>
  step.flatMap((write) => {
    if (write.kind !== "put" || write.of !== "order") return [];
    const { item } = write;
    return isSolOrder(item) && item.life.settled ? [item] : [];
  });

/** True if an order filled below its minimum, which Jupiter's program should prevent. */
export const isBelowMinimum = ({ intent, life }: TradeOrder<"sol">): boolean =>
  life.status === "filled" && (life.received ?? 0n) < intent.minAmountOut;
