import * as sdk from "@pump-fun/pump-sdk";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type BondingCurve,
  costOnCurve,
  curveBuys,
  curvePays,
  ratesOfCurve,
  readCurve,
  readCurveConfig,
} from "../../../../lib/chains/sol/calls/pump-curve.ts";
import { readPumpTiers } from "../../../../lib/chains/sol/calls/pump-fees.ts";
import {
  type CurveFields,
  curveAccount,
  curveConfigAccount,
  feeConfigAccount,
  pumpKey,
  pumpRecipients,
  sdkAccount,
  type TierFields,
} from "../../../support/pump-accounts.ts";

const solAccount = (data: Uint8Array) => sdkAccount(data, sdk.PUMP_PROGRAM_ID);

const nobody = pumpKey(0);
const coin = 10n ** 9n;

/** A new curve of mainnet: 30 virtual coins for 1,073 million virtual tokens. */
const fresh: CurveFields = {
  virtualTokens: 1_073_000_000_000_000n,
  virtualCoins: 30n * coin,
  tokens: 793_100_000_000_000n,
  coins: 0n,
};

const curveOf = (fields: CurveFields): BondingCurve => readCurve(curveAccount(fields)) as BondingCurve;

const decoded = (fields: CurveFields) => sdk.PUMP_SDK.decodeBondingCurve(solAccount(curveAccount(fields)));

/** Makes a number of the SDK's kind. */
const numberOf = (value: bigint) => decoded({ ...fresh, coins: value }).realQuoteReserves;

describe("readCurve", () => {
  it("reads the fields of a new curve", () => {
    expect(curveOf({ ...fresh, creatorBps: 70n })).toEqual({
      virtual: { tokens: fresh.virtualTokens, coins: fresh.virtualCoins },
      real: { tokens: fresh.tokens, coins: 0n },
      isComplete: false,
      creator: pumpKey(1),
      isMayhem: false,
      hasCashback: false,
      isForCoin: true,
      ownCreatorBps: 70n,
    });
  });

  it.each([
    ["isComplete", { isComplete: true }, { isComplete: true }],
    ["isMayhem", { isMayhem: true }, { isMayhem: true }],
    ["hasCashback", { hasCashback: true }, { hasCashback: true }],
    [
      "isForCoin of wrapped SOL",
      { quote: "So11111111111111111111111111111111111111112" },
      { isForCoin: true },
    ],
    ["isForCoin of another token", { quote: pumpKey(9) }, { isForCoin: false }],
  ] as const)("reads %s", (_, fields, expected) => {
    expect(curveOf({ ...fresh, ...fields })).toMatchObject(expected);
  });

  it.each([49, 81, 82, 83, 115, 124])("reads missing fields of an account of %i bytes as zeros", (length) => {
    const data = curveAccount({ ...fresh, isMayhem: true, hasCashback: true, creatorBps: 70n });
    const read = readCurve(data.subarray(0, length));
    const theirs = sdk.PUMP_SDK.decodeBondingCurve(solAccount(data.subarray(0, length)));
    expect(read).toMatchObject({
      creator: String(theirs.creator),
      isMayhem: theirs.isMayhemMode,
      hasCashback: theirs.isCashbackCoin,
      ownCreatorBps: BigInt(String(theirs.creatorFeeBps)),
    });
  });

  it("refuses other accounts", () => {
    expect(readCurve(curveConfigAccount())).toBeUndefined();
    expect(readCurve(new Uint8Array())).toBeUndefined();
  });
});

describe("readCurveConfig", () => {
  it.each([true, false])("reads what the SDK reads, with own fees %j", (hasOwnCreatorFees) => {
    const data = curveConfigAccount({ hasOwnCreatorFees });
    const theirs = sdk.PUMP_SDK.decodeGlobal(solAccount(data));
    expect(readCurveConfig(data)).toEqual({
      recipients: [theirs.feeRecipient, ...theirs.feeRecipients].map(String),
      mayhemRecipients: [theirs.reservedFeeRecipient, ...theirs.reservedFeeRecipients].map(String),
      buybackRecipients: theirs.buybackFeeRecipients.map(String),
      hasOwnCreatorFees: theirs.creatorFeeConfigurable,
    });
    expect(readCurveConfig(data)).toMatchObject({
      recipients: pumpRecipients.usual,
      mayhemRecipients: pumpRecipients.mayhem,
      buybackRecipients: pumpRecipients.buyback,
    });
  });

  it("reads an account from before creators could choose their fee", () => {
    expect(readCurveConfig(curveConfigAccount({ hasOwnCreatorFees: true }).subarray(0, 1045))).toMatchObject({
      hasOwnCreatorFees: false,
    });
    expect(readCurveConfig(curveAccount(fresh))).toBeUndefined();
  });
});

