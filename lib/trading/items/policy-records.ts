import { dayOf } from "../../core/time.ts";
import type { Limits, PolicyKey, PolicyRecord } from "../../orders/wallet-policy.ts";
import type { Write } from "../../table/step.ts";
import { readItem, type Table } from "../../table/table.ts";
import { find } from "./found-items.ts";
import { contentOf, packed } from "./items.ts";
import { dayKey, policyKey } from "./keys.ts";

/** Reads a wallet's stored policy. Undefined if the user has never set one. */
export async function readPolicyRecord(table: Table, wallet: PolicyKey): Promise<PolicyRecord | undefined> {
  const item = await readItem<object>(table, policyKey(wallet));
  return item && contentOf("policy", item);
}

/** Reads each wallet's policy and its spending on the current day. The results are in the order of the wallets. */
export async function readLimits(table: Table, wallets: readonly PolicyKey[], now: Date): Promise<Limits[]> {
  const day = dayOf(now);
  const found = await find(
    table,
    wallets.flatMap((wallet) => [policyKey(wallet), dayKey({ ...wallet, day })]),
  );
  return wallets.map((wallet) => found.limits(wallet, day));
}

/** Builds the write of a policy, which fails if the policy has changed since it was read. */
export const policyWrite = (record: PolicyRecord, read: PolicyRecord | undefined): Write => ({
  kind: "put",
  key: policyKey(record),
  item: packed(record) as object,
  when: read ? { revision: read.revision } : "absent",
});
