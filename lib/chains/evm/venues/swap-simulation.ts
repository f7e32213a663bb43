import type { TokenUnits } from "../../../core/units.ts";
import { least } from "../../../orders/bigints.ts";
import type { Order } from "../../../orders/execution.ts";
import { type RoundTrip, safetyOf, type TokenSafety } from "../../../orders/token-safety.ts";
import { attempt, type RpcCall } from "../../hosts/rpc-call.ts";
import { balanceOf } from "../calls/contract-questions.ts";
import { givenTo, takenByPool, unwrappedBy } from "../calls/fill-logs.ts";
import {
  type Simulated,
  type SimulatedAfter,
  type SimulatedNow,
  type SimulatedOutcome,
  type SimulatedTransaction,
  simulateCall,
} from "../calls/simulation.ts";
import type { EvmRoute } from "../rules/intent.ts";
import { mostGas } from "../rules/signing-rules.ts";
import { checksArrival } from "../rules/swap-venues.ts";
import type { Contracts } from "./configured-routes.ts";
import type { PoolRoute } from "./pool-routes.ts";
import { simulatedCall } from "./simulated-calls.ts";

export type WalletSwap = {
  wallet: string;
  side: Order["side"];
  token: string;
  amountIn: bigint;
  /** The allowance that the route's router has, for a sale. */
  allowance?: TokenUnits;
};

/** The simulated result of a wallet's swap on a route. */
export type SwapOutcome =
  | {
      kind: "delivered";
      /** The amount that would reach the wallet. */
      amountOut: bigint;
      gasUsed: { approve?: bigint; swap: bigint };
      /** True if an allowance must be set to 0 before it can change. */
      wantsZeroFirst: boolean;
      /** Findings of a buy about the token, from buying for this amount and selling again. */
      safety?: TokenSafety;
    }
  | { kind: "fails" }
  /** The host cannot simulate. */
  | { kind: "unknown" };

/** An amount so small that a tax may consume all of it. */
const dust = 100n;

/** Gas for calls to a token that are not swaps. */
const tokenGas = 500_000n;

const readable = (wallet: string, { to, data }: { to: string; data: string }): SimulatedTransaction => ({
  from: wallet,
  to,
  data,
  gas: tokenGas,
});

const numberIn = (outcome: SimulatedOutcome | undefined): bigint =>
  outcome?.isOk && outcome.returned.length === 66 ? BigInt(outcome.returned) : 0n;

/** Simulates blocks of transactions. If the host cannot simulate, returns the value given for that case. */
function attempted<Value>(
  blocks: readonly (readonly SimulatedTransaction[])[],
  after: SimulatedAfter,
  read: (outcomes: readonly SimulatedOutcome[]) => Value,
  unknown: Value,
): RpcCall<Value> {
  const call = attempt(simulateCall(blocks, after));
  return {
    ...call,
    read: (result) => read((call.read(result) as Simulated).outcomes),
    recover(refusal) {
      call.recover?.(refusal);
      return unknown;
    },
  };
}

const unknownOutcome: SwapOutcome = { kind: "unknown" };

type Steps = {
  approve: (amount: TokenUnits) => SimulatedTransaction;
  swap: (side: Order["side"], amountIn: bigint) => SimulatedTransaction;
  balance: SimulatedTransaction;
};

function stepsOf(contracts: Contracts, from: string, token: string, route: EvmRoute): Steps {
  const { router } = route;
  return {
    approve: (amount) => ({
      ...simulatedCall(contracts, { purpose: "approve", token, router }, from, amount),
      from,
      gas: tokenGas,
    }),
    swap: (side, amountIn) => ({
      ...simulatedCall(contracts, { purpose: "swap", side, token, route }, from, amountIn),
      from,
      gas: mostGas,
    }),
    balance: readable(from, balanceOf(token, from)),
  };
}

/** Simulates a swap by a wallet that has enough funds, including the approval that it needs. */
export function swapSimulation(
  contracts: Contracts,
  swap: WalletSwap,
  route: PoolRoute,
  after: SimulatedAfter,
): RpcCall<SwapOutcome> {
  return swap.side === "buy"
    ? buySimulation(contracts, swap, route, after)
    : saleSimulation(stepsOf(contracts, swap.wallet, swap.token, route), swap, {
        router: route.router,
        wrapped: contracts.wrapped.token,
        after,
      });
}

/**
 * Percentages of the pool's payment to try to sell, one after another, until a sale succeeds. The amount that arrived
 * is unknown, and nothing above it can be sold.
 */
const shares = [100n, 99n, 95n, 90n, 75n, 50n, 10n, 1n];

/**
 * A token counts as unsellable if less than this fraction of what arrived can be sold in one sale. Given as a divisor.
 */
const mostSales = 2n;

/** A simulated purchase, with the combined findings from the purchase and the sale. */
type Bought = { outcome: SimulatedOutcome | undefined; trip: RoundTrip };

/**
 * Simulates a purchase and, in a block a minute later, sales of what arrived. Only a sale in the later block counts:
 * many honest tokens refuse a sale in the block of the purchase, and if a token allows a sale only in that block, it
 * cannot be sold.
 */
