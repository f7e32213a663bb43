import { type TokenFlag, tokenFlags } from "../core/token-flag.ts";
import type { CoinUnits, TokenUnits } from "../core/units.ts";
import { percentOf } from "./percent.ts";
import type { TokenIdentity } from "./token-identity.ts";

/** Results of a simulated buy and sale of a token. Taxes are in percent; null means unknown. */
export type TokenSafety = {
  sellable: boolean | null;
  buyTax: number | null;
  sellTax: number | null;
  /** True if slightly less arrives than was sent, but the difference is too small to be a tax. */
  hasLoss: boolean;
  /** True if the token's events misstate the amount that a wallet receives. */
  hasOddEvents?: boolean;
};

export const unknownSafety: TokenSafety = { sellable: null, buyTax: null, sellTax: null, hasLoss: false };

/** The number of tokens sent to or from a pool, and the number that arrived. */
type Transfer = { sent: TokenUnits; arrived: TokenUnits };

/** A simulated buy and sale. The sale is absent if no sale succeeded. */
export type RoundTrip = { bought: Transfer; sold?: Transfer; hasOddEvents?: boolean };

const lossOf = ({ sent, arrived }: Transfer) => sent - arrived;
const taxOf = (transfer: Transfer) => percentOf(lossOf(transfer), transfer.sent);

export function safetyOf({ bought, sold, hasOddEvents = false }: RoundTrip): TokenSafety {
  const legs = sold === undefined ? [bought] : [bought, sold];
  return {
    sellable: sold !== undefined,
    buyTax: taxOf(bought),
    sellTax: sold === undefined ? null : taxOf(sold),
    hasLoss: legs.some((leg) => lossOf(leg) > 0n && taxOf(leg) === 0),
    ...(hasOddEvents && { hasOddEvents }),
  };
}

/**
 * Combines the results from several pools. The token can be sold if any pool shows it, and the lowest tax among those
 * pools counts.
 */
export function bestSafety(safeties: readonly TokenSafety[]): TokenSafety {
  const rank = ({ sellable }: TokenSafety) => (sellable === null ? 2 : sellable ? 0 : 1);
  const tax = ({ buyTax, sellTax }: TokenSafety) => (buyTax ?? 0) + (sellTax ?? 0);
  const [best = unknownSafety] = safeties.toSorted((a, b) => rank(a) - rank(b) || tax(a) - tax(b));
  return best;
}

/**
 * Combines the results of the probe with those for a larger amount. The worse result counts, because a token may limit
 * or tax only large sales.
 */
export const worseSafety = (probe: TokenSafety, larger: TokenSafety): TokenSafety => ({
  sellable: larger.sellable === false ? false : (probe.sellable ?? larger.sellable),
  buyTax: higherTax(probe.buyTax, larger.buyTax),
  sellTax: higherTax(probe.sellTax, larger.sellTax),
  hasLoss: probe.hasLoss || larger.hasLoss,
  ...((probe.hasOddEvents || larger.hasOddEvents) && { hasOddEvents: true }),
});

const higherTax = (a: number | null, b: number | null) =>
  a === null || b === null ? (a ?? b) : Math.max(a, b);

/** Flags that follow from a token's own data and need no simulation. */
const mintFlags = [
  ...(["FREEZABLE", "MINTABLE", "HOOKED", "HOOKABLE", "TAXABLE", "SEIZABLE"] as const),
  ...(["FROZEN_BY_DEFAULT", "PAUSABLE", "NON_TRANSFERABLE", "SCALED"] as const),
] satisfies TokenFlag[];

export type MintFlag = (typeof mintFlags)[number];

/**
 * Lists warnings about a token, in a fixed order.
 *
 * @param pool The coins that the fullest pool holds, and the amount of one coin. If the pool has less than one coin,
 * even the smallest trade moves the price by several percent.
 */
export function flagsOf(
  { isListed, isImpersonator, isOdd }: TokenIdentity,
  { sellable, buyTax, sellTax, hasLoss, hasOddEvents = false }: TokenSafety,
  pool: { liquidity: CoinUnits; coin: CoinUnits },
  ofMint: readonly MintFlag[] = [],
): TokenFlag[] {
  const holds: Record<Exclude<TokenFlag, MintFlag>, boolean> = {
    NOT_LISTED: !isListed,
    IMPERSONATES: isImpersonator,
    ODD_METADATA: isOdd,
    TAXED: (buyTax ?? 0) > 0 || (sellTax ?? 0) > 0,
    TRANSFER_LOSS: hasLoss,
    ODD_EVENTS: hasOddEvents,
    CANNOT_SELL: sellable === false,
    SELLABILITY_UNKNOWN: sellable === null,
    LOW_LIQUIDITY: pool.liquidity < pool.coin,
  };
  const held: Partial<Record<TokenFlag, boolean>> = holds;
  return tokenFlags.filter((flag) => held[flag] || ofMint.some((each) => each === flag));
}

/** Maximum tax, in percent, at which a user can buy the token without explicit consent. */
export const highestTax = 25;

/** Flags for powers with which the issuer can take a holder's money as surely as with a tax. */
const unsafeFlags: readonly TokenFlag[] = [
  ...(["SEIZABLE", "FROZEN_BY_DEFAULT", "NON_TRANSFERABLE", "HOOKED", "HOOKABLE"] as const),
];

/** True if somebody who buys the token will most likely lose the money. Sales are never blocked. */
export const isUnsafe = (
  { sellable, buyTax, sellTax }: TokenSafety,
  flags: readonly TokenFlag[] = [],
): boolean =>
  sellable === false ||
  (buyTax ?? 0) > highestTax ||
  (sellTax ?? 0) > highestTax ||
  flags.some((flag) => unsafeFlags.includes(flag));
