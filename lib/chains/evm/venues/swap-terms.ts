import type { Interface, Result } from "ethers/abi";
import { type PoolKey, poolsOf, type SwapCall } from "../rules/intent.ts";

/** A swap as its calldata shows it. */
export type SwapTerms = Omit<SwapCall, "purpose" | "router" | "value">;

/** Lists the tokens of a swap in the order of the trade. */
export function tokensOf(
  { side, token, bridge }: Pick<SwapCall, "side" | "token" | "bridge">,
  wrapped: string,
): string[] {
  const fromCoin = [wrapped, ...(bridge ? [bridge.token] : []), token];
  return side === "buy" ? fromCoin : fromCoin.reverse();
}

/** Lists the pools of a swap in the order of the trade. */
export const poolsInOrder = (call: SwapCall): PoolKey[] =>
  call.side === "buy" ? poolsOf(call) : poolsOf(call).reverse();

/** Derives the side, the token and the route's pools from the tokens and pools of a trade. */
export function pathFrom(isBuy: boolean, tokens: readonly string[], pools: readonly PoolKey[]) {
  const [[, second = "", third], [coinPool, own = coinPool]] = isBuy
    ? [tokens, pools]
    : [tokens.toReversed(), pools.toReversed()];
  return {
    side: isBuy ? ("buy" as const) : ("sell" as const),
    ...(own as PoolKey),
    ...(third === undefined
      ? { token: second }
      : { token: third, bridge: { ...(coinPool as PoolKey), token: second } }),
  };
}

/** Decodes the arguments of a function's calldata. Undefined if the calldata calls another function or is malformed. */
export function argumentsOf(abi: Interface, name: string, data: string): Result | undefined {
  try {
    return abi.decodeFunctionData(name, data);
  } catch {
    return undefined;
  }
}
