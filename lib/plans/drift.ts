import type { ApiKey } from "./api-keys.ts";
import { type CustomerPlan, isAgreed } from "./customer-plans.ts";
import type { MirrorDeps } from "./mirror.ts";
import { type Plan, planOf, samePlan } from "./plan.ts";
import { coverageOf } from "./plan-stages.ts";
import type { UsagePlans } from "./usage-plans.ts";
import { type KeyUser, needsKey, ownerOf } from "./user-key.ts";
import type { ActiveKey, UserKeyRecord } from "./user-key-records.ts";

/** Plans and keys in the table and in API Gateway. */
export type PlanState = {
  profiles: ReadonlyMap<string, KeyUser>;
  keyRecords: ReadonlyMap<string, UserKeyRecord>;
  /** Names of keys and plans that will be deleted. */
  retired: ReadonlySet<string>;
  /** Users' keys in API Gateway, indexed by keyId. */
  keys: ReadonlyMap<string, ApiKey>;
  /** Plans of keys: the planId for each keyId. */
  attachments: ReadonlyMap<string, string>;
  /** Plans of Enterprise customers, indexed by planId. */
  customerPlans: ReadonlyMap<string, CustomerPlan>;
  /** True if no room is left on the Standard plan for another user's own key. */
  isFull: boolean;
};

/** A difference between the profiles and API Gateway. `id` is the keyId or the planId. */
export type Drift =
  /** The user has no key for the tier's plan. */
  | { what: "not mirrored"; userID: string }
  /** The key on record is not in API Gateway, or not on its plan. */
  | { what: "lost key" | "detached key"; userID: string; id: string }
  /** A customer's plan has another throttle, other throttles of methods or other stages than it should have. */
  | { what: "stale plan"; userID: string; id: string }
  /** A key is on record for a user who does not exist. */
  | { what: "left record"; userID: string }
  /** A key or a customer's plan exists without a record. */
  | { what: "orphan key" | "orphan plan"; userID: string; id: string }
  /** A key or a plan lacks the tag, so functions may neither change nor delete it. */
  | { what: "untagged key" | "untagged plan"; userID: string; id: string };

/** Properties that all plans should share. */
type Expected = Pick<MirrorDeps, "tierPlans"> & { plans: Pick<UsagePlans, "stages"> };

/**
 * Finds all differences. First come those whose repair makes room for new keys. Some may be changes that are still in
 * progress.
 */
export function driftIn(state: PlanState, expected: Expected, now: Date): Drift[] {
  const { profiles, keyRecords, keys, customerPlans } = state;
  const orphaned = [
    ...orphans("orphan key", [...keys.values()], state, ({ keyId }) => keyId),
    ...orphans("orphan plan", [...customerPlans.values()], state, ({ planId }) => planId),
  ];
  const toDelete = new Set(orphaned.map(({ id }) => id));
  return [
    ...orphaned,
    ...untagged("untagged key", keys.values(), toDelete),
    ...untagged("untagged plan", customerPlans.values(), toDelete),
    ...[...keyRecords.keys()]
      .filter((userID) => !profiles.has(userID))
      .map((userID): Drift => ({ what: "left record", userID })),
    ...[...profiles.values()].flatMap((profile) => ofUser(profile, state, expected, now)),
  ];
}

function ofUser(profile: KeyUser, state: PlanState, expected: Expected, now: Date): Drift[] {
  // Ignores keys that their users no longer need, because freeIdleKeys retires them.
  if (!needsKey(profile, now)) return [];
  const { userID } = profile;
  const { current } = state.keyRecords.get(userID) ?? {};
  const plan = planOf(profile);
  if (current === undefined && state.isFull && plan.name === "Standard") return [];
  if (current === undefined || !isFor(plan, current, expected)) return [{ what: "not mirrored", userID }];
  const { keyId, planId } = current;
  if (!state.keys.has(keyId)) return [{ what: "lost key", userID, id: keyId }];
  if (state.attachments.get(keyId) !== planId) return [{ what: "detached key", userID, id: keyId }];
  const own = state.customerPlans.get(planId);
  const stale = own !== undefined && !isAgreed(own, plan, expected.plans);
  return stale ? [{ what: "stale plan", userID, id: planId }] : [];
}

/** True if the mirror would leave this key unchanged. */
function isFor(plan: Plan, current: ActiveKey, { plans, tierPlans }: Expected): boolean {
  if (!samePlan(current.plan, plan) || current.coverage !== coverageOf(plans.stages)) return false;
  return plan.name === "Enterprise" || current.planId === tierPlans[plan.name];
}

/**
 * Finds keys or plans that no record will ever name. The name of a key or plan is always recorded before it is created.
 */
function orphans(
  what: "orphan key" | "orphan plan",
  things: readonly { id: string; name: string }[],
  { keyRecords, retired }: PlanState,
  idIn: (current: ActiveKey) => string,
): Extract<Drift, { id: string }>[] {
  return things.flatMap(({ id, name }) => {
    const userID = ownerOf(name);
    const { current, next } = keyRecords.get(userID) ?? {};
    // Compares a pending key only by name, because its id is not recorded yet.
    const inUse = current?.name === name && idIn(current) === id;
    return inUse || next?.name === name || retired.has(name) ? [] : [{ what, userID, id }];
  });
}

/**
 * Finds keys or plans without the tag. Includes retired ones, because functions may delete only tagged keys and plans.
 */
const untagged = (
  what: "untagged key" | "untagged plan",
  things: Iterable<{ id: string; name: string; tagged: boolean }>,
  toDelete: ReadonlySet<string>,
): Drift[] =>
  [...things]
    .filter(({ id, tagged }) => !tagged && !toDelete.has(id))
    .map(({ id, name }) => ({ what, userID: ownerOf(name), id }));
