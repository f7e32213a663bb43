import { readFileSync } from "node:fs";
import * as sdk from "@pump-fun/pump-swap-sdk";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type PumpTiers, readPumpTiers } from "../../../../lib/chains/sol/calls/pump-fees.ts";
import {
  type PumpPool,
  pumpPoolBuys,
  pumpPoolPays,
  ratesOfPumpPool,
  readPumpPool,
  readPumpPoolConfig,
} from "../../../../lib/chains/sol/calls/pump-pool.ts";
import {
  feeConfigAccount,
  type PoolFields,
  pumpKey,
  pumpPoolAccount,
  pumpPoolConfigAccount,
  pumpRecipients,
  sdkAccount,
  type TierFields,
} from "../../../support/pump-accounts.ts";

const solAccount = (data: Uint8Array) => sdkAccount(data, sdk.PUMP_PROGRAM_ID);

const coin = 10n ** 9n;
const nobody = pumpKey(0);
const baseMint = sdk.PUMP_MINT;

const fields: PoolFields = {
  creator: String(sdk.pumpPoolAuthorityPda(baseMint)),
  base: String(baseMint),
  quote: "So11111111111111111111111111111111111111112",
  vaults: { base: pumpKey(3), quote: pumpKey(4) },
};

const poolOf = (changes: Partial<PoolFields> = {}): PumpPool =>
  readPumpPool(pumpPoolAccount({ ...fields, ...changes })) as PumpPool;

/** Makes a number of the SDK's kind. */
const numberOf = (value: bigint) =>
  sdk.PUMP_AMM_SDK.decodePool(solAccount(pumpPoolAccount({ ...fields, virtualCoins: value })))
    .virtualQuoteReserves;

describe("readPumpPool", () => {
  it("reads the fields of a pool", () => {
    expect(
      poolOf({ isMayhem: true, hasCashback: true, virtualCoins: -(coin ** 2n), creatorBps: 70n }),
    ).toEqual({
      creator: fields.creator,
      base: fields.base,
      quote: fields.quote,
      vaults: fields.vaults,
      coinCreator: pumpKey(1),
      isMayhem: true,
      hasCashback: true,
      virtualCoins: -(coin ** 2n),
      ownCreatorBps: 70n,
    });
  });

  it.each([211, 243, 244, 245, 261, 270, 300])("reads an account of %i bytes like the SDK", (length) => {
    const full = pumpPoolAccount({
      ...fields,
      isMayhem: true,
      hasCashback: true,
      virtualCoins: coin,
      creatorBps: 70n,
    });
    const data = full.subarray(0, length);
    const theirs = sdk.PUMP_AMM_SDK.decodePool(solAccount(data));
    expect(readPumpPool(data)).toMatchObject({
      base: String(theirs.baseMint),
      vaults: { base: String(theirs.poolBaseTokenAccount), quote: String(theirs.poolQuoteTokenAccount) },
      coinCreator: String(theirs.coinCreator),
      isMayhem: theirs.isMayhemMode,
      hasCashback: theirs.isCashbackCoin,
      virtualCoins: BigInt(String(theirs.virtualQuoteReserves)),
      ownCreatorBps: BigInt(String(theirs.creatorFeeBps)),
    });
  });

  it("refuses other accounts", () => {
    expect(readPumpPool(pumpPoolConfigAccount())).toBeUndefined();
    expect(readPumpPool(new Uint8Array())).toBeUndefined();
  });
});

