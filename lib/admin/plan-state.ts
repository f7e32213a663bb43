import { apiKeysOfUsers, keysOnPlan } from "../aws/api-keys.ts";
import { customerPlans } from "../aws/customer-plans.ts";
import { everyProfile, everyUserKeyRecord } from "../aws/table-keys.ts";
import { retiredKeys, type UserKeyRecord } from "../aws/user-key-records.ts";
import type { Planned, PlanState } from "../plans/drift.ts";
import type { PlanTarget } from "./plan-target.ts";
import { scan } from "./scan.ts";

/**
 * Reads all that is known of plans and keys. What is made comes before what is on record: a name is on record before a
 * thing has it, so of what was found the records tell for sure whether it is wanted.
 */
export async function readPlanState({ table, plans, standing }: PlanTarget): Promise<PlanState> {
  const keys = await byEach(apiKeysOfUsers(plans), ({ id }) => id);
  const own = await byEach(customerPlans(plans), ({ id }) => id);
  const attachments = new Map<string, string>();
  for (const planID of [...Object.values(standing), ...own.keys()])
    for await (const keyID of keysOnPlan(plans, planID)) attachments.set(keyID, planID);
  const planned = ["userID", "tier", "requestsPerMinute", "lastVisited"] as const;
  const profiles = await byEach(scan<Planned>(table, everyProfile, planned), ({ userID }) => userID);
  const record = ["userID", "version", "current", "next"] as const;
  const keyRecords = await byEach(
    scan<UserKeyRecord>(table, everyUserKeyRecord, record),
    ({ userID }) => userID,
  );
  const retired = await byEach(retiredKeys(table), ({ name }) => name);
  return { keys, customerPlans: own, attachments, profiles, keyRecords, retired: new Set(retired.keys()) };
}

async function byEach<Thing>(
  things: AsyncIterable<Thing>,
  keyOf: (thing: Thing) => string,
): Promise<Map<string, Thing>> {
  const map = new Map<string, Thing>();
  for await (const thing of things) map.set(keyOf(thing), thing);
  return map;
}
