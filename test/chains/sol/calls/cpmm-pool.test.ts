import { createHash } from "node:crypto";
import bs58 from "bs58";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  amountOut,
  type CPMMPool,
  type CPMMTrade,
  readFeeRates,
  readPool,
} from "../../../../lib/chains/sol/calls/cpmm-pool.ts";
import { raydiumConfig2, raydiumConfigs, raydiumPools } from "../../../support/mainnet.ts";

const key = (byte: number) => new Uint8Array(32).fill(byte);
const address = (byte: number) => bs58.encode(key(byte));

/** Anchor's identifier of an account type. */
const accountName = (type: string) => createHash("sha256").update(`account:${type}`).digest().subarray(0, 8);

type Changes = { status?: number; feeMode?: number; hasCreatorFee?: number };

/** Writes a pool's account of 637 bytes, with the program's own offsets. */
function poolAccount({ status = 0, feeMode = 0, hasCreatorFee = 0 }: Changes = {}): Buffer {
  const data = Buffer.alloc(637);
  data.set(accountName("PoolState"));
  for (let index = 0; index < 10; index++) data.set(key(index + 1), 8 + 32 * index);
  data.set([255, status, 9, 6, 9], 328);
  const amounts = [1000n, 1n, 20n, 300n, 4000n, 1_700_000_000n, 800n];
  for (const [index, amount] of amounts.entries()) data.writeBigUInt64LE(amount, 333 + 8 * index);
  data.set([feeMode, hasCreatorFee], 389);
  data.writeBigUInt64LE(50_000n, 397);
  data.writeBigUInt64LE(600_000n, 405);
  return data;
}

const pool: CPMMPool = {
  config: address(1),
  observation: address(10),
  allowsSwaps: true,
  openTime: 1_700_000_000n,
  sides: [
    { mint: address(6), program: address(8), vault: address(3), owed: 50_301n },
    { mint: address(7), program: address(9), vault: address(4), owed: 604_020n },
  ],
};

describe("readPool", () => {
  it.each([
    ["plain", [484_814_504n + 123_593_244n, 286_186_090n + 78_871_511n], 1_746_886_997n, {}],
    [
      "ofCreator",
      [49_023_014n + 4_037_703n + 59_466_681_730n, 3_414_305_342n + 231_412_299n],
      1_756_490_919n,
      { creatorFeeOn: 0 },
    ],
  ] as const)("reads the pool %s from mainnet", (name, owed, openTime, fee) => {
    const { mint, vaults, observation, data } = raydiumPools[name];
    const program = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA";
    const coin = "So11111111111111111111111111111111111111112";
    expect(readPool(data)).toEqual({
      config: raydiumConfigs[0],
      observation,
      sides: [
        { mint: coin, program, vault: vaults.coin, owed: owed[0] },
        { mint, program, vault: vaults.token, owed: owed[1] },
      ],
      allowsSwaps: true,
      openTime,
      ...fee,
    });
  });

  it("reads the accounts of a pool, and the fees that its vaults hold for others", () => {
    expect(readPool(poolAccount())).toEqual(pool);
  });

  it.each([
    ["swaps that are stopped", { status: 0b100 }, { allowsSwaps: false }],
    ["swaps that continue without deposits", { status: 0b011 }, { allowsSwaps: true }],
    ["a creator's fee on what is paid in", { hasCreatorFee: 1 }, { creatorFeeOn: "paid in" }],
    ["a creator's fee in the first token", { hasCreatorFee: 1, feeMode: 1 }, { creatorFeeOn: 0 }],
    ["a creator's fee in the second token", { hasCreatorFee: 1, feeMode: 2 }, { creatorFeeOn: 1 }],
  ] as const)("reads a pool with %s", (_, changes, properties) => {
    expect(readPool(poolAccount(changes))).toMatchObject(properties);
  });

  it("rejects accounts of other kinds, accounts that are too short, and unknown fee modes", () => {
    const other = poolAccount();
    other[0] = 0;
    for (const data of [other, poolAccount().subarray(0, 400), poolAccount({ feeMode: 3 }), Buffer.alloc(0)])
      expect(readPool(data)).toBeUndefined();
  });
});

