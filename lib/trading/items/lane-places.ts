import { createHash } from "node:crypto";
import type { Network } from "../../core/network.ts";
import type { LaneKey } from "../../orders/intent.ts";
import { getItems } from "../../table/batch-get.ts";
import { below, type Write } from "../../table/step.ts";
import type { Filter, Item, Table } from "../../table/table.ts";
import { queryRange } from "../../table/table.ts";
import { write } from "../../table/write.ts";
import {
  defaultLaneShards,
  lanePlaceKey,
  laneShardsKey,
  lanesAndShardsOf,
  lanesOf,
  mostLaneShards,
} from "./keys.ts";

/**
 * The shards of lanes. Their number is configuration, and during a deployment functions with the old and with the new
 * number run side by side, so no function relies on it to find a lane:
 *
 * - A lane stays in the shard in which it was created. The lane's place, an item beside the wallet's jobs, names the
 * shard. Lane and place are created and removed in the same transactions. So a wallet never has two lanes, even if
 * writers use different numbers.
 * - A write first tries the lane's home, which is the shard that follows from the writer's own number, and reads the
 * place only if that fails.
 * - A writer that creates lanes first notes its number of shards in shard 0, unless a higher one is noted. Readers read
 * that many shards.
 */

export type LanePlace = { shard: number };

/** Returns the shard in which a lane is created, and in which it is looked for first. */
export function homeShard(
  { wallet }: Pick<LaneKey, "wallet">,
  { laneShards = defaultLaneShards }: Pick<Table, "laneShards"> = {},
) {
  const [byte = 0] = createHash("sha256").update(wallet).digest();
  return byte % laneShards;
}

/** Returns the shard of a wallet's lane, or undefined if the wallet has none. */
export async function placeOf(table: Table, lane: LaneKey): Promise<number | undefined> {
  const [place] = await getItems<LanePlace>(table, [lanePlaceKey(lane)]);
  return place?.shard;
}

/**
 * Carries out a write of a lane in the shard in which the lane is. Returns false if a condition of the write fails
 * there.
 */
export async function inItsShard(
  table: Table,
  lane: LaneKey,
  writeIn: (shard: number) => Promise<boolean>,
): Promise<boolean> {
  const home = homeShard(lane, table);
  if (await writeIn(home)) return true;
  const shard = await placeOf(table, lane);
  return shard !== undefined && shard !== home && writeIn(shard);
}

/**
 * Builds the write of a place, which belongs in the transaction that creates the lane. It fails if the lane is in
 * another shard.
 */
export const placeWrite = (lane: LaneKey, shard: number): Write => ({
  kind: "put",
  key: lanePlaceKey(lane),
  item: { shard } satisfies LanePlace,
  when: ["absent", { shard }],
});

/** Builds the write that removes a place together with its lane. */
export const placeRemoval = (lane: LaneKey): Write => ({ kind: "remove", key: lanePlaceKey(lane) });

/**
 * Chains for which this process has noted the number of shards. Such notes are never lowered or deleted, so one write
 * is enough.
 */
const noted = new WeakMap<Table, Set<Network>>();

/** Makes readers read all shards in which this process creates lanes. */
export async function noteShards(table: Table, chain: Network): Promise<void> {
  const { laneShards: shards = defaultLaneShards } = table;
  const known = noted.get(table) ?? new Set();
  if (shards <= defaultLaneShards || known.has(chain)) return;
  const when = ["absent", { shards: below(shards) }] as const;
  await write(table, { kind: "change", key: laneShardsKey(chain), set: { shards }, when });
  noted.set(table, known.add(chain));
}

/** Reads the lanes in all shards of a chain, with one call per shard. The filter must accept the note in shard 0. */
export async function lanesInShards(table: Table, chain: Network, filter?: Filter): Promise<Item<object>[]> {
  const read = (from: number, to: number) =>
    Promise.all(
      Array.from({ length: to - from }, (_, index) =>
        queryRange<object>(table, lanesOf(chain, from + index), { filter }),
      ),
    );
  const [first, others] = await Promise.all([
    queryRange<{ shards?: number }>(table, lanesAndShardsOf(chain), { filter }),
    read(1, defaultLaneShards),
  ]);
  const isNote = ({ SK }: Item<object>) => SK === laneShardsKey(chain).SK;
  // Limits the noted number, because functions that create lanes could note any number.
  const most = Math.min(mostLaneShards, Number(first.find(isNote)?.shards ?? 0));
  const rest = await read(defaultLaneShards, Math.max(defaultLaneShards, most));
  return [...first.filter((item) => !isNote(item)), ...others.flat(), ...rest.flat()];
}
