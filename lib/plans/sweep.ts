import { readProfile, unchangedSince } from "../users/profile-records.ts";
import { deleteKeyNamed, keysWithPrefix } from "./api-keys.ts";
import { deleteCustomerPlanNamed } from "./customer-plans.ts";
import { type MirrorDeps, mirrorUser } from "./mirror.ts";
import { LimitReached } from "./usage-plans.ts";
import { dueFrom, needsKey, ownerOf } from "./user-key.ts";
import {
  deleteUserKeyRecord,
  forgetRetiredKey,
  KeyChanged,
  type RetiredKeyItem,
  readUserKeyRecord,
  retiredKeys,
} from "./user-key-records.ts";

/** Time limits of a sweep. Nothing new is started after the deadline, and the next run continues. */
export type SweepTimes = { now: Date; deadline: Date };

const isOver = ({ deadline }: SweepTimes) => Date.now() >= deadline.getTime();

/**
 * Deletes retired keys that no authorizer remembers, and the plans that customers have left. Then makes new keys for
 * users for whom there was no room before.
 *
 * @param onFault receives the error of each key that could not be deleted. The next run tries it again.
 */
export async function deleteRetiredKeys(
  deps: MirrorDeps,
  times: SweepTimes,
  onFault: (error: unknown) => void,
): Promise<void> {
  for await (const retired of retiredKeys(deps.table, times.now)) {
    if (isOver(times)) return;
    try {
      await deleteRetired(deps, retired);
    } catch (error) {
      onFault(error);
    }
  }
}

/** Deletes a retired key, and the plan that its customer has left. */
export async function deleteRetired(deps: MirrorDeps, retired: RetiredKeyItem): Promise<void> {
  const { table, plans } = deps;
  const { name, plan } = retired;
  await deleteKeyNamed(plans, name);
  if (plan.name === "Enterprise") await deleteCustomerPlanNamed(plans, name);
  // If another user takes the room of the retired key first, keeps the retired key on record, so that the next run
  // tries again.
  if (await makeAwaitedKey(deps, ownerOf(name))) await forgetRetiredKey(table, retired);
}

/** Creates the key that a user waits for, if any. Returns false if there is still no room. */
async function makeAwaitedKey(deps: MirrorDeps, userID: string): Promise<boolean> {
  const record = await readUserKeyRecord(deps.table, userID);
  if (record === undefined || record.current !== undefined) return true;
  try {
    await mirrorUser(deps, userID);
    return true;
  } catch (error) {
    if (error instanceof LimitReached) return false;
    throw error;
  }
}

type FreeDeps = Pick<MirrorDeps, "table" | "plans">;

/**
 * Retires the keys of users who do not need one, and of users without a profile.
 *
 * @param onFault receives the error of each key that could not be retired. The next run tries it again.
 */
export async function freeIdleKeys(
  deps: FreeDeps,
  times: SweepTimes,
  onFault: (error: unknown) => void,
): Promise<void> {
  const owners = new Set<string>();
  for await (const { name } of keysWithPrefix(deps.plans)) owners.add(ownerOf(name));
  for (const userID of owners) {
    if (isOver(times)) return;
    try {
      await freeIfIdle(deps, userID, times.now);
    } catch (error) {
      onFault(error);
    }
  }
}

async function freeIfIdle({ table }: FreeDeps, userID: string, now: Date): Promise<void> {
  const [profile, record] = await Promise.all([readProfile(table, userID), readUserKeyRecord(table, userID)]);
  // Skips users without a record, whose keys are already retired.
  if (record === undefined || (profile !== undefined && needsKey(profile, now))) return;
  try {
    await deleteUserKeyRecord(table, record, dueFrom(now), [unchangedSince(userID, profile)]);
  } catch (error) {
    // Ignores a changed record: either the user has come back, or another run was faster.
    if (!(error instanceof KeyChanged)) throw error;
  }
}
