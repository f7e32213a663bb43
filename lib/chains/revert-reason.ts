import { AbiCoder } from "ethers/abi";
import { RpcRefusal } from "./host-fault.ts";

/** Of `Error(string)`, which Solidity reverts with. */
const errorSelector = "0x08c379a0";

/** What routers say when less would arrive than the minimum. */
const slippagePattern = /INSUFFICIENT_OUTPUT_AMOUNT|Too little received|Insufficient WETH9/;

/** The text that a contract reverted with. Undefined if there is none. */
export function revertReason(data: string | undefined): string | undefined {
  if (!data?.startsWith(errorSelector)) return undefined;
  try {
    return String(AbiCoder.defaultAbiCoder().decode(["string"], `0x${data.slice(errorSelector.length)}`)[0]);
  } catch {
    return undefined;
  }
}

/** Whether a swap failed because less would have arrived than its minimum, and not for any other reason. */
export function isSlippage(failure: RpcRefusal | string | undefined): boolean {
  if (failure instanceof RpcRefusal)
    return isSlippage(failure.revertData) || (failure.kind === "call" && failure.says(slippagePattern));
  return slippagePattern.test(revertReason(failure) ?? "");
}
