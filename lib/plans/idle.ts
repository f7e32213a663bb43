import { planOf } from "../domain/plan.ts";
import type { Profile } from "../domain/profile.ts";

/** How long a user may be away and keep a key, in milliseconds: an account can hold 10,000. */
const idleTime = 30 * 24 * 60 * 60 * 1000;

/** Whether a user goes without a key until the next visit. A customer keeps the plan that was agreed on. */
export function isIdle(
  profile: Pick<Profile, "tier" | "requestsPerMinute" | "lastVisited">,
  now: Date,
): boolean {
  const away = now.getTime() - Date.parse(profile.lastVisited);
  return away > idleTime && planOf(profile).name !== "Enterprise";
}
