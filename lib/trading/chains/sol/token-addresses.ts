import { type Address, address } from "@solana/web3.js";
import { bytesOfAddress, derivedAddress } from "./addresses.ts";
import { metadataProgram } from "./token-claims.ts";

export const cpmmProgram = address("CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C");

/** Returns the account with a token's name. */
export const metadataOf = (mint: Address): Promise<Address> =>
  derivedAddress(metadataProgram, ["metadata", bytesOfAddress(metadataProgram), bytesOfAddress(mint)]);

/** Returns the configuration with this number, which sets the fees of its pools. */
export const configOf = (index: number): Promise<Address> =>
  derivedAddress(cpmmProgram, ["amm_config", Uint8Array.of(index >> 8, index & 255)]);

/** Returns the usual pool of two tokens. Others of the same tokens may be at any address. */
export const poolOf = (config: Address, one: Address, other: Address): Promise<Address> => {
  const mints = [one, other].map(bytesOfAddress).toSorted(Buffer.compare);
  return derivedAddress(cpmmProgram, ["pool", bytesOfAddress(config), ...mints]);
};

export const vaultOf = (pool: Address, mint: Address): Promise<Address> =>
  derivedAddress(cpmmProgram, ["pool_vault", bytesOfAddress(pool), bytesOfAddress(mint)]);
