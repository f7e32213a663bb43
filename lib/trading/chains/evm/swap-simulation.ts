import { least } from "../../core/bigints.ts";
import { mostGas } from "../../core/evm/signing-rules.ts";
import type { Order } from "../../core/execution.ts";
import { isV2Venue, type Route } from "../../core/intent.ts";
import type { ChainConfiguration } from "../chain-configuration.ts";
import { encodeCall } from "./calldata.ts";
import { balanceOf } from "./contract-questions.ts";
import { unwrappedBy } from "./fill-logs.ts";
import type { PoolRoute } from "./pool-routes.ts";
import { attempt, type RpcCall } from "./rpc-call.ts";
import {
  type SimulatedAfter,
  type SimulatedOutcome,
  type SimulatedTransaction,
  simulateCall,
} from "./simulation.ts";

type Contracts = Pick<ChainConfiguration, "venues" | "wrapped">;

export type WalletSwap = {
  wallet: string;
  side: Order["side"];
  token: string;
  amountIn: bigint;
  /** For a sale: the tokens that the route's router may already take. */
  allowance?: bigint;
};

/** The simulated result of a wallet's swap by a route. */
export type SwapOutcome =
  | {
      kind: "delivered";
      /** The amount that would reach the wallet. */
      amountOut: bigint;
      gasUsed: { approve?: bigint; swap: bigint };
      /** True if an allowance must be set to 0 before it can change. */
      wantsZeroFirst: boolean;
    }
  | { kind: "fails" }
  /** The host cannot simulate. */
  | { kind: "unknown" };

/** The latest time that fits four bytes. Simulations do not check deadlines. */
const farDeadline = 2 ** 32 - 1;

/** A tax may take up so few units entirely. */
const dust = 100n;

/** Gas for calls of a token that are not swaps. */
const tokenGas = 500_000n;

const readable = (wallet: string, { to, data }: { to: string; data: string }): SimulatedTransaction => ({
  from: wallet,
  to,
  data,
  gas: tokenGas,
});

export const numberIn = (outcome: SimulatedOutcome | undefined): bigint =>
  outcome?.isOk && outcome.returned.length === 66 ? BigInt(outcome.returned) : 0n;

/** Simulates transactions. If the host cannot, returns the value given for that case. */
export function attempted<Value>(
  transactions: readonly SimulatedTransaction[],
  after: SimulatedAfter,
  read: (outcomes: readonly SimulatedOutcome[]) => Value,
  unknown: Value,
): RpcCall<Value> {
  const call = attempt(simulateCall(transactions, after));
  return {
    ...call,
    read: (result) => read(call.read(result) as readonly SimulatedOutcome[]),
    recover(refusal) {
      call.recover?.(refusal);
      return unknown;
    },
  };
}

const unknownOutcome: SwapOutcome = { kind: "unknown" };

export type Steps = {
  approve: (amount: bigint) => SimulatedTransaction;
  swap: (side: Order["side"], amountIn: bigint) => SimulatedTransaction;
  balance: SimulatedTransaction;
};

export function stepsOf(contracts: Contracts, wallet: string, token: string, route: Route): Steps {
  const { venue, feeBps, router } = route;
  const transactionOf = (call: Parameters<typeof encodeCall>[1], gas: bigint) => ({
    ...encodeCall(contracts, call, wallet),
    from: wallet,
    gas,
  });
  return {
    approve: (amount) => transactionOf({ purpose: "approve", token, router, amount }, tokenGas),
    swap: (side, amountIn) =>
      transactionOf(
        {
          purpose: "swap",
          side,
          token,
          venue,
          feeBps,
          router,
          amountIn,
          recipient: wallet,
          value: side === "buy" ? amountIn : 0n,
          minAmountOut: 0n,
          deadline: farDeadline,
          hasRefund: side === "buy" && !isV2Venue(route),
        },
        mostGas,
      ),
    balance: readable(wallet, balanceOf(token, wallet)),
  };
}

/** Simulates a swap by a wallet that has the funds, with the approval that it needs. */
export function swapSimulation(
  contracts: Contracts,
  swap: WalletSwap,
  route: PoolRoute,
  after: SimulatedAfter,
): RpcCall<SwapOutcome> {
  const steps = stepsOf(contracts, swap.wallet, swap.token, route);
  return swap.side === "buy"
    ? buySimulation(steps, swap, route, after)
    : saleSimulation(steps, swap, route.router, contracts.wrapped.token, after);
}

function buySimulation(
  { approve, swap, balance }: Steps,
  { amountIn }: WalletSwap,
  route: PoolRoute,
  after: SimulatedAfter,
): RpcCall<SwapOutcome> {
  // v3 checks the amount that leaves the pool, not the amount that arrives. So the token must deliver all of it, there
  // and back. It may require that the allowance of an earlier order is first set to 0.
  const { amountOut } = route;
  const back = isV2Venue(route) ? [] : [approve(0n), approve(amountOut), swap("sell", amountOut)];
  const transactions = [balance, swap("buy", amountIn), balance, ...back];
  const read = ([before, bought, after, , , sold]: readonly SimulatedOutcome[]): SwapOutcome => {
    const arrived = numberIn(after) - numberIn(before);
    if (!bought?.isOk || arrived < 0n || (arrived === 0n && amountOut > dust)) return { kind: "fails" };
    if (back.length > 0 && (arrived !== amountOut || !sold?.isOk)) return { kind: "fails" };
    // Pools never pay more than quoted, but a token may claim so.
    const delivered = {
      kind: "delivered",
      amountOut: least(arrived, amountOut),
      wantsZeroFirst: false,
    } as const;
    return { ...delivered, gasUsed: { swap: bought.gasUsed } };
  };
  return attempted(transactions, after, read, unknownOutcome);
}

function saleSimulation(
  { approve, swap }: Steps,
  { amountIn, allowance = 0n }: WalletSwap,
  router: string,
  wrapped: string,
  after: SimulatedAfter,
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
  return attempted([...approvals, swap("sell", amountIn)], after, read, unknownOutcome);
}