export function roundTripCall<Value>(
  contracts: Contracts,
  { wallet, token, amountIn }: Omit<WalletSwap, "side">,
  route: PoolRoute,
  after: SimulatedAfter,
  { read, unknown }: { read: (bought: Bought) => Value; unknown: Value },
): RpcCall<Value> {
  const { approve, swap, balance } = stepsOf(contracts, wallet, token, route);
  const { amountOut } = route;
  const sales = shares.map((share) => (amountOut * share) / 100n).filter((amount) => amount > 0n);
  // The token may require that the allowance left by an earlier order is first set to 0.
  const purchase = [balance, swap("buy", amountIn), balance, approve(0n), approve(amountOut)];
  const readTrip = (outcomes: readonly SimulatedOutcome[]) => {
    const [before, outcome, later] = outcomes;
    const tried = outcomes.slice(purchase.length);
    const arrived = numberIn(later) - numberIn(before);
    const whole = sales.find((amount) => amount <= arrived);
    const index = tried.findIndex(
      ({ isOk }, sale) => isOk && whole !== undefined && (sales[sale] as bigint) * mostSales >= whole,
    );
    const [sold, sent] = [tried[index], sales[index]];
    const bought = { sent: amountOut, arrived };
    const hasOddEvents = outcome?.isOk === true && givenTo(wallet, token, outcome.logs) !== arrived;
    if (sold === undefined || sent === undefined) return read({ outcome, trip: { bought, hasOddEvents } });
    // Counts the full amount, because v3 pools take all of it or fail.
    const taken = checksArrival(route)
      ? takenByPool(route, route.bridge?.token ?? contracts.wrapped.token, token, sold.logs)
      : sent;
    return read({ outcome, trip: { bought, sold: { sent, arrived: taken }, hasOddEvents } });
  };
  const sale = sales.map((amount) => swap("sell", amount));
  return attempted([purchase, sale], after, readTrip, unknown);
}

/** A simulated purchase, from which everything arrived, and a sale, which took exactly what was sold. */
export type CleanTrip = {
  /** Hash of the block on top of which the host simulated. */
  parent: string | undefined;
  arrived: TokenUnits;
  gasUsed: bigint;
};

/**
 * Simulates, on top of the host's newest block, a purchase and, in a block a minute later, a sale of the route's
 * amount, of which at least that much must have arrived. Undefined if anything is odd.
 */
export function cleanTripCall(
  contracts: Contracts,
  { wallet, token, amountIn }: Omit<WalletSwap, "side">,
  route: PoolRoute,
  now: SimulatedNow,
): RpcCall<CleanTrip | undefined> {
  const { approve, swap, balance } = stepsOf(contracts, wallet, token, route);
  const { amountOut: sent } = route;
  const call = simulateCall(
    [
      [balance, swap("buy", amountIn), balance, approve(0n), approve(sent)],
      [swap("sell", sent), balance],
    ],
    now,
  );
  const tripIn = ({ parent, outcomes }: Simulated): CleanTrip | undefined => {
    const [before, bought, later, , , sold, after] = outcomes;
    if (!bought?.isOk || !sold?.isOk) return undefined;
    const arrived = numberIn(later) - numberIn(before);
    const taken = checksArrival(route)
      ? takenByPool(route, route.bridge?.token ?? contracts.wrapped.token, token, sold.logs)
      : sent;
    const isClean =
      taken === sent &&
      numberIn(later) - numberIn(after) === sent &&
      givenTo(wallet, token, bought.logs) === arrived;
    return isClean ? { parent, arrived, gasUsed: bought.gasUsed } : undefined;
  };
  return { ...call, read: (result) => tripIn(call.read(result)), recover: () => undefined };
}

function buySimulation(
  contracts: Contracts,
  swap: WalletSwap,
  route: PoolRoute,
  after: SimulatedAfter,
): RpcCall<SwapOutcome> {
  const { amountOut } = route;
  const read = ({ outcome, trip }: Bought): SwapOutcome => {
    const { bought, sold } = trip;
    const { arrived } = bought;
    if (!outcome?.isOk || arrived < 0n || (arrived === 0n && amountOut > dust)) return { kind: "fails" };
    // Requires that the token delivers the full amount in both directions, because v3 routers check only the amount
    // that leaves the pool.
    if (!checksArrival(route) && (arrived !== amountOut || sold?.sent !== amountOut))
      return { kind: "fails" };
    return {
      kind: "delivered",
      // Caps the amount at the quote, because pools never pay more, although a token's events may claim more.
      amountOut: least(arrived, amountOut),
      wantsZeroFirst: false,
      gasUsed: { swap: outcome.gasUsed },
      safety: safetyOf(trip),
    };
  };
  return roundTripCall(contracts, swap, route, after, { read, unknown: unknownOutcome });
}

function saleSimulation(
  { approve, swap }: Steps,
  { amountIn, allowance = 0n }: WalletSwap,
  { router, wrapped, after }: { router: string; wrapped: string; after: SimulatedAfter },
): RpcCall<SwapOutcome> {
  const approvals =
    allowance >= amountIn
      ? []
      : allowance === 0n
        ? [approve(amountIn)]
        : [approve(amountIn), approve(0n), approve(amountIn)];
  const read = (outcomes: readonly SimulatedOutcome[]): SwapOutcome => {
    const sold = outcomes.at(-1);
    const [first, , last] = outcomes.slice(0, approvals.length);
    if (!sold?.isOk) return { kind: "fails" };
    const amountOut = unwrappedBy(router, wrapped, sold.logs);
    const approved = first?.isOk ? first : last;
    const gasUsed = { ...(approved && { approve: approved.gasUsed }), swap: sold.gasUsed };
    return {
      kind: "delivered",
      amountOut,
      gasUsed,
      wantsZeroFirst: first !== undefined && !first.isOk,
    };
  };
  return attempted([[...approvals, swap("sell", amountIn)]], after, read, unknownOutcome);
}
