import { deleteKey, isAttached } from "../aws/api-keys.ts";
import { deleteCustomerPlan } from "../aws/customer-plans.ts";
import { deleteUserKeyRecord, readUserKeyRecord } from "../aws/user-key-records.ts";
import type { Drift } from "./drift.ts";
import { type Mirror, mirrorUser } from "./mirror.ts";
import { dueFrom } from "./retirement.ts";

/** Does away with one difference. Doing it twice, or after it has gone by itself, does no harm. */
export async function repair(mirror: Mirror, drift: Drift): Promise<void> {
  switch (drift.what) {
    case "orphan key":
      return deleteKey(mirror.plans, drift.id);
    case "orphan plan":
      return deleteCustomerPlan(mirror.plans, drift.id);
    case "lost key":
    case "detached key":
    case "stale plan":
      await dropKey(mirror, drift);
  }
  await mirrorUser(mirror, drift.userID);
}

/** Retires a key that is not what its record says, so that a new one is made. */
async function dropKey(
  { table, plans, now }: Mirror,
  { what, userID, id }: Extract<Drift, { id: string }>,
): Promise<void> {
  const record = await readUserKeyRecord(table, userID);
  const { keyID, planID } = record?.current ?? {};
  if (record === undefined || keyID === undefined || planID === undefined) return;
  const concerned = what === "stale plan" ? planID === id : keyID === id;
  const right = what !== "stale plan" && (await isAttached(plans, planID, keyID));
  if (concerned && !right) await deleteUserKeyRecord(table, record, dueFrom(now()));
}
