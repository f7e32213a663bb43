import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  evmNetworkFee,
  type FeeMarket,
  feesFor,
  feesWithin,
  gasLimitFor,
  gasPriceNow,
  gweiText,
  weiOfGwei,
} from "../../../../lib/chains/evm/rules/fees.ts";
import { evmChains } from "../../../../lib/core/chain-facts.ts";
import { gasPresets } from "../../../../lib/users/settings.ts";
import { wideLimits } from "../../../support/trading.ts";

const gwei = 1_000_000_000n;

const wei = fc.bigInt({ min: 0n, max: 10n ** 15n });
const gas = fc.bigInt({ min: 21_000n, max: 1_500_000n });
const chain = fc.constantFrom(...evmChains);
const preset = fc.constantFrom(...gasPresets);

/** Tips of one block, sorted so that a higher percentile is never lower. */
const tips = fc
  .array(wei, { minLength: 4, maxLength: 4 })
  .map((values) => values.sort((a, b) => (a < b ? -1 : 1)));

const market: fc.Arbitrary<FeeMarket> = fc.record({
  baseFee: wei,
  tips: fc.array(tips, { maxLength: 5 }),
  suggestedTip: wei,
  gasPrice: wei,
});

/** Fees of an idle anvil chain: a base fee of 7 wei, and blocks without transactions. */
const idle: FeeMarket = { baseFee: 7n, tips: [], suggestedTip: 0n, gasPrice: 7n };

describe("feesFor", () => {
  const blocks = [1n, 2n, 3n, 4n, 5n].map((tip) => [tip, 2n * tip, 3n * tip, 4n * tip].map((n) => n * gwei));

  it.each([
    ["slow", 3n, 25n],
    ["medium", 6n, 30n],
    ["fast", 9n, 40n],
    ["turbo", 12n, 60n],
  ] as const)(
    "pays for %s the median of the blocks' tips at its percentile, and leaves room for a rising base fee",
    (name, tip, base) => {
      const fees = feesFor("eth", name, { ...idle, baseFee: 20n * gwei, tips: blocks });
      expect(fees).toEqual({ maxPriorityFeePerGas: tip * gwei, maxFeePerGas: (tip + base) * gwei });
    },
  );

  it("pays at least a tenth of the host's suggested tip", () => {
    expect(feesFor("eth", "slow", { ...idle, suggestedTip: gwei }).maxPriorityFeePerGas).toBe(gwei / 10n);
  });

  it("pays the gas price on bsc, which is the lowest that validators accept", () => {
    const low = { ...idle, baseFee: 0n, gasPrice: gwei / 10n };
    expect(feesFor("bsc", "slow", low).maxPriorityFeePerGas).toBe(gwei / 10n);
    expect(feesFor("avax", "slow", low).maxPriorityFeePerGas).toBe(1n);
  });

  it("pays validators on bsc at least 0.05 gwei even if a host suggests 0", () => {
    const free = { baseFee: 0n, tips: [[0n, 0n, 0n, 0n]], suggestedTip: 0n, gasPrice: 0n };
    for (const name of gasPresets)
      expect(feesFor("bsc", name, free)).toEqual({
        maxFeePerGas: gwei / 20n,
        maxPriorityFeePerGas: gwei / 20n,
        floor: gwei / 20n,
      });
  });

  it("ignores a suggested floor above ten times the lowest tip", () => {
    const floorFor = (gasPrice: bigint) => feesFor("bsc", "slow", { ...idle, baseFee: 0n, gasPrice }).floor;
    expect([gwei / 10n, gwei / 2n, 9n * gwei].map(floorFor)).toEqual([gwei / 10n, gwei / 2n, gwei / 2n]);
  });

  it("always pays a tip, even on an idle chain", () => {
    expect(feesFor("eth", "medium", idle)).toEqual({ maxPriorityFeePerGas: 1n, maxFeePerGas: 12n });
    fc.assert(
      fc.property(chain, preset, market, (...args) => {
        expect(feesFor(...args).maxPriorityFeePerGas).toBeGreaterThan(0n);
      }),
    );
  });

  it("covers the next block's base fee, and never pays less for a faster preset", () => {
    fc.assert(
      fc.property(chain, market, (name, now) => {
        const all = gasPresets.map((each) => feesFor(name, each, now));
        for (const [index, fees] of all.entries()) {
          expect(fees.maxFeePerGas).toBeGreaterThanOrEqual(now.baseFee + fees.maxPriorityFeePerGas);
          const slower = all[index - 1] ?? fees;
          expect(fees.maxFeePerGas).toBeGreaterThanOrEqual(slower.maxFeePerGas);
          expect(fees.maxPriorityFeePerGas).toBeGreaterThanOrEqual(slower.maxPriorityFeePerGas);
        }
      }),
    );
  });
});

