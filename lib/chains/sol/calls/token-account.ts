import type { Order } from "../../../orders/execution.ts";
import { ByteReader } from "./byte-reader.ts";
import { extensionsIn, isTokenProgram, multisigLength } from "./mint.ts";

/** An account that holds tokens of one mint. */
export type TokenAccount = {
  program: string;
  mint: string;
  /** The account's owner. It is not the wallet if the account was given away. */
  owner: string;
  amount: bigint;
  isFrozen: boolean;
  /** True if the account accepts only transfers with a memo. Pools do not write memos. */
  needsMemo: boolean;
  /** True if programs cannot move the account's tokens, even if its owner signs. */
  hasGuard: boolean;
  /** A delegate that may move tokens, and the amount that it may move. */
  delegate?: { address: string; amount: bigint };
};

const plainLength = 165;
const accountKind = 2;
const frozen = 2;

/** Numbers of Token-2022's extensions that an owner can switch on. */
const switches = { needsMemo: 8, hasGuard: 11 } as const;

/**
 * Decodes a token account. Undefined if the account is not an initialized account of a token program.
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
  // Rejects mints with extensions, which may be as long as a token account.
  if (data.length > plainLength && data[plainLength] !== accountKind) return undefined;
  const reader = new ByteReader(data);
  const [mint, owner, amount] = [reader.address(), reader.address(), reader.u64()];
  const hasDelegate = reader.u32() === 1;
  const address = reader.address();
  const state = reader.u8();
  // Skips a flag and the rent of a wrapped-coin account.
  const delegated = reader.skip(12).u64();
  if (state === 0) return undefined;
  const switched = switchedOn(data.subarray(plainLength + 1));
  return {
    program,
    mint,
    owner,
    amount,
    isFrozen: state === frozen,
    needsMemo: switched.has(switches.needsMemo),
    hasGuard: switched.has(switches.hasGuard),
    ...(hasDelegate && { delegate: { address, amount: delegated } }),
  };
}

function switchedOn(extensions: Uint8Array): ReadonlySet<number> {
  const on = new Set<number>();
  try {
    for (const [kind, own] of extensionsIn(new ByteReader(extensions)))
      if (own.left === 1 && own.u8() === 1) on.add(kind);
  } catch {
    // An extension ends after the account. The simulation of a trade shows the rest.
  }
  return on;
}

/** Names the reason why pools cannot trade with a wallet's account. Undefined if no reason is known. */
export function hindranceOf(
  account: TokenAccount | undefined,
  wallet: string,
  side: Order["side"],
): string | undefined {
  if (account === undefined) return undefined;
  if (account.owner !== wallet) return "The wallet's account of this token has been given to somebody else";
  if (side === "buy" && account.needsMemo)
    return "The wallet's account of this token takes only transfers with a memo: switch that off first";
  if (side === "sell" && account.hasGuard)
    return "The CPI Guard of the wallet's account keeps pools from its tokens: switch it off first";
  return undefined;
}

/** Returns the units in an account of the wallet, including frozen units. */
export const ownUnits = (account: TokenAccount | undefined, wallet: string, mint: string): bigint =>
  account?.owner === wallet && account.mint === mint ? account.amount : 0n;

/**
 * Returns the units that a wallet can sell from an account: none if the account is frozen or no longer belongs to the
 * wallet.
 */
export const sellableUnits = (account: TokenAccount | undefined, wallet: string, mint: string): bigint =>
  account?.isFrozen ? 0n : ownUnits(account, wallet, mint);
