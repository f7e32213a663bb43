import { ByteReader } from "./byte-reader.ts";
import { isTokenProgram, multisigLength } from "./mint.ts";

/** An account that holds tokens of one mint. */
export type TokenAccount = {
  program: string;
  mint: string;
  /** Differs from the wallet if somebody has given the account away. */
  owner: string;
  amount: bigint;
  isFrozen: boolean;
  /** May move tokens up to the amount. */
  delegate?: { address: string; amount: bigint };
};

const plainLength = 165;
const accountKind = 2;
const frozen = 2;

/**
 * Decodes a token account. Undefined if the account is not an initialized one of a token program.
 *
 * @param account.owner The program that owns the account.
 */
export function readTokenAccount({
  owner: program,
  data,
}: {
  owner: string;
  data: Uint8Array;
}): TokenAccount | undefined {
  if (!isTokenProgram(program) || data.length < plainLength || data.length === multisigLength)
    return undefined;
  // A mint with extensions is as long.
  if (data.length > plainLength && data[plainLength] !== accountKind) return undefined;
  const reader = new ByteReader(data);
  const [mint, owner, amount] = [reader.address(), reader.address(), reader.u64()];
  const hasDelegate = reader.u32() === 1;
  const address = reader.address();
  const state = reader.u8();
  // A flag and the rent of wrapped coin come first.
  const delegated = reader.skip(12).u64();
  if (state === 0) return undefined;
  return {
    ...{ program, mint, owner, amount, isFrozen: state === frozen },
    ...(hasDelegate && { delegate: { address, amount: delegated } }),
  };
}

/** Returns the units in an account of the wallet, frozen ones too. */
export const ownUnits = (account: TokenAccount | undefined, wallet: string, mint: string): bigint =>
  account?.owner === wallet && account.mint === mint ? account.amount : 0n;

/** Returns the units that a wallet can sell from an account: none if the account is frozen, or no longer the wallet's. */
export const sellableUnits = (account: TokenAccount | undefined, wallet: string, mint: string): bigint =>
  account?.isFrozen ? 0n : ownUnits(account, wallet, mint);