describe("readPumpPoolConfig", () => {
  it.each([
    [0, true, true],
    [0b00111, true, true],
    [0b01000, false, true],
    [0b10000, true, false],
  ])("reads the switches %i", (flags, allowsBuys, allowsSales) => {
    expect(readPumpPoolConfig(pumpPoolConfigAccount({ flags }))).toMatchObject({ allowsBuys, allowsSales });
  });

  it("reads what the SDK reads", () => {
    const data = pumpPoolConfigAccount({ hasOwnCreatorFees: true });
    const theirs = sdk.PUMP_AMM_SDK.decodeGlobalConfig(solAccount(data));
    expect(readPumpPoolConfig(data)).toMatchObject({
      recipients: theirs.protocolFeeRecipients.map(String),
      mayhemRecipients: [theirs.reservedFeeRecipient, ...theirs.reservedFeeRecipients].map(String),
      buybackRecipients: theirs.buybackFeeRecipients.map(String),
      hasOwnCreatorFees: theirs.creatorFeeConfigurable,
    });
    expect(readPumpPoolConfig(data)).toMatchObject({
      recipients: pumpRecipients.usual,
      mayhemRecipients: pumpRecipients.mayhem,
      buybackRecipients: pumpRecipients.buyback,
    });
    expect(readPumpPoolConfig(data.subarray(0, 940))).toMatchObject({ hasOwnCreatorFees: false });
    expect(readPumpPoolConfig(pumpPoolAccount(fields))).toBeUndefined();
  });
});

/** The fee schedule of mainnet, as the SDK's own tests keep it. */
const ofMainnet = () => {
  const path = "node_modules/@pump-fun/pump-swap-sdk/src/__tests__/feeConfigMainnetFixture.ts";
  const lines = readFileSync(path, "utf8").matchAll(/^ {2}"([\w+/=]+)",$/gm);
  return Buffer.from([...lines].map(([, text]) => text).join(""), "base64");
};

describe("readPumpTiers", () => {
  const read = (data: Uint8Array) =>
    readPumpTiers(data)?.map(({ from, rates }) => [from, rates.providers, rates.protocol, rates.creator]);
  const readByThem = (data: Uint8Array) =>
    sdk.PUMP_AMM_SDK.decodeFeeConfig(solAccount(data)).feeTiers.map(({ marketCapLamportsThreshold, fees }) =>
      [marketCapLamportsThreshold, fees.lpFeeBps, fees.protocolFeeBps, fees.creatorFeeBps].map((each) =>
        BigInt(String(each)),
      ),
    );

  it("reads the schedule of mainnet", () => {
    const data = ofMainnet();
    expect(data).toHaveLength(4073);
    expect(read(data)).toHaveLength(25);
    expect(read(data)).toEqual(readByThem(data));
  });

  it("reads thresholds of more than 64 bits", () => {
    const data = feeConfigAccount([{ from: 2n ** 100n, rates: [1n, 2n, 3n] }]);
    expect(read(data)).toEqual([[2n ** 100n, 1n, 2n, 3n]]);
  });

  it("refuses a schedule without tiers, with too many of them, and other accounts", () => {
    expect(readPumpTiers(feeConfigAccount([]))).toBeUndefined();
    const data = feeConfigAccount([{ from: 0n, rates: [1n, 2n, 3n] }]);
    expect(readPumpTiers(data.subarray(0, 70))).toBeUndefined();
    data.writeUInt32LE(51, 65);
    expect(readPumpTiers(data)).toBeUndefined();
    expect(readPumpTiers(pumpPoolAccount(fields))).toBeUndefined();
  });
});

const bps = fc.bigInt({ min: 0n, max: 1000n });
const tiers: fc.Arbitrary<TierFields[]> = fc
  .array(fc.record({ from: fc.bigInt({ min: 0n, max: 4000n * coin }), rates: fc.tuple(bps, bps, bps) }), {
    minLength: 1,
    maxLength: 5,
  })
  .map((list) => list.toSorted((a, b) => (a.from < b.from ? -1 : 1)));

const markets = fc.record({
  schedule: tiers,
  hasOwnCreatorFees: fc.boolean(),
  changes: fc.record({
    coinCreator: fc.constantFrom(pumpKey(1), nobody),
    isMayhem: fc.boolean(),
    virtualCoins: fc.constantFrom(0n, 0n, 20n * coin),
    creatorBps: fc.constantFrom(0n, 30n, 777n),
  }),
  reserves: fc.record({
    tokens: fc.bigInt({ min: 10n ** 9n, max: 10n ** 15n }),
    coins: fc.bigInt({ min: coin / 100n, max: 10_000n * coin }),
  }),
  supply: fc.bigInt({ min: 10n ** 14n, max: 10n ** 15n }),
});

type Market = typeof markets extends fc.Arbitrary<infer Value> ? Value : never;

