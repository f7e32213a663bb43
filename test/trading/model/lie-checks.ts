import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import type { EvmOrderFacts, EvmSnapshot } from "../../../lib/chains/evm/rules/host-snapshot.ts";
import {
  allowsRoute,
  type EvmIntent,
  type EvmRoute,
  isSameEvmRoute,
} from "../../../lib/chains/evm/rules/intent.ts";
import type { EvmSlot } from "../../../lib/chains/evm/rules/slot.ts";
import { DomainError } from "../../../lib/core/domain-error.ts";
import type { TradeOrder } from "../../../lib/orders/trade-order.ts";
import { isLie } from "./lies.ts";
import type { Process } from "./process.ts";
import { must } from "./violation.ts";

/** Returns the last snapshots that the process has read from honest hosts. */
export const honest = ({ snapshots }: Process) =>
  [...snapshots.values()].filter((each) => each !== undefined && !isLie(each)) as EvmSnapshot[];

/** Checks that no lie decided the best route, or the amount from which the minimum was computed. */
export function checkRoutes({ routes, quotedOut, minAmountOut }: EvmIntent, { quotes }: Process): void {
  const [best, ...others] = routes;
  must(best !== undefined && routes.length <= 3, "an order has no routes, or too many");
  const truth = quotes
    .flatMap((quote) => (quote === undefined || quote instanceof DomainError ? [] : [quote]))
    .find(({ routes: [first], amountOut }) => isSameEvmRoute(first, best) && amountOut === quotedOut);
  must(truth !== undefined, "a lie chose the best route or the minimum");
  const isReal = (route: EvmRoute) =>
    truth.routes.some((each) => isSameEvmRoute(each, route) && each.amountOut >= minAmountOut);
  must(others.every(isReal), "a lie is among the routes");
}

/** Checks that an honest host also quotes a swap's route at the minimum or more. */
export function checkPlan(
  { call }: EvmSlot,
  intent: EvmIntent,
  facts: readonly (EvmOrderFacts | undefined)[],
): void {
  if (call.purpose !== "swap") return;
  for (const each of facts) {
    const quoted = each?.routes.find((route) => isSameEvmRoute(route, call));
    must(quoted !== undefined && quoted.amountOut >= intent.minAmountOut, "a lie chose the pool");
  }
}

/** Checks that no honest host quotes a route that reaches the minimum. */
export function checkEnding({ intent, ending, approveNonces }: TradeOrder<Evm>, process: Process): void {
  const { reasonCode } = ending ?? {};
  if (reasonCode !== "NO_ROUTE" && reasonCode !== "SLIPPAGE_EXCEEDED") return;
  // An order that can make no more approvals can use only the router that it has approved.
  if (approveNonces.length > 1) return;
  for (const { orders } of honest(process)) {
    const reaches = orders
      .get(intent.orderId)
      ?.routes.some((route) => allowsRoute(intent, route) && route.amountOut >= intent.minAmountOut);
    must(reaches === false, "a lie ended an order");
  }
}
