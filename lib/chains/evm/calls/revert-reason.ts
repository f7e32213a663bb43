import { AbiCoder } from "ethers/abi";
import { RpcRefusal } from "../../hosts/host-fault.ts";

/** The selector of `Error(string)`, with which Solidity reverts. */
const errorSelector = "0x08c379a0";

/** Routers' messages for an output below the minimum. */
const slippagePattern = /INSUFFICIENT_OUTPUT_AMOUNT|Too little received|Insufficient WETH9|\bIW$/;

/**
 * The selector of `LBRouter__InsufficientAmountOut(uint256,uint256)`, the error of LFJ's router when the output is
 * below the minimum.
 */
const slippageSelector = "0x4feac00c";

/** Decodes the text that a contract reverted with. Returns undefined if the contract gave no text. */
export function revertReason(data: string | undefined): string | undefined {
  if (!data?.startsWith(errorSelector)) return undefined;
  try {
    return String(AbiCoder.defaultAbiCoder().decode(["string"], `0x${data.slice(errorSelector.length)}`)[0]);
  } catch {
    return undefined;
  }
}

/** True if a swap failed because its output would have been below its minimum. */
export function isSlippage(failure: RpcRefusal | string | undefined): boolean {
  if (failure instanceof RpcRefusal)
    return isSlippage(failure.revertData) || (failure.kind === "call" && failure.says(slippagePattern));
  return failure?.startsWith(slippageSelector) === true || slippagePattern.test(revertReason(failure) ?? "");
}
