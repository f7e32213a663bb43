import type { Table } from "../table/table.ts";
import type { Candle } from "./core/candle.ts";
import { type ChunkKind, chunkStart } from "./core/candle-chunk.ts";
import { withCandles } from "./core/candles.ts";
import type { TokenName } from "./core/market.ts";
import { readChunks, type StoredChunk, writeChunk } from "./items/chunk-items.ts";

/** Another run of readMarkets has taken over, so this one must not write any more. */
export class Superseded extends Error {
  override readonly name = "Superseded";
}

/** A chunk changes only while two functions write it, so it is soon written. */
const mostAttempts = 5;

type Known = Pick<StoredChunk, "start" | "candles" | "version">;

/** Writes candles of tokens into their chunks, for a run of readMarkets. */
export class CandleStore {
  readonly #table: Table;
  readonly #epoch: number;
  /** The last chunk of each kind and token that was read or written. */
  readonly #known = new Map<string, Known>();

  constructor(table: Table, epoch: number) {
    this.#table = table;
    this.#epoch = epoch;
  }

  /**
   * Puts candles into their chunks, in the place of those that start at the same times. They are in the order of time.
   *
   * @throws {Superseded}
   */
  async save(token: TokenName, kind: ChunkKind, candles: readonly Candle[], revision: number): Promise<void> {
    for (const [start, changed] of Map.groupBy(candles, (candle) => chunkStart(kind, candle.start)))
      await this.#saveChunk(token, kind, start, { candles: changed, revision });
  }

  /** Reads the candles that start within two times in epoch seconds, both included. */
  async load(token: TokenName, kind: ChunkKind, range: { from: number; to: number }): Promise<Candle[]> {
    const chunks = await readChunks(this.#table, token, kind, {
      from: chunkStart(kind, range.from),
      to: range.to,
    });
    return chunks
      .flatMap(({ candles }) => candles)
      .filter(({ start }) => start >= range.from && start <= range.to);
  }

  /** Forgets what is known of a token that nobody wants any more. */
  forget({ chain, token }: TokenName): void {
    for (const name of this.#known.keys())
      if (name.startsWith(`${chain} ${token} `)) this.#known.delete(name);
  }

  async #saveChunk(
    token: TokenName,
    kind: ChunkKind,
    start: number,
    changed: Pick<StoredChunk, "candles" | "revision">,
  ): Promise<void> {
    const name = `${token.chain} ${token.token} ${kind}`;
    for (let attempt = 0; attempt < mostAttempts; attempt++) {
      const before = await this.#chunk(name, token, kind, start);
      const candles = withCandles(before.candles, changed.candles);
      const { version } = before;
      const written = { candles, revision: changed.revision };
      const chunk = { ...token, kind, start };
      const known = version === 0 ? undefined : version;
      if (await writeChunk(this.#table, chunk, written, { epoch: this.#epoch, version: known })) {
        this.#known.set(name, { start, candles, version: version + 1 });
        return;
      }
      this.#known.delete(name);
    }
    throw new Superseded();
  }

  /** Version 0 stands for a chunk that does not exist. */
  async #chunk(name: string, token: TokenName, kind: ChunkKind, start: number): Promise<Known> {
    const known = this.#known.get(name);
    if (known?.start === start) return known;
    const [found] = await readChunks(this.#table, token, kind, { from: start, to: start });
    if (found !== undefined && found.epoch > this.#epoch) throw new Superseded();
    return found ?? { start, candles: [], version: 0 };
  }
}
