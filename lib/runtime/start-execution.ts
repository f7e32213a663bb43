import { directStartOf } from "../aws/hand-over.ts";
import type { Network } from "../core/network.ts";
import type { PrepareEvent } from "../trading/execution/prepare.ts";
import type { WakeEvent } from "../trading/execution/wake-effect.ts";
import { environment } from "./environment.ts";

/** Starts executeOrders without its queue. */
export const startExecution = directStartOf<WakeEvent | PrepareEvent>(environment("EXECUTE_ORDERS_FUNCTION"));

let isStarting = false;

// Announces an order while this process loads for it, so that the order's later functions load meanwhile. The handler
// imports this module first, because the rest of its code and its first quote would hold up the call.
if (process.env.AWS_LAMBDA_INITIALIZATION_TYPE === "on-demand") {
  isStarting = true;
  void startExecution({ prepare: "any" }).then(() => {
    isStarting = false;
  });
}

/**
 * Announces an order on a chain, unless executeOrders is starting already: Lambda would start a second process for a
 * second event.
 */
export function announceOrder(chain: Network): void {
  if (!isStarting) void startExecution({ prepare: chain });
}
