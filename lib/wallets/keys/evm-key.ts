import { createECDH } from "node:crypto";
import { dataSlice, getAddress, keccak256 } from "ethers";
import { DomainError } from "../../core/domain-error.ts";
import { type PrivateKey, refuse, withWipe } from "./secret.ts";

const secretBytes = 32;

/** Reads 32 bytes of hex, with or without 0x. */
export function readEvmKey(text: string): PrivateKey {
  const hex = /^(?:0x)?([0-9a-f]{64})$/i.exec(text)?.[1];
  if (hex === undefined) throw refuse("EVM", "must be 32 bytes of hex (64 digits), with or without 0x");
  return evmKeyOf(Buffer.from(hex, "hex"));
}

/** @param secret is wiped with the key, or at once if it is not a key. */
export function evmKeyOf(secret: Uint8Array): PrivateKey {
  try {
    if (secret.length !== secretBytes) throw refuse("EVM", "must be 32 bytes");
    return withWipe(evmAddressOf(secret), secret);
  } catch (error) {
    secret.fill(0);
    throw error instanceof DomainError ? error : refuse("EVM", "is not in the range of the curve");
  }
}

/**
 * Derives the address from the hash of the public key. OpenSSL computes that key, because ethers would first prepare
 * tables for 60 ms.
 *
 * @throws {Error} if the secret is not in the range of the curve.
 */
export function evmAddressOf(secret: Uint8Array): string {
  const pair = createECDH("secp256k1");
  pair.setPrivateKey(secret);
  const coordinates = pair.getPublicKey().subarray(1);
  return getAddress(dataSlice(keccak256(coordinates), -20));
}
