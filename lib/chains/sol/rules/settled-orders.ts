import type { TradeStep } from "../../../orders/table-step.ts";
import type { AnyOrder, TradeOrder } from "../../../orders/trade-order.ts";
import type { Sol } from "./family.ts";

const isOnSol = (order: AnyOrder): order is TradeOrder<Sol> => order.intent.chain === "sol";

/** Lists the orders on Solana that a step settles. No order settles twice. */
export const solOrdersSettledBy = (step: TradeStep): TradeOrder<Sol>[] =>
  step.flatMap((write) => {
    if (write.kind !== "put" || write.of !== "order") return [];
    const { item } = write;
    return isOnSol(item) && item.life.settled ? [item] : [];
  });

/** True if an order filled below its minimum, which Jupiter's program should prevent. */
export const isBelowMinimum = ({ intent, life }: TradeOrder<Sol>): boolean =>
  life.status === "filled" && (life.received ?? 0n) < intent.minAmountOut;
