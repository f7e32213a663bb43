import { v2RouterABI } from "../calls/contract-abi.ts";
import type { V2Contracts } from "../rules/configuration.ts";
import type { SwapCall } from "../rules/intent.ts";
import { poolsOfVenue } from "./configured-routes.ts";
import { argumentsOf, pathFrom, type SwapTerms, tokensOf } from "./swap-terms.ts";

const [buy, sell] = [
  "swapExactETHForTokensSupportingFeeOnTransferTokens",
  "swapExactTokensForETHSupportingFeeOnTransferTokens",
] as const;

/** Encodes a swap through Uniswap's v2 router. */
export function encodeV2(call: SwapCall, wrapped: string): string {
  const { side, recipient, amountIn, minAmountOut, deadline } = call;
  const path = tokensOf(call, wrapped);
  return side === "buy"
    ? v2RouterABI.encodeFunctionData(buy, [minAmountOut, path, recipient, deadline])
    : v2RouterABI.encodeFunctionData(sell, [amountIn, minAmountOut, path, recipient, deadline]);
}

/** Decodes calldata that {@link encodeV2} has made. */
export function readV2(contracts: V2Contracts, value: bigint, data: string): SwapTerms | undefined {
  const bought = argumentsOf(v2RouterABI, buy, data);
  const [amountIn, minAmountOut, path, recipient, deadline] =
    bought === undefined ? (argumentsOf(v2RouterABI, sell, data) ?? []) : [value, ...bought];
  if (path === undefined) return undefined;
  return {
    ...pathFrom(
      bought !== undefined,
      [...path],
      path.slice(1).flatMap(() => poolsOfVenue(contracts)),
    ),
    recipient,
    amountIn,
    minAmountOut,
    deadline: Number(deadline),
    hasRefund: false,
  };
}
