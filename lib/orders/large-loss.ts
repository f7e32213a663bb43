import { DomainError } from "../core/domain-error.ts";
import { maxSignInAgeSeconds } from "../core/sign-in.ts";
import type { CoinUnits } from "../core/units.ts";
import type { Order } from "./execution.ts";
import { millionthsOf } from "./percent.ts";
import { type AnyOrder, hasEnded } from "./trade-order.ts";

/** Figures that show how much a trade could lose. */
export type LossChecks = {
  side: Order["side"];
  amount: bigint;
  minAmountOut: bigint;
  quotedOut: bigint;
  /** Percentage by which the quoted price is worse than the price of a small trade. */
  priceImpact: number;
  isListed: boolean;
  /** The coin in the wallet. Undefined if no wallet is given. */
  coins: CoinUnits | undefined;
  /** The wallet's unsettled purchases of unlisted tokens. */
  unlisted: UnlistedPurchases;
};

/**
 * Coin that purchases of unlisted tokens spend. Open orders have not spent their part yet, so it is still in the
 * wallet.
 */
type UnlistedPurchases = { open: CoinUnits; filled: CoinUnits };

const whole = millionthsOf(100);

/** True if the minimum is less than half of what the trade would be worth at the price of a small trade. */
const losesMostOfValue = ({ minAmountOut, quotedOut, priceImpact }: LossChecks): boolean =>
  2n * minAmountOut * (whole - millionthsOf(priceImpact)) < quotedOut * whole;

/**
 * True if most of the wallet's coin would go to an unlisted token, which may have been made by a thief. Unsettled
 * purchases count too, because a thief could split a purchase.
 */
const spendsMostOfCoin = ({
  side,
  amount,
  isListed,
  coins,
  unlisted: { open, filled },
}: LossChecks): boolean =>
  side === "buy" && !isListed && coins !== undefined && 2n * (amount + open + filled) > coins + filled;

/** Refuses a trade with which somebody who has stolen an access token could empty the wallet. */
export function objectionToLoss(checks: LossChecks): DomainError<"SIGN_IN_REQUIRED"> | undefined {
  const reason = losesMostOfValue(checks)
    ? "could lose more than half of its value"
    : spendsMostOfCoin(checks)
      ? "spends more than half of the wallet's coin on a token that is not listed"
      : undefined;
  if (reason === undefined) return undefined;
  const message = `The order ${reason}, which needs a sign-in within the last ${maxSignInAgeSeconds / 60} minutes. Sign in again`;
  return new DomainError("SIGN_IN_REQUIRED", message, { maxAgeSeconds: maxSignInAgeSeconds });
}

/**
 * Sums up what a wallet's unsettled purchases of unlisted tokens spend.
 *
 * @param orders All users' unsettled orders of the wallet.
 * @param listed The addresses of the listed tokens.
 */
export function unlistedPurchases(orders: readonly AnyOrder[], listed: readonly string[]): UnlistedPurchases {
  const bought = orders.filter(({ intent }) => intent.side === "buy" && !listed.includes(intent.token));
  const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
  return {
    open: sum(bought.filter((order) => !hasEnded(order)).map(({ amount }) => amount)),
    filled: sum(bought.map(({ life }) => (life.status === "filled" ? life.spent : 0n))),
  };
}
