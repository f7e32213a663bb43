import { v3RouterABI } from "../calls/contract-abi.ts";
import type { EvmVenue, V3Contracts } from "../rules/configuration.ts";
import type { PoolKey, SwapCall } from "../rules/intent.ts";
import { kindOf } from "../rules/swap-venues.ts";
import { feeOf, poolsOfVenue } from "./configured-routes.ts";
import { argumentsOf, pathFrom, poolsInOrder, type SwapTerms, tokensOf } from "./swap-terms.ts";
import { readV3Path, readV3Payments, v3Path, v3Payments } from "./v3-periphery.ts";

/** Recipient that means SwapRouter02 itself. The router then keeps the wrapped coin until it unwraps it. */
const routerItself = "0x0000000000000000000000000000000000000002";

/** Encodes a swap through Uniswap's SwapRouter02. */
export function encodeV3(call: SwapCall, wrapped: string): string {
  const steps = [...v3Steps(call, wrapped), ...v3Payments(call)];
  return v3RouterABI.encodeFunctionData("multicall", [call.deadline, steps]);
}

/** Amount that means the router's whole balance. */
const allOfRouter = 0n;

function v3Steps(call: SwapCall, wrapped: string): string[] {
  const { side, bridge, amountIn, minAmountOut } = call;
  const recipient = side === "buy" ? call.recipient : routerItself;
  const [first = "", second = "", third = ""] = tokensOf(call, wrapped);
  if (bridge === undefined)
    return [oneHop([first, second], call.feeBps, { recipient, amountIn, minAmountOut })];
  if (kindOf(call) === "v3") {
    const fees = poolsInOrder(call).map(({ feeBps }) => feeOf(feeBps));
    const path = v3Path([first, second, third], fees);
    return [v3RouterABI.encodeFunctionData("exactInput", [[path, recipient, amountIn, minAmountOut]])];
  }
  const onV2 = (path: readonly string[], amount: bigint, least: bigint) =>
    v3RouterABI.encodeFunctionData("swapExactTokensForTokens", [amount, least, path, recipient]);
  // Leaves the check of the minimum to the second swap, or to the step that unwraps the coin.
  return side === "buy"
    ? [
        oneHop([first, second], bridge.feeBps, { recipient: routerItself, amountIn, minAmountOut: 0n }),
        onV2([second, third], allOfRouter, minAmountOut),
      ]
    : [
        onV2([first, second], amountIn, 0n),
        oneHop([second, third], bridge.feeBps, { recipient, amountIn: allOfRouter, minAmountOut }),
      ];
}

const oneHop = (
  [tokenIn, tokenOut]: readonly [string, string],
  feeBps: number,
  { recipient, amountIn, minAmountOut }: Pick<SwapCall, "recipient" | "amountIn" | "minAmountOut">,
): string =>
  v3RouterABI.encodeFunctionData("exactInputSingle", [
    [tokenIn, tokenOut, feeOf(feeBps), recipient, amountIn, minAmountOut, 0n],
  ]);

/** A part of a swap through a v3 router. */
type Step = {
  tokens: string[];
  pools: PoolKey[];
  recipient: string;
  amountIn: bigint;
  minAmountOut: bigint;
};

/** Decodes calldata that {@link encodeV3} has made. */
export function readV3(
  contracts: V3Contracts,
  venues: readonly EvmVenue[],
  wrapped: string,
  data: string,
): SwapTerms | undefined {
  const [deadline, parts = []] = argumentsOf(v3RouterABI, "multicall", data) ?? [];
  const mixed = venues.find(({ venue }) => venue === contracts.mixesWith);
  const steps = [...parts].flatMap((part: string) => stepIn(contracts, mixed, part) ?? []);
  const [first, last] = [steps[0], steps.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const tokens = [...first.tokens, ...steps.slice(1).flatMap((step) => step.tokens.slice(1))];
  const isBuy = tokens[0] === wrapped;
  const [rest = ""]: string[] = parts.slice(steps.length);
  const { paidTo, hasRefund } = readV3Payments(rest);
  return {
    ...pathFrom(
      isBuy,
      tokens,
      steps.flatMap(({ pools }) => pools),
    ),
    recipient: isBuy ? last.recipient : paidTo,
    amountIn: first.amountIn,
    minAmountOut: last.minAmountOut,
    deadline: Number(deadline),
    hasRefund,
  };
}

function stepIn({ venue }: V3Contracts, mixed: EvmVenue | undefined, data: string): Step | undefined {
  const single = argumentsOf(v3RouterABI, "exactInputSingle", data)?.[0];
  if (single !== undefined) {
    const [tokenIn, tokenOut, fee, recipient, amountIn, minAmountOut] = single;
    const pools = [{ venue, feeBps: Number(fee) / 100 }];
    return { tokens: [tokenIn, tokenOut], pools, recipient, amountIn, minAmountOut };
  }
  const several = argumentsOf(v3RouterABI, "exactInput", data)?.[0];
  if (several !== undefined) {
    const [path, recipient, amountIn, minAmountOut] = several;
    const { tokens, numbers } = readV3Path(path);
    const pools = numbers.map((fee) => ({ venue, feeBps: fee / 100 }));
    return { tokens, pools, recipient, amountIn, minAmountOut };
  }
  const onV2 = argumentsOf(v3RouterABI, "swapExactTokensForTokens", data);
  if (onV2 === undefined || mixed === undefined) return undefined;
  const [amountIn, minAmountOut, path, recipient] = onV2;
  return { tokens: [...path], pools: poolsOfVenue(mixed), recipient, amountIn, minAmountOut };
}
