import { chainFacts, isEvmChain } from "../../core/chain-facts.ts";
import type { Objection } from "../../orders/effects.ts";
import type { KeySigner } from "../hosts/key-signer.ts";
import type { Evm } from "./rules/family.ts";
import { isSameCall, type UnsignedEvmTransaction } from "./rules/intent.ts";
import { type CallTransaction, decodeCall, encodeCall } from "./venues/calldata.ts";
import type { Contracts } from "./venues/configured-routes.ts";
import { isKeyOf, signAndWipe } from "./venues/signed-transaction.ts";

/** Signs transactions of EVM chains. */
export const evmSigner: KeySigner<Evm, Contracts> = {
  async sign(contracts, { unsigned }, open) {
    const { chain, wallet: address, nonce, gasLimit, maxFeePerGas, maxPriorityFeePerGas } = unsigned;
    if (!isEvmChain(chain)) return { later: "the chain does not trade" };
    const encoded = encodedCall(contracts, unsigned);
    if ("refused" in encoded) return encoded;
    const secret = await open((key) => isKeyOf(key, address));
    if (!("byteLength" in secret)) return secret;
    const fees = { maxFeePerGas, maxPriorityFeePerGas };
    return signAndWipe(secret, encoded, { chainId: chainFacts[chain].chainId, nonce, gasLimit, fees });
  },
};

/** Encodes the call. Refuses to sign if the bytes do not decode to exactly the same call. */
function encodedCall(
  contracts: Contracts,
  { call, wallet }: UnsignedEvmTransaction,
): CallTransaction | Extract<Objection, { refused: string }> {
  try {
    const encoded = encodeCall(contracts, call, wallet);
    const decoded = decodeCall(contracts, encoded, wallet);
    if (decoded !== undefined && isSameCall(decoded, call)) return encoded;
  } catch {
    // The chain has no such venue, or a number is out of range.
  }
  return { refused: "no configured contract has this call" };
}
