import { refusal } from "cdk-local-runner/testing";
import { expect, it } from "vitest";
import { type MirrorDeps, mirrorChanges, mirrorUser } from "../../lib/plans/mirror.ts";
import { deleteRetiredKeys } from "../../lib/plans/sweep.ts";
import { profileKey } from "../../lib/users/item-keys.ts";
import { newProfile } from "../../lib/users/profile.ts";
import { streamRecord } from "../support/stream.ts";
import { inQuickTime } from "./support/quick-time.ts";
import { expectSettled, retiredNames } from "./support/settled.ts";
import {
  base,
  enterprise,
  inTime,
  later,
  minutes,
  start,
  type User,
  worldForTests,
} from "./support/world.ts";

const world = worldForTests();

const users = (count: number, name: string) =>
  Array.from({ length: count }, (_, index) => `${name} ${index}`);

async function putAll(userIDs: readonly string[], user: User): Promise<void> {
  await Promise.all(userIDs.map((userID) => world.put(userID, user)));
}

async function mirrorAll(userIDs: readonly string[]): Promise<void> {
  const deps = world.deps();
  await Promise.all(userIDs.map((userID) => mirrorUser(deps, userID)));
}

/** Enforces the quotas of API Gateway from now on. */
function throttle(): void {
  const { apiKeys, planKeys, usagePlans } = world.usage;
  world.reset({ throttled: true, now: () => Date.now() });
  world.change({ apiKeys, planKeys, usagePlans });
}

/** Mirrors these users as Lambda does for the table's stream: retries start at the first failed record. */
async function drain(deps: MirrorDeps, userIDs: readonly string[]): Promise<void> {
  let records = userIDs.map((userID) => {
    const profile = newProfile({ _id: userID, userID, username: userID, refID: userID, now: start });
    return streamRecord({ ...profileKey(userID), ...profile });
  });
  while (records.length > 0) {
    const [first] = await mirrorChanges(deps, records, () => undefined);
    const from = records.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === first);
    records = from < 0 ? [] : records.slice(from);
  }
}

async function expectAllSettled(userIDs: readonly string[], user: User): Promise<void> {
  await Promise.all(userIDs.map((userID) => expectSettled(world, userID, user)));
}

const times = (call: string) => world.calls.filter((made) => made === call).length;

it("mirrors a backlog of users within the quota of CreateApiKey", async () => {
  const crowd = users(40, "newcomer");
  await putAll(crowd, base);
  throttle();
  await inQuickTime(world.deps(), (deps) => drain(deps, crowd));
  await expectAllSettled(crowd, base);
  expect(world.usage.apiKeys).toHaveLength(40);
  expect(times("POST /apikeys")).toBeGreaterThan(40);
});

it("retries if keys are put on their plans too fast", async () => {
  await world.put("hasty", base);
  let refusals = 2;
  world.reset({
    before: ({ method, target }) =>
      method === "POST" && target !== "/apikeys" && refusals-- > 0
        ? Promise.resolve(refusal(429, "LimitExceededException", "Rate exceeded"))
        : undefined,
  });
  await inQuickTime(world.deps(), (deps) => mirrorUser(deps, "hasty"));
  await expectSettled(world, "hasty", base);
});

it("changes the rate limits of customers at one per 20 seconds", async () => {
  const customers = users(3, "customer");
  await putAll(customers, enterprise(6000));
  await mirrorAll(customers);
  await putAll(customers, enterprise(9000));
  throttle();
  await inQuickTime(world.deps(), (deps) => drain(deps, customers));
  await expectAllSettled(customers, enterprise(9000));
  expect(world.calls.filter((call) => call.startsWith("PATCH")).length).toBeGreaterThan(3);
});

it("deletes keys and plans within the quotas of DeleteApiKey and UpdateUsagePlan", async () => {
  const leavers = users(12, "leaver");
  await putAll(leavers.slice(0, 2), enterprise(6000));
  await putAll(leavers.slice(2), base);
  await mirrorAll(leavers);
  await putAll(leavers, "nobody");
  await mirrorAll(leavers);
  throttle();
  for (let faults = -1; faults !== 0; )
    await inQuickTime(world.deps(), async (deps) => {
      faults = 0;
      await deleteRetiredKeys(deps, inTime(later(minutes(11))), () => faults++);
    });
  expect(world.usage.apiKeys).toEqual([]);
  expect(world.usage.usagePlans).toHaveLength(3);
  expect(await retiredNames(world)).toEqual([]);
});
