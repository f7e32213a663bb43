import { epochSeconds } from "../../core/time.ts";
import { below } from "../../table/step.ts";
import type { Table } from "../../table/table.ts";
import { write } from "../../table/write.ts";
import { marketHistoriesKey, marketLooksKey } from "./keys.ts";

/** Maximum number of looks at hosts that a user may cause per minute. */
export const mostLooks = 30;

/** Maximum number of histories that are read for a user in a day. Each may take thousands of units of hosts. */
export const mostHistories = 100;

const minuteSeconds = 60;
const daySeconds = 86_400;

/**
 * Counts a look at a host for a user. Returns false, without counting, if the user has already caused too many in this
 * minute.
 */
export async function countLook(table: Table, userID: string, now: Date): Promise<boolean> {
  const seconds = epochSeconds(now);
  return write(table, {
    kind: "change",
    key: marketLooksKey(userID, Math.floor(seconds / minuteSeconds)),
    set: { expiresAt: seconds + 2 * minuteSeconds },
    add: { looks: 1 },
    when: ["absent", { looks: below(mostLooks) }],
  });
}

/** Counts a history for a user. Returns false, without counting, if the user has had too many on this day in UTC. */
export async function countHistory(table: Table, userID: string, now: Date): Promise<boolean> {
  const seconds = epochSeconds(now);
  return write(table, {
    kind: "change",
    key: marketHistoriesKey(userID, Math.floor(seconds / daySeconds)),
    set: { expiresAt: seconds + 2 * daySeconds },
    add: { histories: 1 },
    when: ["absent", { histories: below(mostHistories) }],
  });
}
