import { createUsagePlans } from "cdk-local-runner/testing";
import { expect, it } from "vitest";
import { admission } from "../../lib/plans/admit.ts";
import { readFallbackKeys } from "../../lib/plans/fallback-key-records.ts";
import { makeFallbackKeys } from "../../lib/plans/make-fallback-keys.ts";
import { profileKey } from "../../lib/users/item-keys.ts";
import { newProfile } from "../../lib/users/profile.ts";
import { putItems } from "../support/items.ts";
import { inQuickTime } from "./support/quick-time.ts";
import { later, minutes, sharedKey, stages, worldForTests } from "./support/world.ts";

const world = worldForTests();

const begin = later(minutes(10));

/** Signs users up without a wallet. Returns the keys that their requests count against. */
async function signUp(users: readonly string[]): Promise<string[]> {
  const profiles = users.map((userID) => ({
    ...profileKey(userID),
    ...newProfile({ _id: userID, userID, username: userID, refID: userID, now: begin }),
  }));
  await putItems(world.table, profiles);
  const admit = admission(world.table, {
    sharedKey,
    readFallbackKeys: () => readFallbackKeys(world.table),
    stages,
    onFault: (error) => {
      throw error;
    },
  });
  const keys: string[] = [];
  for (const userID of users)
    keys.push((await admit({ userID, names: [userID], ref: undefined }, begin)).key);
  return keys;
}

it("limits a newcomer who sends as fast as possible, and only three other newcomers, who share the key", async () => {
  await inQuickTime(world.fallbackKeyDeps({ wanted: 100 }), (deps) => makeFallbackKeys(deps, begin));
  const users = Array.from({ length: 200 }, (_, index) => `newcomer ${index}`);
  const [greedy = "none", ...keys] = await signUp(["greedy", ...users]);

  let ms = 0;
  const plans = createUsagePlans(world.usageState, () => begin.getTime() + ms);
  const isAdmitted = (value: string) =>
    stages.slice(0, 1).every((stage) => plans.admit({ ...stage, apiKey: { value } }).admitted);
  const admitted = { inFirstMinute: 0, inSecondMinute: 0 };
  const refused = new Set<string>();
  for (; ms < minutes(2); ms += 5) {
    // One user sends 200 requests a second, and each other user one request in ten seconds.
    if (isAdmitted(greedy)) admitted[ms < minutes(1) ? "inFirstMinute" : "inSecondMinute"] += 1;
    const next = (ms % 10_000) / 50;
    const key = keys[next];
    if (key !== undefined && !isAdmitted(key)) refused.add(`newcomer ${next}`);
  }
  expect([...refused].toSorted()).toEqual(["newcomer 146", "newcomer 49", "newcomer 57"]);
  expect(admitted.inFirstMinute).toBeGreaterThan(1900);
  expect(admitted.inFirstMinute).toBeLessThanOrEqual(2000);
  expect(admitted.inSecondMinute).toBeGreaterThan(900);
  expect(admitted.inSecondMinute).toBeLessThanOrEqual(1000);
});
