import { epochSeconds } from "../../core/time.ts";
import { below } from "../../table/step.ts";
import type { Table } from "../../table/table.ts";
import { write } from "../../table/write.ts";
import { marketLooksKey } from "./keys.ts";

/** Maximum number of looks at hosts that a user may cause per minute. */
export const mostLooks = 30;

const minuteSeconds = 60;

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
