import { DomainError } from "./domain-error.ts";

/** A private key and its address. Disposing of the object wipes the secret. */
export type PrivateKey = Disposable & {
  /** Address: EIP-55 checksummed hex for EVM networks, base58 for Solana. */
  address: string;
  /** Secret of 32 bytes: the secp256k1 scalar or the Ed25519 seed. */
  secret: Uint8Array;
};

/** Derives the address of a 32-byte secret. */
export type Derivation = (secret: Uint8Array) => Promise<string> | string;

/** Two ways to derive an address. They share no code for the curve, the hash, or the address's form. */
export type Derivations = readonly [Derivation, Derivation];

export function withWipe(address: string, secret: Uint8Array): PrivateKey {
  return { address, secret, [Symbol.dispose]: () => void secret.fill(0) };
}

/** Builds the error for an invalid key. Its message contains no part of the key. */
export function invalidKey(family: string, reason: string): DomainError {
  return new DomainError("INVALID_PRIVATE_KEY", `Invalid ${family} private key format: privateKey ${reason}`);
}
