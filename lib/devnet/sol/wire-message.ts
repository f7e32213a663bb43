import {
  type CompiledTransactionMessage,
  getBase58Decoder,
  getBase58Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
} from "@solana/web3.js";
import { programs } from "./published.ts";

/** A transaction as a client sends it. */
export type WireTransaction = { signature: string; message: CompiledTransactionMessage };

/**
 * Reads the transaction in a call's parameters. The default encoding is base58.
 *
 * @returns undefined if the bytes are not a transaction
 */
export function transactionIn([text, options]: readonly unknown[]): WireTransaction | undefined {
  try {
    const isBase64 = (options as { encoding?: string } | undefined)?.encoding === "base64";
    const bytes = isBase64
      ? Buffer.from(String(text), "base64")
      : Uint8Array.from(getBase58Encoder().encode(String(text)));
    const message = messageIn(Uint8Array.from(getTransactionDecoder().decode(bytes).messageBytes));
    // Skips the first byte, which counts the signatures. The first signature identifies the transaction.
    return { signature: getBase58Decoder().decode(bytes.subarray(1, 65)), message };
  } catch {
    return undefined;
  }
}

/**
 * Decodes a message.
 * @throws an error of the decoder if the bytes are not a message
 */
export const messageIn = (bytes: Uint8Array): CompiledTransactionMessage =>
  getCompiledTransactionMessageDecoder().decode(bytes);

/** First bytes of compute-budget instructions. */
const setLimit = 2;
const setPrice = 3;

/** Compute units per instruction if the transaction sets no limit, and the maximum per transaction. */
const usualUnits = 200_000;
const mostUnits = 1_400_000n;
const microLamports = 1_000_000n;

/** Computes the priority fee of a transaction, in lamports. */
export function priorityFeeOf({ staticAccounts, instructions }: CompiledTransactionMessage): number {
  const isBudget = (index: number) => staticAccounts[index] === programs.computeBudget;
  const budget = instructions.filter(({ programAddressIndex }) => isBudget(programAddressIndex));
  let units = BigInt(usualUnits * (instructions.length - budget.length));
  let price = 0n;
  for (const { data = new Uint8Array() } of budget) {
    const bytes = Buffer.from(data);
    if (bytes[0] === setLimit) units = BigInt(bytes.readUInt32LE(1));
    if (bytes[0] === setPrice) price = bytes.readBigUInt64LE(1);
  }
  const fee = (units < mostUnits ? units : mostUnits) * price;
  // Rounds up, because a fraction of a lamport costs a whole lamport.
  return Number((fee + microLamports - 1n) / microLamports);
}
