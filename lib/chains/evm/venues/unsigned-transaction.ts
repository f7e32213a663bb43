import { encodeRlp, type RlpStructuredDataish, toBeHex } from "ethers/utils";
import type { EvmFees } from "../rules/intent.ts";
import type { CallTransaction } from "./calldata.ts";

export type TransactionTerms = { chainId: number; nonce: number; gasLimit: bigint; fees: EvmFees };

export const numberField = (value: bigint | number) => (BigInt(value) === 0n ? "0x" : toBeHex(value));

/** Encodes an unsigned EIP-1559 transaction, as hex. */
export const unsignedBytes = (call: CallTransaction, terms: TransactionTerms): string =>
  bytesOf(fieldsOf(call, terms));

export const bytesOf = (fields: readonly RlpStructuredDataish[]) => `0x02${encodeRlp([...fields]).slice(2)}`;

/** The fields of an unsigned transaction. A signature appends three numbers. */
export function fieldsOf({ to, value, data }: CallTransaction, terms: TransactionTerms) {
  const { chainId, nonce, gasLimit, fees } = terms;
  return [
    ...[chainId, nonce, fees.maxPriorityFeePerGas, fees.maxFeePerGas, gasLimit].map(numberField),
    to,
    numberField(value),
    data,
    [],
  ] satisfies RlpStructuredDataish[];
}
