import { signInRequired } from "../core/sign-in.ts";
import { announcedState } from "../orders/wallet-policy.ts";
import type { Table } from "../table/table.ts";
import { readPolicyRecord } from "../trading/items/policy-records.ts";
import type { AskedPolicy, PolicyAnswer } from "./loosen-guards.ts";
import { type PolicyStateText, type PolicyText, policyStateText, readPolicy } from "./policy-text.ts";
import { activeNamed, laneOf, noSuchWallet, type WalletName } from "./wallet.ts";
import { walletsOfUser } from "./wallet-records.ts";

/**
 * Returns the policy in force and the pending one.
 *
 * @throws {DomainError} WALLET_NOT_FOUND
 */
export async function policyOfWallet(
  table: Table,
  { userID, walletId }: WalletName,
): Promise<PolicyStateText> {
  const wallet = activeNamed(await walletsOfUser(table, userID), walletId);
  const stored = await readPolicyRecord(table, { userID, ...laneOf(wallet) });
  return policyStateText(wallet.network, announcedState(stored));
}

export type AskingDeps = {
  table: Table;
  /** Invokes loosenGuards, the only function that writes policies. */
  ask: (request: AskedPolicy) => Promise<PolicyAnswer>;
};

/**
 * Requests a new policy for a wallet. Tighter limits apply at once, looser ones 24 hours after their announcement.
 *
 * @throws {DomainError} WALLET_NOT_FOUND, SIGN_IN_REQUIRED for looser limits, and INVALID_REQUEST for an address or
 * amount that is invalid on the wallet's network.
 */
export async function askForPolicy(
  { table, ask }: AskingDeps,
  { userID, walletId, asked, signedInAt }: WalletName & { asked: PolicyText; signedInAt: Date | undefined },
): Promise<PolicyStateText> {
  const { network } = activeNamed(await walletsOfUser(table, userID), walletId);
  readPolicy(network, asked);
  const time = signedInAt && { signedInAt: signedInAt.toISOString() };
  const answer = await ask({ userID, walletId, asked, ...time });
  if (!("refused" in answer)) return answer;
  throw answer.refused === "SIGN_IN_REQUIRED" ? signInRequired() : noSuchWallet();
}
