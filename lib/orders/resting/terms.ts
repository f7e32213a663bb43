import { chainFacts } from "../../core/chain-facts.ts";
import { DomainError } from "../../core/domain-error.ts";
import { greatest, least } from "../bigints.ts";
import { type Cutoffs, firstAfter } from "../cutoffs.ts";
import { coinUnitsFrom } from "../decimal-text.ts";
import type { Submission } from "../order-details.ts";
import { millionthsOf } from "../percent.ts";
import { type ProgramFacts, untilEnd } from "../program-limits.ts";
import type { PolicyKey } from "../wallet-policy.ts";
import type { RestingOrder } from "./life.ts";
import { classOf, isStop, type Leg, type Mandate, type PricedLeg } from "./mandate.ts";
import { isAbove, isCrossed, type Ratio, ratioFrom, scaled, usualWorstPpm } from "./prices.ts";
import type { GivenStop, RestingRequest } from "./request.ts";
import { mayStillFill } from "./shown.ts";
import { dueAt } from "./slices.ts";
import { pricedLegs, type Standing, trailedBy } from "./trailing.ts";

/** Lowest share of its price that a stop may sell for, in millionths. */
const lowestWorstPpm = 10_000n;

/** Default price of slices, as a share of the price when they are placed, in millionths. */
const usualBeyondPpm = { buy: 1_300_000n, sell: 700_000n } as const;

const usualRestSeconds = 2_592_000;

/**
 * Checks a request's prices before anything is asked or read, whatever the token's decimals are.
 *
 * @throws {DomainError} INVALID_REQUEST
 */
export function checkPrices(request: RestingRequest): void {
  const { chain } = request;
  const { decimals } = chainFacts[chain].coin;
  // Checks only the given price of trailing stops and slices, because their other prices depend on the current one.
  if (request.type !== "trailing_stop" && request.type !== "twap")
    legsOf(request, decimals, { coins: 1n, tokens: 1n });
  else if (request.price !== undefined) ratioFrom(chain, request.price, decimals, "price");
}

type Priced = Pick<RestingRequest, "chain"> & { decimals: number };

/**
 * Reads the legs of a request. A pair has the limit first.
 *
 * @param decimals The token's decimals.
 * @param now Current price of one token.
 * @throws {DomainError} INVALID_REQUEST
 */
export function legsOf(request: RestingRequest, decimals: number, now: Ratio): Mandate["legs"] {
  const of = { chain: request.chain, decimals };
  switch (request.type) {
    case "limit":
      return [limitAt(of, request.price, "price")];
    case "stop":
      return [stopAt(of, request, "")];
    case "oco": {
      const limit = limitAt(of, request.takeProfit.price, "takeProfit.price");
      const stop = stopAt(of, request.stopLoss, "stopLoss.");
      if (!isAbove(limit.price, stop.trigger)) throw pairProblem("takeProfit");
      return [limit, stop];
    }
    case "twap":
      return [
        {
          kind: "slice",
          worst:
            request.price === undefined
              ? scaled(now, usualBeyondPpm[request.side])
              : ratioFrom(of.chain, request.price, decimals, "price"),
        },
      ];
    case "trailing_stop": {
      const trailPpm = millionthsOf(request.trailPercent);
      return [
        { kind: "trailing", trailPpm, worst: worstBelow(of, trailedBy(now, trailPpm), request.price, "") },
      ];
    }
  }
}

/** Makes the error of a pair whose limit would sell where its stop does. */
export const pairProblem = (field: string) =>
  new DomainError("INVALID_REQUEST", `${field} must be above the price of stopLoss`, { field });

export const limitAt = ({ chain, decimals }: Priced, price: string, field: string) => ({
  kind: "limit" as const,
  price: ratioFrom(chain, price, decimals, field),
});

export function stopAt(of: Priced, { stopPrice, price }: GivenStop, prefix: string) {
  const trigger = ratioFrom(of.chain, stopPrice, of.decimals, `${prefix}stopPrice`);
  return { kind: "stop" as const, trigger, worst: worstBelow(of, trigger, price, prefix) };
}

