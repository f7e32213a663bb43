import { createECDH } from "node:crypto";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { dataSlice, getAddress, keccak256 } from "ethers";
import { DomainError } from "../../core/domain-error.ts";
import { type Derivations, invalidKey, type PrivateKey, withWipe } from "../../core/private-key.ts";

const secretBytes = 32;

/** Reads 32 bytes of hex, with or without 0x. */
export function readEvmKey(text: string): PrivateKey {
  const hex = /^(?:0x)?([0-9a-f]{64})$/i.exec(text)?.[1];
  if (hex === undefined) throw invalidKey("EVM", "must be 32 bytes of hex (64 digits), with or without 0x");
  return evmKeyOf(Buffer.from(hex, "hex"));
}

/** @param secret is wiped together with the key, or at once if it is invalid. */
export function evmKeyOf(secret: Uint8Array): PrivateKey {
  try {
    if (secret.length !== secretBytes) throw invalidKey("EVM", "must be 32 bytes");
    return withWipe(evmAddressOf(secret), secret);
  } catch (error) {
    secret.fill(0);
    throw error instanceof DomainError ? error : invalidKey("EVM", "is not in the range of the curve");
  }
}

/**
 * Derives the address from the hash of the public key. The public key comes from OpenSSL, because ethers would first
 * spend 60 ms on preparing tables.
 *
 * @throws {Error} if the secret is not in the range of the curve.
 */
export function evmAddressOf(secret: Uint8Array): string {
  const pair = createECDH("secp256k1");
  pair.setPrivateKey(secret);
  const coordinates = pair.getPublicKey().subarray(1);
  return getAddress(dataSlice(keccak256(coordinates), -20));
}

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

/** Writes a letter as a capital where the hash of the address has a digit of 8 or more (EIP-55). */
function checksummed(address: string): string {
  const hash = hexOf(keccak_256(Buffer.from(address)));
  return address.replace(/[a-f]/g, (letter, index: number) =>
    Number.parseInt(hash.charAt(index), 16) >= 8 ? letter.toUpperCase() : letter,
  );
}

/** Derives the address twice: once with OpenSSL and ethers, once with noble. */
export const evmDerivations: Derivations = [
  evmAddressOf,
  (secret) => {
    const coordinates = secp256k1.getPublicKey(secret, false).subarray(1);
    return `0x${checksummed(hexOf(keccak_256(coordinates).subarray(-20)))}`;
  },
];

/** Returns only the secret, because this is what wallets of EVM chains import. */
export const wholeEvmKey = (secret: Uint8Array): Uint8Array => secret;
