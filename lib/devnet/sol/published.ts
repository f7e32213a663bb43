import {
  type Address,
  address,
  getAddressDecoder,
  getAddressEncoder,
  getProgramDerivedAddress,
} from "@solana/web3.js";

/** Published addresses of programs on mainnet. */
export const programs = {
  system: address("11111111111111111111111111111111"),
  computeBudget: address("ComputeBudget111111111111111111111111111111"),
  lookupTable: address("AddressLookupTab1e1111111111111111111111111"),
  token: address("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"),
  token2022: address("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"),
  associatedToken: address("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"),
  lookupTables: address("AddressLookupTab1e1111111111111111111111111"),
  /** Metaplex's program, which stores the names of most tokens. */
  metadata: address("metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s"),
  raydiumCpmm: address("CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C"),
  /** Pump's bonding curves, its pools (PumpSwap), and its fees. */
  pump: address("6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P"),
  pumpPools: address("pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA"),
  pumpFees: address("pfeeUxB6jkeY1Hxd7CsFCAjcbHA9rWtchMGdZ6VojVZ"),
  jupiter: address("JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4"),
};

/** The account with the cluster's rents, and the owner of all such accounts. */
export const rentAccount = {
  address: address("SysvarRent111111111111111111111111111111111"),
  owner: address("Sysvar1111111111111111111111111111111111111"),
};

/** Mint of wrapped SOL. */
export const wrappedCoin = address("So11111111111111111111111111111111111111112");

export const raydium = {
  /** Raydium's first configuration, with a fee of 0.25 %. */
  config: address("D4FPEruKEHrG5TenZ2mpDGEfu1iUvTiqBxvpU8HLBvC2"),
  /** Account that owns the vaults of all pools. */
  authority: address("GpMZbSM2GgvTKHJirzeGfMFoaZ8UR2X7F4v8vHTvxFbL"),
  authoritySeed: "vault_and_lp_mint_auth_seed",
};

export const bytesOf = (text: Address): Uint8Array => Uint8Array.from(getAddressEncoder().encode(text));

export const addressOf = (bytes: Uint8Array): Address => getAddressDecoder().decode(bytes);

/** Derives a program's address from seeds: texts, addresses and bytes. */
export async function derived(
  program: Address,
  ...seeds: readonly (string | Uint8Array)[]
): Promise<Address> {
  const [found] = await getProgramDerivedAddress({ programAddress: program, seeds: [...seeds] });
  return found;
}

/** Returns an owner's usual account for a mint, as wallets and Jupiter derive it. */
export const associatedAccount = (owner: Address, tokenProgram: Address, mint: Address): Promise<Address> =>
  derived(programs.associatedToken, bytesOf(owner), bytesOf(tokenProgram), bytesOf(mint));
