import type { Order } from "../domain/execution.ts";
import { isV2Venue } from "../domain/trading/route-choice.ts";
import { mostGas } from "../domain/trading/signing-rules.ts";
import { contractsOf, encodeCall } from "./calldata.ts";
import type { ChainConfiguration } from "./chain-configuration.ts";
import { balanceOf } from "./contract-questions.ts";
import { unwrappedBy } from "./fill-logs.ts";
import type { PoolRoute } from "./pool-routes.ts";
import { attempt, type BlockTag, type RpcCall } from "./rpc-call.ts";
import { type SimulatedOutcome, type SimulatedTransaction, simulateCall } from "./simulation.ts";

type Contracts = Pick<ChainConfiguration, "venues" | "wrapped">;

export type WalletSwap = {
  wallet: string;
  side: Order["side"];
  token: string;
  amountIn: bigint;
  /** Of a sale: the tokens that the route's router may take already. */
  allowance?: bigint;
};

/** What a wallet's swap by a route would do. */
export type SwapOutcome =
  | {
      kind: "delivered";
      /** What would reach the wallet. */
      amountOut: bigint;
      gasUsed: { approve?: bigint; swap: bigint };
      /** Whether the token wants an allowance to be 0 before it changes. */
      wantsZeroFirst: boolean;
    }
  | { kind: "fails" }
  /** The host cannot simulate. */
  | { kind: "unknown" };

/** The far end of the times that four bytes hold. Whether a deadline has passed is not for simulations to say. */
const farDeadline = 2 ** 32 - 1;

/** For calls of a token that need no swap. */
const tokenGas = 500_000n;

const readable = (wallet: string, { to, data }: { to: string; data: string }): SimulatedTransaction => ({
  from: wallet,
  to,
  data,
  gas: tokenGas,
});

const numberIn = (outcome: SimulatedOutcome | undefined): bigint =>
  outcome?.isOk && outcome.returned.length === 66 ? BigInt(outcome.returned) : 0n;

/** Simulates, or says that the host cannot. */
function attempted<Value>(
  transactions: readonly SimulatedTransaction[],
  tag: BlockTag,
  read: (outcomes: readonly SimulatedOutcome[]) => Value,
): RpcCall<Value | { kind: "unknown" }> {
  const call = attempt(simulateCall(transactions, tag));
  return {
    method: call.method,
    params: call.params,
    read: (result) => read(call.read(result) as readonly SimulatedOutcome[]),
    recover(refusal) {
      call.recover?.(refusal);
      return { kind: "unknown" };
    },
  };
}

type Steps = {
  approve: (amount: bigint) => SimulatedTransaction;
  swap: (side: Order["side"], amountIn: bigint) => SimulatedTransaction;
  balance: SimulatedTransaction;
};

function stepsOf(contracts: Contracts, wallet: string, token: string, route: PoolRoute): Steps {
  const { venue, feeBps } = route;
  const transactionOf = (call: Parameters<typeof encodeCall>[1], gas: bigint) => ({
    ...encodeCall(contracts, call, wallet),
    from: wallet,
    gas,
  });
  return {
    approve: (amount) => transactionOf({ purpose: "approve", token, venue, amount }, tokenGas),
    swap: (side, amountIn) =>
      transactionOf(
        {
          purpose: "swap",
          side,
          token,
          venue,
          feeBps,
          amountIn,
          recipient: wallet,
          value: side === "buy" ? amountIn : 0n,
          minAmountOut: 1n,
          deadline: farDeadline,
          hasRefund: side === "buy" && !isV2Venue(route),
        },
        mostGas,
      ),
    balance: readable(wallet, balanceOf(token, wallet)),
  };
}

/** Simulates a swap by a wallet that has what it spends, with the approval that it needs. */
export function swapSimulation(
  contracts: Contracts,
  swap: WalletSwap,
  route: PoolRoute,
  tag: BlockTag,
): RpcCall<SwapOutcome> {
  const steps = stepsOf(contracts, swap.wallet, swap.token, route);
  return swap.side === "buy"
    ? buySimulation(steps, swap, route, tag)
    : saleSimulation(steps, swap, contractsOf(contracts, route.venue).router, contracts.wrapped.token, tag);
}

function buySimulation(
  { approve, swap, balance }: Steps,
  { amountIn }: WalletSwap,
  route: PoolRoute,
  tag: BlockTag,
): RpcCall<SwapOutcome> {
  // v3 checks what leaves the pool, not what arrives. So the token must deliver all of it, there and back.
  const back = isV2Venue(route) ? [] : [approve(route.amountOut), swap("sell", route.amountOut)];
  const transactions = [balance, swap("buy", amountIn), balance, ...back];
  return attempted(transactions, tag, ([before, bought, after, , sold]): SwapOutcome => {
    const amountOut = numberIn(after) - numberIn(before);
    if (!bought?.isOk || amountOut <= 0n) return { kind: "fails" };
    if (back.length > 0 && (amountOut !== route.amountOut || !sold?.isOk)) return { kind: "fails" };
    return { kind: "delivered", amountOut, gasUsed: { swap: bought.gasUsed }, wantsZeroFirst: false };
  });
}

function saleSimulation(
  { approve, swap }: Steps,
  { amountIn, allowance = 0n }: WalletSwap,
  router: string,
  wrapped: string,
  tag: BlockTag,
): RpcCall<SwapOutcome> {
  const approvals =
    allowance >= amountIn
      ? []
      : allowance === 0n
        ? [approve(amountIn)]
        : [approve(amountIn), approve(0n), approve(amountIn)];
  return attempted([...approvals, swap("sell", amountIn)], tag, (outcomes): SwapOutcome => {
    const sold = outcomes.at(-1);
    const [first, , last] = outcomes.slice(0, approvals.length);
    const amountOut = sold?.isOk ? unwrappedBy(router, wrapped, sold.logs) : 0n;
    if (sold === undefined || amountOut === 0n) return { kind: "fails" };
    const approved = first?.isOk ? first : last;
    const gasUsed = { ...(approved && { approve: approved.gasUsed }), swap: sold.gasUsed };
    return {
      kind: "delivered",
      amountOut,
      gasUsed,
      wantsZeroFirst: first !== undefined && !first.isOk,
    };
  });
}
