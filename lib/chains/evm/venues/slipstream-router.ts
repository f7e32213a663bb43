import { ZeroAddress } from "ethers/constants";
import { slipstreamRouterABI as abi } from "../calls/contract-abi.ts";
import type { SlipstreamContracts } from "../rules/configuration.ts";
import type { PoolKey, SwapCall } from "../rules/intent.ts";
import { poolsOfVenue } from "./configured-routes.ts";
import { argumentsOf, pathFrom, poolsInOrder, type SwapTerms, tokensOf } from "./swap-terms.ts";
import { readV3Path, readV3Payments, v3Path, v3Payments } from "./v3-periphery.ts";

/** Recipient that means the router itself. The router then keeps the wrapped coin until it unwraps it. */
const routerItself = ZeroAddress;

/** Encodes a swap through Slipstream's router. */
export const encodeSlipstream = (call: SwapCall, wrapped: string): string =>
  abi.encodeFunctionData("multicall", [[swapStep(call, wrapped), ...v3Payments(call)]]);

function swapStep(call: SwapCall, wrapped: string): string {
  const { side, deadline, amountIn, minAmountOut } = call;
  const recipient = side === "buy" ? call.recipient : routerItself;
  const [first = "", ...others] = tokensOf(call, wrapped);
  const spacings = poolsInOrder(call).map(({ spacing = 0 }) => spacing);
  if (others.length === 1)
    return abi.encodeFunctionData("exactInputSingle", [
      [first, ...others, ...spacings, recipient, deadline, amountIn, minAmountOut, 0n],
    ]);
  const path = v3Path([first, ...others], spacings);
  return abi.encodeFunctionData("exactInput", [[path, recipient, deadline, amountIn, minAmountOut]]);
}

/** Decodes calldata that {@link encodeSlipstream} has made. */
export function readSlipstream(
  row: SlipstreamContracts,
  wrapped: string,
  data: string,
): SwapTerms | undefined {
  const [[swap = "", rest = ""] = []]: string[][] = argumentsOf(abi, "multicall", data) ?? [];
  const step = stepIn(swap);
  if (step === undefined) return undefined;
  const { tokens, spacings, recipient, ...amounts } = step;
  const isBuy = tokens[0] === wrapped;
  const { paidTo, hasRefund } = readV3Payments(rest);
  return {
    ...pathFrom(
      isBuy,
      tokens,
      spacings.flatMap((spacing): PoolKey[] => poolsOfVenue(row).filter((pool) => pool.spacing === spacing)),
    ),
    ...amounts,
    recipient: isBuy ? recipient : paidTo,
    hasRefund,
  };
}

type Step = Pick<SwapTerms, "recipient" | "deadline" | "amountIn" | "minAmountOut"> & {
  tokens: string[];
  spacings: number[];
};

function stepIn(data: string): Step | undefined {
  const single = argumentsOf(abi, "exactInputSingle", data)?.[0];
  if (single !== undefined) {
    const [tokenIn, tokenOut, spacing, recipient, deadline, amountIn, minAmountOut] = single;
    const terms = { recipient, deadline: Number(deadline), amountIn, minAmountOut };
    return { tokens: [tokenIn, tokenOut], spacings: [Number(spacing)], ...terms };
  }
  const several = argumentsOf(abi, "exactInput", data)?.[0];
  if (several === undefined) return undefined;
  const [path, recipient, deadline, amountIn, minAmountOut] = several;
  const { tokens, numbers: spacings } = readV3Path(path);
  return { tokens, spacings, recipient, deadline: Number(deadline), amountIn, minAmountOut };
}
