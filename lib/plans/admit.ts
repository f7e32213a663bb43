import { LRUCache } from "lru-cache";
import type { Table } from "../table/table.ts";
import { betterUsername, type Profile } from "../users/profile.ts";
import { changeProfile, readProfile, recordVisit } from "../users/profile-records.ts";
import { register, type SignedInUser } from "../users/register.ts";
import { type Plan, planOf, samePlan } from "./plan.ts";
import { coverageOf, type PlanStage } from "./plan-stages.ts";
import { readUserKeyRecord, type UserKeyRecord } from "./user-key-records.ts";

/** How long an authorizer remembers a user's own key. A key is retired for far longer before it is deleted. */
const ownKeyCacheMs = 60_000;

/** How long it remembers that a user has no active key yet. */
const fallbackCacheMs = 2_000;

/** How long it remembers that a user is blocked. */
const blockedCacheMs = 10_000;

/** An admitted user's plan, and the API key that their requests count against. */
export type AdmittedUser = { key: string; plan: Plan };

/** Remembered in place of a blocked user's admission. */
const blocked = "blocked";

/** An operator keeps the user out. */
export class UserBlocked extends Error {
  override readonly name = "UserBlocked";
}

/** The shortest time between two recorded visits. */
const visitIntervalMs = 60 * 60 * 1000;

export type AdmissionOptions = {
  /** What a request counts against when its user has no active key. */
  fallbackKey: string;
  /** The stages that plans cover. A key made for other stages is not used. */
  stages: readonly PlanStage[];
  /** Receives errors of writes that can wait until a later request, and so keep nobody out. */
  onFault: (error: unknown) => void;
};

/**
 * Makes the function that admits users. Their requests count against their own key once it is active and on their tier's
 * plan, and against the fallback key until then. It throws {@link UserBlocked} for blocked users.
 */
export function admission(table: Table, { fallbackKey, stages, onFault }: AdmissionOptions) {
  // Lambda stops processes between requests, and their monotonic clocks may stop too.
  const known = new LRUCache<string, AdmittedUser | typeof blocked>({ max: 10_000, perf: Date });
  const coverage = coverageOf(stages);

  return async (user: SignedInUser, now: Date): Promise<AdmittedUser> => {
    const { userID } = user;
    const cached = known.get(userID);
    if (cached === blocked) throw new UserBlocked();
    if (cached !== undefined) return cached;
    const [profile, record] = await Promise.all([
      admitUser(table, user, now, onFault),
      readUserKeyRecord(table, userID),
    ]);
    if (profile === blocked) {
      known.set(userID, blocked, { ttl: blockedCacheMs });
      throw new UserBlocked();
    }
    const plan = planOf(profile);
    const own = activeKey(plan, record, coverage, now);
    const admitted = { key: own ?? fallbackKey, plan };
    known.set(userID, admitted, { ttl: own === undefined ? fallbackCacheMs : ownKeyCacheMs });
    return admitted;
  };
}

/**
 * Registers a user at first snapshot. Of others it records the visit, and the name if they have none of their own yet.
 *
 * @returns the profile as it was before, or `blocked`.
 */
async function admitUser(
  table: Table,
  user: SignedInUser,
  now: Date,
  onFault: AdmissionOptions["onFault"],
): Promise<Profile | typeof blocked> {
  const profile = (await readProfile(table, user.userID)) ?? (await register(table, user, now, onFault));
  if (profile.blockedAt !== undefined) return blocked;
  const sinceVisitMs = now.getTime() - Date.parse(profile.lastVisited);
  if (sinceVisitMs > visitIntervalMs) await recordVisit(table, user.userID, now).catch(onFault);
  const username = betterUsername(profile, user.names);
  if (username !== undefined) await changeProfile(table, profile, { username }).catch(onFault);
  return profile;
}

function activeKey(
  plan: Plan,
  record: UserKeyRecord | undefined,
  coverage: string,
  now: Date,
): string | undefined {
  const { current } = record ?? {};
  if (current?.coverage !== coverage || !samePlan(current.plan, plan)) return undefined;
  return Date.parse(current.activeFrom) <= now.getTime() ? current.value : undefined;
}
