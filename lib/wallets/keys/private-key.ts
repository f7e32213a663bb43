import type { Network } from "../../core/network.ts";
import { evmKeyOf, readEvmKey } from "./evm-key.ts";
import type { PrivateKey } from "./secret.ts";
import { readSolanaKey, solanaKeyOf } from "./solana-key.ts";

/**
 * Reads a private key in the format of its network: 32 bytes of hex, with or without 0x, for EVM networks; base58 of
 * the 64-byte secret key, or of its 32-byte seed, for Solana.
 *
 * @throws {DomainError} INVALID_PRIVATE_KEY. The message never contains any part of the key.
 */
export async function readPrivateKey(network: Network, text: string): Promise<PrivateKey> {
  return network === "sol" ? readSolanaKey(text) : readEvmKey(text);
}

/**
 * Reads a private key from its bytes: 32 for EVM networks; 64 for Solana, or 32 of its seed.
 *
 * @param bytes are wiped with the key, or before.
 * @throws {DomainError} INVALID_PRIVATE_KEY.
 */
export async function privateKeyOf(network: Network, bytes: Uint8Array): Promise<PrivateKey> {
  return network === "sol" ? solanaKeyOf(bytes) : evmKeyOf(bytes);
}
