import { AccountRole, type Address, getU64Encoder } from "@solana/web3.js";
import type { Objection } from "../../../orders/effects.ts";
import { cpmmAuthority, cpmmObservationOf, cpmmProgram, cpmmVaultOf } from "../calls/cpmm-addresses.ts";
import type { SolInstruction } from "./instructions.ts";
import type { AttemptTerms, CpmmVenue, OwnAccounts } from "./message-terms.ts";

const swapBaseInput = [0x8f, 0xbe, 0x5a, 0xda, 0xc4, 0x1e, 0x33, 0xde];

const u64 = getU64Encoder();

/**
 * Refuses terms in which one of the wallet's accounts takes the place of one of the pool's, because the program might
 * accept writes to it.
 */
export function objectionToCpmm(
  { wallet }: AttemptTerms,
  { pool, config }: CpmmVenue,
  { marker, source, destination }: OwnAccounts,
): Objection | undefined {
  const own = [wallet, marker, source.account, destination.account];
  return [pool, config].some((each) => own.includes(each))
    ? { refused: "the pool is an account of the wallet" }
    : undefined;
}

/**
 * Encodes `swap_base_input`, which either pays at least the minimum or fails. The accounts are in the order of the
 * program's IDL.
 */
export async function cpmmSwap(
  { wallet, amountIn, minAmountOut }: Pick<AttemptTerms, "wallet" | "amountIn" | "minAmountOut">,
  { pool, config }: CpmmVenue,
  { source, destination }: Pick<OwnAccounts, "source" | "destination">,
): Promise<SolInstruction> {
  const { READONLY, WRITABLE, READONLY_SIGNER } = AccountRole;
  const accounts: [Address, AccountRole][] = [
    [wallet, READONLY_SIGNER],
    [await cpmmAuthority(), READONLY],
    [config, READONLY],
    [pool, WRITABLE],
    [source.account, WRITABLE],
    [destination.account, WRITABLE],
    [await cpmmVaultOf(pool, source.mint), WRITABLE],
    [await cpmmVaultOf(pool, destination.mint), WRITABLE],
    [source.tokenProgram, READONLY],
    [destination.tokenProgram, READONLY],
    [source.mint, READONLY],
    [destination.mint, READONLY],
    [await cpmmObservationOf(pool), WRITABLE],
  ];
  return {
    programAddress: cpmmProgram,
    accounts: accounts.map(([address, role]) => ({ address, role })),
    data: Uint8Array.from([...swapBaseInput, ...u64.encode(amountIn), ...u64.encode(minAmountOut)]),
  };
}
