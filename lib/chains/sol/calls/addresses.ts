import {
  type Address,
  address,
  createAddressWithSeed,
  getAddressEncoder,
  getProgramDerivedAddress,
} from "@solana/web3.js";
import { RecentMap } from "../../../core/recent-map.ts";

/** The programs that a message may call directly. */
export const programs = {
  system: address("11111111111111111111111111111111"),
  computeBudget: address("ComputeBudget111111111111111111111111111111"),
  token: address("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"),
  token2022: address("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"),
  associatedToken: address("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"),
};

/**
 * An account that need not exist. Jito's block engine puts a transaction that names it first in a bundle, or refuses
 * the bundle, so that nobody trades just before it.
 */
export const dontFront = address("jitodontfront111111111111111111111111111111");

/** The mint of wrapped SOL. */
export const wsolMint = address("So11111111111111111111111111111111111111112");

export const bytesOfAddress = (text: Address): Uint8Array =>
  Uint8Array.from(getAddressEncoder().encode(text));

/** Derived addresses by their program and seeds. Each takes about a third of a millisecond of processor time. */
const derivations = new RecentMap<string, Promise<Address>>(5000);

/** Derives one of a program's addresses from seeds: texts, or the 32 bytes of addresses. */
export function derivedAddress(
  programAddress: Address,
  seeds: readonly (string | Uint8Array)[],
): Promise<Address> {
  const key = [programAddress, ...seeds.map((seed) => Buffer.from(seed).toString("base64"))].join();
  const known = derivations.get(key);
  if (known !== undefined) return known;
  const derived = getProgramDerivedAddress({ programAddress, seeds: [...seeds] }).then(
    ([address]) => address,
  );
  derivations.set(key, derived);
  return derived;
}

/**
 * Returns the wallet's associated account for a mint. There is only one, given that the mint's program is Token or
 * Token-2022.
 */
export const tokenAccountOf = (wallet: Address, mint: Address, tokenProgram: Address): Promise<Address> =>
  derivedAddress(programs.associatedToken, [wallet, tokenProgram, mint].map(bytesOfAddress));

/**
 * Returns the address of an order's marker. The order's first successful message extends this account by a byte, so
 * that no second message succeeds.
 */
export const markerOf = (wallet: Address, orderId: string): Promise<Address> =>
  createAddressWithSeed({ baseAddress: wallet, seed: orderId, programAddress: programs.system });

/** Makes a seed of at most 32 bytes: an order's id has 26, and the number of a slice at most 3. */
export const wsolSeedOf = (orderId: string): string => `${orderId}.w`;

/** Returns the account of wrapped SOL that exists only within an order's transaction. */
export const wsolAccountOf = (wallet: Address, orderId: string): Promise<Address> =>
  createAddressWithSeed({
    baseAddress: wallet,
    seed: wsolSeedOf(orderId),
    programAddress: programs.token,
  });
