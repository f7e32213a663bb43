import { createHash, createHmac } from "node:crypto";

/** Number of fallback keys that requests may use from a given time on, ISO 8601. */
type Usable = { readonly count: number; readonly from: string };

/**
 * Record of the fallback keys: API keys on a plan of their own, shared by users without an active key of their own. Keys
 * are numbered from 0. The number of a key determines its name and value, so the record only says which keys are in
 * use.
 */
export type FallbackKeys = {
  /** Version of the record. Grows with each write, to detect concurrent ones. */
  version: number;
  /** Plan that the fallback keys are on. */
  planId: string;
  /** Stages that the plan covers. Other stages do not accept the keys. */
  coverage: string;
  /** True if no room is left on the plan for another user's own key. */
  isFull: boolean;
  /** Numbers of usable keys, in order of time. The last entry whose time has come applies. */
  usable: readonly Usable[];
};

/** Maximum number of API keys that an account can have. AWS does not raise this limit. */
export const keysPerAccount = 10_000;

/** Maximum number of fallback keys of a deployment. */
export const maxFallbackKeys = 8000;

/** Share of the account's keys that is left for users on other plans, and for other programs. */
const reservedKeys = 500;

/** Computes how many users on the Standard plan can have a key of their own besides these fallback keys. */
export const roomForUsers = (fallbackKeys: number): number => keysPerAccount - reservedKeys - fallbackKeys;

/** Time to keep a key that is no longer in use: far longer than an authorizer remembers the record. */
const surplusMs = 10 * 60 * 1000;

/**
 * Returns the name of a key in API Gateway, without the prefix. The number in every name has four digits, so no name is
 * the start of another.
 */
export const fallbackKeyName = (number: number): string => String(number).padStart(4, "0");

/** Returns the number in a key's name. Undefined if the name is not that of a fallback key. */
export const fallbackNumberIn = (name: string): number | undefined =>
  /^\d{4}$/.test(name) ? Number(name) : undefined;

/** Computes the value of a key: 40 hexadecimal digits. */
export const fallbackKeyValue = (sharedKey: string, number: number): string =>
  createHmac("sha256", sharedKey).update(`fallback key ${number}`).digest("hex").slice(0, 40);

/**
 * Computes the number of a user's key by jump consistent hashing (Lamping and Veach, 2014), which spreads users evenly.
 * When the count grows from m to n, only a share of (n - m) / n of the users move, each to one of the new keys. When it
 * falls, only the users of the removed keys move.
 */
export function fallbackKeyOf(userID: string, count: number): number {
  let state = createHash("sha256").update(userID).digest().readBigUInt64BE();
  let number = 0;
  for (let next = 0; next < count; ) {
    number = next;
    state = BigInt.asUintN(64, state * 2_862_933_555_777_941_757n + 1n);
    next = Math.floor((number + 1) * (2 ** 31 / (Number(state >> 33n) + 1)));
  }
  return number;
}

/** Drops outdated entries, which have been replaced by later ones. */
function inForce(usable: FallbackKeys["usable"], now: Date): FallbackKeys["usable"] {
  const current = usable.findLastIndex(({ from }) => Date.parse(from) <= now.getTime());
  return usable.slice(Math.max(0, current));
}

/** Returns how many keys are in use now. */
export function usableCount(usable: FallbackKeys["usable"], now: Date): number {
  const [first] = inForce(usable, now);
  return first !== undefined && Date.parse(first.from) <= now.getTime() ? first.count : 0;
}

/** Adds keys to use from a given time on, if there are more than before. */
export function withMore(
  usable: FallbackKeys["usable"],
  more: { count: number; from: Date },
  now: Date,
): FallbackKeys["usable"] {
  const { count, from } = more;
  if (count <= (usable.at(-1)?.count ?? 0)) return usable;
  return [...inForce(usable, now), { count, from: from.toISOString() }];
}

/** Takes keys out of use at once, so that at most `count` are left. */
export function withAtMost(usable: FallbackKeys["usable"], count: number, now: Date): FallbackKeys["usable"] {
  if (inForce(usable, now).every((each) => each.count <= count)) return usable;
  const left = Math.min(count, usableCount(usable, now));
  const begun = usable.filter(({ from }) => Date.parse(from) <= now.getTime());
  return [...begun.slice(-1), { count: left, from: now.toISOString() }];
}

/** True once every authorizer has forgotten the keys from number `count` on, so that no authorizer can return one. */
export function areForgotten(usable: FallbackKeys["usable"], count: number, now: Date): boolean {
  const left = inForce(usable, now);
  const [first] = left;
  return (
    first !== undefined &&
    now.getTime() >= Date.parse(first.from) + surplusMs &&
    left.every((each) => each.count <= count)
  );
}