/** Reads the lowest price at which a stop sells. */
function worstBelow(
  { chain, decimals }: Priced,
  trigger: Ratio,
  price: string | undefined,
  prefix: string,
): Ratio {
  if (price === undefined) return scaled(trigger, usualWorstPpm);
  const field = `${prefix}price`;
  const worst = ratioFrom(chain, price, decimals, field);
  if (isAbove(trigger, worst) && !isAbove(scaled(trigger, lowestWorstPpm), worst)) return worst;
  const message = `${field} must be below the price at which the stop fires, and at least a hundredth of it`;
  throw new DomainError("INVALID_REQUEST", message, { field });
}

/** Facts found while placing an order, as far as a mandate needs them. */
export type MandateFacts = PolicyKey & {
  orderId: string;
  amount: bigint;
  decimals: number;
  /** The coin that the amount spends, or would bring now. */
  value: bigint;
  /** Current price, for the order's own size. */
  now: Ratio;
  /** The most that one child's transactions may pay the network. */
  feeOfChild: bigint;
  isPrivate: boolean;
  /** Highest gas price. Absent on chains without gas. */
  maxGasPrice?: bigint;
  nowMs: number;
  /** The user's cancellations of many orders. */
  cutoffs: Cutoffs;
  /** The program key by which a program places the order. */
  by?: string | undefined;
  program?: ProgramFacts | undefined;
};

/** Minimum number of children for which the default network fees suffice. */
const leastChildren = 6;

/** Lifetime of an order beyond the turn of its last slice. */
const secondsAfterSlices = 86_400;

/** Computes what an order's children may pay the network by default. */
export const usualFees = (
  { value, feeOfChild }: Pick<MandateFacts, "value" | "feeOfChild">,
  slices = 0,
): bigint => greatest(value / 10n, BigInt(Math.max(leastChildren, slices)) * feeOfChild);

/**
 * Makes the mandate of a request. Its time is after the user's last cancellation of all orders, so that no order is
 * accepted and void at once because clocks differ.
 *
 * @throws {DomainError} INVALID_REQUEST
 */
export function mandateOf(request: RestingRequest, facts: MandateFacts): Mandate {
  const { chain, wallet, userID, orderId, amount, decimals, isPrivate, maxGasPrice } = facts;
  const legs = legsOf(request, decimals, facts.now);
  const slices =
    request.type === "twap" ? { count: request.slices, everySeconds: request.intervalSeconds } : undefined;
  const createdAt = Math.max(facts.nowMs, firstAfter(request, facts.cutoffs));
  const expiresAt = slices
    ? dueAt(createdAt, slices.everySeconds, slices.count + 1) + secondsAfterSlices
    : Math.floor(createdAt / 1000) + (request.expiresInSeconds ?? usualRestSeconds);
  return {
    chain,
    wallet,
    userID,
    orderId,
    side: request.side,
    token: request.token,
    amount,
    legs,
    ...(slices !== undefined && { slices }),
    ...(request.slippage !== undefined && { slippagePpm: millionthsOf(request.slippage) }),
    isPrivate,
    ...budgets(legs, feeLimitOf(request, facts, slices?.count ?? 0)),
    ...(maxGasPrice !== undefined && { maxGasPrice }),
    createdAt,
    expiresAt: untilEnd(expiresAt, facts.program),
    ...(facts.by !== undefined && { by: facts.by }),
  };
}

const feeLimitOf = ({ chain, maxNetworkFee }: RestingRequest, facts: MandateFacts, slices: number): bigint =>
  maxNetworkFee === undefined
    ? usualFees(facts, slices)
    : coinUnitsFrom(chain, maxNetworkFee, "maxNetworkFee");