const bps = fc.bigInt({ min: 0n, max: 1000n });
const rates = fc.tuple(bps, bps, bps);
const tiers: fc.Arbitrary<TierFields[]> = fc
  .array(fc.record({ from: fc.bigInt({ min: 0n, max: 400n * coin }), rates }), { minLength: 1, maxLength: 5 })
  .map((list) => list.toSorted((a, b) => (a.from < b.from ? -1 : 1)));

/** A curve after a purchase for some coins, so that its amounts fit together. */
const curves: fc.Arbitrary<CurveFields> = fc
  .record({
    coins: fc.bigInt({ min: 0n, max: 85n * coin }),
    hasCreator: fc.boolean(),
    isMayhem: fc.boolean(),
    creatorBps: fc.constantFrom(0n, 30n, 777n),
  })
  .map(({ coins, hasCreator, isMayhem, creatorBps }) => {
    const sold = (coins * fresh.virtualTokens) / (fresh.virtualCoins + coins);
    return {
      virtualTokens: fresh.virtualTokens - sold,
      virtualCoins: fresh.virtualCoins + coins,
      tokens: fresh.tokens > sold ? fresh.tokens - sold : 0n,
      coins,
      creator: hasCreator ? pumpKey(1) : nobody,
      isMayhem,
      creatorBps,
      supply: 2n * 10n ** 15n,
    };
  });

const markets = fc.record({ fields: curves, schedule: tiers, hasOwnCreatorFees: fc.boolean() });

type Market = typeof markets extends fc.Arbitrary<infer Value> ? Value : never;

/** Reads a market by the service and by the SDK. */
function both({ fields, schedule, hasOwnCreatorFees }: Market) {
  const [config, fees] = [curveConfigAccount({ hasOwnCreatorFees }), feeConfigAccount(schedule)];
  const curve = curveOf(fields);
  const own = ratesOfCurve(
    curve,
    readCurveConfig(config) ?? { hasOwnCreatorFees },
    readPumpTiers(fees) ?? none,
    fields.supply ?? 0n,
  );
  const theirs = {
    global: sdk.PUMP_SDK.decodeGlobal(solAccount(config)),
    feeConfig: sdk.PUMP_SDK.decodeFeeConfig(solAccount(fees)),
    bondingCurve: decoded(fields),
    mintSupply: numberOf(fields.isMayhem ? (fields.supply ?? 0n) : 10n ** 15n),
  };
  return { curve, rates: own, theirs };
}

const none = [{ from: 0n, rates: { providers: 0n, protocol: 0n, creator: 0n } }] as const;
const quoteMint = sdk.SOL_LIKE_QUOTE_MINTS[1] ?? sdk.PUMP_PROGRAM_ID;

