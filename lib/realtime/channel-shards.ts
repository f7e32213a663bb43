import { randomInt } from "node:crypto";
import { epochSeconds } from "../core/time.ts";
import { atMost, below } from "../table/step.ts";
import { queryRange, type Table } from "../table/table.ts";
import { write } from "../table/write.ts";
import { isOccupied, lifetimeSeconds } from "./connection-records.ts";
import { channelShardsKey, channelShardsRange } from "./item-keys.ts";

/**
 * Number of shards for the subscribers of public channels, in both audiences. While a deployment changes the number,
 * functions with the old and with the new number run side by side. Therefore a process that assigns connections to
 * shards first notes its number, unless a higher one is noted already. Readers use the higher of the noted number and
 * their own. Each shard needs its own run of deliver for each message, so the note expires once none of its connections
 * can still be open.
 */
type ChannelShards = { shards: number; expiresAt: number };

/**
 * Maximum number of shards that the context allows. Without a limit, functions that assign connections could note any
 * number.
 */
export const mostChannelShards = 256;

/** Time after which a process repeats its note of the number of shards. */
const repeatSeconds = 3600;

/** Chooses shards for new connections. */
export function shardChooser(table: Table, shards: number): (now: Date) => Promise<number> {
  let repeatAt = 0;
  return async (now) => {
    const seconds = epochSeconds(now);
    if (seconds >= repeatAt) {
      const expiresAt = seconds + repeatSeconds + lifetimeSeconds;
      await write(table, {
        kind: "change",
        key: channelShardsKey,
        set: { shards, expiresAt } satisfies ChannelShards,
        when: ["absent", { shards: atMost(shards) }, { expiresAt: below(seconds) }],
      });
      repeatAt = seconds + repeatSeconds;
    }
    return randomInt(shards);
  };
}

/**
 * Time for which a reader trusts the note that it last read. During this time, subscribers in a new shard get only
 * their snapshots.
 */
const knownMs = 10_000;

/** Counts the shards that may have subscribers. */
export function shardCounter(table: Table, own: number): (now: Date) => Promise<number> {
  let known = { shards: own, untilMs: Number.NEGATIVE_INFINITY };
  return async (now) => {
    if (now.getTime() >= known.untilMs) {
      const [note] = await queryRange<ChannelShards>(table, channelShardsRange);
      const isValid = note !== undefined && note.expiresAt > epochSeconds(now);
      const noted = isValid ? Math.min(Number(note.shards) || 0, mostChannelShards) : 0;
      known = { shards: Math.max(own, noted), untilMs: now.getTime() + knownMs };
    }
    return known.shards;
  };
}

/** Time for which a shard that had subscribers is assumed to have some still. */
const occupiedMs = 5000;

/**
 * Finds the shards that have subscribers of prices. Checks empty shards each time, so that their first subscriber
 * misses nothing.
 */
export function occupiedShards(
  table: Table,
  countShards: (now: Date) => Promise<number>,
): (now: Date) => Promise<number[]> {
  const seenAtMs = new Map<number, number>();
  return async (now) => {
    const nowMs = now.getTime();
    const shards = Array.from({ length: await countShards(now) }, (_, shard) => shard);
    const areOccupied = await Promise.all(
      shards.map(async (shard) => {
        const ageMs = nowMs - (seenAtMs.get(shard) ?? Number.NEGATIVE_INFINITY);
        // Drops an old result. Does so even if the clock was set back.
        if (ageMs >= 0 && ageMs < occupiedMs) return true;
        const found = await isOccupied(table, "prices", shard);
        if (found) seenAtMs.set(shard, nowMs);
        return found;
      }),
    );
    return shards.filter((shard) => areOccupied[shard]);
  };
}
