import { Interface } from "ethers/abi";
import { Transaction } from "ethers/transaction";
import type { ChainConfiguration } from "../../lib/trading/chains/chain-configuration.ts";
import type { Intent } from "../../lib/trading/core/intent.ts";
import { chainFacts, type TradingChain } from "../../lib/trading/core/trading-chain.ts";

/** The effects of signed bytes, decoded independently of the service. */
export type SignedAct = {
  purpose: "swap" | "approve" | "clear";
  nonce: number;
  /** The contract, value and data. Equal texts have equal effects. */
  act: string;
  maxFeePerGas: bigint;
  /** The highest fees, in wei. */
  mostFee: bigint;
};

const contracts = new Interface([
  "function approve(address spender, uint256 amount)",
  "function swapExactETHForTokensSupportingFeeOnTransferTokens(uint256 minimum, address[] path, address to, uint256 deadline)",
  "function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 amount, uint256 minimum, address[] path, address to, uint256 deadline)",
  "function multicall(uint256 deadline, bytes[] calls)",
  "function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96))",
  "function unwrapWETH9(uint256 minimum, address to)",
  "function refundETH()",
]);

/** The bytes do something that no user has ordered. */
export class Theft extends Error {}

function must(holds: boolean, message: string): asserts holds {
  if (!holds) throw new Theft(message);
}

/** The most that all transactions of an order may pay the network: twice its gas at its highest gas price. */
export const feeBudgetOf = ({ gasLimit, approvalGas, maxGasPrice }: Intent): bigint =>
  2n * (gasLimit + approvalGas) * maxGasPrice;

type Contracts = Pick<ChainConfiguration, "venues" | "wrapped">;

/**
 * Decodes signed bytes, and compares them with the user's order.
 *
 * @throws {Theft} if they could spend more, receive less, or pay somebody else.
 */
export function readSigned(raw: string, intent: Intent, configuration: Contracts): SignedAct {
  const transaction = Transaction.from(raw);
  const { from, to, type, accessList, chainId, nonce, value, data, gasLimit } = transaction;
  const fee = transaction.maxFeePerGas ?? 0n;
  must(type === 2 && (accessList ?? []).length === 0, "another kind of transaction");
  must(from === intent.wallet, "signed by another wallet");
  must(chainId === BigInt(chainFacts[intent.chain as TradingChain].chainId), "signed for another chain");
  must((transaction.maxPriorityFeePerGas ?? 0n) <= fee, "the tip is above the fee");
  const act = [to, value, data].join();
  const common = { nonce, act, maxFeePerGas: fee, mostFee: gasLimit * fee };
  must(nonce <= intent.nextNonce + 20, "signed at a far nonce");
  if (data === "0x") {
    must(to === intent.wallet && value === 0n && gasLimit <= 21_000n, "coin is sent somewhere");
    must(common.mostFee <= feeBudgetOf(intent), "a clear costs more than the order may");
    return { purpose: "clear", ...common };
  }
  must(fee <= intent.maxGasPrice, "above the highest gas price");
  const routers = configuration.venues.filter((each) =>
    intent.routes.some(({ venue, router }) => venue === each.venue && router === each.router),
  );
  const call = contracts.parseTransaction({ data });
  if (call?.name === "approve") {
    must(intent.side === "sell" && to === intent.token && value === 0n, "approves another token");
    must(
      routers.some(({ router }) => router === call.args[0]),
      "approves a stranger",
    );
    must(call.args[1] <= intent.amount, "approves too much");
    must(gasLimit <= intent.approvalGas && gasLimit <= 1_500_000n, "too much gas for an approval");
    return { purpose: "approve", ...common };
  }
  must(gasLimit <= 2n * intent.gasLimit && gasLimit <= 1_500_000n, "too much gas");
  const venue = routers.find(({ router }) => router === to);
  must(venue !== undefined && call !== null, "calls another contract");
  must(value <= (intent.side === "buy" ? intent.amount : 0n), "sends too much coin");
  if ("quoter" in venue) readV3(call.name, call.args, intent, configuration.wrapped.token, value);
  else readV2(call.name, call.args, intent, configuration.wrapped.token);
  return { purpose: "swap", ...common };
}

// biome-ignore lint/suspicious/noExplicitAny: arguments of contracts, as ethers gives them.
type Arguments = any;

function readV2(name: string, args: Arguments, intent: Intent, wrapped: string): void {
  const isBuy = name.startsWith("swapExactETH");
  const [amount, minimum, path, to, deadline] = isBuy ? [0n, ...args] : args;
  must(isBuy === (intent.side === "buy") && name.startsWith("swapExact"), "another kind of swap");
  must(
    [...path].join() === (isBuy ? [wrapped, intent.token] : [intent.token, wrapped]).join(),
    "another way",
  );
  must(amount <= intent.amount && minimum >= intent.minAmountOut, "a worse price");
  must(to === intent.wallet && Number(deadline) <= intent.validUntil, "for somebody else, or too late");
}

function readV3(name: string, args: Arguments, intent: Intent, wrapped: string, value: bigint): void {
  must(name === "multicall" && Number(args[0]) <= intent.validUntil, "without a deadline");
  const [swap, last, ...more] = [...args[1]].map((data: string) => contracts.parseTransaction({ data }));
  must(swap?.name === "exactInputSingle" && more.length === 0, "another kind of swap");
  const { tokenIn, tokenOut, fee, recipient, amountIn, amountOutMinimum, sqrtPriceLimitX96 } = swap.args[0];
  const fees = intent.routes.flatMap(({ venue, feeBps }) => (venue === "uniswap-v3" ? [feeBps * 100] : []));
  must(fees.includes(Number(fee)), "by another pool");
  must(amountIn <= intent.amount && amountOutMinimum >= intent.minAmountOut, "a worse price");
  must(sqrtPriceLimitX96 === 0n, "a limit, which leaves a part");
  if (intent.side === "buy") {
    must(
      tokenIn === wrapped && tokenOut === intent.token && recipient === intent.wallet,
      "for somebody else",
    );
    must(value === amountIn && last?.name === "refundETH", "leaves coin in the router");
    return;
  }
  must(tokenIn === intent.token && tokenOut === wrapped, "another token");
  must(/^0x0{39}2$/.test(recipient) && last?.name === "unwrapWETH9", "keeps the wrapped coin");
  must(last.args[0] >= intent.minAmountOut && last.args[1] === intent.wallet, "for somebody else");
}
