import { DomainError } from "../core/domain-error.ts";
import type { Network } from "../core/network.ts";
import type { CoinUnits } from "../core/units.ts";
import { atMost, type When } from "../table/step.ts";
import { least } from "./bigints.ts";
import { coinText, coinUnitsFrom } from "./decimal-text.ts";
import type { FactsTerms } from "./family.ts";
import type { Preset } from "./preset.ts";

/** The last automatic buy of a token by a user. */
export type AutomaticBuy = { userID: string; chain: Network; token: string; atMs: number };

/** Holdings of a token that a user has, or has ordered. */
export type AutomaticFacts = {
  /** The user's open position, unless it is dust. */
  positionId?: string | undefined;
  isBuying: boolean;
  atMs?: number | undefined;
};

/** Conditions that a preset sets for a token. Taxes are in percent. */
export type AutomaticLimits = Pick<Preset, "maxBuyTax" | "maxSellTax"> & { minLiquidity: CoinUnits };

export const automaticLimits = (
  chain: Network,
  { maxBuyTax, maxSellTax, minLiquidity }: Preset,
): AutomaticLimits => ({
  maxBuyTax,
  maxSellTax,
  minLiquidity: minLiquidity === undefined ? 0n : coinUnitsFrom(chain, minLiquidity, "minLiquidity"),
});

/** Time between two automatic buys of a token, so that one that is sold at once is not bought in a loop. */
const pauseMs = 10 * 60_000;

/** Condition of recording an automatic buy. It lets only one of two devices buy at the same time. */
export const isPaused = (nowMs: number): When<AutomaticBuy> => ["absent", { atMs: atMost(nowMs - pauseMs) }];

/** Returns the reason not to buy a token that the user has. */
export function objectionToMore(
  { positionId, isBuying, atMs = Number.NEGATIVE_INFINITY }: AutomaticFacts,
  nowMs: number,
): DomainError<"ALREADY_HELD"> | undefined {
  if (positionId !== undefined)
    return new DomainError("ALREADY_HELD", "You have an open position of the token", { positionId });
  if (isBuying) return new DomainError("ALREADY_HELD", "You have an open buy of the token", {});
  if (atMs <= nowMs - pauseMs) return undefined;
  return new DomainError("ALREADY_HELD", "The token was bought automatically in the last ten minutes", {});
}

type Findings = Pick<FactsTerms, "safety" | "flags" | "liquidity">;

/**
 * Returns the reason not to buy a token that a preset does not allow. Each host's findings count, since one of them may
 * lie. A tax that neither knows counts as the whole amount.
 *
 * @param joint What both hosts say together.
 */
export function objectionToFindings(
  chain: Network,
  { maxBuyTax, maxSellTax, minLiquidity }: AutomaticLimits,
  joint: Findings,
  ofHosts: readonly Findings[],
): DomainError | undefined {
  const { flags, safety } = joint;
  const highest = (tax: "buyTax" | "sellTax") =>
    Math.max(safety[tax] ?? 100, ...ofHosts.map((each) => each.safety[tax] ?? 0));
  if (highest("buyTax") > maxBuyTax || highest("sellTax") > maxSellTax) {
    const { buyTax, sellTax } = safety;
    const message = "The token's taxes are unknown, or above those that the preset allows";
    return new DomainError("TOKEN_UNSAFE", message, { flags, buyTax, sellTax });
  }
  const liquidity = least(joint.liquidity, ...ofHosts.map((each) => each.liquidity));
  if (liquidity >= minLiquidity) return undefined;
  const amounts = { liquidity: coinText(chain, liquidity), least: coinText(chain, minLiquidity) };
  const message = `The token's fullest pool holds ${amounts.liquidity} coins, less than the preset's ${amounts.least}`;
  return new DomainError("LIQUIDITY_TOO_LOW", message, amounts);
}
