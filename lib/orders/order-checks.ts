import { DomainError } from "../core/domain-error.ts";
import type { Network } from "../core/network.ts";
import type { TokenFlag } from "../core/token-flag.ts";
import type { CoinUnits } from "../core/units.ts";
import { coinText } from "./decimal-text.ts";
import { type LossChecks, objectionToLoss } from "./large-loss.ts";
import { type Need, shortage } from "./needs.ts";
import { percentFrom } from "./percent.ts";
import { type KeyObjection, type KeyRules, objectionOfKey } from "./program-limits.ts";
import { isUnsafe, type TokenSafety } from "./token-safety.ts";
import { type CheckedOrder, type OrderRules, objectionOf, type PolicyObjection } from "./wallet-policy.ts";

/** Facts that decide about an order before the chain's hosts are asked. */
type PlacingChecks = CheckedOrder & {
  chain: Network;
  /** True if an operator has stopped trading. */
  isStopped: boolean;
  /** Number of the wallet's open orders. */
  openOrders: number;
  /** Limits the amount of a buy. */
  maxOrder: CoinUnits | undefined;
  /** Rules for the wallet's orders. Absent if no wallet is given. */
  rules: OrderRules | undefined;
  /** Rules for the orders of a program. Absent for orders of users. */
  keyRules?: KeyRules | undefined;
};

/** Facts that decide whether a quoted order can be placed, except its fees. */
export type QuotedChecks = PlacingChecks & {
  /** Coins and tokens that the order needs. If several balances are too low, the error names the first one. */
  needs: readonly Need[];
  safety: TokenSafety;
  flags: readonly TokenFlag[];
  allowUnsafe: boolean;
  /** True if no market is deep enough to price the trade, and the request names no minimum output. */
  lacksLeast?: boolean;
  /** The greater of the pools' price impact and the market impact, in percent. Its limit is in percent, too. */
  priceImpact: number;
  maxPriceImpact: number;
  minAmountOut: bigint;
  quotedOut: bigint;
  /** The wallet's coin and its purchases. Present if the caller's sign-in is too old to allow a large loss. */
  loss?: Pick<LossChecks, "isListed" | "coins" | "unlisted"> | undefined;
};

const maxOpenOrders = 20;

/**
 * Returns the first reason to refuse an order, in order of precedence.
 *
 * @param ofFees The reason to refuse the order because of its fees, if there is one.
 */
export function objectionBeside(
  ofFees: DomainError | undefined,
  checks: QuotedChecks,
): DomainError | undefined {
  return (
    objectionToTrading(checks) ??
    objectionToWallet(checks) ??
    ofFees ??
    shortage(checks.needs) ??
    objectionToToken(checks) ??
    objectionToHearsay(checks) ??
    objectionToImpact(checks) ??
    objectionToOldSignIn(checks)
  );
}

export const objectionToTrading = ({ isStopped }: Pick<PlacingChecks, "isStopped">) =>
  isStopped ? new DomainError("TRADING_DISABLED", "Trading is stopped for now") : undefined;

export function objectionToWallet({
  chain,
  openOrders,
  maxOrder,
  rules,
  keyRules,
  ...order
}: Omit<PlacingChecks, "isStopped">) {
  if (openOrders >= maxOpenOrders) {
    return new DomainError("WALLET_BUSY", `The wallet has ${maxOpenOrders} open orders, which is the limit`);
  }
  const { side, amount } = order;
  if (side === "buy" && amount !== undefined && maxOrder !== undefined && amount > maxOrder)
    return aboveLimit(chain, { rule: "maxOrder", limit: maxOrder, requested: amount });
  const objection = rules && objectionOf(rules, order);
  if (objection !== undefined) return aboveLimit(chain, objection);
  const ofKey = keyRules && objectionOfKey(keyRules, chain, order);
  return ofKey && keyLimit(chain, ofKey);
}

/** A rule of the wallet's policy, or the operators' limit. */
type LimitObjection = PolicyObjection | { rule: "maxOrder"; limit: CoinUnits; requested: CoinUnits };

