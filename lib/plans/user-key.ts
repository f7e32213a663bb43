import { randomBytes } from "node:crypto";
import type { Profile } from "../users/profile.ts";
import { type Plan, planOf } from "./plan.ts";
import type { PendingKey } from "./user-key-records.ts";

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

/** The part of a profile that decides about the key. */
export type KeyUser = Pick<
  Profile,
  "userID" | "tier" | "requestsPerMinute" | "walletCount" | "createdAt" | "lastVisited"
>;

/** Whether a user should have a key now. The others use the fallback key. Enterprise customers always have one. */
export function needsKey(user: Omit<KeyUser, "userID">, now: Date): boolean {
  const awayMs = now.getTime() - Date.parse(user.lastVisited);
  return planOf(user).name === "Enterprise" || (awayMs <= idleMs && usesService(user));
}

/**
 * Whether a user has paid, has a wallet, or has come back. Signing up is not enough: it costs nothing, so anyone could
 * take all keys of the account. A visit is recorded at the earliest an hour after the one before.
 */
const usesService = ({ tier, walletCount, createdAt, lastVisited }: Omit<KeyUser, "userID">): boolean =>
  tier !== "Base" || walletCount > 0 || lastVisited !== createdAt;
