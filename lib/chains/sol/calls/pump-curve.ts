import { least } from "../../../orders/bigints.ts";
import { programs, wsolMint } from "./addresses.ts";
import {
  feesOn,
  type PumpRates,
  type PumpTiers,
  pumpRates,
  pumpSupply,
  readGrowing,
  withoutFees,
} from "./pump-fees.ts";

/** The settings of all bonding curves. */
export type CurveConfig = {
  /** Accounts for protocol fees. A trade must name one. */
  recipients: readonly string[];
  /** Accounts for protocol fees of tokens in mayhem mode. */
  mayhemRecipients: readonly string[];
  /** Accounts for the buyback's share of the protocol's fee. Each trade must name one. */
  buybackRecipients: readonly string[];
  hasOwnCreatorFees: boolean;
};

/** A bonding curve of Pump, which trades a token until all its tokens are sold. */
export type BondingCurve = {
  /** The amounts that set the price. */
  virtual: { tokens: bigint; coins: bigint };
  /** The amounts that can be paid out. */
  real: { tokens: bigint; coins: bigint };
  /** True if all tokens are sold. The token then moves to its pool. */
  isComplete: boolean;
  /** Address of the token's creator: all zeros if nobody gets a creator's fee. */
  creator: string;
  isMayhem: boolean;
  /** True if traders get the creator's fee. */
  hasCashback: boolean;
  /** True if the curve trades for SOL. */
  isForCoin: boolean;
  ownCreatorBps: bigint;
};

/** The first 8 bytes of the SHA-256 of `account:BondingCurve` and `account:Global`. */
const curveName = "17b7f83760d8ac60";
const configName = "a7e8e8b1c86c727f";

/** Lengths of both accounts in their present form. */
const lengths = { curve: 125, config: 1087 };

/** Decodes a curve's account. Undefined if it is another kind of account. */
export const readCurve = (data: Uint8Array): BondingCurve | undefined =>
  readGrowing(data, curveName, lengths.curve, (reader) => {
    const virtual = { tokens: reader.u64(), coins: reader.u64() };
    const real = { tokens: reader.u64(), coins: reader.u64() };
    // Skips the supply of a new token.
    const [isComplete, creator] = [reader.skip(8).u8() === 1, reader.address()];
    const [isMayhem, hasCashback, quote] = [reader.u8() === 1, reader.u8() === 1, reader.address()];
    return {
      virtual,
      real,
      isComplete,
      creator,
      isMayhem,
      hasCashback,
      isForCoin: quote === programs.system || quote === wsolMint,
      ownCreatorBps: reader.u64(),
    };
  });

/** Decodes the settings of all curves. Undefined if it is another kind of account. */
export const readCurveConfig = (data: Uint8Array): CurveConfig | undefined =>
  readGrowing(data, configName, lengths.config, (reader) => {
    // Skips a switch and the authority.
    const first = reader.skip(33).address();
    // Skips the amounts of new curves, a rate, an authority, a switch, a fee and a rate.
    const others = reader.skip(89).addresses(7);
    // Skips two authorities, a switch and an account.
    const firstMayhem = reader.skip(97).address();
    const othersMayhem = reader.skip(1).addresses(7);
    const buybackRecipients = reader.skip(1).addresses(8);
    // Skips a rate, an amount of new curves and a mint.
    const hasOwnCreatorFees = reader.skip(48).u8() === 1;
    return {
      recipients: [first, ...others],
      mayhemRecipients: [firstMayhem, ...othersMayhem],
      buybackRecipients,
      hasOwnCreatorFees,
    };
  });

/**
 * Computes the rates of a curve's trades at its present price.
 *
 * @param supply The token's present supply.
 */
export function ratesOfCurve(
  { virtual, creator, isMayhem, ownCreatorBps }: BondingCurve,
  { hasOwnCreatorFees }: Pick<CurveConfig, "hasOwnCreatorFees">,
  tiers: PumpTiers,
  supply: bigint,
): PumpRates {
  const valued = isMayhem ? supply : pumpSupply;
  const rates = pumpRates({
    tiers,
    value: virtual.tokens === 0n ? 0n : (virtual.coins * valued) / virtual.tokens,
    hasCreator: creator !== programs.system,
    ownCreatorBps: hasOwnCreatorFees ? ownCreatorBps : 0n,
  });
  return { ...rates, providers: 0n };
}

/** A purchase. `isRest` if it takes all tokens that the curve has left, for less than the payment. */
export type CurvePurchase = { tokens: bigint; isRest: boolean };

/** Computes the tokens that a payment buys: none if the curve is complete or the payment too small. */
export function curveBuys(
  { virtual, real, isComplete }: Pick<BondingCurve, "virtual" | "real" | "isComplete">,
  rates: PumpRates,
  payment: bigint,
): CurvePurchase {
  const part = withoutFees(payment, rates) - 1n;
  if (isComplete || part <= 0n || virtual.tokens === 0n) return { tokens: 0n, isRest: false };
  const tokens = (part * virtual.tokens) / (virtual.coins + part);
  return { tokens: least(tokens, real.tokens), isRest: tokens > real.tokens };
}

/** Computes what tokens cost, with fees. */
export function costOnCurve(
  { virtual }: Pick<BondingCurve, "virtual">,
  rates: PumpRates,
  tokens: bigint,
): bigint {
  const cost = (tokens * virtual.coins) / (virtual.tokens - tokens) + 1n;
  return cost + feesOn(cost, rates);
}

/** Computes the coins that a curve pays for tokens: none if it is complete, or does not have as many. */
export function curvePays(
  { virtual, real, isComplete }: Pick<BondingCurve, "virtual" | "real" | "isComplete">,
  rates: PumpRates,
  tokens: bigint,
): bigint {
  if (isComplete || virtual.tokens === 0n) return 0n;
  const coins = (tokens * virtual.coins) / (virtual.tokens + tokens);
  const paid = coins - feesOn(coins, rates);
  return coins > real.coins || paid < 0n ? 0n : paid;
}
