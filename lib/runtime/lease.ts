import { randomUUID } from "node:crypto";
import type { ScheduledEvent } from "aws-lambda";

/** The part of a schedule's event that names a run. */
export type Tick = Pick<ScheduledEvent, "id" | "time">;

/**
 * Text that decides which of two runs may write: the one with the greater text. That is the run of the later schedule. When
 * EventBridge starts two runs for one schedule, it is always the same one of them.
 */
export const leaseOf = ({ time, id }: Tick): string =>
  `${new Date(time).toISOString()}#${id}#${randomUUID()}`;