/** Reads a market by the service and by the SDK. */
function both({ schedule, hasOwnCreatorFees, changes, reserves, supply }: Market) {
  const [config, fees] = [pumpPoolConfigAccount({ hasOwnCreatorFees }), feeConfigAccount(schedule)];
  const pool = poolOf(changes);
  const tiersRead = readPumpTiers(fees) as PumpTiers;
  const rates = ratesOfPumpPool(pool, { hasOwnCreatorFees }, tiersRead, { reserves, supply });
  const decoded = sdk.PUMP_AMM_SDK.decodePool(solAccount(pumpPoolAccount({ ...fields, ...changes })));
  const theirs = {
    slippage: 0,
    baseReserve: numberOf(reserves.tokens),
    quoteReserve: numberOf(reserves.coins),
    virtualQuoteReserves: decoded.virtualQuoteReserves,
    globalConfig: sdk.PUMP_AMM_SDK.decodeGlobalConfig(solAccount(config)),
    feeConfig: sdk.PUMP_AMM_SDK.decodeFeeConfig(solAccount(fees)),
    baseMintAccount: {
      supply,
      decimals: 6,
      isInitialized: true,
      mintAuthorityOption: 0 as const,
      mintAuthority: baseMint,
      freezeAuthorityOption: 0 as const,
      freezeAuthority: baseMint,
    },
    baseMint,
    coinCreator: decoded.coinCreator,
    creator: decoded.creator,
    quoteMint: decoded.quoteMint,
    isMayhemMode: decoded.isMayhemMode,
    creatorFeeBps: decoded.creatorFeeBps,
  };
  return { pool, rates, theirs };
}

describe("quotes of a pool", () => {
  it("are the SDK's for purchases, to the unit", () => {
    fc.assert(
      fc.property(markets, fc.bigInt({ min: 1000n, max: 1000n * coin }), (market, payment) => {
        const { pool, rates, theirs } = both(market);
        const { base } = sdk.buyQuoteInput({ ...theirs, quote: numberOf(payment) });
        expect(String(pumpPoolBuys(pool, rates, market.reserves, payment))).toBe(String(base));
      }),
    );
  });

  it("are the SDK's for sales, to the unit, and nothing where the SDK refuses", () => {
    fc.assert(
      fc.property(markets, fc.bigInt({ min: 1n, max: 10n ** 15n }), (market, sold) => {
        const { pool, rates, theirs } = both(market);
        let paid = "0";
        try {
          paid = String(sdk.sellBaseInput({ ...theirs, base: numberOf(sold) }).uiQuote);
        } catch {
          // The pool does not have the coins, or the fees take more than everything.
        }
        expect(String(pumpPoolPays(pool, rates, market.reserves, sold))).toBe(paid);
      }),
    );
  });

  it("pay nothing for a fee of 100 % and more", () => {
    const reserves = { tokens: 10n ** 15n, coins: 100n * coin };
    const all = { providers: 5000n, protocol: 5000n, creator: 0n };
    expect(pumpPoolPays(poolOf(), all, reserves, 10n ** 12n)).toBe(0n);
    expect(pumpPoolPays(poolOf(), { ...all, creator: 100n }, reserves, 10n ** 12n)).toBe(0n);
  });

  it("pay nothing from an empty pool, and for next to nothing", () => {
    const rates = { providers: 20n, protocol: 5n, creator: 0n };
    for (const reserves of [
      { tokens: 0n, coins: coin },
      { tokens: coin, coins: 0n },
    ]) {
      expect(pumpPoolBuys(poolOf(), rates, reserves, coin)).toBe(0n);
      expect(pumpPoolPays(poolOf(), rates, reserves, coin)).toBe(0n);
    }
    expect(pumpPoolBuys(poolOf(), rates, { tokens: coin, coins: coin }, 2n)).toBe(0n);
  });

  it("pay no more coins than the vault has, whatever the price", () => {
    const pool = poolOf({ virtualCoins: 100n * coin });
    const reserves = { tokens: 10n ** 12n, coins: coin };
    expect(pumpPoolPays(pool, { providers: 0n, protocol: 0n, creator: 0n }, reserves, 10n ** 12n)).toBe(0n);
  });
});
