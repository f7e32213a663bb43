import type { ApiKey } from "../aws/api-keys.ts";
import type { CustomerPlan } from "../aws/customer-plans.ts";
import { coverageOf } from "../aws/plan-stages.ts";
import type { UsagePlans } from "../aws/usage-plans.ts";
import type { ActiveKey, UserKeyRecord } from "../aws/user-key-records.ts";
import { type Plan, planOf, samePlan, sameThrottle, throttleOf } from "../domain/plan.ts";
import type { Profile } from "../domain/profile.ts";
import { isIdle } from "./idle.ts";
import type { Mirror } from "./mirror.ts";
import { ownerOf } from "./new-key.ts";

/** All that is known of plans and keys, from the table and from API Gateway. */
export type PlanState = {
  profiles: ReadonlyMap<string, Planned>;
  keyRecords: ReadonlyMap<string, UserKeyRecord>;
  /** The names of keys, and of plans, that are to be deleted. */
  retired: ReadonlySet<string>;
  /** Users' keys in API Gateway, by id. */
  keys: ReadonlyMap<string, ApiKey>;
  /** The id of the plan that each key is on. */
  attachments: ReadonlyMap<string, string>;
  /** By id. */
  customerPlans: ReadonlyMap<string, CustomerPlan>;
};

/** What a profile says of its user's plan. */
export type Planned = Pick<Profile, "userID" | "tier" | "requestsPerMinute" | "lastVisited">;

/** What API Gateway has other than the profiles say. `id` is of the key or the plan that is meant. */
export type Drift =
  /** There is no key for the plan of the user's tier. */
  | { what: "not mirrored"; userID: string }
  /** The key on record is not in API Gateway, or not on its plan. */
  | { what: "lost key" | "detached key"; userID: string; id: string }
  /** A customer's plan has other numbers than were agreed on, or other stages. */
  | { what: "stale plan"; userID: string; id: string }
  /** There is a record of a key, and no such user. */
  | { what: "left record"; userID: string }
  /** There is a key, or a customer's plan, and no record of it. */
  | { what: "orphan key" | "orphan plan"; userID: string; id: string };

/** The plans as they should be. */
type Standard = Pick<Mirror, "standing"> & { plans: Pick<UsagePlans, "stages"> };

/** Everything that differs, first what can go to make room. What is under way right now may be among it. */
export function driftIn(state: PlanState, standard: Standard, now: Date): Drift[] {
  const { profiles, keyRecords, keys, customerPlans } = state;
  return [
    ...orphans("orphan key", [...keys.values()], state, ({ keyID }) => keyID),
    ...orphans("orphan plan", [...customerPlans.values()], state, ({ planID }) => planID),
    ...[...keyRecords.keys()]
      .filter((userID) => !profiles.has(userID))
      .map((userID): Drift => ({ what: "left record", userID })),
    ...[...profiles.values()].flatMap((profile) => ofUser(profile, state, standard, now)),
  ];
}

function ofUser(profile: Planned, state: PlanState, standard: Standard, now: Date): Drift[] {
  const { userID } = profile;
  const { current } = state.keyRecords.get(userID) ?? {};
  const plan = planOf(profile);
  if (current === undefined && isIdle(profile, now)) return [];
  if (current === undefined || !isFor(plan, current, standard)) return [{ what: "not mirrored", userID }];
  const { keyID, planID } = current;
  if (!state.keys.has(keyID)) return [{ what: "lost key", userID, id: keyID }];
  if (state.attachments.get(keyID) !== planID) return [{ what: "detached key", userID, id: keyID }];
  const own = state.customerPlans.get(planID);
  const stale = own !== undefined && !isAgreed(own, plan, standard);
  return stale ? [{ what: "stale plan", userID, id: planID }] : [];
}

/** Whether a record is of a key that the mirror would leave as it is. */
function isFor(plan: Plan, current: ActiveKey, { plans, standing }: Standard): boolean {
  if (!samePlan(current.plan, plan) || current.coverage !== coverageOf(plans.stages)) return false;
  return plan.name === "Enterprise" || current.planID === standing[plan.name];
}

const isAgreed = ({ throttle, stages }: CustomerPlan, plan: Plan, { plans }: Standard) =>
  sameThrottle(throttle, throttleOf(plan)) && coverageOf(stages) === coverageOf(plans.stages);

/** The things of which no record knows, nor ever will: a name is noted before it is given. */
function orphans(
  what: "orphan key" | "orphan plan",
  things: readonly { id: string; name: string }[],
  { keyRecords, retired }: PlanState,
  idIn: (current: ActiveKey) => string,
): Drift[] {
  return things.flatMap(({ id, name }) => {
    const userID = ownerOf(name);
    const { current, next } = keyRecords.get(userID) ?? {};
    // Of the next one the id is not known before it is in use.
    const inUse = current?.name === name && idIn(current) === id;
    return inUse || next?.name === name || retired.has(name) ? [] : [{ what, userID, id }];
  });
}
