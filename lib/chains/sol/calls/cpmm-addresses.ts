import { type Address, address } from "@solana/web3.js";
import { bytesOfAddress, derivedAddress } from "./addresses.ts";

/** Raydium's program for constant-product pools. */
export const cpmmProgram = address("CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C");

/** The program's error code when the output is below the minimum. */
export const cpmmSlippageCode = 6005;

/** The seed of the address that owns the vaults of all pools. */
export const cpmmAuthoritySeed = "vault_and_lp_mint_auth_seed";

/** Returns the owner of the vaults of all pools. */
export const cpmmAuthority = (): Promise<Address> => derivedAddress(cpmmProgram, [cpmmAuthoritySeed]);

/** Returns the fee configuration with this number, which sets the fees of its pools. */
export const cpmmConfigOf = (index: number): Promise<Address> =>
  derivedAddress(cpmmProgram, ["amm_config", Uint8Array.of(index >> 8, index & 255)]);

/** Returns the standard pool of two tokens. Further pools of the same tokens may have any address. */
export const cpmmPoolOf = (config: Address, one: Address, other: Address): Promise<Address> => {
  const mints = [one, other].map(bytesOfAddress).toSorted((a, b) => Buffer.compare(a, b));
  return derivedAddress(cpmmProgram, ["pool", bytesOfAddress(config), ...mints]);
};

export const cpmmVaultOf = (pool: Address, mint: Address): Promise<Address> =>
  derivedAddress(cpmmProgram, ["pool_vault", bytesOfAddress(pool), bytesOfAddress(mint)]);

/** Returns the account with a pool's price history. */
export const cpmmObservationOf = (pool: Address): Promise<Address> =>
  derivedAddress(cpmmProgram, ["observation", bytesOfAddress(pool)]);