describe("feesWithin", () => {
  const { maxNetworkFee } = wideLimits;

  it("keeps a transaction within the operators' limit, and waits while the next block costs more", () => {
    const limits = { maxGasPrice: 100n * gwei, maxNetworkFee: 300_000n * gwei };
    const fees = { maxFeePerGas: 5n * gwei, maxPriorityFeePerGas: gwei };
    const gas = { gasLimit: 100_000n, l1Fee: 0n };
    expect(feesWithin(limits, fees, 2n * gwei, gas)).toEqual({ ...fees, maxFeePerGas: 3n * gwei });
    expect(feesWithin(limits, fees, 2n * gwei + 1n, gas)).toBeUndefined();
  });

  it("returns undefined only if the next block, with the L1 fee, costs more than the highest gas price", () => {
    fc.assert(
      fc.property(chain, preset, market, gas, wei, wei, (name, speed, now, gasLimit, l1Fee, cap) => {
        const fees = feesFor(name, speed, now);
        const cost = gasLimit * (now.baseFee + fees.maxPriorityFeePerGas) + l1Fee;
        const within = feesWithin({ maxGasPrice: cap, maxNetworkFee }, fees, now.baseFee, {
          gasLimit,
          l1Fee,
        });
        expect(within === undefined).toBe(cost > cap * gasLimit);
        const price = gasPriceNow(now.baseFee, fees.maxPriorityFeePerGas, gasLimit, l1Fee);
        expect(price > cap).toBe(within === undefined);
      }),
    );
  });

  it("never exceeds the highest gas price or falls below the base fee", () => {
    const above = fc.bigInt({ min: 0n, max: 10n ** 12n });
    fc.assert(
      fc.property(chain, preset, market, gas, wei, above, (name, speed, now, gasLimit, l1Fee, more) => {
        const fees = feesFor(name, speed, now);
        const cap = gasPriceNow(now.baseFee, fees.maxPriorityFeePerGas, gasLimit, l1Fee) + more;
        const within = feesWithin({ maxGasPrice: cap, maxNetworkFee }, fees, now.baseFee, {
          gasLimit,
          l1Fee,
        });
        if (within === undefined) throw new Error("The price is within the cap");
        expect(gasLimit * within.maxFeePerGas + l1Fee).toBeLessThanOrEqual(cap * gasLimit);
        expect(within.maxFeePerGas).toBeLessThanOrEqual(fees.maxFeePerGas);
        expect(within.maxPriorityFeePerGas).toBe(fees.maxPriorityFeePerGas);
        expect(within.maxFeePerGas).toBeGreaterThanOrEqual(now.baseFee + within.maxPriorityFeePerGas);
      }),
    );
  });

  it("includes a spike of the L1 fee on base", () => {
    const fees = { maxFeePerGas: 2n * gwei, maxPriorityFeePerGas: gwei };
    const limits = { maxGasPrice: 5n * gwei, maxNetworkFee };
    expect(feesWithin(limits, fees, gwei, { gasLimit: 100_000n, l1Fee: 300_000n * gwei })).toEqual(fees);
    expect(feesWithin(limits, fees, gwei, { gasLimit: 100_000n, l1Fee: 300_001n * gwei })).toBeUndefined();
  });
});

describe("gasLimitFor", () => {
  it("adds a fifth to the gas used before refunds, but stays below twice the estimate, where avax would charge more", () => {
    expect(gasLimitFor(100_000n)).toBe(150_000n);
    fc.assert(
      fc.property(gas, (estimate) => {
        const leastRefunded = (gasLimitFor(estimate) * 4n) / 5n;
        expect(leastRefunded * 5n).toBeGreaterThanOrEqual(estimate * 6n - 5n);
        expect(gasLimitFor(estimate)).toBeLessThan(2n * estimate);
      }),
    );
  });

  it("returns at least an empty transaction's gas, because prices are divided by it", () => {
    expect(gasLimitFor(0n)).toBe(31_500n);
  });
});

describe("evmNetworkFee", () => {
  const fees = { maxFeePerGas: 1_750_000_000n, maxPriorityFeePerGas: gwei };
  const swap = { estimate: 107_532n, gasLimit: 134_415n, l1Fee: 0n };

  it("returns the cost in the next block, and the highest cost within the limits", () => {
    expect(evmNetworkFee([swap], fees, gwei / 2n)).toEqual({
      expected: 161_298_000_000_000n,
      max: 235_226_250_000_000n,
      l1: 0n,
    });
  });

  it("adds up transactions, and allows the L1 fee to rise by a quarter", () => {
    const approve = { estimate: 40_000n, gasLimit: 50_000n, l1Fee: 3n };
    const alone = evmNetworkFee([swap], fees, gwei / 2n);
    expect(evmNetworkFee([{ ...swap, l1Fee: 2n }, approve], fees, gwei / 2n)).toEqual({
      expected: alone.expected + 60_000_000_000_000n + 5n,
      max: alone.max + 87_500_000_000_000n + 7n,
      l1: 5n,
    });
  });

  it("never expects more than the maximum", () => {
    fc.assert(
      fc.property(chain, preset, market, fc.array(fc.tuple(gas, wei)), (name, speed, now, planned) => {
        const transactions = planned.map(([estimate, l1Fee]) => ({
          estimate,
          gasLimit: gasLimitFor(estimate),
          l1Fee,
        }));
        const { expected, max, l1 } = evmNetworkFee(transactions, feesFor(name, speed, now), now.baseFee);
        expect(max).toBeGreaterThanOrEqual(expected);
        expect(expected).toBeGreaterThanOrEqual(l1);
      }),
    );
  });
});

describe("weiOfGwei", () => {
  it.each([
    [100, 100n * gwei],
    [0.29, 290_000_000n],
    [1.1, 1_100_000_000n],
    [1e-9, 1n],
    [1e9, 10n ** 18n],
  ])("reads a price of %d gwei", (value, expected) => {
    expect(weiOfGwei(value)).toBe(expected);
  });

  it("reads back the text that gweiText writes", () => {
    expect([gweiText(1_750_000_000n), gweiText(7n), gweiText(0n)]).toEqual(["1.75", "0.000000007", "0"]);
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), (value) => {
        expect(weiOfGwei(Number(gweiText(value)))).toBe(value);
      }),
    );
  });
});
