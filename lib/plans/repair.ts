import { deleteApiKey, isAttached } from "./api-keys.ts";
import { deleteCustomerPlan } from "./customer-plans.ts";
import type { Drift } from "./drift.ts";
import { type MirrorDeps, mirrorUser } from "./mirror.ts";
import { addTag } from "./usage-plans.ts";
import { dueFrom } from "./user-key.ts";
import { deleteUserKeyRecord, readUserKeyRecord } from "./user-key-records.ts";

/** Repairs one difference. Does no harm if the difference is already gone. */
export async function repair(deps: MirrorDeps, drift: Drift): Promise<void> {
  switch (drift.what) {
    case "orphan key":
      return deleteApiKey(deps.plans, drift.id);
    case "orphan plan":
      return deleteCustomerPlan(deps.plans, drift.id);
    case "untagged key":
      return addTag(deps.plans, "apikeys", drift.id);
    case "untagged plan":
      return addTag(deps.plans, "usageplans", drift.id);
    case "lost key":
    case "detached key":
      await dropKey(deps, drift);
  }
  await mirrorUser(deps, drift.userID);
}

/** Retires a key that differs from its record, so that the mirror creates a new one. */
async function dropKey(
  { table, plans, now }: MirrorDeps,
  { userID, id }: Extract<Drift, { id: string }>,
): Promise<void> {
  const record = await readUserKeyRecord(table, userID);
  const { keyId, planId } = record?.current ?? {};
  if (record === undefined || keyId === undefined || planId === undefined) return;
  if (keyId === id && !(await isAttached(plans, planId, keyId)))
    await deleteUserKeyRecord(table, record, dueFrom(now()));
}
