import { getAddress } from "ethers/address";
import { v3PaymentsABI } from "../calls/contract-abi.ts";
import type { SwapCall } from "../rules/intent.ts";
import { argumentsOf } from "./swap-terms.ts";

/** Encodes the calls that follow a swap by a v3 router. They pay out coin or return the unused rest. */
export const v3Payments = ({ side, recipient, minAmountOut, hasRefund }: SwapCall): string[] => [
  ...(side === "buy" ? [] : [v3PaymentsABI.encodeFunctionData("unwrapWETH9", [minAmountOut, recipient])]),
  ...(hasRefund ? [v3PaymentsABI.encodeFunctionData("refundETH")] : []),
];

/** Decodes calls that {@link v3Payments} has made. */
export const readV3Payments = (data: string): { paidTo: string; hasRefund: boolean } => ({
  paidTo: argumentsOf(v3PaymentsABI, "unwrapWETH9", data)?.[1] ?? "",
  hasRefund: argumentsOf(v3PaymentsABI, "refundETH", data) !== undefined,
});

/** Encodes a v3 path: tokens, and between them the fee or tick spacing of their pool in three bytes. */
export function v3Path([first = "", ...others]: readonly string[], numbers: readonly number[]): string {
  const hops = others.map(
    (token, index) => `${(numbers[index] ?? 0).toString(16).padStart(6, "0")}${token.slice(2)}`,
  );
  return [first, ...hops].join("").toLowerCase();
}

const pathOfTwo = /^0x([\da-f]{40})([\da-f]{6})([\da-f]{40})([\da-f]{6})([\da-f]{40})$/;

/**
 * Decodes a path through two pools.
 *
 * @throws {Error} if the path has another length
 */
export function readV3Path(path: string): { tokens: string[]; numbers: number[] } {
  const [, first, one, second, other, third] = pathOfTwo.exec(path) ?? [];
  return {
    tokens: [first, second, third].map((hex) => getAddress(`0x${hex}`)),
    numbers: [one, other].map((hex) => Number.parseInt(hex ?? "", 16)),
  };
}
