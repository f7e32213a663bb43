import type { Address } from "@solana/web3.js";
import type { Lamports, TokenUnits } from "../../../core/units.ts";
import type { RpcCall } from "../../hosts/rpc-call.ts";
import { tokenAccountOf } from "./addresses.ts";
import { accountsCall, mostAccounts, type ReadAt } from "./rpc-call.ts";
import { readTokenAccount, sellableUnits } from "./token-account.ts";

/** A token with the program of its mint. */
export type TokenKey = { mint: Address; program: Address };

/** The coins and tokens of a wallet in one slot. */
export type WalletView = {
  slot: number;
  lamports: Lamports;
  /** The units in the wallet's associated account of each token, by mint. */
  units: ReadonlyMap<string, TokenUnits>;
};

/** Maximum number of tokens in a call. The wallet itself takes up one account. */
export const mostTokens = mostAccounts - 1;

/**
 * Makes the call that reads a wallet's coins and tokens. Counts only the associated account of each token, because
 * orders cannot use other accounts, and only if it still belongs to the wallet.
 *
 * @throws RangeError for more than {@link mostTokens}
 */
export async function walletViewCall(
  wallet: Address,
  tokens: readonly TokenKey[],
  at: ReadAt,
): Promise<RpcCall<WalletView>> {
  const usual = await Promise.all(tokens.map(({ mint, program }) => tokenAccountOf(wallet, mint, program)));
  const { method, params, read } = accountsCall([wallet, ...usual], at);
  return {
    method,
    params,
    read(result) {
      const { slot, accounts } = read(result);
      const [own, ...others] = accounts;
      const units = tokens.map(({ mint }, index) => {
        const account = others[index] && readTokenAccount(others[index]);
        return [mint, sellableUnits(account, wallet, mint)] as const;
      });
      return { slot, lamports: own?.lamports ?? 0n, units: new Map(units) };
    },
  };
}
