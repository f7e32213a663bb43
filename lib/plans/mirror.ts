import { TooManyRequestsException } from "@aws-sdk/client-api-gateway";
import type { DynamoDBRecord } from "aws-lambda";
import { imageIn } from "../table/change-image.ts";
import type { Table } from "../table/table.ts";
import { isTransient } from "../table/transient.ts";
import type { Profile } from "../users/profile.ts";
import { readProfile } from "../users/profile-records.ts";
import { attachKey, createApiKey } from "./api-keys.ts";
import { changeThrottle, createCustomerPlan } from "./customer-plans.ts";
import { readFallbackKeys } from "./fallback-key-records.ts";
import { type Plan, planOf, samePlan, type TierPlan } from "./plan.ts";
import { coverageOf } from "./plan-stages.ts";
import { LimitReached, type UsagePlans } from "./usage-plans.ts";
import { dueFrom, needsKey, newKey } from "./user-key.ts";
import {
  type ActiveKey,
  deleteUserKeyRecord,
  KeyChanged,
  type PendingKey,
  readUserKeyRecord,
  type UserKeyRecord,
  writeUserKeyRecord,
} from "./user-key-records.ts";

export type MirrorDeps = {
  table: Table;
  plans: UsagePlans;
  /** Ids of the plans for the tiers Base and Pro. */
  tierPlans: Readonly<Record<TierPlan, string>>;
  /** Time that API Gateway may take to accept a new key everywhere. */
  graceMs: number;
  now: () => Date;
};

/**
 * Mirrors the users of the changed profiles one at a time, because the control plane accepts few calls a second.
 * Retries only transient faults. After any other fault, the user's next visit tries again, so that one faulty key does
 * not hold up other users.
 *
 * @param onFault receives the error of each user that could not be mirrored, and of each record that could not be read.
 * @returns the sequence numbers of the records to retry. Lambda repeats all records from the first of them on.
 */
export async function mirrorChanges(
  deps: MirrorDeps,
  records: readonly DynamoDBRecord[],
  onFault: (error: unknown) => void,
): Promise<string[]> {
  const failed: string[] = [];
  for (const [userID, changes] of changesByUser(records, onFault)) {
    try {
      await mirrorUser(deps, userID);
    } catch (error) {
      onFault(error);
      // Does not retry after the account's limit is reached, because a retry would find no room either.
      if (error instanceof LimitReached || !(isTransient(error) || error instanceof KeyChanged)) continue;
      failed.push(...changes.flatMap(({ dynamodb }) => dynamodb?.SequenceNumber ?? []));
      // Stops when calls are throttled, because calls for the other users would be throttled as well.
      if (error instanceof TooManyRequestsException) break;
    }
  }
  return failed;
}

/** Groups the changes that concern keys by user. Skips unreadable records, because a retry would not help. */
function changesByUser(records: readonly DynamoDBRecord[], onFault: (error: unknown) => void) {
  const byUser = new Map<string, DynamoDBRecord[]>();
  for (const record of records) {
    try {
      const { userID } = imagesOf(record);
      if (userID !== undefined && concernsKey(record))
        byUser.set(userID, [...(byUser.get(userID) ?? []), record]);
    } catch (error) {
      onFault(error);
    }
  }
  return byUser;
}

/** True if a change concerns the key: another plan, a visit or the first wallet. */
function concernsKey(record: DynamoDBRecord): boolean {
  const { before, after } = imagesOf(record);
  if (before === undefined || after === undefined) return true;
  const fields = ["tier", "requestsPerMinute", "lastVisited"] as const;
  return (
    fields.some((field) => before[field] !== after[field]) || before.walletCount > 0 !== after.walletCount > 0
  );
}

function imagesOf(record: DynamoDBRecord) {
  const before = imageIn<Profile>(record, "OldImage");
  const after = imageIn<Profile>(record, "NewImage");
  return { before, after, userID: (after ?? before)?.userID };
}

/**
 * Brings a user's key and plan in API Gateway in line with the profile, and retires a key that the user does not need.
 * Compares both sides and does only what is missing, so repeating it after a crash gives the same result.
 *
 * @throws {LimitReached} if the account has no room for another such key or plan. deleteRetiredKeys tries again after
 * it has deleted the user's old key.
 * @throws {KeyChanged} if a concurrent run has changed the record.
 */
