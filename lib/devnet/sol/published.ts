import {
  type Address,
  address,
  getAddressDecoder,
  getAddressEncoder,
  getProgramDerivedAddress,
} from "@solana/web3.js";

/** The published addresses of mainnet's programs. */
export const programs = {
  system: address("11111111111111111111111111111111"),
  computeBudget: address("ComputeBudget111111111111111111111111111111"),
  token: address("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"),
  token2022: address("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"),
  associatedToken: address("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"),
  /** Metaplex's program, which owns the names of most tokens. */
  metadata: address("metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s"),
  raydiumCpmm: address("CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C"),
  jupiter: address("JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4"),
};

/** The mint of wrapped SOL. */
export const wrappedCoin = address("So11111111111111111111111111111111111111112");

export const raydium = {
  /** The first of its configurations, with a fee of 0.25 %. */
  config: address("D4FPEruKEHrG5TenZ2mpDGEfu1iUvTiqBxvpU8HLBvC2"),
  /** Owns the vaults of all pools. */
  authority: address("GpMZbSM2GgvTKHJirzeGfMFoaZ8UR2X7F4v8vHTvxFbL"),
  authoritySeed: "vault_and_lp_mint_auth_seed",
};

export const bytesOf = (text: Address): Uint8Array => Uint8Array.from(getAddressEncoder().encode(text));

export const addressOf = (bytes: Uint8Array): Address => getAddressDecoder().decode(bytes);

/** Derives an address of a program from texts, addresses and bytes. */
export async function derived(
  program: Address,
  ...seeds: readonly (string | Uint8Array)[]
): Promise<Address> {
  const [found] = await getProgramDerivedAddress({ programAddress: program, seeds: [...seeds] });
  return found;
}

/** Returns the account of a mint that wallets and Jupiter use for an owner. */
export const associatedAccount = (owner: Address, tokenProgram: Address, mint: Address): Promise<Address> =>
  derived(programs.associatedToken, bytesOf(owner), bytesOf(tokenProgram), bytesOf(mint));
