import {
  AccountRole,
  type Address,
  getAddressEncoder,
  getStructEncoder,
  getU8Encoder,
  getU32Encoder,
  getU64Encoder,
  getUtf8Encoder,
  type IAccountLookupMeta,
  type IAccountMeta,
  type IInstruction,
  addEncoderSizePrefix as withSize,
} from "@solana/web3.js";
import type { Lamports, TokenUnits } from "../../../core/units.ts";
import { dontFront, programs } from "../calls/addresses.ts";

/** An instruction with all its parts, in the library's form. */
export type SolInstruction = Required<IInstruction<string, readonly (IAccountMeta | IAccountLookupMeta)[]>>;

const [u8, u32, u64, key] = [getU8Encoder(), getU32Encoder(), getU64Encoder(), getAddressEncoder()];
const seed = withSize(getUtf8Encoder(), u64);

const { READONLY, WRITABLE, READONLY_SIGNER, WRITABLE_SIGNER } = AccountRole;

const instruction = (
  programAddress: Address,
  accounts: readonly (readonly [Address, AccountRole])[],
  data: Iterable<number>,
): SolInstruction => ({
  programAddress,
  accounts: accounts.map(([address, role]) => ({ address, role })),
  data: Uint8Array.from(data),
});

/**
 * Limits the compute units of the transaction. The priority fee is paid for this whole limit, even if fewer units are
 * used.
 */
export const setComputeUnitLimit = (units: number): SolInstruction =>
  instruction(programs.computeBudget, [], [2, ...u32.encode(units)]);

/** Sets the priority fee, in millionths of a lamport per unit of the limit. */
export const setComputeUnitPrice = (microLamports: bigint): SolInstruction =>
  instruction(programs.computeBudget, [], [3, ...u64.encode(microLamports)]);

export const transferLamports = (from: Address, to: Address, lamports: Lamports): SolInstruction =>
  instruction(
    programs.system,
    [
      [from, WRITABLE_SIGNER],
      [to, WRITABLE],
    ],
    [...u32.encode(2), ...u64.encode(lamports)],
  );

/** Pays a relay. The System program ignores the further account, which the relay reads. */
export function tipRelay(from: Address, to: Address, lamports: Lamports): SolInstruction {
  const { accounts, ...transfer } = transferLamports(from, to, lamports);
  return { ...transfer, accounts: [...accounts, { address: dontFront, role: READONLY }] };
}

/** Size of a marker in bytes. Only the marker's wallet can add this byte, and nobody can remove it. */
export const markerBytes = 1;

/** True if an account is a marker. An account without data merely holds lamports, which anybody can send. */
export const isMarker = (account: { data: Uint8Array } | undefined): boolean =>
  account !== undefined && account.data.length > 0;

/**
 * Turns the account derived from a seed into an order's marker. Fails if the account already has data, whatever its
 * balance.
 */
export const allocateMarker = (base: Address, marker: Address, orderId: string): SolInstruction =>
  allocateWithSeed(base, marker, { seed: orderId, space: markerBytes, owner: programs.system });

/** Size of the Token program's accounts, in bytes. */
const tokenAccountBytes = 165;

/**
 * Turns the account derived from a seed into an account of the Token program. It may already hold lamports that anybody
 * has sent.
 */
export const allocateTokenAccount = (base: Address, account: Address, text: string): SolInstruction =>
  allocateWithSeed(base, account, { seed: text, space: tokenAccountBytes, owner: programs.token });

const allocateWithSeed = (
  base: Address,
  account: Address,
  made: { seed: string; space: number; owner: Address },
): SolInstruction =>
  instruction(
    programs.system,
    [
      [account, WRITABLE],
      [base, READONLY_SIGNER],
    ],
    getStructEncoder([
      ["tag", u32],
      ["base", key],
      ["seed", seed],
      ["space", u64],
      ["owner", key],
    ]).encode({ tag: 9, base, ...made }),
  );

/** Turns an allocated account into a token account of a mint. Its lamports above the rent become its wrapped SOL. */
export const initializeTokenAccount = (account: Address, mint: Address, owner: Address): SolInstruction =>
  instruction(
    programs.token,
    [
      [account, WRITABLE],
      [mint, READONLY],
    ],
    [18, ...key.encode(owner)],
  );

/** Creates the wallet's associated account if it does not exist. Fails if it exists but belongs to somebody else. */
export const createAssociatedAccount = (
  wallet: Address,
  account: Address,
  mint: Address,
  tokenProgram: Address,
): SolInstruction =>
  instruction(
    programs.associatedToken,
    [
      [wallet, WRITABLE_SIGNER],
      [account, WRITABLE],
      [wallet, READONLY],
      [mint, READONLY],
      [programs.system, READONLY],
      [tokenProgram, READONLY],
    ],
    [1],
  );

/** Lets a delegate move this amount from the wallet's account. */
export const approveDelegate = (
  { account, mint, tokenProgram }: { account: Address; mint: Address; tokenProgram: Address },
  wallet: Address,
  delegate: Address,
  amount: TokenUnits,
  decimals: number,
): SolInstruction =>
  instruction(
    tokenProgram,
    [
      [account, WRITABLE],
      [mint, READONLY],
      [delegate, READONLY],
      [wallet, READONLY_SIGNER],
    ],
    [13, ...u64.encode(amount), ...u8.encode(decimals)],
  );

export const revokeDelegate = (account: Address, wallet: Address, tokenProgram: Address): SolInstruction =>
  instruction(
    tokenProgram,
    [
      [account, WRITABLE],
      [wallet, READONLY_SIGNER],
    ],
    [5],
  );

/** Closes a wrapped-SOL account and returns all its lamports to the wallet. */
export const closeToWallet = (account: Address, wallet: Address): SolInstruction =>
  instruction(
    programs.token,
    [
      [account, WRITABLE],
      [wallet, WRITABLE],
      [wallet, READONLY_SIGNER],
    ],
    [9],
  );
