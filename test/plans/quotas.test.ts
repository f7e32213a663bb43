import { refusal } from "cdk-local-runner/testing";
import { expect, it } from "vitest";
import { profileKey } from "../../lib/aws/table-keys.ts";
import { newProfile } from "../../lib/domain/profile.ts";
import { type Mirror, mirrorUser } from "../../lib/plans/mirror.ts";
import { mirrorChanges } from "../../lib/plans/profile-changes.ts";
import { deleteRetiredKeys } from "../../lib/plans/sweep.ts";
import { streamRecord } from "../support/stream.ts";
import { inQuickTime } from "./support/quick-time.ts";
import { expectSettled, retiredNames } from "./support/settled.ts";
import {
  base,
  enterprise,
  later,
  minutes,
  standing,
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
  const mirror = world.mirror();
  await Promise.all(userIDs.map((userID) => mirrorUser(mirror, userID)));
}

/** Has API Gateway's quotas hold from here on. */
function throttle(): void {
  const { apiKeys, planKeys, usagePlans } = world.usage;
  world.reset({ throttled: true, now: () => Date.now() });
  world.change({ apiKeys, planKeys, usagePlans });
}

/** Mirrors these users as the table's stream has it done: what has failed comes again until nothing does. */
async function drain(mirror: Mirror, userIDs: readonly string[]): Promise<void> {
  let records = userIDs.map((userID) => {
    const profile = newProfile({ _id: userID, userID, username: userID, refID: userID, now: start });
    return streamRecord({ ...profileKey(userID), ...profile });
  });
  while (records.length > 0) {
    const [first] = await mirrorChanges(mirror, records, () => undefined);
    const from = records.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === first);
    records = from < 0 ? [] : records.slice(from);
  }
}

async function expectAllSettled(userIDs: readonly string[], user: User): Promise<void> {
  await Promise.all(userIDs.map((userID) => expectSettled(world, userID, user)));
}

const times = (call: string) => world.calls.filter((made) => made === call).length;

it("a backlog of users drains within the quotas of CreateApiKey", async () => {
  const crowd = users(40, "newcomer");
  await putAll(crowd, base);
  throttle();
  await inQuickTime(world.mirror(), (mirror) => drain(mirror, crowd));
  await expectAllSettled(crowd, base);
  expect(world.usage.apiKeys).toHaveLength(40);
  expect(times("POST /apikeys")).toBeGreaterThan(40);
});

it("a key that comes too fast onto its plan is put on it a moment later", async () => {
  await world.put("hasty", base);
  let refusals = 2;
  world.reset({
    before: ({ method, target }) =>
      method === "POST" && target !== "/apikeys" && refusals-- > 0
        ? Promise.resolve(refusal(429, "LimitExceededException", "Rate exceeded"))
        : undefined,
  });
  await inQuickTime(world.mirror(), (mirror) => mirrorUser(mirror, "hasty"));
  await expectSettled(world, "hasty", base);
});

it("customers whose numbers change at once get them, one in 20 seconds", async () => {
  const customers = users(3, "customer");
  await putAll(customers, enterprise(6000));
  await mirrorAll(customers);
  await putAll(customers, enterprise(9000));
  throttle();
  await inQuickTime(world.mirror(), (mirror) => drain(mirror, customers));
  await expectAllSettled(customers, enterprise(9000));
  expect(world.calls.filter((call) => call.startsWith("PATCH")).length).toBeGreaterThan(3);
});

it("retired keys and plans go within the quotas of DeleteApiKey and UpdateUsagePlan", async () => {
  const leavers = users(12, "leaver");
  await putAll(leavers.slice(0, 2), enterprise(6000));
  await putAll(leavers.slice(2), base);
  await mirrorAll(leavers);
  await putAll(leavers, "nobody");
  await mirrorAll(leavers);
  throttle();
  for (let faults = -1; faults !== 0; )
    await inQuickTime(world.mirror(), async (mirror) => {
      faults = 0;
      await deleteRetiredKeys(mirror, later(minutes(11)), () => faults++);
    });
  expect(world.usage.apiKeys).toEqual([]);
  expect(world.usage.usagePlans).toHaveLength(Object.keys(standing).length);
  expect(await retiredNames(world)).toEqual([]);
});
