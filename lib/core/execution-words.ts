/** Kinds of records that execution engines send. */
export const executionKinds = ["order", "position"] as const;

export type ExecutionKind = (typeof executionKinds)[number];

export const orderStatuses = [
  "open",
  "partially_filled",
  "filled",
  "cancelled",
  "rejected",
  "expired",
] as const;

export type OrderStatus = (typeof orderStatuses)[number];
