import { familyOf } from "../../core/chain-facts.ts";
import type { Network } from "../../core/network.ts";
import type { Derivation, Derivations, PrivateKey } from "../../core/private-key.ts";
import { evmAddressOf, evmDerivations, evmKeyOf, readEvmKey, wholeEvmKey } from "../evm/key.ts";
import { addressOfSeed, readSolKey, solDerivations, solKeyOf, wholeSolKey } from "../sol/key.ts";

type PerFamily<Part> = Readonly<Record<ReturnType<typeof familyOf>, Part>>;

// Keeps one table for each function, so that the bundle of a Lambda function contains only the code that it uses.
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
 * Reads a private key in the format of its network. For EVM networks: 32 bytes in hexadecimal, with or without 0x. For
 * Solana: base58 of the 64-byte secret key or of its 32-byte seed.
 *
 * @throws {DomainError} INVALID_PRIVATE_KEY. The message never contains any part of the key.
 */
export async function readPrivateKey(network: Network, text: string): Promise<PrivateKey> {
  return ofText[familyOf(network)](text);
}

/**
 * Reads a private key from its bytes: 32 for EVM networks; for Solana the 64-byte secret key or its 32-byte seed.
 *
 * @param bytes are wiped, at the latest together with the key.
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

/** Derives an address in two ways that share no code, so that an error in one of them is detected. */
export const derivationsOf = (network: Network): Derivations => derivations[familyOf(network)];

/**
 * Returns a private key in the form that wallets import.
 * @returns the secret itself, or a longer copy that the caller must also wipe.
 */
export const wholeKeyOf = (network: Network, secret: Uint8Array, address: string): Uint8Array =>
  whole[familyOf(network)](secret, address);
