import { type Item, queryRange, type Table } from "../../table/table.ts";
import { write } from "../../table/write.ts";
import type { Candle } from "../core/candle.ts";
import { type ChunkKind, chunkEnd, packChunk, unpackChunk } from "../core/candle-chunk.ts";
import { keptSeconds } from "../core/candle-range.ts";
import type { TokenName } from "../core/market.ts";
import { chunkKey, chunksWithin } from "./keys.ts";
import { itemFormat, notLaterThan } from "./market-items.ts";

/** Names a chunk of a token's candles. The start of the chunk is in epoch seconds. */
export type ChunkName = TokenName & { kind: ChunkKind; start: number };

/** A chunk and the version of its item. */
export type StoredChunk = {
  start: number;
  candles: Candle[];
  version: number;
  /** Highest revision of the market at which the chunk was written. */
  revision: number;
  /** Epoch of the last run of readMarkets that wrote the chunk. 0 if none did. */
  epoch: number;
};

type Stored = Omit<StoredChunk, "start" | "candles"> & {
  candles: Uint8Array;
  format: number;
  expiresAt?: number;
};

/**
 * Writes a chunk if it does not exist or still has the given version. If two functions write at once, the slower one
 * must read the chunk again and merge the candles, so that no candle is lost.
 *
 * @returns false, without writing, if the chunk has changed in the meantime or a later run has written it.
 */
export async function writeChunk(
  table: Table,
  { kind, start, ...token }: ChunkName,
  { candles, revision }: Pick<StoredChunk, "candles" | "revision">,
  { epoch, version }: { epoch: number; version: number | undefined },
): Promise<boolean> {
  const kept = keptSeconds[kind];
  const stored: Stored = {
    candles: packChunk(kind, start, candles),
    version: (version ?? 0) + 1,
    revision,
    epoch,
    format: itemFormat,
    ...(kept !== undefined && { expiresAt: chunkEnd(kind, start) + kept }),
  };
  const when = version === undefined ? "absent" : { ...notLaterThan(epoch), version };
  return write(table, { kind: "put", key: chunkKey(kind, token, start), item: stored, when });
}

/**
 * Reads the chunks that start between two times in epoch seconds, including both. Leaves out chunks written by later
 * code.
 */
export async function readChunks(
  table: Table,
  token: TokenName,
  kind: ChunkKind,
  range: { from: number; to: number },
): Promise<StoredChunk[]> {
  const items = await queryRange<Stored>(table, chunksWithin(kind, token, range));
  return items.flatMap((item) => chunkOf(kind, item) ?? []);
}

function chunkOf(kind: ChunkKind, { SK, ...stored }: Item<Stored>): StoredChunk | undefined {
  const start = Number(SK.slice(SK.indexOf("#") + 1));
  const candles = stored.format > itemFormat ? undefined : unpackChunk(kind, start, stored.candles);
  if (candles === undefined) return undefined;
  const { version, revision, epoch } = stored;
  return { start, candles, version, revision, epoch };
}
