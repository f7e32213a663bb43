import type { Order } from "trading-terminal-client";
import { useCall, useDesk } from "./desk.ts";

/** Cancels an order at once. */
export function CancelButton({ order: { orderId, stage } }: { order: Order }) {
  const { terminal } = useDesk();
  const { call, isBusy } = useCall();
  const cancel = () => call(() => terminal.cancelOrder({ path: { orderId }, body: {} }));
  return (
    <button type="button" disabled={isBusy || stage === "cancelling"} onClick={cancel}>
      Cancel
    </button>
  );
}
