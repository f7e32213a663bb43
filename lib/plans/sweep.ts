import { apiKeysOfUsers, deleteKeyNamed } from "../aws/api-keys.ts";
import { deleteCustomerPlanNamed } from "../aws/customer-plans.ts";
import { readProfile } from "../aws/profile-records.ts";
import {
  deleteUserKeyRecord,
  forgetRetiredKey,
  type RetiredKeyItem,
  readUserKeyRecord,
  retiredKeys,
} from "../aws/user-key-records.ts";
import type { MirrorDeps } from "./mirror.ts";
import { dueFrom, isIdle, ownerOf } from "./user-key.ts";

type SweepDeps = Pick<MirrorDeps, "table" | "plans">;

/**
 * Deletes the retired keys that no authorizer remembers any more, and the plans of customers who have left them.
 *
 * @param onFault receives the error of each key that could not be deleted. The next run tries it again.
 */
export async function deleteRetiredKeys(
  deps: SweepDeps,
  now: Date,
  onFault: (error: unknown) => void,
): Promise<void> {
  for await (const retired of retiredKeys(deps.table, now)) {
    try {
      await deleteRetired(deps, retired);
    } catch (error) {
      onFault(error);
    }
  }
}

async function deleteRetired({ table, plans }: SweepDeps, retired: RetiredKeyItem): Promise<void> {
  await deleteKeyNamed(plans, retired.name);
  if (retired.plan.name === "Enterprise") await deleteCustomerPlanNamed(plans, retired.name);
  await forgetRetiredKey(table, retired);
}

/**
 * Retires the keys of idle users, and of users without a profile.
 *
 * @param onFault receives the error of each key that could not be retired. The next run tries it again.
 */
export async function freeIdleKeys(
  deps: SweepDeps,
  now: Date,
  onFault: (error: unknown) => void,
): Promise<void> {
  const owners = new Set<string>();
  for await (const { name } of apiKeysOfUsers(deps.plans)) owners.add(ownerOf(name));
  for (const userID of owners) {
    try {
      await freeIfIdle(deps, userID, now);
    } catch (error) {
      onFault(error);
    }
  }
}

async function freeIfIdle({ table }: SweepDeps, userID: string, now: Date): Promise<void> {
  const [profile, record] = await Promise.all([readProfile(table, userID), readUserKeyRecord(table, userID)]);
  // Without a record, the key is already retired.
  if (record === undefined || (profile !== undefined && !isIdle(profile, now))) return;
  await deleteUserKeyRecord(table, record, dueFrom(now));
}
