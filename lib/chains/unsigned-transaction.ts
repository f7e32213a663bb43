import { encodeRlp, toBeHex } from "ethers/utils";
import type { Fees } from "../domain/trading/intent.ts";
import type { CallTransaction } from "./calldata.ts";

export type TransactionTerms = { chainID: number; nonce: number; gasLimit: bigint; fees: Fees };

const numberHex = (value: bigint | number) => (BigInt(value) === 0n ? "0x" : toBeHex(value));

/** The bytes of a transaction of EIP-1559 before it is signed, as hex. */
export function unsignedBytes({ to, value, data }: CallTransaction, terms: TransactionTerms): string {
  const { chainID, nonce, gasLimit, fees } = terms;
  const fields = [
    ...[chainID, nonce, fees.maxPriorityFeePerGas, fees.maxFeePerGas, gasLimit].map(numberHex),
    to,
    numberHex(value),
    data,
    [],
  ];
  return `0x02${encodeRlp(fields).slice(2)}`;
}
