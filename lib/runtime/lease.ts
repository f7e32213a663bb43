import { randomUUID } from "node:crypto";
import type { ScheduledEvent } from "aws-lambda";

/** The part of a schedule's event that identifies a run. */
export type Tick = Pick<ScheduledEvent, "id" | "time">;

/**
 * Makes the text that decides which of two runs may write: the greater one wins. It belongs to the run of the later
 * schedule. If EventBridge starts two runs for one schedule, always the same one wins.
 */
export const leaseOf = ({ time, id }: Tick): string =>
  `${new Date(time).toISOString()}#${id}#${randomUUID()}`;
