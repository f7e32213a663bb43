import { atLeast, initially } from "../table/step.ts";
import type { Table } from "../table/table.ts";
import { write, writeOne } from "../table/write.ts";
import type { Connection, ConnectionName } from "./connection-records.ts";
import { type Audience, connectionKey, subscriberKey } from "./item-keys.ts";

/** A connection's entry in an audience. */
type Place = { audience: Audience; shard: number; connectionId: string };

const keyOf = ({ audience, shard, connectionId }: Place) => subscriberKey(audience, shard, connectionId);

/**
 * Notes the time since when a subscriber has accepted no messages. Keeps an earlier note. Ignores former subscribers.
 */
export async function noteStuckSubscriber(table: Table, place: Place, now: Date): Promise<void> {
  const set = { stuckSince: initially(now.toISOString()) };
  await write(table, { kind: "change", key: keyOf(place), set, when: "present" });
}

/** Notes that a subscriber accepts messages again. */
export async function clearStuckSubscriber(table: Table, place: Place): Promise<void> {
  const set = { stuckSince: undefined };
  await write(table, { kind: "change", key: keyOf(place), set, when: "present" });
}

/**
 * Notes that a connection missed messages of its user.
 *
 * @returns true if no run is bringing the connection up to date yet. False if the connection is unknown.
 */
export async function noteMiss(
  table: Table,
  { userID, connectionId }: ConnectionName,
  now: Date,
): Promise<boolean> {
  const { isWritten, item } = await writeOne<Connection>(table, {
    kind: "change",
    key: connectionKey(userID, connectionId),
    set: { stuckSince: initially(now.toISOString()) },
    add: { misses: 1 },
    when: "present",
  });
  return isWritten && item?.misses === 1;
}

/** Notes that no run is bringing a connection up to date any more. The connection still counts as stuck. */
export async function giveUpOn(table: Table, { userID, connectionId }: ConnectionName): Promise<void> {
  await write(table, {
    kind: "change",
    key: connectionKey(userID, connectionId),
    set: { misses: 0 },
    when: { misses: atLeast(0) },
  });
}

/**
 * Notes that a connection is up to date.
 *
 * @param misses the number of misses at the time when its user's records were read.
 * @returns false, without writing, if the connection has missed messages since then.
 */
export async function clearMisses(
  table: Table,
  { userID, connectionId }: ConnectionName,
  misses: number,
): Promise<boolean> {
  return write(table, {
    kind: "change",
    key: connectionKey(userID, connectionId),
    set: { stuckSince: undefined, misses: undefined },
    when: [{ misses: undefined }, { misses }],
  });
}