describe("readFeeRates", () => {
  const config = Buffer.alloc(236);
  config.write("daf42168cbcb2b6f", "hex");
  config.writeBigUInt64LE(2500n, 12);
  config.writeBigUInt64LE(500n, 108);

  it("reads a configuration from mainnet", () => {
    expect(readFeeRates(raydiumConfig2)).toEqual({ trade: 20_000n, creator: 500n });
  });

  it("reads the fee rates for trades and for pool creators", () => {
    expect(readFeeRates(config)).toEqual({ trade: 2500n, creator: 500n });
  });

  it("rejects accounts of other kinds and accounts that are too short", () => {
    expect(readFeeRates(poolAccount())).toBeUndefined();
    expect(readFeeRates(config.subarray(0, 100))).toBeUndefined();
  });
});

const free = { transferFees: [] };
const taxed = { transferFees: [{ fromEpoch: 0n, most: 1000n, bps: 100 }] };
const rates = { trade: 2500n, creator: 500n };
const bare: CPMMPool = {
  ...pool,
  sides: [
    { ...pool.sides[0], owed: 0n },
    { ...pool.sides[1], owed: 0n },
  ],
};

const trade = (changes: Partial<CPMMTrade> = {}): CPMMTrade => ({
  from: 0,
  held: [1_000_000n, 4_000_000n],
  mints: [free, free],
  rates,
  epoch: 1n,
  ...changes,
});

describe("amountOut", () => {
  it.each<[string, CPMMPool, CPMMTrade, bigint]>([
    // 10,000 - 25 = 9,975; 4,000,000 × 9,975 / 1,009,975 = 39,505.9
    ["the product of the reserves", bare, trade(), 39_505n],
    // 1,000,000 × 9,975 / 4,009,975 = 2,487.5
    ["the other way", bare, trade({ from: 1 }), 2_487n],
    // 10,000 - 30 = 9,970; 4,000,000 × 9,970 / 1,009,970 = 39,486.3
    ["a creator's fee before the swap", { ...bare, creatorFeeOn: "paid in" }, trade(), 39_486n],
    ["a creator's fee in the token paid in", { ...bare, creatorFeeOn: 0 }, trade(), 39_486n],
    // 39,505 - ⌈19.75⌉
    ["a creator's fee after the swap", { ...bare, creatorFeeOn: 1 }, trade(), 39_485n],
    // 10,000 - 100 = 9,900; - ⌈24.75⌉ = 9,875; 4,000,000 × 9,875 / 1,009,875 = 39,113.7
    ["a transfer fee on the way in", bare, trade({ mints: [taxed, free] }), 39_113n],
    // 39,505 - ⌈395.05⌉
    ["a transfer fee on the way out", bare, trade({ mints: [free, taxed] }), 39_109n],
    // 949,699 and 3,395,980: 3,395,980 × 9,975 / 959,674 = 35,298.2
    ["reserves without the fees that the pool owes", pool, trade(), 35_298n],
  ])("computes a trade's output: %s", (_, by, asked, out) => {
    expect(amountOut(by, 10_000n, asked)).toBe(out);
  });

  it("charges 0.25 % of an amount, to the unit", () => {
    // 10^15 × (10^12 - 2,500,000,000) / (10^15 + 997,500,000,000)
    const held = [10n ** 15n, 10n ** 15n] as const;
    expect(amountOut(bare, 10n ** 12n, trade({ held }))).toBe(996_505_985_279n);
  });

  it.each<[string, CPMMPool, bigint, CPMMTrade]>([
    ["a stopped pool", { ...bare, allowsSwaps: false }, 10_000n, trade()],
    ["an empty vault", bare, 10_000n, trade({ held: [0n, 4_000_000n] })],
    ["a vault that owes all that it holds", pool, 10_000n, trade({ held: [50_301n, 4_000_000n] })],
    ["an amount that fees use up", bare, 1n, trade()],
  ])("returns an output of 0 for %s", (_, by, amountIn, asked) => {
    expect(amountOut(by, amountIn, asked)).toBe(0n);
  });

  it("never lets the product of the reserves fall", () => {
    const units = fc.bigInt({ min: 1n, max: 2n ** 63n });
    const side = fc.constantFrom("paid in" as const, 0 as const, 1 as const);
    fc.assert(
      fc.property(
        units,
        units,
        units,
        fc.constantFrom(0 as const, 1 as const),
        side,
        (a, b, amountIn, from, fee) => {
          const held = [a, b] as const;
          const out = amountOut({ ...bare, creatorFeeOn: fee }, amountIn, trade({ held, from }));
          const [reserveIn, reserveOut] = from === 0 ? [a, b] : [b, a];
          expect(out).toBeLessThan(reserveOut);
          expect((reserveIn + amountIn) * (reserveOut - out)).toBeGreaterThanOrEqual(a * b);
        },
      ),
    );
  });
});