describe("quotes on a curve", () => {
  it("charge the SDK's rates", () => {
    fc.assert(
      fc.property(markets, (market) => {
        const { rates: own, theirs } = both(market);
        const { bondingCurve: curve } = theirs;
        const { virtualQuoteReserves, virtualTokenReserves, creatorFeeBps } = curve;
        const fees = sdk.computeFeesBps({
          ...theirs,
          virtualQuoteReserves,
          virtualTokenReserves,
          quoteMint: curve.quoteMint,
          creatorFeeBps,
        });
        const creator = market.fields.creator === nobody ? "0" : String(fees.creatorFeeBps);
        expect([own.protocol, own.creator].map(String)).toEqual([String(fees.protocolFeeBps), creator]);
        expect(own.providers).toBe(0n);
      }),
    );
  });

  it("pay the SDK's coins for tokens, to the unit", () => {
    fc.assert(
      fc.property(markets, fc.bigInt({ min: 1n, max: fresh.tokens }), (market, part) => {
        const { curve, rates: own, theirs } = both(market);
        const amount = part % (fresh.tokens - curve.real.tokens + 1n);
        const paid = sdk.getSellSolAmountFromTokenAmount({ ...theirs, amount: numberOf(amount) });
        // The SDK also counts sales that pay for less than their fees.
        expect(String(curvePays(curve, own, amount))).toBe(paid.isNeg() ? "0" : String(paid));
      }),
    );
  });

  it("cost the SDK's coins for tokens, to the unit", () => {
    fc.assert(
      fc.property(markets, fc.bigInt({ min: 1n, max: fresh.tokens }), (market, part) => {
        const { curve, rates: own, theirs } = both(market);
        const amount = part % (curve.real.tokens + 1n);
        fc.pre(amount > 0n);
        const cost = sdk.getBuySolAmountFromTokenAmount({ ...theirs, amount: numberOf(amount), quoteMint });
        expect(String(costOnCurve(curve, own, amount))).toBe(String(cost));
      }),
    );
  });

  it("buy the most tokens whose cost the payment covers, give or take two lamports", () => {
    fc.assert(
      fc.property(markets, fc.bigInt({ min: 1000n, max: 100n * coin }), (market, payment) => {
        const { curve, rates: own, theirs } = both(market);
        const { tokens, isRest } = curveBuys(curve, own, payment);
        expect(tokens).toBeLessThanOrEqual(curve.real.tokens);
        if (tokens > 0n) expect(costOnCurve(curve, own, tokens)).toBeLessThanOrEqual(payment);
        expect(isRest && tokens < curve.real.tokens).toBe(false);
        // The SDK estimates: it rounds the fees less exactly than the program's published steps.
        const quoted = [payment - 2n, payment + 2n].map((amount) =>
          BigInt(
            String(sdk.getBuyTokenAmountFromSolAmount({ ...theirs, amount: numberOf(amount), quoteMint })),
          ),
        ) as [bigint, bigint];
        expect(tokens).toBeGreaterThanOrEqual(quoted[0]);
        expect(tokens).toBeLessThanOrEqual(quoted[1]);
      }),
    );
  });

  it("follow the program's published steps for a purchase", () => {
    const own = { providers: 0n, protocol: 95n, creator: 30n };
    // A coin without fees is 987,654,320 lamports: the fees on 987,654,320 are 9,382,717 and 2,962,963.
    const part = 987_654_320n - 1n;
    const tokens = (part * fresh.virtualTokens) / (fresh.virtualCoins + part);
    expect(curveBuys(curveOf(fresh), own, coin)).toEqual({ tokens, isRest: false });
  });

  it.each([
    ["a complete curve", { isComplete: true }],
    [
      "a curve that has moved to its pool",
      { virtualTokens: 0n, virtualCoins: 0n, tokens: 0n, isComplete: true },
    ],
    ["an empty curve that is not marked", { virtualTokens: 0n }],
  ] as const)("pay nothing on %s", (_, fields) => {
    const curve = curveOf({ ...fresh, coins: 10n * coin, ...fields });
    const own = { providers: 0n, protocol: 100n, creator: 0n };
    expect(curveBuys(curve, own, coin).tokens).toBe(0n);
    expect(curvePays(curve, own, coin)).toBe(0n);
  });

  it("pay nothing for more tokens than the curve has coins for, or if fees take everything", () => {
    const curve = curveOf({ ...fresh, coins: 1000n });
    expect(curvePays(curve, { providers: 0n, protocol: 0n, creator: 0n }, 10n ** 12n)).toBe(0n);
    const rich = curveOf({ ...fresh, coins: 10n * coin });
    expect(curvePays(rich, { providers: 0n, protocol: 10_000n, creator: 1n }, 10n ** 12n)).toBe(0n);
    expect(curvePays(rich, { providers: 0n, protocol: 10_000n, creator: 0n }, 10n ** 12n)).toBe(0n);
  });

  it.each([0n, 1n, 2n])("buy nothing for %i lamports", (payment) => {
    expect(curveBuys(curveOf(fresh), { providers: 0n, protocol: 100n, creator: 0n }, payment).tokens).toBe(
      0n,
    );
  });
});
