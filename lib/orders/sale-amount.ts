import { DomainError } from "../core/domain-error.ts";
import type { TokenUnits } from "../core/units.ts";
import { unitsFrom } from "./decimal-text.ts";
import { shortage } from "./needs.ts";
import type { TokenIdentity } from "./token-identity.ts";
import type { Trade } from "./trade.ts";

export const noRoute = (reason = "No pool can trade this token for the chain's coin") =>
  new DomainError("NO_ROUTE", reason);

export const tooSmall = () =>
  new DomainError("AMOUNT_TOO_SMALL", "The amount is too small: you would receive nothing");

export const tooLarge = () =>
  new DomainError("INVALID_REQUEST", "amount is more than any pool takes", { field: "amount" });

const perPercent = 10_000;

/**
 * Computes the number of tokens to sell.
 *
 * @param available The wallet's tokens minus those that its open orders need.
 * @throws {DomainError} INVALID_REQUEST, AMOUNT_TOO_SMALL, and INSUFFICIENT_BALANCE for a percentage of nothing
 */
export function amountOfSale(
  { amount, percent }: Trade,
  { token, symbol, decimals }: TokenIdentity,
  available: TokenUnits,
): TokenUnits {
  if (percent === undefined) return unitsFrom(amount ?? "", decimals, "amount");
  const share = (available * BigInt(Math.round(percent * perPercent))) / BigInt(100 * perPercent);
  if (available === 0n) throw shortage([{ token, symbol, decimals, needed: 1n, available }]) ?? tooSmall();
  if (share === 0n) throw tooSmall();
  return share;
}
