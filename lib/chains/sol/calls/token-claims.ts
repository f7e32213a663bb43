import { type Address, address } from "@solana/web3.js";
import type { TokenClaims } from "../../../orders/token-identity.ts";
import { bytesOfAddress, derivedAddress } from "./addresses.ts";
import { ByteReader } from "./byte-reader.ts";
import type { Mint } from "./mint.ts";
import type { Account } from "./rpc-call.ts";

/** Metaplex's program, which owns the names of most tokens. */
export const metadataProgram = address("metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s");

const metadataKind = 4;

/** Returns Metaplex's account for a mint. */
export const metadataOf = (mint: Address): Promise<Address> =>
  derivedAddress(metadataProgram, ["metadata", ...[metadataProgram, mint].map(bytesOfAddress)]);

/** Decodes the name and symbol from Metaplex's account for a mint. Undefined if it is a different account. */
export function readMetadata(
  account: Account | undefined,
  mint: string,
): Pick<TokenClaims, "name" | "symbol"> | undefined {
  if (account?.owner !== metadataProgram) return undefined;
  const reader = new ByteReader(account.data);
  try {
    if (reader.u8() !== metadataKind) return undefined;
    // Skips the authority that may change the name.
    const of = reader.skip(32).address();
    const [name, symbol] = [unpadded(reader.text()), unpadded(reader.text())];
    return of === mint ? { name, symbol } : undefined;
  } catch {
    return undefined;
  }
}

/** Removes the zeros that pad the fields of older accounts. */
const unpadded = (text: string | undefined) => text?.replace(/\0+$/, "");

/** Describes a token by its mint. If the mint has no name of its own, the name comes from Metaplex. */
export const claimsOfMint = (mint: Mint, metadata: ReturnType<typeof readMetadata>): TokenClaims => ({
  decimals: BigInt(mint.decimals),
  balance: 0n,
  totalSupply: mint.supply,
  symbol: mint.symbol ?? metadata?.symbol,
  name: mint.name ?? metadata?.name,
});
