import type { PolicyKey } from "../orders/wallet-policy.ts";
import type { Key } from "../table/keys.ts";
import type { Write } from "../table/step.ts";
import { type Item, queryPages, queryRange, type Table } from "../table/table.ts";
import { write } from "../table/write.ts";
import { endedLockKey, looseningKey, looseningsUntil, shownPoliciesOf, shownPolicyKey } from "./item-keys.ts";
import type { PolicyStateText } from "./policy-text.ts";

/**
 * Describes a change of a policy: no limit became looser, looser limits were announced, or looser limits took effect.
 */
export type PolicyChange = "tightened" | "announced" | "loosened";

/** A wallet's policy in the form sent to its user. */
export type ShownPolicy = PolicyStateText & {
  userID: string;
  walletId: string;
  change: PolicyChange;
  /** Version that grows with each change. */
  version: number;
};

/** Records that a lock has ended. */
export type EndedLock = { userID: string; lockId: string; endedAt: string };

/** A guard that will become looser: a wallet's policy, or the lock of exports with this id. */
export type Loosening = { userID: string } & ((PolicyKey & { walletId: string }) | { lockId: string });

export const shownPolicyWrite = (policy: PolicyKey, item: ShownPolicy): Write => ({
  kind: "put",
  key: shownPolicyKey(policy),
  item,
});

/** Reads the policies of all wallets as last sent to a user. */
export const shownPolicies = (table: Table, userID: string): Promise<ShownPolicy[]> =>
  queryRange<ShownPolicy>(table, shownPoliciesOf(userID));

export async function putEndedLock(table: Table, ended: EndedLock): Promise<void> {
  await write(table, { kind: "put", key: endedLockKey(ended.userID), item: ended });
}

/** Notes that a guard will become looser. The write belongs in the transaction that announces the change. */
export const looseningWrite = (due: string, loosening: Loosening): Write => ({
  kind: "put",
  key: looseningKey(due, loosening.userID, guardOf(loosening)),
  item: loosening,
});

const guardOf = (loosening: Loosening): string =>
  "lockId" in loosening ? "LOCK" : `${loosening.chain}#${loosening.wallet}`;

/** Reads the guards that become looser before a given time. The earliest comes first. */
export async function* looseningsDue(table: Table, time: Date): AsyncGenerator<Item<Loosening>> {
  for await (const page of queryPages<Loosening>(table, looseningsUntil(time))) yield* page;
}

export async function forgetLoosening(table: Table, { PK, SK }: Key): Promise<void> {
  await write(table, { kind: "remove", key: { PK, SK } });
}
