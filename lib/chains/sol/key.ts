import { createPublicKey } from "node:crypto";
import { ed25519 } from "@noble/curves/ed25519.js";
import { getAddressDecoder } from "@solana/web3.js";
import { base58Bytes, decodeBase58, encodeBase58 } from "../../core/base58.ts";
import { privateKeyOfSeed } from "../../core/ed25519-keys.ts";
import { type Derivations, invalidKey, type PrivateKey, withWipe } from "../../core/private-key.ts";

/** Reads the base58 of a 64-byte secret key, or of its 32-byte seed. */
export async function readSolKey(text: string): Promise<PrivateKey> {
  const bytes = base58Bytes(text, 64);
  if (bytes === undefined) throw invalidKey("Solana", "must be base58 of a 64-byte secret key");
  return solKeyOf(bytes);
}

/**
 * @param bytes A 64-byte secret key, or its 32-byte seed. Wiped at once, because the key object has its own copy of the
 * seed.
 */
export async function solKeyOf(bytes: Uint8Array): Promise<PrivateKey> {
  const secret = Uint8Array.from(bytes.subarray(0, 32));
  try {
    return withWipe(addressOfKey(bytes), secret);
  } catch (error) {
    secret.fill(0);
    throw error;
  } finally {
    bytes.fill(0);
  }
}

function addressOfKey(bytes: Uint8Array): string {
  if (bytes.length === 64) {
    const publicKey = publicKeyOfSeed(bytes.subarray(0, 32));
    if (publicKey.equals(bytes.subarray(32))) return addressOfPublicKey(publicKey);
    throw invalidKey("Solana", "has a public half that does not match its secret half");
  }
  if (bytes.length !== 32) throw invalidKey("Solana", "must be a secret key of 64 bytes");
  // About half of all seeds are also valid public keys. If a pasted address were taken for a seed, it would become a
  // wallet whose secret is public, so ambiguous input is rejected. The 64-byte form is never ambiguous.
  if (isPublicKey(bytes)) {
    throw invalidKey(
      "Solana",
      "may be a public address, as these 32 bytes are one. Use the 64-byte secret key.",
    );
  }
  return addressOfSeed(bytes);
}

/** Derives an address with OpenSSL, and formats it with Solana's library. */
export const addressOfSeed = (seed: Uint8Array): string => addressOfPublicKey(publicKeyOfSeed(seed));

const addressOfPublicKey = (bytes: Uint8Array): string => getAddressDecoder().decode(bytes);

const publicKeyOfSeed = (seed: Uint8Array): Buffer =>
  createPublicKey(privateKeyOfSeed(seed)).export({ format: "der", type: "spki" }).subarray(-32);

function isPublicKey(bytes: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Derives the address twice: once with OpenSSL and Solana's library, once with noble and bs58. */
export const solDerivations: Derivations = [
  addressOfSeed,
  (secret) => encodeBase58(ed25519.getPublicKey(secret)),
];

/** Solana wallets import 64 bytes, the secret followed by the address. */
export const wholeSolKey = (secret: Uint8Array, address: string): Uint8Array =>
  Buffer.concat([secret, decodeBase58(address)]);