function aboveLimit(chain: Network, objection: LimitObjection): DomainError<"POLICY_LIMIT"> {
  if (objection.rule === "tradingEnabled")
    return new DomainError("POLICY_LIMIT", "The wallet's policy forbids trading", { rule: objection.rule });
  if (objection.rule === "maxSlippage") {
    const { rule } = objection;
    const [limit, requested] = [percentFrom(objection.limit), percentFrom(objection.requested)];
    const message = `The minimum is ${requested} % below the quote; the wallet's policy allows at most ${limit} %`;
    return new DomainError("POLICY_LIMIT", message, { rule, limit, requested });
  }
  const limit = coinText(chain, objection.limit);
  const requested = coinText(chain, objection.requested);
  if (objection.rule === "networkFeesPerDay") {
    const { resetsAt } = objection;
    const message = `The wallet's transactions of a day may pay the network at most ${limit}; with this order they may pay ${requested}`;
    return new DomainError("POLICY_LIMIT", message, { rule: objection.rule, limit, requested, resetsAt });
  }
  const { rule } = objection;
  return new DomainError("POLICY_LIMIT", messageOfAmount[rule](limit, requested), { rule, limit, requested });
}

const messageOfAmount: Record<
  Exclude<LimitObjection["rule"], "tradingEnabled" | "maxSlippage" | "networkFeesPerDay">,
  (limit: string, requested: string) => string
> = {
  maxOrder: (limit) => `An order may spend at most ${limit}`,
  tokens: () => "The wallet's policy forbids buying this token",
  maxPerOrder: (limit) => `The wallet's policy lets an order spend at most ${limit}`,
  maxPerDay: (limit, requested) =>
    `The wallet's policy lets a day's orders spend at most ${limit}; with this one they would spend ${requested}`,
};

const messageOfKey: Record<Exclude<KeyObjection["rule"], "maxPerOrder" | "maxPerDay">, string> = {
  expiresAt: "The program's key has ended or was revoked",
  scopes: "The program's key does not allow orders",
  chains: "The program's key does not allow orders on this chain",
  wallets: "The program's key does not allow orders of this wallet",
  tokens: "The program's key does not allow orders of this token",
};

function keyLimit(chain: Network, objection: KeyObjection): DomainError<"KEY_LIMIT"> {
  if (!("limit" in objection))
    return new DomainError("KEY_LIMIT", messageOfKey[objection.rule], { rule: objection.rule });
  const { rule } = objection;
  const limit = coinText(chain, objection.limit);
  const requested = coinText(chain, objection.requested);
  const message =
    rule === "maxPerOrder"
      ? `The program's key lets an order spend at most ${limit}`
      : `The program's key lets a day's orders on the chain spend at most ${limit}; with this one they would spend ${requested}`;
  return new DomainError("KEY_LIMIT", message, { rule, limit, requested });
}

function objectionToToken({ side, safety, flags, allowUnsafe }: QuotedChecks) {
  if (side === "sell" || allowUnsafe || !isUnsafe(safety, flags)) return undefined;
  const { sellable, buyTax, sellTax } = safety;
  const isTaxed = isUnsafe({ ...safety, sellable: null });
  const problem =
    sellable === false
      ? "cannot be sold"
      : isTaxed
        ? "has a tax above 25 %"
        : "lets its issuer take it or stop its sale";
  return new DomainError("TOKEN_UNSAFE", `The token ${problem}. To buy it anyway, set allowUnsafe`, {
    flags,
    buyTax,
    sellTax,
  });
}

function objectionToHearsay({ lacksLeast = false }: QuotedChecks) {
  if (!lacksLeast) return undefined;
  const field = "minAmountOut";
  const message = `No market is deep enough to price this token. Name the minimum that may arrive in ${field}`;
  return new DomainError("NO_REFERENCE", message, { field });
}

function objectionToImpact({ priceImpact, maxPriceImpact: limit }: QuotedChecks) {
  if (priceImpact <= limit) return undefined;
  const message = `The price would be ${priceImpact} % worse, above the limit of ${limit} %`;
  return new DomainError("PRICE_IMPACT_TOO_HIGH", message, { priceImpact, limit });
}

const objectionToOldSignIn = ({ loss, rules, amount = 0n, ...checks }: QuotedChecks) =>
  loss === undefined || rules?.policy.anyLoss ? undefined : objectionToLoss({ ...checks, ...loss, amount });
