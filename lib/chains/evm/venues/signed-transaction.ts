import { secp256k1 } from "@noble/curves/secp256k1.js";
import { keccak256 } from "ethers/crypto";
import { dataSlice, getBytes, hexlify } from "ethers/utils";
import type { CallTransaction } from "./calldata.ts";
import { bytesOf, fieldsOf, numberField, type TransactionTerms } from "./unsigned-transaction.ts";

/**
 * Prepares for signing when the module is loaded, because Lambda gives a function more processor time then. A table of
 * windows of four bits takes 20 ms, and the library's own of eight bits takes 75 ms, which saves 0.3 ms a signature.
 */
export const prepareToSign = (): void => void secp256k1.Point.BASE.precompute(4, false);

/** True if a secret is the private key of an address, in any spelling. */
export function isKeyOf(secret: Uint8Array, address: string): boolean {
  try {
    const coordinates = secp256k1.getPublicKey(secret, false).subarray(1);
    return dataSlice(keccak256(coordinates), -20) === address.toLowerCase();
  } catch {
    // Rejects text that is not a key.
    return false;
  }
}

/**
 * Signs a transaction, and wipes the secret even if signing fails. The same transaction always gives the same bytes
 * (RFC 6979). During signing the secret also exists as a number, which JavaScript cannot wipe.
 */
export function signAndWipe(
  secret: Uint8Array,
  call: CallTransaction,
  terms: TransactionTerms,
): { hash: string; raw: string } {
  try {
    const fields = fieldsOf(call, terms);
    const digest = getBytes(keccak256(bytesOf(fields)));
    const signature = secp256k1.sign(digest, secret, { prehash: false, format: "recovered" });
    const [parity = 0] = signature;
    const numbers = [parity, ...[signature.subarray(1, 33), signature.subarray(33)].map(numberOf)];
    const raw = bytesOf([...fields, ...numbers.map(numberField)]);
    return { hash: keccak256(raw), raw };
  } finally {
    secret.fill(0);
  }
}

const numberOf = (bytes: Uint8Array): bigint => BigInt(hexlify(bytes));