/** Gives each class of legs half of the coin if an order has both, so that a limit never spends what a stop needs. */
export function budgets(legs: readonly Leg[], fees: bigint): Pick<Mandate, "feesLimit" | "feesStop"> {
  const classes = new Set(legs.map(classOf));
  const each = fees / BigInt(classes.size);
  return { feesLimit: classes.has("limit") ? each : 0n, feesStop: classes.has("stop") ? each : 0n };
}

/** Finds a stop that would fire at once. A limit may fire at once, as soon as it rests. */
export const stopFiringNow = (order: Standing & { mandate: Mandate }, out: bigint): PricedLeg | undefined =>
  pricedLegs(order).find(
    (leg) => isStop(leg) && isCrossed(order.mandate.side, leg, order.mandate.amount, out),
  );

/** Maximum numbers of resting orders, of a user and of a user's wallet and token. */
const mostResting = { user: 100, token: 20 };

/** Refuses slices that would trade nothing, or less than they cost. */
export function objectionToSlices(
  { side, slices }: Pick<Mandate, "side"> & { slices: number },
  { amount, amountOut }: { amount: bigint; amountOut: bigint },
  fee: bigint,
): DomainError | undefined {
  const count = BigInt(slices);
  const coins = side === "buy" ? amount : amountOut;
  if (amount >= count && coins >= fee * count) return undefined;
  return new DomainError("AMOUNT_TOO_SMALL", "A slice would trade less than its network fee");
}

/** Refuses new resting orders of a wallet and token if it has too many already. */
export function objectionToCrowd(
  added: readonly Mandate[],
  resting: readonly Pick<RestingOrder, "state" | "end" | "mandate">[],
): DomainError | undefined {
  const [first] = added;
  if (first === undefined) return undefined;
  const others = resting.filter(mayStillFill);
  const isSame = ({ mandate: { chain, wallet, token } }: (typeof others)[0]) =>
    first.chain === chain && first.wallet === wallet && first.token === token;
  const ofUser = others.length + added.length > mostResting.user;
  if (!ofUser && others.filter(isSame).length + added.length <= mostResting.token) return undefined;
  const [limit, which] = ofUser
    ? [mostResting.user, "orders"]
    : [mostResting.token, "orders of a wallet and token"];
  const message = `At most ${limit} ${which} can rest; cancel others first`;
  return new DomainError("TOO_MANY_RESTING", message, { limit });
}

/** Slippage of stops by default, in millionths. In a public pool more would only feed sandwiches. */
const stopSlippagePpm: Readonly<Record<Submission, bigint>> = {
  private: 100_000n,
  sequencer: 100_000n,
  public: 10_000n,
};

/**
 * Returns the slippage of a firing, in millionths.
 *
 * @param settings Slippage of the user's settings, in percent.
 * @param maxSlippage The policy's limit, in millionths.
 */
export function slippageOf(
  { slippagePpm }: Pick<Mandate, "slippagePpm">,
  leg: Leg,
  submission: Submission,
  settings: number,
  maxSlippage: bigint | undefined,
): bigint {
  const usual = isStop(leg) ? stopSlippagePpm[submission] : millionthsOf(settings);
  const wanted = slippagePpm ?? usual;
  return maxSlippage === undefined ? wanted : least(wanted, maxSlippage);
}

/**
 * True for stops and exits. They pay more for gas, because gas is expensive in a crash, and when everybody takes
 * profits.
 */
export const isHasty = ({ exit }: Pick<Mandate, "exit">, leg: Leg): boolean =>
  exit !== undefined || isStop(leg);

/** Multiple of the user's highest gas price at placing that hasty children may pay. */
const hastyMultiple = 3n;

/** Returns the highest gas price of a leg's children. Undefined on chains without gas. */
export function gasPriceOf(mandate: Pick<Mandate, "maxGasPrice" | "exit">, leg: Leg): bigint | undefined {
  const { maxGasPrice } = mandate;
  return maxGasPrice && (isHasty(mandate, leg) ? hastyMultiple * maxGasPrice : maxGasPrice);
}
