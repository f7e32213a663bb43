import { type Address, address } from "@solana/web3.js";
import { bytesOfAddress, derivedAddress, wsolMint } from "./addresses.ts";
import type { OpenedAccount } from "./pool-view.ts";

/** Pump's programs: bonding curves, the pools that follow them, and the fees of both. */
export const pumpPrograms = {
  curve: address("6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P"),
  pool: address("pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA"),
  fees: address("pfeeUxB6jkeY1Hxd7CsFCAjcbHA9rWtchMGdZ6VojVZ"),
};

/** A program whose markets can be traded. Each has a configuration, a fee schedule and volumes of its own. */
export type PumpMarket = "curve" | "pool";

/** The programs' error codes when a trade would cost more, or pay less, than its limit. */
export const pumpSlippageCodes: Readonly<Record<PumpMarket, readonly number[]>> = {
  curve: [6002, 6003, 6042],
  pool: [6004, 6040],
};

/** Returns the account with the settings of all markets of a program. */
export const pumpConfigOf = (market: PumpMarket): Promise<Address> =>
  derivedAddress(pumpPrograms[market], [market === "curve" ? "global" : "global_config"]);

/** Returns the fee schedule of a program. */
export const pumpFeeConfigOf = (market: PumpMarket): Promise<Address> =>
  derivedAddress(pumpPrograms.fees, ["fee_config", bytesOfAddress(pumpPrograms[market])]);

/** Returns the account that signs a program's events. */
export const pumpEventAuthorityOf = (market: PumpMarket): Promise<Address> =>
  derivedAddress(pumpPrograms[market], ["__event_authority"]);

/** Returns the account with the volumes of all users of a program. */
export const pumpVolumesOf = (market: PumpMarket): Promise<Address> =>
  derivedAddress(pumpPrograms[market], ["global_volume_accumulator"]);

/** Returns the account with a user's volume. The first trade opens it, and the user pays its rent. */
export const pumpVolumeOfUser = (market: PumpMarket, user: Address): Promise<Address> =>
  derivedAddress(pumpPrograms[market], ["user_volume_accumulator", bytesOfAddress(user)]);

/** Adds the size of the account with a user's volume. */
export const volumeAccount = (address: Address): OpenedAccount => ({ address, bytes: 137 });

/** Adds the size of an account of wrapped coins. */
export const coinAccount = (address: Address): OpenedAccount => ({ address, bytes: 165 });

/** Returns the account that collects a creator's fees, in lamports or as the owner of wrapped coins. */
export const pumpCreatorVaultOf = (market: PumpMarket, creator: Address): Promise<Address> =>
  derivedAddress(pumpPrograms[market], [
    market === "curve" ? "creator-vault" : "creator_vault",
    bytesOfAddress(creator),
  ]);

export const bondingCurveOf = (mint: Address): Promise<Address> =>
  derivedAddress(pumpPrograms.curve, ["bonding-curve", bytesOfAddress(mint)]);

/** Returns the account that may say who shares a creator's fees. Most tokens have none. */
export const pumpSharingOf = (mint: Address): Promise<Address> =>
  derivedAddress(pumpPrograms.fees, ["sharing-config", bytesOfAddress(mint)]);

/** Returns the creator of the pool that follows a token's curve. Strangers cannot create pools in its name. */
export const pumpPoolCreatorOf = (mint: Address): Promise<Address> =>
  derivedAddress(pumpPrograms.curve, ["pool-authority", bytesOfAddress(mint)]);

/** Returns the only pool that follows a token's curve. Further pools of the token have other addresses. */
export const pumpPoolOf = async (mint: Address): Promise<Address> =>
  derivedAddress(pumpPrograms.pool, [
    "pool",
    Uint8Array.of(0, 0),
    bytesOfAddress(await pumpPoolCreatorOf(mint)),
    bytesOfAddress(mint),
    bytesOfAddress(wsolMint),
  ]);

/** Returns a further account of a pool, which pools with a creator require in swaps. */
export const pumpPoolExtensionOf = (mint: Address): Promise<Address> =>
  derivedAddress(pumpPrograms.pool, ["pool-v2", bytesOfAddress(mint)]);
