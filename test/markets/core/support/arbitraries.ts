import fc from "fast-check";
import { compare, type Decimal, decimalOf } from "../../../../lib/core/decimal.ts";
import type { Candle, CandlePool } from "../../../../lib/markets/core/candle.ts";
import type { SwapBlock } from "../../../../lib/markets/core/candles.ts";

export const decimals = (): fc.Arbitrary<Decimal> =>
  fc
    .tuple(fc.bigInt({ min: 1n, max: 10n ** 20n }), fc.integer({ min: -60, max: 40 }))
    .map(([mantissa, exponent]) => decimalOf(mantissa, exponent));

export const pools: readonly [CandlePool, ...CandlePool[]] = [
  { pool: "0x8a791620dd6260079BF849Dc5567aDC3F2FdC318", quote: "native" },
  { pool: "0x5FbDB2315678afecb367f032d93F642f64180aa3", quote: "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512" },
  { pool: "0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0", quote: "native" },
];

/** Generates blocks in chain order, starting at time 0. Most start at the previous block's price. */
export const swapBlocks = (): fc.Arbitrary<SwapBlock[]> =>
  fc
    .array(
      fc.record({
        seconds: fc.oneof(fc.nat(20), fc.nat(2000)),
        after: decimals(),
        jump: fc.option(decimals(), { nil: undefined, freq: 8 }),
        volume: fc.nat(1_000_000).map((units) => decimalOf(BigInt(units), -3)),
        trades: fc.integer({ min: 1, max: 5 }),
      }),
      { maxLength: 60 },
    )
    .map((steps) => {
      let time = 0;
      let price: Decimal | undefined;
      return steps.map(({ seconds, after, jump, volume, trades }, index) => {
        time += seconds;
        const block = { block: index, time, before: jump ?? price, after, volume, trades };
        price = after;
        return block;
      });
    });

/** A candle at one position of a chunk. */
export const candleAt = (start: number): fc.Arbitrary<Candle> =>
  fc
    .record({
      prices: fc.array(decimals(), { minLength: 4, maxLength: 4 }),
      sums: fc.option(fc.record({ volume: decimals(), trades: fc.integer({ min: 1, max: 0xffff_ffff }) })),
      pool: fc.constantFrom(...pools),
      isFinal: fc.boolean(),
      hasGaps: fc.boolean(),
    })
    .map(({ prices, sums, ...rest }) => {
      const [low, open, close, high] = prices.toSorted(compare) as [Decimal, Decimal, Decimal, Decimal];
      return { start, open, high, low, close, ...sums, ...rest };
    });
