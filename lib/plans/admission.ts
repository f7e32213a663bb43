import { LRUCache } from "lru-cache";
import { coverageOf, type PlanStage } from "../aws/plan-stages.ts";
import { admitUser, type NewUser } from "../aws/registration.ts";
import type { Table } from "../aws/table.ts";
import { readUserKeyRecord, type UserKeyRecord } from "../aws/user-key-records.ts";
import { planOf, samePlan } from "../domain/plan.ts";
import type { Profile } from "../domain/profile.ts";

/** How long a user's key is remembered, in milliseconds; and how long that there is none yet. */
const remembered = { own: 60_000, none: 2_000 };

/** What requests count on that have no key of their user's. */
export type Fallback = {
  sharedKey: string;
  /** The stages that plans cover. A key that was made for others is none. */
  stages: readonly PlanStage[];
};

/**
 * Makes the function that lets users in and says which API key their requests count on: their own once it is surely
 * active and on the plan of their tier, the shared one before.
 */
export function admission(table: Table, { sharedKey, stages }: Fallback) {
  const keys = new LRUCache<string, string>({ max: 10_000 });
  const coverage = coverageOf(stages);

  return async (user: NewUser, now: Date): Promise<string> => {
    const { userID } = user;
    const known = keys.get(userID);
    if (known !== undefined) return known;
    const [profile, record] = await Promise.all([
      admitUser(table, user, now),
      readUserKeyRecord(table, userID),
    ]);
    const own = activeKey(profile, record, coverage, now);
    keys.set(userID, own ?? sharedKey, { ttl: own === undefined ? remembered.none : remembered.own });
    return own ?? sharedKey;
  };
}

function activeKey(
  profile: Profile,
  record: UserKeyRecord | undefined,
  coverage: string,
  now: Date,
): string | undefined {
  const { current } = record ?? {};
  if (current?.coverage !== coverage || !samePlan(current.plan, planOf(profile))) return undefined;
  return Date.parse(current.activeFrom) <= now.getTime() ? current.value : undefined;
}
