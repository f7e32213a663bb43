import { randomUUID } from "node:crypto";

/**
 * Text that says which run may save prices: of two, the greater may. That is the run of the later schedule; and of those
 * that one schedule has started twice, as EventBridge may, always the same one.
 */
export const leaseOf = ({ time, id }: { time: string; id: string }): string =>
  `${new Date(time).toISOString()}#${id}#${randomUUID()}`;
