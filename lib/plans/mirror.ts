import { NotFoundException } from "@aws-sdk/client-api-gateway";
import { attachKey, createKey } from "../aws/api-keys.ts";
import { changeThrottle, createCustomerPlan } from "../aws/customer-plans.ts";
import { coverageOf } from "../aws/plan-stages.ts";
import { readProfile } from "../aws/profile-records.ts";
import type { Table } from "../aws/table.ts";
import type { UsagePlans } from "../aws/usage-plans.ts";
import {
  type ActiveKey,
  deleteUserKeyRecord,
  type PendingKey,
  readUserKeyRecord,
  type UserKeyRecord,
  writeUserKeyRecord,
} from "../aws/user-key-records.ts";
import { type Plan, planOf, type StandingPlan, samePlan, throttleOf } from "../domain/plan.ts";
import { newKey } from "./new-key.ts";
import { dueFrom } from "./retirement.ts";

export type Mirror = {
  table: Table;
  plans: UsagePlans;
  /** The ids of the plans that many users share. */
  standing: Readonly<Record<StandingPlan, string>>;
  /** How long API Gateway may take to know a new key, in milliseconds. */
  grace: number;
  now: () => Date;
};

/**
 * Gives a user's plan to API Gateway. It compares what is there with what should be and does what is missing, so running
 * it again, or after a run that ended anywhere, comes to the same.
 *
 * @throws {LimitReached} when no more keys can be made, or plans.
 * @throws {KeyChanged} when another run was at it.
 */
export async function mirrorUser(mirror: Mirror, userID: string): Promise<void> {
  const { table, now } = mirror;
  const [profile, read] = await Promise.all([readProfile(table, userID), readUserKeyRecord(table, userID)]);
  if (profile === undefined) {
    if (read !== undefined) await deleteUserKeyRecord(table, read, dueFrom(now()));
    return;
  }
  const plan = planOf(profile);
  if (read?.current !== undefined && (await canStay(mirror, read.current, plan))) {
    const { current, next } = read;
    if (next === undefined && samePlan(current.plan, plan)) return;
    await writeUserKeyRecord(table, read, { userID, current: { ...current, plan } }, dueFrom(now()));
  } else await replaceKey(mirror, userID, read, plan);
}

/** Whether a key is good for the wanted plan, which is so once its own plan, if it has one, has other numbers. */
async function canStay({ plans, standing }: Mirror, current: ActiveKey, plan: Plan): Promise<boolean> {
  // The API may be another than it was when the key was made.
  if (current.plan.name !== plan.name || current.coverage !== coverageOf(plans.stages)) return false;
  if (plan.name !== "Enterprise") return current.planID === standing[plan.name];
  return samePlan(current.plan, plan) || changeThrottle(plans, current.planID, throttleOf(plan));
}

/**
 * Makes a new key on the wanted plan and retires the old one. The old key itself cannot move: between two plans it would
 * be on none, and its user turned away.
 */
async function replaceKey(
  mirror: Mirror,
  userID: string,
  read: UserKeyRecord | undefined,
  plan: Plan,
): Promise<void> {
  const { table, plans, standing, grace, now } = mirror;
  const noted = await noteNext(mirror, userID, read, plan);
  const { next, current: old } = noted;
  const planID =
    plan.name === "Enterprise"
      ? await createCustomerPlan(plans, next.name, throttleOf(plan))
      : standing[plan.name];
  const keyID = await createKey(plans, next);
  try {
    await attachKey(plans, planID, keyID);
  } catch (error) {
    // Two runs at once may have made two plans: then the key is on the other one, and neither is taken.
    if (error instanceof NotFoundException && plan.name === "Enterprise")
      await writeUserKeyRecord(table, noted, { userID, current: old }, dueFrom(now()));
    throw error;
  }
  const activeFrom = new Date(now().getTime() + grace).toISOString();
  const current = { ...next, keyID, planID, coverage: coverageOf(plans.stages), activeFrom };
  await writeUserKeyRecord(table, noted, { userID, current }, dueFrom(now()));
}

/** Notes the key that is about to be made, unless it is noted. One that was noted for another plan is retired. */
async function noteNext(
  { table, now }: Mirror,
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
