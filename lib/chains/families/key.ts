import { familyOf } from "../../core/chain-facts.ts";
import type { Network } from "../../core/network.ts";
import type { Derivation, Derivations, PrivateKey } from "../../core/private-key.ts";
import { evmAddressOf, evmDerivations, evmKeyOf, readEvmKey, wholeEvmKey } from "../evm/key.ts";
import { addressOfSeed, readSolKey, solDerivations, solKeyOf, wholeSolKey } from "../sol/key.ts";

type PerFamily<Part> = Readonly<Record<ReturnType<typeof familyOf>, Part>>;

// Keeps one table for each part, so that a function's bundle has only the parts that it uses.
const ofText: PerFamily<(text: string) => PrivateKey | Promise<PrivateKey>> = {
  evm: readEvmKey,
  sol: readSolKey,
};
const ofBytes: PerFamily<(bytes: Uint8Array) => PrivateKey | Promise<PrivateKey>> = {
  evm: evmKeyOf,
  sol: solKeyOf,
};
const address: PerFamily<Derivation> = { evm: evmAddressOf, sol: addressOfSeed };
const derivations: PerFamily<Derivations> = { evm: evmDerivations, sol: solDerivations };
const whole: PerFamily<(secret: Uint8Array, address: string) => Uint8Array> = {
  evm: wholeEvmKey,
  sol: wholeSolKey,
};

/**
 * Reads a private key in the format of its network: 32 bytes of hex, with or without 0x, for EVM networks; base58 of
 * the 64-byte secret key, or of its 32-byte seed, for Solana.
 *
 * @throws {DomainError} INVALID_PRIVATE_KEY. The message never contains any part of the key.
 */
export async function readPrivateKey(network: Network, text: string): Promise<PrivateKey> {
  return ofText[familyOf(network)](text);
}

/**
 * Reads a private key from its bytes: 32 for EVM networks; 64 for Solana, or 32 of its seed.
 *
 * @param bytes are wiped with the key, or before.
 * @throws {DomainError} INVALID_PRIVATE_KEY.
 */
export async function privateKeyOf(network: Network, bytes: Uint8Array): Promise<PrivateKey> {
  return ofBytes[familyOf(network)](bytes);
}

/**
 * Derives the address of a 32-byte secret.
 *
 * @throws {Error} if the secret is not in the range of the curve.
 */
export async function addressOf(network: Network, secret: Uint8Array): Promise<string> {
  return address[familyOf(network)](secret);
}

/** Returns two derivations of an address that share no code, so that a fault in one is detected. */
export const derivationsOf = (network: Network): Derivations => derivations[familyOf(network)];

/**
 * Returns a private key in the form that wallets import.
 * @returns the secret itself, or a longer copy, which the caller wipes, too.
 */
export const wholeKeyOf = (network: Network, secret: Uint8Array, address: string): Uint8Array =>
  whole[familyOf(network)](secret, address);
