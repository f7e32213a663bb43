import { zero } from "../../core/decimal.ts";
import { ServiceError } from "../../core/service-error.ts";
import { nativeToken } from "../../orders/trading-chain.ts";
import type { Table } from "../../table/table.ts";
import type { Candle } from "../core/candle.ts";
import { type ChunkKind, chunkStart } from "../core/candle-chunk.ts";
import { foldCandles, intervalStart, withCandles, withoutSwaps } from "../core/candles.ts";
import type { TokenName } from "../core/market.ts";
import { readChunks, type StoredChunk, writeChunk } from "../items/chunk-items.ts";
import { readMarket, writeMarket } from "../items/market-items.ts";
import type { TokenStore, TokenWriter } from "./chain-markets.ts";

/** Writes past candles while a run of readMarkets is active. */
export function historyWriter(table: Table): Pick<TokenWriter, "saveCandles"> {
  const writer = new CandleWriter(table);
  return { saveCandles: (...saved) => writer.saveCandles(...saved) };
}

/** Thrown if another run of readMarkets has taken over and this one must not write any more. */
export class Superseded extends ServiceError {
  override readonly code = "SUPERSEDED";
}

/** Interval at which rows are stored. */
export const rowMs = 5 * 60_000;

/** Stores tokens in the table. */
export const tokenStore = <State>(table: Table): TokenStore<State> => ({
  readMarket: (name) => readMarket(table, name),
  async loadCandles(name, kind, { from, to }) {
    const chunks = await readChunks(table, name, kind, { from: chunkStart(kind, from), to });
    return chunks.flatMap(({ candles }) => candles).filter(({ start }) => start >= from && start <= to);
  },
  writer(epoch) {
    const writer = new CandleWriter(table, epoch);
    return {
      async saveMarket(item, wantedAt) {
        if (!(await writeMarket(table, item, { epoch, wantedAt }))) throw new Superseded();
      },
      saveCandles: (...saved) => writer.saveCandles(...saved),
    };
  },
});

const hourSeconds = 3600;
const daySeconds = 86_400;

/** Reads the stored candles of the last day. */
export function lastDayOf(
  { loadCandles }: Pick<TokenStore, "loadCandles">,
  name: TokenName,
  kind: "minutes" | "hours",
): Promise<readonly Candle[]> {
  const now = Math.floor(Date.now() / 1000);
  return loadCandles(name, kind, { from: intervalStart(now - daySeconds, "1h"), to: now });
}

/**
 * Folds stored minute candles into hours, and stored hourly candles into days, and stores the results. Removes candles
 * that have lost all of their swaps.
 */
export async function saveHours(
  { loadCandles }: Pick<TokenStore, "loadCandles">,
  { saveCandles }: Pick<TokenWriter, "saveCandles">,
  name: TokenName,
  { starts, revision }: { starts: readonly number[]; revision: number },
): Promise<void> {
  const within = (from: number, seconds: number) => ({ from, to: from + seconds - 1 });
  for (const start of starts) {
    const minutes = await loadCandles(name, "minutes", within(start, hourSeconds));
    await saveCandles(name, "hours", foldedOrNone(name, start, foldCandles(minutes, "1h")), revision);
  }
  for (const start of new Set(starts.map((each) => intervalStart(each, "1d")))) {
    const hours = await loadCandles(name, "hours", within(start, daySeconds));
    await saveCandles(name, "days", foldedOrNone(name, start, foldCandles(hours, "1d")), revision);
  }
}

/** Stores minute candles of the past, and folds them into hours and days. */
export async function savePast(
  store: Pick<TokenStore, "loadCandles">,
  writer: Pick<TokenWriter, "saveCandles">,
  name: TokenName,
  minutes: readonly Candle[],
): Promise<void> {
  await writer.saveCandles(name, "minutes", minutes, 0);
  const starts = [...new Set(minutes.map(({ start }) => intervalStart(start, "1h")))];
  await saveHours(store, writer, name, { starts, revision: 0 });
}

/**
 * Returns the candles of an interval. If there are none, returns a candle without swaps, which removes the stored ones.
 * Candles of coins never have swaps.
 */
function foldedOrNone({ token }: TokenName, start: number, folded: readonly Candle[]): readonly Candle[] {
  if (folded.length > 0 || token === nativeToken) return folded;
  return [withoutSwaps(start, { pool: { pool: "", quote: nativeToken }, price: zero })];
}

/**
 * Maximum number of attempts to write a chunk. A chunk changes only while two functions write it, so a few attempts
 * suffice.
 */
const mostAttempts = 5;

type Known = Pick<StoredChunk, "start" | "candles" | "version" | "epoch">;

type Saved = Pick<StoredChunk, "candles" | "revision">;

class CandleWriter {
  readonly #table: Table;
  readonly #epoch: number | undefined;
  /** The last chunk that was read or written, for each kind and token. */
  readonly #known = new Map<string, Known>();

  /**
   * @param epoch The epoch of the run. If it is absent, minute candles that are final in the table stay as they are.
   */
  constructor(table: Table, epoch?: number) {
    this.#table = table;
    this.#epoch = epoch;
  }

  /**
   * Puts candles, in the order of time, into their chunks, replacing those with the same start. Leaves out a token's
   * minute candles without swaps.
   */
  async saveCandles(
    token: TokenName,
    kind: ChunkKind,
    candles: readonly Candle[],
    revision: number,
  ): Promise<void> {
    for (const [start, changed] of Map.groupBy(candles, (candle) => chunkStart(kind, candle.start)))
      await this.#saveChunk(token, kind, start, { candles: changed, revision });
  }

  async #saveChunk(token: TokenName, kind: ChunkKind, start: number, changed: Saved): Promise<void> {
    const name = `${token.chain} ${token.token} ${kind}`;
    for (let attempt = 0; attempt < mostAttempts; attempt++) {
      const before = await this.#chunk(name, token, kind, start);
      const kept =
        this.#epoch === undefined && kind === "minutes"
          ? before.candles.filter(({ isFinal }) => isFinal)
          : [];
      const candles = withCandles(withCandles(before.candles, changed.candles), kept).filter(
        ({ trades }) => trades !== 0 || token.token === nativeToken,
      );
      const { version } = before;
      const chunk = { ...token, kind, start };
      const by = { epoch: this.#epoch ?? before.epoch, version: version === 0 ? undefined : version };
      if (await writeChunk(this.#table, chunk, { candles, revision: changed.revision }, by)) {
        this.#known.set(name, { start, candles, version: version + 1, epoch: by.epoch });
        return;
      }
      this.#known.delete(name);
    }
    throw new Superseded();
  }

  /** Reads a chunk. Version 0 means that the chunk does not exist. */
  async #chunk(name: string, token: TokenName, kind: ChunkKind, start: number): Promise<Known> {
    const known = this.#known.get(name);
    if (known?.start === start) return known;
    const [found] = await readChunks(this.#table, token, kind, { from: start, to: start });
    if (found !== undefined && found.epoch > (this.#epoch ?? found.epoch)) throw new Superseded();
    return found ?? { start, candles: [], version: 0, epoch: 0 };
  }
}
