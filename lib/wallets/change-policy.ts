import { requireFreshSignIn } from "../core/sign-in.ts";
import type { Table } from "../table/table.ts";
import { untilWritten } from "../table/until-written.ts";
import { writeOnce } from "../table/write.ts";
import {
  type PolicyStateText,
  type PolicyText,
  policyStateText,
  readPolicy,
} from "../trading/core/policy-text.ts";
import {
  isSameState,
  loosens,
  type PolicyKey,
  type PolicyRecord,
  policyAfter,
  policyAt,
} from "../trading/core/wallet-policy.ts";
import { policyWrite, readPolicyRecord } from "../trading/items/policy-records.ts";
import { activeNamed, laneOf, type WalletName } from "./wallet.ts";
import { eventWrite } from "./wallet-events.ts";
import { stillActive, walletsOfUser } from "./wallet-records.ts";

type Named = WalletName & { now: Date };

/**
 * Returns the policy in force and the one that follows it.
 *
 * @throws {DomainError} WALLET_NOT_FOUND
 */
export async function policyOfWallet(table: Table, named: Named): Promise<PolicyStateText> {
  const { wallet, stored } = await readStored(table, named);
  return policyStateText(wallet.network, policyAt(stored, named.now.getTime()));
}

/**
 * Sets a wallet's policy. Tighter limits apply at once, looser ones after 24 hours. Writes nothing if nothing changes.
 *
 * @throws {DomainError} WALLET_NOT_FOUND, SIGN_IN_REQUIRED for looser limits, and INVALID_REQUEST for an invalid address
 * or amount of the wallet's network.
 */
export async function changePolicy(
  table: Table,
  { asked, signedInAt, ...named }: Named & { asked: PolicyText; signedInAt: Date | undefined },
): Promise<PolicyStateText> {
  const { userID, walletId, now } = named;
  return untilWritten(async () => {
    const { wallet, key, stored } = await readStored(table, named);
    const { network } = wallet;
    const before = policyAt(stored, now.getTime());
    const after = policyAfter(before, readPolicy(network, asked), now.getTime());
    const shown = policyStateText(network, after);
    if (isSameState(before, after)) return shown;
    if (loosens(before, after)) requireFreshSignIn(signedInAt, now);
    const record: PolicyRecord = { ...key, ...after, revision: (stored?.revision ?? 0) + 1 };
    const isWritten = await writeOnce(table, [
      policyWrite(record, stored),
      stillActive(wallet),
      eventWrite({ userID, walletId, type: "policyChanged", now, details: shown }),
    ]);
    return isWritten ? shown : undefined;
  });
}

async function readStored(table: Table, { userID, walletId }: Named) {
  const wallet = activeNamed(await walletsOfUser(table, userID), walletId);
  const key: PolicyKey = { userID, ...laneOf(wallet) };
  return { wallet, key, stored: await readPolicyRecord(table, key) };
}
