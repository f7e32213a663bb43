import { expect } from "vitest";
import { methodThrottlesOf } from "../../../lib/plans/method-throttles.ts";
import { planOf, throttleOf } from "../../../lib/plans/plan.ts";
import { coverageOf, withThrottles } from "../../../lib/plans/plan-stages.ts";
import { ownerOf } from "../../../lib/plans/user-key.ts";
import { readUserKeyRecord, retiredKeys } from "../../../lib/plans/user-key-records.ts";
import { graceMs, later, prefix, stages, tierPlans, type User, type World } from "./world.ts";

/** Lists the names of the retired keys that may be deleted at that time, or of all retired keys. */
export async function retiredNames({ table }: World, time?: Date): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of retiredKeys(table, time)) names.push(name);
  return names;
}

/** Lists the keys and plans in API Gateway that belong to a user. */
export function madeFor({ usage }: World, userID: string) {
  const isOf = ({ name }: { name?: string | undefined }) =>
    name?.startsWith(prefix) && ownerOf(name.slice(prefix.length)) === userID;
  return { keys: usage.apiKeys.filter(isOf), plans: usage.usagePlans.filter(isOf) };
}

/** Expects a user to have one key on the right plan, and nothing else except retired keys and their plans. */
export async function expectSettled(world: World, userID: string, user: User): Promise<void> {
  const record = await readUserKeyRecord(world.table, userID);
  const leaving = new Set((await retiredNames(world)).map((name) => prefix + name));
  const made = madeFor(world, userID);
  const keys = made.keys.filter(({ name = "" }) => !leaving.has(name));
  const plans = made.plans.filter(({ name }) => !leaving.has(name));
  if (user === "nobody") {
    expect({ record, keys, plans }).toEqual({ record: undefined, keys: [], plans: [] });
    return;
  }
  const plan = planOf(user);
  const { current, next } = record ?? {};
  const [key] = keys;
  expect({ keys: keys.length, next }).toEqual({ keys: 1, next: undefined });
  expect(current).toEqual({
    name: key?.name?.slice(prefix.length),
    value: key?.value,
    keyId: key?.id,
    plan,
    planId: plan.name === "Enterprise" ? plans[0]?.id : tierPlans[plan.name],
    coverage: coverageOf(stages),
    activeFrom: later(graceMs).toISOString(),
  });
  const tags = { "plan-prefix": prefix };
  expect(key).toMatchObject({ enabled: true, value: expect.stringMatching(/^[A-Za-z0-9]{40}$/), tags });
  expect(plans).toHaveLength(plan.name === "Enterprise" ? 1 : 0);
  for (const own of plans)
    expect(own).toMatchObject({
      name: key?.name,
      apiStages: withThrottles(stages, methodThrottlesOf(plan)),
      throttle: throttleOf(plan),
      tags,
    });
  const attachments = world.usage.planKeys.filter(({ keyId }) => keyId === key?.id);
  expect(attachments.map(({ usagePlanId }) => usagePlanId)).toEqual([current?.planId]);
}
