import { randomInt } from "node:crypto";
import { RecentMap } from "../core/recent-map.ts";
import { ServiceError } from "../core/service-error.ts";
import type { Table } from "../table/table.ts";
import { betterUsername, type Profile } from "../users/profile.ts";
import { changeProfile, readProfile, recordVisit } from "../users/profile-records.ts";
import { register, type SignedInUser } from "../users/register.ts";
import { type FallbackKeys, fallbackKeyOf, fallbackKeyValue, usableCount } from "./fallback-keys.ts";
import { type Plan, planOf, samePlan } from "./plan.ts";
import { coverageOf, type PlanStage } from "./plan-stages.ts";
import { readUserKeyRecord, type UserKeyRecord } from "./user-key-records.ts";

/** Time for which an authorizer remembers a user's own key. A retired key is kept for far longer. */
const ownKeyCacheMs = 60_000;

/** Time for which an authorizer remembers that a user has no active key yet. */
const fallbackCacheMs = 2_000;

/** Time for which an authorizer remembers that a user is blocked. */
const blockedCacheMs = 10_000;

/** An admitted user's plan, and the API key that their requests count against. */
export type AdmittedUser = { key: string; plan: Plan };

/** Marks a blocked user in the cache. */
const blocked = "blocked";

/** Reports that an operator has blocked the user. */
export class UserBlocked extends ServiceError {
  override readonly code = "USER_BLOCKED";
}

/** Minimum time between two recorded visits. */
const visitIntervalMs = 60 * 60 * 1000;

export type AdmissionOptions = {
  /** Value of the shared key, which serves users without an active key if there are no fallback keys. */
  sharedKey: string;
  /** Reads the record that shows which fallback keys are in use. */
  readFallbackKeys: () => Promise<FallbackKeys | undefined>;
  /** Stages that the plans cover. Keys made for other stages are not used. */
  stages: readonly PlanStage[];
  /** Receives errors of writes that can wait until a later request. No user is refused because of such an error. */
  onFault: (error: unknown) => void;
};

/**
 * Makes the function that admits users. Requests count against the user's own key once it is active and on the tier's
 * plan. Until then they count against the earlier key if it still works, or else against a fallback key. The function
 * throws {@link UserBlocked} for blocked users.
 */
export function admission(table: Table, options: AdmissionOptions) {
  const { sharedKey, readFallbackKeys, stages, onFault } = options;
  // Uses dates, because Lambda freezes processes between requests, and that may stop monotonic clocks.
  const known = new RecentMap<string, { answer: AdmittedUser | typeof blocked; untilMs: number }>(10_000);
  const remember = (userID: string, answer: AdmittedUser | typeof blocked, forMs: number) =>
    known.set(userID, { answer, untilMs: Date.now() + forMs });
  const coverage = coverageOf(stages);

  return async (user: SignedInUser, now: Date): Promise<AdmittedUser> => {
    const { userID } = user;
    const cached = known.get(userID);
    if (cached !== undefined && Date.now() <= cached.untilMs) {
      if (cached.answer === blocked) throw new UserBlocked();
      return cached.answer;
    }
    const [profile, record, fallbackKeys] = await Promise.all([
      admitUser(table, user, now, onFault),
      readUserKeyRecord(table, userID),
      readFallbackKeys(),
    ]);
    if (profile === blocked) {
      remember(userID, blocked, blockedCacheMs);
      throw new UserBlocked();
    }
    const plan = planOf(profile);
    const own = activeKey(plan, record, coverage, now);
    const count = countOf(fallbackKeys, coverage, now);
    const fallback = count === 0 ? sharedKey : fallbackKeyValue(sharedKey, fallbackKeyOf(userID, count));
    const admitted = { key: own ?? fallback, plan };
    remember(userID, admitted, own === undefined ? fallbackCacheMs : ownKeyCacheMs);
    return admitted;
  };
}

/**
 * Makes the function that chooses a key for a request without a user. It picks a random fallback key, so that a flood
 * of such requests uses up little of each key.
 */
export function strangerKey({ sharedKey, readFallbackKeys, stages, onFault }: AdmissionOptions) {
  const coverage = coverageOf(stages);
  return async (now: Date): Promise<string> => {
    const keys = await readFallbackKeys().catch((error: unknown) => {
      onFault(error);
      return undefined;
    });
    const count = countOf(keys, coverage, now);
    return count === 0 ? sharedKey : fallbackKeyValue(sharedKey, randomInt(count));
  };
}

/** Counts the fallback keys that are usable now, on plans that cover these stages. */
const countOf = (keys: FallbackKeys | undefined, coverage: string, now: Date): number =>
  keys?.coverage === coverage ? usableCount(keys.usable, now) : 0;

/**
 * Registers a new user. For a known user, records the visit. If a known user's name is still generated, also records
 * the given name.
 *
 * @returns the profile before these changes, or `blocked`.
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
  return Date.parse(current.activeFrom) <= now.getTime() ? current.value : current.untilActive;
}
