import { epochSeconds } from "../../core/time.ts";
import type { Key } from "../../table/keys.ts";
import { atLeast, below } from "../../table/step.ts";
import type { Table } from "../../table/table.ts";
import { write } from "../../table/write.ts";
import { marketHistoriesKey, marketLooksKey } from "./keys.ts";

/** Maximum number of looks at hosts that a user may cause per minute. */
export const mostLooks = 30;

/** Maximum number of histories that are read for a user in a day. Each may take thousands of units of hosts. */
export const mostHistories = 100;

/**
 * Counts a look at a host for a user. Returns false, without counting, if the user has already caused too many in this
 * minute.
 */
export async function countLook(table: Table, userID: string, now: Date): Promise<boolean> {
  return countIn(table, minute, { userID, now, name: "looks", most: mostLooks });
}

/** Counts a history for a user. Returns false, without counting, if the user has had too many on this day in UTC. */
export async function countHistory(table: Table, userID: string, now: Date): Promise<boolean> {
  return countIn(table, day, { userID, now, name: "histories", most: mostHistories });
}

/** Takes back a history that was counted for a user at a given time. */
export async function uncountHistory(table: Table, userID: string, countedAt: Date): Promise<void> {
  await write(table, {
    kind: "change",
    key: keyIn(day, userID, countedAt),
    add: { histories: -1 },
    when: { histories: atLeast(1) },
  });
}

/** A span of time, with the key of a user's count in one of the spans since 1970. */
type Span = { seconds: number; keyOf: (userID: string, span: number) => Key };

const minute: Span = { seconds: 60, keyOf: marketLooksKey };
const day: Span = { seconds: 86_400, keyOf: marketHistoriesKey };

const keyIn = ({ seconds, keyOf }: Span, userID: string, at: Date): Key =>
  keyOf(userID, Math.floor(epochSeconds(at) / seconds));

type Count = { userID: string; now: Date; name: "looks" | "histories"; most: number };

/** Adds one to a user's count of the current span, unless the count has reached its limit. */
async function countIn(table: Table, span: Span, { userID, now, name, most }: Count): Promise<boolean> {
  return write(table, {
    kind: "change",
    key: keyIn(span, userID, now),
    set: { expiresAt: epochSeconds(now) + 2 * span.seconds },
    add: { [name]: 1 },
    when: ["absent", { [name]: below(most) }],
  });
}
