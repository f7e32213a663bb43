import { ceilDivide } from "../../../orders/bigints.ts";
import { programs } from "./addresses.ts";
import {
  feesOn,
  type PumpRates,
  type PumpTiers,
  pumpRates,
  pumpSupply,
  readGrowing,
  wholeBps,
  withoutFees,
} from "./pump-fees.ts";

/** The settings of all pools of PumpSwap. */
export type PumpPoolConfig = {
  allowsBuys: boolean;
  allowsSales: boolean;
  /** Accounts for protocol fees. A trade must name one. */
  recipients: readonly string[];
  /** Accounts for protocol fees of tokens in mayhem mode. */
  mayhemRecipients: readonly string[];
  /** Accounts for the buyback's share of the protocol's fee. Each trade must name one. */
  buybackRecipients: readonly string[];
  hasOwnCreatorFees: boolean;
};

/** A pool of PumpSwap. */
export type PumpPool = {
  creator: string;
  base: string;
  quote: string;
  vaults: { base: string; quote: string };
  /** The creator of the token, which is not the pool's. All zeros if nobody gets a creator's fee. */
  coinCreator: string;
  isMayhem: boolean;
  /** True if traders get the creator's fee. */
  hasCashback: boolean;
  /** Coins that count for the price but do not exist. */
  virtualCoins: bigint;
  ownCreatorBps: bigint;
};

/** The first 8 bytes of the SHA-256 of `account:Pool` and `account:GlobalConfig`. */
const poolName = "f19a6d0411b16dbc";
const configName = "95089ccaa0fcb0d9";

/** Lengths of both accounts in their present form. */
const lengths = { pool: 270, config: 949 };

/** Bits of the switch that stops trades. */
const stopped = { buys: 0b1000, sales: 0b1_0000 };

/** Decodes a pool's account. Undefined if it is another kind of account. */
export const readPumpPool = (data: Uint8Array): PumpPool | undefined =>
  readGrowing(data, poolName, lengths.pool, (reader) => {
    // Skips a bump and an index.
    const [creator, base, quote] = [reader.skip(3).address(), reader.address(), reader.address()];
    // Skips the mint of the pool's shares.
    const vaults = { base: reader.skip(32).address(), quote: reader.address() };
    // Skips the number of shares.
    const coinCreator = reader.skip(8).address();
    return {
      creator,
      base,
      quote,
      vaults,
      coinCreator,
      isMayhem: reader.u8() === 1,
      hasCashback: reader.u8() === 1,
      virtualCoins: reader.i128(),
      ownCreatorBps: reader.u64(),
    };
  });

/** Decodes the settings of all pools. Undefined if it is another kind of account. */
export const readPumpPoolConfig = (data: Uint8Array): PumpPoolConfig | undefined =>
  readGrowing(data, configName, lengths.config, (reader) => {
    // Skips the administrator and two rates.
    const flags = reader.skip(48).u8();
    const recipients = reader.addresses(8);
    // Skips a rate, an authority and an account.
    const firstMayhem = reader.skip(72).address();
    const othersMayhem = reader.skip(1).addresses(7);
    const buybackRecipients = reader.skip(1).addresses(8);
    // Skips a rate, an authority and a switch.
    const hasOwnCreatorFees = reader.skip(41).u8() === 1;
    return {
      allowsBuys: (flags & stopped.buys) === 0,
      allowsSales: (flags & stopped.sales) === 0,
      recipients,
      mayhemRecipients: [firstMayhem, ...othersMayhem],
      buybackRecipients,
      hasOwnCreatorFees,
    };
  });

/** Amounts in the vaults of a pool. */
export type PumpReserves = { tokens: bigint; coins: bigint };

/**
 * Computes the rates of a pool's trades at its present price.
 *
 * @param pool A pool that follows a curve. Others have other rates.
 * @param supply The token's present supply.
 */
export function ratesOfPumpPool(
  { coinCreator, isMayhem, virtualCoins, ownCreatorBps }: PumpPool,
  { hasOwnCreatorFees }: Pick<PumpPoolConfig, "hasOwnCreatorFees">,
  tiers: PumpTiers,
  { reserves: { tokens, coins }, supply }: { reserves: PumpReserves; supply: bigint },
): PumpRates {
  const valued = isMayhem ? pumpSupply : supply;
  return pumpRates({
    tiers,
    value: tokens === 0n ? 0n : ((coins + virtualCoins) * valued) / tokens,
    hasCreator: coinCreator !== programs.system,
    ownCreatorBps: hasOwnCreatorFees ? ownCreatorBps : 0n,
  });
}

/** Computes the tokens that a payment buys: none if the pool is empty or the payment too small. */
export function pumpPoolBuys(
  { virtualCoins }: Pick<PumpPool, "virtualCoins">,
  rates: PumpRates,
  { tokens, coins }: PumpReserves,
  payment: bigint,
): bigint {
  const part = withoutFees(payment, rates) - 1n;
  if (part <= 0n || tokens === 0n || coins === 0n) return 0n;
  return (part * tokens) / (coins + virtualCoins + part);
}

/** Computes the coins that a pool pays for tokens: none if it is empty, or does not hold as many coins. */
export function pumpPoolPays(
  { virtualCoins }: Pick<PumpPool, "virtualCoins">,
  rates: PumpRates,
  { tokens, coins }: PumpReserves,
  sold: bigint,
): bigint {
  if (tokens === 0n || coins === 0n) return 0n;
  const traded = (sold * (coins + virtualCoins)) / (tokens + sold);
  const paid = traded - feesOn(traded, rates);
  const leaving = traded - ceilDivide(traded * rates.providers, wholeBps);
  return leaving > coins || paid < 0n ? 0n : paid;
}
