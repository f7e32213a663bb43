import { sign, verify } from "node:crypto";
import { ed25519 } from "@noble/curves/ed25519.js";
import { type Address, getCompiledTransactionMessageDecoder } from "@solana/web3.js";
import bs58 from "bs58";
import { privateKeyOfSeed, publicKeyOf } from "../../../core/ed25519-keys.ts";
import { bytesOfAddress } from "../calls/addresses.ts";
import type { MessageTerms } from "../venues/message-terms.ts";
import { readMessage } from "./read-message.ts";

const signatureBytes = 64;

/** Prepares when the module is loaded, as on EVM chains. Otherwise the first signature takes 65 ms longer. */
export const prepareToSignMessages = (): void => void ed25519.Point.BASE.precompute(4, false);

/**
 * Signs a message with the seed of an Ed25519 key, and wipes the seed even if signing fails. The same message always
 * gives the same 64 bytes (RFC 8032). OpenSSL takes a tenth of the time of a library in JavaScript.
 *
 * @param seed 32 bytes
 */
export function signMessageAndWipe(message: Uint8Array, seed: Uint8Array): Uint8Array {
  try {
    return Uint8Array.from(sign(null, message, privateKeyOfSeed(seed)));
  } finally {
    seed.fill(0);
  }
}

/**
 * Joins a message and its signatures, given in any order, into a transaction for a host. The transaction's id is the
 * wallet's signature.
 *
 * @throws {Error} if a signer's signature is missing, or a signature belongs to no signer
 */
export function joinTransaction(
  message: Uint8Array,
  signatures: readonly Uint8Array[],
): { id: string; bytes: Uint8Array } {
  const inOrder = signersOf(message).map((signer) => {
    const own = signatures.find((each) => isMadeBy(signer, each, message));
    if (own === undefined) throw new Error(`The signature of ${signer} is absent`);
    return own;
  });
  const [first] = inOrder;
  if (first === undefined || inOrder.length !== signatures.length)
    throw new Error("The message has another number of signers");
  const bytes = Buffer.concat([Buffer.from([inOrder.length]), ...inOrder, message]);
  return { id: bs58.encode(first), bytes: Uint8Array.from(bytes) };
}

/** Finds whose signature it is, with OpenSSL. It accepts some signatures that the chain refuses, but no stranger's. */
const isMadeBy = (signer: Address, signature: Uint8Array, message: Uint8Array): boolean =>
  verify(null, message, publicKeyOf(bytesOfAddress(signer)), signature);

/**
 * Reads the terms of a signed transaction. Undefined unless the message is one of ours and all signatures are valid.
 *
 * @param tipAccounts The only accounts that may receive a tip.
 */
export async function readTransaction(
  bytes: Uint8Array,
  tipAccounts: readonly Address[],
): Promise<MessageTerms | undefined> {
  const [count = 0] = bytes;
  const start = 1 + count * signatureBytes;
  const message = bytes.subarray(start);
  const terms = await readMessage(message, tipAccounts);
  if (terms === undefined) return undefined;
  const signers = signersOf(message);
  if (signers.length !== count) return undefined;
  const isSigned = signers.every((signer, index) => {
    const from = 1 + index * signatureBytes;
    return isSignatureOf(bytes.subarray(from, from + signatureBytes), message, signer);
  });
  return isSigned ? terms : undefined;
}

function signersOf(message: Uint8Array): Address[] {
  const { header, staticAccounts } = getCompiledTransactionMessageDecoder().decode(message);
  return staticAccounts.slice(0, header.numSignerAccounts);
}

/**
 * Verifies as strictly as the chain, so that nobody can derive a second valid signature of the same message from the
 * first.
 */
export const isSignatureOf = (signature: Uint8Array, message: Uint8Array, signer: Address): boolean =>
  ed25519.verify(signature, message, bytesOfAddress(signer), { zip215: false });
