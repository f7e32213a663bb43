import { randomBytes } from "node:crypto";
import type { PendingKey } from "../aws/user-key-records.ts";
import { type Plan, planOf } from "../domain/plan.ts";
import type { Profile } from "../domain/profile.ts";

/** A key to create. Its value is 40 hexadecimal digits; API Gateway accepts 20 to 128 letters and digits. */
export const newKey = (userID: string, plan: Plan): PendingKey => ({
  name: `${userID}/${randomBytes(6).toString("hex")}`,
  value: randomBytes(20).toString("hex"),
  plan,
});

/** The userID in the name of a key or of a customer's plan. */
export const ownerOf = (name: string): string => name.slice(0, name.lastIndexOf("/"));

/** How long a retired key is kept: far longer than an authorizer remembers it. */
const retirementMs = 10 * 60 * 1000;

/** When a key that is retired now may be deleted. */
export const dueFrom = (now: Date): Date => new Date(now.getTime() + retirementMs);

/** How long a user may be away and keep a key. An account can hold only 10,000 keys. */
const idleMs = 30 * 24 * 60 * 60 * 1000;

/** Whether a user goes without a key until the next visit. Enterprise customers always keep theirs. */
export function isIdle(
  profile: Pick<Profile, "tier" | "requestsPerMinute" | "lastVisited">,
  now: Date,
): boolean {
  const awayMs = now.getTime() - Date.parse(profile.lastVisited);
  return awayMs > idleMs && planOf(profile).name !== "Enterprise";
}
