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
import { isIdle } from "./idle.ts";
import type { Mirror } from "./mirror.ts";
import { ownerOf } from "./new-key.ts";
import { dueFrom } from "./retirement.ts";

type World = Pick<Mirror, "table" | "plans">;

/**
 * Deletes the keys that no authorizer can remember any more, and the plans that customers have left.
 *
 * @param onFault hears of each that could not be deleted, which is left for the next time.
 */
export async function deleteRetiredKeys(
  world: World,
  now: Date,
  onFault: (error: unknown) => void,
): Promise<void> {
  for await (const retired of retiredKeys(world.table, now)) {
    try {
      await deleteRetired(world, retired);
    } catch (error) {
      onFault(error);
    }
  }
}

async function deleteRetired({ table, plans }: World, retired: RetiredKeyItem): Promise<void> {
  await deleteKeyNamed(plans, retired.name);
  if (retired.plan.name === "Enterprise") await deleteCustomerPlanNamed(plans, retired.name);
  await forgetRetiredKey(table, retired);
}

/**
 * Retires the keys of users who were not seen for 30 days.
 *
 * @param onFault hears of each that could not be retired, which is left for the next time.
 */
export async function freeIdleKeys(
  world: World,
  now: Date,
  onFault: (error: unknown) => void,
): Promise<void> {
  const owners = new Set<string>();
  for await (const { name } of apiKeysOfUsers(world.plans)) owners.add(ownerOf(name));
  for (const userID of owners) {
    try {
      await freeIfIdle(world, userID, now);
    } catch (error) {
      onFault(error);
    }
  }
}

async function freeIfIdle({ table }: World, userID: string, now: Date): Promise<void> {
  const [profile, record] = await Promise.all([readProfile(table, userID), readUserKeyRecord(table, userID)]);
  // Without a record the key is retired already.
  if (record === undefined || (profile !== undefined && !isIdle(profile, now))) return;
  await deleteUserKeyRecord(table, record, dueFrom(now));
}