export async function mirrorUser(deps: MirrorDeps, userID: string): Promise<void> {
  const { table, now } = deps;
  const [profile, read] = await Promise.all([readProfile(table, userID), readUserKeyRecord(table, userID)]);
  if (profile === undefined || !needsKey(profile, now())) {
    if (read !== undefined) await deleteUserKeyRecord(table, read, dueFrom(now()));
    return;
  }
  const plan = planOf(profile);
  const state = read?.current === undefined ? "unusable" : await stateOf(deps, read.current, plan);
  if (read?.current !== undefined && state === "right") {
    const { current, next } = read;
    if (next === undefined && samePlan(current.plan, plan)) return;
    await writeUserKeyRecord(table, read, { userID, current: { ...current, plan } }, dueFrom(now()));
  } else await replaceKey(deps, userID, read, { plan, works: state === "outdated" });
}

/**
 * Tells whether a key can serve the wanted plan. An outdated one differs only in throttles of methods, and serves its
 * user until there is another. If only the throttle of a customer's own plan differs, changes the throttle.
 */
async function stateOf(
  { plans, tierPlans }: MirrorDeps,
  current: ActiveKey,
  plan: Plan,
): Promise<"right" | "outdated" | "unusable"> {
  // Compares the stages as well, because the API may have been replaced after the key was created.
  if (current.plan.name !== plan.name || current.coverage !== coverageOf(plans.stages)) return "unusable";
  if (plan.name !== "Enterprise") return current.planId === tierPlans[plan.name] ? "right" : "unusable";
  // Looks at the plan even if the record agrees, because a deployment may have changed the throttles of methods.
  const found = await changeThrottle(plans, current.planId, plan);
  return found === "outdated" && !samePlan(current.plan, plan) ? "unusable" : found;
}

/**
 * Creates a key on the wanted plan and retires the old one. If the old key were moved instead, it would be on no plan
 * for a moment, and its user would be rejected.
 *
 * @param works true if the old key serves its user well until the new one is active.
 */
async function replaceKey(
  deps: MirrorDeps,
  userID: string,
  read: UserKeyRecord | undefined,
  { plan, works }: { plan: Plan; works: boolean },
): Promise<void> {
  const { table, plans, graceMs, now } = deps;
  const recorded = await recordNext(deps, userID, read, plan);
  const { next, current: old } = recorded;
  const { planId, keyId } = await createNext(deps, recorded, works);
  if (!(await attachKey(plans, planId, keyId))) {
    // Retires the new key and its plan in two cases: an earlier run created them and the tier's plan was replaced in
    // the meantime, or two concurrent runs created two plans.
    await writeUserKeyRecord(table, recorded, { userID, current: old }, dueFrom(now()));
    throw new KeyChanged();
  }
  const activeAt = new Date(now().getTime() + graceMs);
  const current: ActiveKey = {
    ...next,
    keyId,
    planId,
    coverage: coverageOf(plans.stages),
    activeFrom: activeAt.toISOString(),
  };
  if (works && old !== undefined && Date.parse(old.activeFrom) <= now().getTime()) {
    const kept = { ...current, untilActive: old.value };
    await writeUserKeyRecord(table, recorded, { userID, current: kept }, dueFrom(activeAt));
  } else await writeUserKeyRecord(table, recorded, { userID, current }, dueFrom(now()));
}

/** Records the key to create, unless it is recorded already. Retires a pending key for another plan. */
async function recordNext(
  { table, now }: MirrorDeps,
  userID: string,
  read: UserKeyRecord | undefined,
  plan: Plan,
): Promise<UserKeyRecord & { next: PendingKey }> {
  if (read?.next !== undefined && samePlan(read.next.plan, plan)) return { ...read, next: read.next };
  const next = newKey(userID, plan);
  return {
    ...(await writeUserKeyRecord(table, read, { userID, current: read?.current, next }, dueFrom(now()))),
    next,
  };
}

/**
 * Creates the recorded key, and the plan of an Enterprise customer.
 *
 * @throws {LimitReached} after retiring the old key unless it works: such a key is on the wrong plan or on none, and
 * only takes up room.
 */
async function createNext(
  { table, plans, tierPlans, now }: MirrorDeps,
  recorded: UserKeyRecord & { next: PendingKey },
  works: boolean,
): Promise<{ planId: string; keyId: string }> {
  const { userID, next, current: old } = recorded;
  const { name, plan } = next;
  try {
    // Leaves the rest of the account's keys to fallback keys and to users on other plans.
    if (plan.name === "Standard" && (await readFallbackKeys(table))?.isFull)
      throw new LimitReached("KEY_LIMIT_REACHED");
    const planId =
      plan.name === "Enterprise" ? await createCustomerPlan(plans, name, plan) : tierPlans[plan.name];
    return { planId, keyId: await createApiKey(plans, next) };
  } catch (error) {
    if (error instanceof LimitReached && old !== undefined && !works)
      await writeUserKeyRecord(table, recorded, { userID, next }, dueFrom(now()));
    throw error;
  }
}
