import { beforeEach } from "vitest";
import type { DomainError } from "../../../lib/core/domain-error.ts";
import type { Candle, CandlePool } from "../../../lib/markets/core/candle.ts";
import { type ChunkKind, chunkStart } from "../../../lib/markets/core/candle-chunk.ts";
import { writeChunk } from "../../../lib/markets/items/chunk-items.ts";
import { listCandles } from "../../../lib/markets/list-candles.ts";
import type { Price } from "../../../lib/prices/price.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { decimal, silentChains } from "./markets.ts";

/** Time at which candles are listed. */
export const candlesNow = new Date("2026-11-22T20:03:30.000Z");

/** Returns the seconds of a day and minute of that month, such as `22T20:03`. */
export const at = (time: string) => Date.parse(`2026-11-${time}:00Z`) / 1000;

/** Creates a candle whose prices are multiples of its close. */
export const candle = (
  start: number,
  close: string,
  rest: Partial<Candle> & { pool?: CandlePool } = {},
): Candle => ({
  start,
  open: decimal(close),
  high: decimal(close),
  low: decimal(close),
  close: decimal(close),
  volume: decimal("2"),
  trades: 1,
  pool: { pool: "0x01", quote: "native" },
  isFinal: true,
  hasGaps: false,
  ...rest,
});

let tokens = 0;

/** Creates a new token for each test. */
export const newToken = () => `0x1${String(++tokens).padStart(39, "0")}`;

export const timesAndCloses = (candles: readonly { time: string; close: string }[]) =>
  candles.map(({ time, close }) => `${time.slice(8, 16)} ${close}`);

/** Stores and lists candles in the tests of a file. */
export function candlesForTests() {
  const db = tableForTests();
  const fresh = () => ({
    /** Number of times that a host was asked about a token. */
    identified: 0,
    wanted: [] as string[],
    prices: [] as Price[],
    /** Answer of hosts that refuse a token. */
    refusal: undefined as DomainError | undefined,
  });
  const chains = silentChains();
  const state = fresh();
  beforeEach(() => void Object.assign(state, fresh()));
  return {
    db,
    chains,
    state,
    list: (
      token: string,
      query: Partial<Parameters<typeof listCandles>[1]["query"]> = {},
      rest: object = {},
    ) =>
      listCandles(
        {
          table: db.table,
          chains,
          async identify() {
            state.identified += 1;
            if (state.refusal !== undefined) throw state.refusal;
          },
          prices: async () => state.prices,
          want: async (_, wanted) => void state.wanted.push(...wanted.map(({ token }) => token)),
        },
        {
          userID: "ann",
          now: candlesNow,
          path: { chain: "base", token },
          query: { interval: "1m", limit: "300", currency: "quote", ...query },
          ...rest,
        },
      ),
    async store(
      token: string,
      kind: ChunkKind,
      candles: readonly Candle[],
      revision = 1,
      chain: "base" | "eth" = "base",
    ) {
      for (const [start, part] of Map.groupBy(candles, (each) => chunkStart(kind, each.start))) {
        const name = { chain, token, kind, start };
        await writeChunk(db.table, name, { candles: part, revision }, { epoch: 1, version: undefined });
      }
    },
  };
}
