import { randomBytes } from "node:crypto";
import type { Profile } from "../users/profile.ts";
import { type Plan, planOf } from "./plan.ts";
import type { PendingKey } from "./user-key-records.ts";

/** Generates a key with a value of 40 hexadecimal digits. API Gateway accepts 20 to 128 letters and digits. */
export const newKey = (userID: string, plan: Plan): PendingKey => ({
  name: `${userID}/${randomBytes(6).toString("hex")}`,
  value: randomBytes(20).toString("hex"),
  plan,
});

/** Returns the userID in the name of a key or of a customer's plan. */
export const ownerOf = (name: string): string => name.slice(0, name.lastIndexOf("/"));

/** Time to keep a retired key: far longer than an authorizer remembers a key. */
const retirementMs = 10 * 60 * 1000;

/** Returns the time from which a key retired now may be deleted. */
export const dueFrom = (now: Date): Date => new Date(now.getTime() + retirementMs);

/** Maximum time for which a user may be away and keep a key. An account can hold only 10,000 keys. */
const idleMs = 30 * 24 * 60 * 60 * 1000;

/** Fields of a profile that decide whether a user has a key. */
export type KeyUser = Pick<
  Profile,
  "userID" | "tier" | "requestsPerMinute" | "walletCount" | "createdAt" | "lastVisited"
>;

/**
 * True if a user should have a key now. Users without one share a fallback key. Enterprise customers always have one.
 */
export function needsKey(user: Omit<KeyUser, "userID">, now: Date): boolean {
  const awayMs = now.getTime() - Date.parse(user.lastVisited);
  return planOf(user).name === "Enterprise" || (awayMs <= idleMs && usesService(user));
}

/**
 * True if a user has paid, has a wallet, or has come back. Signing up does not suffice: it is free, so anyone could use
 * up all keys of the account. A visit is recorded at least an hour after the previous one.
 */
const usesService = ({ tier, walletCount, createdAt, lastVisited }: Omit<KeyUser, "userID">): boolean =>
  tier !== "Base" || walletCount > 0 || lastVisited !== createdAt;
