import { delay } from "../core/time.ts";
import type { Table } from "../table/table.ts";
import { attachKey, createApiKey, deleteApiKey, isAttached, keysOnPlan, keysWithPrefix } from "./api-keys.ts";
import { readFallbackKeys, writeFallbackKeys } from "./fallback-key-records.ts";
import {
  areForgotten,
  type FallbackKeys,
  fallbackKeyName,
  fallbackKeyValue,
  fallbackNumberIn,
  roomForUsers,
  withAtMost,
  withMore,
} from "./fallback-keys.ts";
import { coverageOf } from "./plan-stages.ts";
import type { UsagePlans } from "./usage-plans.ts";

export type FallbackKeyDeps = {
  table: Table;
  /** API Gateway's control plane, with the name prefix of the fallback keys. */
  plans: UsagePlans;
  /** Id of the plan of the fallback keys. */
  planId: string;
  /** Id of the Standard plan, whose keys share the account's room with them. */
  standardPlanId: string;
  /** Value of the shared key. The values of the fallback keys are computed from it. */
  sharedKey: string;
  /** Desired number of keys. */
  wanted: number;
  /** Time that API Gateway may take to accept a new key everywhere. */
  graceMs: number;
  now: () => Date;
};

/**
 * Minimum time to spend on a key. API Gateway creates and deletes five keys a second, and accepts 10 calls a second
 * from the whole account. This pace leaves a fifth of both limits to the functions that serve single users.
 */
const paceMs = 250;

/** Ids of the fallback keys on the plan, by number. */
type KeyIds = Map<number, string>;

/**
 * Makes missing fallback keys. Records how many can be used, and whether there is room for users' own keys besides
 * them. Takes surplus keys out of use, so that a later run can delete them. A run looks at the existing keys, so it
 * continues where another one stopped, and replaces lost keys.
 *
 * @param deadline The time after which nothing new is started.
 * @throws {LimitReached} if the account has no room for another key. The keys made until then are used.
 * @throws {KeyChanged} if a concurrent run has changed the record.
 */
export async function makeFallbackKeys(deps: FallbackKeyDeps, deadline: Date): Promise<void> {
  const { table, plans, planId, wanted, graceMs, now } = deps;
  const keyIds = await keysOnFallbackPlan(deps);
  const ofUsers = await countUsersKeys(deps);
  const read = await readFallbackKeys(table);
  const found = { planId, coverage: coverageOf(plans.stages), isFull: ofUsers >= roomForUsers(wanted) };
  const isInPlace = read?.planId === planId && read.coverage === found.coverage;
  const before = isInPlace ? read.usable : [];
  const limited = withAtMost(before, wanted, now());
  const isUnchanged = isInPlace && read.isFull === found.isFull && limited === before;
  const save = (record: FallbackKeys | undefined, usable: FallbackKeys["usable"]) =>
    writeFallbackKeys(table, record, { ...found, usable });
  const record = isUnchanged ? read : await save(read, limited);
  try {
    // Spares the keys of a plan that was just replaced: authorizers still name them for a minute, so the next run
    // deletes them.
    if ((read === undefined || isInPlace) && countOf(keyIds, wanted) < wanted)
      await deleteStrays(deps, keyIds, deadline);
    await makeMissing(deps, keyIds, deadline);
  } finally {
    const more = { count: countOf(keyIds, wanted), from: new Date(now().getTime() + graceMs) };
    const extended = withMore(record.usable, more, now());
    if (extended !== record.usable) await save(record, extended);
  }
  if (areForgotten(record.usable, wanted, now())) await deleteSurplus(deps, keyIds, deadline);
}

const numberIn = ({ prefix }: Pick<UsagePlans, "prefix">, name: string): number | undefined =>
  name.startsWith(prefix) ? fallbackNumberIn(name.slice(prefix.length)) : undefined;

async function keysOnFallbackPlan({ plans, planId }: FallbackKeyDeps): Promise<KeyIds> {
  const keyIds: KeyIds = new Map();
  for await (const { id, name } of keysOnPlan(plans, planId)) {
    const number = numberIn(plans, name);
    if (number !== undefined) keyIds.set(number, id);
  }
  return keyIds;
}

/** Counts the keys on Standard, without fallback keys of an earlier version, which were on that plan. */
async function countUsersKeys({ plans, standardPlanId }: FallbackKeyDeps): Promise<number> {
  let count = 0;
  for await (const { name } of keysOnPlan(plans, standardPlanId))
    if (numberIn(plans, name) === undefined) count++;
  return count;
}

/**
 * Deletes fallback keys that are not on the plan. They were left by a run that was cut short, or by an earlier
 * deployment of the stack, whose keys had different values.
 */
async function deleteStrays(
  { plans, planId }: FallbackKeyDeps,
  keyIds: KeyIds,
  deadline: Date,
): Promise<void> {
  const found = new Set(keyIds.values());
  for await (const { id, name, tagged } of keysWithPrefix(plans)) {
    if (found.has(id) || !tagged || fallbackNumberIn(name) === undefined) continue;
    if (Date.now() >= deadline.getTime()) return;
    // Checks the plan itself: the listed keys may be incomplete, and users of a deleted key would be refused.
    if (await isAttached(plans, planId, id)) continue;
    await Promise.all([deleteApiKey(plans, id), pause()]);
  }
}

async function makeMissing(deps: FallbackKeyDeps, keyIds: KeyIds, deadline: Date): Promise<void> {
  for (let number = 0; number < deps.wanted; number++) {
    if (keyIds.has(number)) continue;
    if (Date.now() >= deadline.getTime()) return;
    const [keyId] = await Promise.all([makeKey(deps, number), pause()]);
    keyIds.set(number, keyId);
  }
}

async function makeKey({ plans, planId, sharedKey }: FallbackKeyDeps, number: number): Promise<string> {
  const key = { name: fallbackKeyName(number), value: fallbackKeyValue(sharedKey, number) };
  const keyId = await createApiKey(plans, key);
  if (!(await attachKey(plans, planId, keyId))) throw new Error(`Fallback key ${number} is on another plan`);
  return keyId;
}

/** Counts the keys before the first missing one. */
function countOf(keyIds: KeyIds, wanted: number): number {
  let count = 0;
  while (count < wanted && keyIds.has(count)) count++;
  return count;
}

async function deleteSurplus(
  { plans, wanted }: FallbackKeyDeps,
  keyIds: KeyIds,
  deadline: Date,
): Promise<void> {
  for (const [number, keyId] of keyIds) {
    if (number < wanted) continue;
    if (Date.now() >= deadline.getTime()) return;
    await Promise.all([deleteApiKey(plans, keyId), pause()]);
  }
}

const pause = () => delay(paceMs);
