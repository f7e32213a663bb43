import type { Order } from "../../../lib/orders/execution.ts";

/** Outcome of POST /orders: an order, a refusal's code, or unknown. */
export type PlaceOutcome = { order: Order; isReplayed: boolean } | { refused: string } | "unknown";

type Used = { orderIds: Set<string>; first: number; hasUnknown: boolean };

/** Tracks one user's idempotency keys and their outcomes. */
export type PlacedKeys = {
  /** Records a response to a request with this key and an unchanged body. Returns contradictions as sentences. */
  note(key: string, outcome: PlaceOutcome): string[];
  /** Returns the keys that have certainly placed an order. */
  placed(): string[];
  /** Forgets a key, as the service does when a chain starts over. */
  forget(key: string): void;
  /** Compares the keys with the user's orders at the end. */
  problemsOf(orders: readonly Order[]): string[];
};

export function createPlacedKeys(): PlacedKeys {
  const keys = new Map<string, Used>();

  return {
    note(key, outcome) {
      const used = keys.get(key) ?? { orderIds: new Set(), first: 0, hasUnknown: false };
      keys.set(key, used);
      if (outcome === "unknown") used.hasUnknown = true;
      if (outcome === "unknown" || "refused" in outcome) return [];
      const { order, isReplayed } = outcome;
      used.orderIds.add(order.orderId);
      if (!isReplayed) used.first++;
      return [
        ...(used.orderIds.size > 1 ? [`key ${key} has placed ${[...used.orderIds].join(" and ")}`] : []),
        ...(used.first > 1 ? [`key ${key} was answered as new ${used.first} times`] : []),
        ...(order.clientOrderId === key
          ? []
          : [`key ${key} was answered with an order of ${order.clientOrderId}`]),
      ];
    },
    forget: (key) => void keys.delete(key),
    placed: () => [...keys].filter(([, { orderIds }]) => orderIds.size > 0).map(([key]) => key),
    problemsOf(orders) {
      // Children have no keys.
      const placed = orders.filter(({ parentOrderId }) => parentOrderId === undefined);
      const byKey = Map.groupBy(placed, ({ clientOrderId = "" }) => clientOrderId);
      const ofKeys = [...keys].flatMap(([key, { orderIds, hasUnknown }]) => {
        const found = (byKey.get(key) ?? []).map(({ orderId }) => orderId);
        const lost = [...orderIds].filter((id) => !found.includes(id));
        const isRefused = orderIds.size === 0 && !hasUnknown;
        return [
          ...lost.map((id) => `order ${id} was answered to key ${key}, and is not listed`),
          ...(found.length > 1 ? [`key ${key} has the orders ${found.join(" and ")}`] : []),
          ...(isRefused && found.length > 0 ? [`key ${key} was refused, and has the order ${found[0]}`] : []),
        ];
      });
      const strange = [...byKey.keys()].filter((key) => !keys.has(key));
      return [...ofKeys, ...strange.map((key) => `key ${key} was never sent, and has an order`)];
    },
  };
}
