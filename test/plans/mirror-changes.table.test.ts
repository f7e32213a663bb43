import { refusal } from "cdk-local-runner/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { mirrorChanges, mirrorUser } from "../../lib/plans/mirror.ts";
import { readUserKeyRecord } from "../../lib/plans/user-key-records.ts";
import { updateProfile } from "../../lib/rewards/update-profile.ts";
import type { Item } from "../../lib/table/table.ts";
import { changeUser } from "../../lib/tools/admin/commands/set-user.ts";
import type { Earnings } from "../../lib/users/earnings.ts";
import { profileKey } from "../../lib/users/item-keys.ts";
import { newProfile, type Profile } from "../../lib/users/profile.ts";
import { changeProfile, readOwnProfile } from "../../lib/users/profile-records.ts";
import { sequenceNumberOf, streamRecord } from "../support/stream.ts";
import { observed } from "./support/observed.ts";
import { expectSettled } from "./support/settled.ts";
import { base, enterprise, later, minutes, pro, start, worldForTests } from "./support/world.ts";

const world = worldForTests();

let faults: string[];
beforeEach(() => {
  faults = [];
});

const mirror = (records: Parameters<typeof mirrorChanges>[1], plans = world.openPlans({ maxAttempts: 1 })) =>
  mirrorChanges(world.deps({ plans }), records, (error) => faults.push((error as Error).name));

/** Makes a profile as it appears in a stream record. */
function image(userID: string, changes: Partial<Profile> = {}): Item {
  const profile = newProfile({ _id: userID, userID, username: userID, refID: userID, now: start });
  return { ...profileKey(userID), ...profile, ...changes };
}

describe("mirrorChanges", () => {
  it.each([
    ["a new profile", image("new"), undefined],
    ["another tier", image("new", { tier: "Pro" }), image("new")],
    ["another rate limit", image("new", { requestsPerMinute: 7 }), image("new")],
    ["the first wallet", image("new", { walletCount: 1 }), image("new")],
    ["a visit", image("new", { lastVisited: later(minutes(60)).toISOString() }), image("new")],
  ])("mirrors a user after %s", async (what, after, before) => {
    const userID = `new, ${what}`;
    await world.put(userID, base);
    const renamed = (item: Item | undefined) => item && { ...item, userID };
    expect(await mirror([streamRecord(renamed(after), renamed(before))])).toEqual([]);
    await expectSettled(world, userID, base);
  });

  it("ignores changes of other fields of a profile", async () => {
    await world.put("other", base);
    for (const [before, after] of [
      [{ points: 1 }, { points: 7 }],
      [{ walletCount: 1 }, { walletCount: 2 }],
    ])
      expect(await mirror([streamRecord(image("other", after), image("other", before))])).toEqual([]);
    expect(await readUserKeyRecord(world.table, "other")).toBeUndefined();
  });

  it("makes no calls for a change of earnings or of a public name", async () => {
    const userID = "earner";
    await world.put(userID, base);
    const stored = async () => ({ ...profileKey(userID), ...(await readOwnProfile(world.table, userID)) });
    const read = await stored();
    const earnings: Earnings = {
      ...{ microXp: 1, microPoints: 2, day: "2026-11-21", ownMicroXp: 3, ownMicroPoints: 4 },
      ...{ sharedMicroXp: 5, sharedMicroPoints: 6, tradingDays: 7, announcedAt: start.toISOString() },
      streak: { last: "2026-11-21", bits: "0000000000000001", before: 0 },
    };
    const steps: (() => Promise<unknown>)[] = [
      async () => changeProfile(world.table, await stored(), { earnings, ranked: true, points: 9 }),
      () => updateProfile(world.table, { userID, changes: { publicName: "Ace" }, now: start }),
      () => changeUser(world.table, userID, { xp: 5000, points: 12 }, start),
      () => updateProfile(world.table, { userID, changes: { viewedMessage: true }, now: start }),
      () => updateProfile(world.table, { userID, changes: { publicName: null }, now: start }),
    ];
    const images = [read];
    for (const step of steps) {
      await step();
      images.push(await stored());
    }
    expect(new Set(images.map((each) => JSON.stringify(each))).size).toBe(steps.length + 1);
    const records = steps.map((_, index) => streamRecord(images[index + 1], images[index]));
    expect(await mirror(records)).toEqual([]);
    expect([world.calls, faults]).toEqual([[], []]);
  });

  it("removes the key of a deleted user", async () => {
    await world.put("leaver", base);
    await mirror([streamRecord(image("leaver"))]);
    await world.put("leaver", "nobody");
    await mirror([streamRecord(undefined, image("leaver"))]);
    await expectSettled(world, "leaver", "nobody");
  });
});

describe("mirrorChanges with several records", () => {
  it("reaches the same result whatever the order of records and however often they are repeated", async () => {
    await world.put("restless", enterprise(6000));
    const records = [
      streamRecord(image("restless", { tier: "Enterprise", requestsPerMinute: 6000 }), image("restless")),
      streamRecord(image("restless"), undefined),
      streamRecord(undefined, image("restless", { tier: "Pro" })),
    ];
    expect(await mirror([...records, ...records.toReversed()])).toEqual([]);
    expect(await mirror(records)).toEqual([]);
    await expectSettled(world, "restless", enterprise(6000));
    expect(world.usage.apiKeys).toHaveLength(1);
  });

  /** Makes the control plane respond to each call about this user with an error. */
  const failFor = (userID: string, status: number, name: string) =>
    world.reset({
      before: (request) =>
        request.body.includes(`/${userID}/`) ? Promise.resolve(refusal(status, name, "no")) : undefined,
    });

  it("returns the records of a transient failure for a retry, and mirrors the other users", async () => {
    failFor("unlucky", 500, "InternalFailure");
    for (const userID of ["before", "unlucky", "after"]) await world.put(userID, base);
    const records = ["before", "unlucky", "after", "unlucky"].map((userID) => streamRecord(image(userID)));
    expect(await mirror(records)).toEqual(
      [records[1], records[3]].map((record) => record && sequenceNumberOf(record)),
    );
    expect(faults).toEqual(["InternalFailure"]);
    for (const userID of ["before", "after"]) await expectSettled(world, userID, base);
  });

  it.each([
    [400, "BadRequestException"],
    [403, "AccessDeniedException"],
    [404, "NotFoundException"],
  ])("reports a user whose key cannot be made (%d %s), without requesting a retry", async (status, name) => {
    const users = ["hopeless", "next"].map((userID) => `${userID} ${status}`);
    failFor(`hopeless ${status}`, status, name);
    for (const userID of users) await world.put(userID, base);
    expect(await mirror(users.map((userID) => streamRecord(image(userID))))).toEqual([]);
    expect(faults).toEqual([name]);
    await expectSettled(world, `next ${status}`, base);
  });

  it("reports a record that cannot be read, without requesting a retry", async () => {
    await world.put("readable", base);
    const unreadable = streamRecord(image("unreadable"));
    Object.assign(unreadable.dynamodb?.NewImage ?? {}, { tier: { NEW: "Base" } });
    expect(await mirror([unreadable, streamRecord(image("readable"))])).toEqual([]);
    expect(faults).toHaveLength(1);
    await expectSettled(world, "readable", base);
  });

  it("reports a profile of an unknown tier, without requesting a retry", async () => {
    await world.put("odd", base, { tier: "Gold" as Profile["tier"] });
    expect(await mirror([streamRecord(image("odd"))])).toEqual([]);
    expect(faults).toEqual(["TypeError"]);
  });

  it("returns a user's record for a retry if another run has changed the user's key in the meantime", async () => {
    await world.put("overtaken", base);
    const records = [streamRecord(image("overtaken"))];
    let isOvertaken = false;
    const failed = await observed(
      world.deps(),
      async (kind, call) => {
        if (kind === "write" && !isOvertaken) {
          isOvertaken = true;
          await mirrorUser(world.deps(), "overtaken");
        }
        return call();
      },
      (deps) => mirrorChanges(deps, records, (error) => faults.push((error as Error).name)),
    );
    expect(failed).toEqual(records.map(sequenceNumberOf));
    expect(faults).toEqual(["KeyChanged"]);
    expect(await mirror(records)).toEqual([]);
    await expectSettled(world, "overtaken", base);
  });

  it("stops at the first throttled record, and returns it for a retry", async () => {
    world.reset({ throttled: true, now: () => start.getTime() });
    const users = Array.from({ length: 8 }, (_, index) => `queue ${index}`);
    for (const userID of users) await world.put(userID, base);
    const records = users.map((userID) => streamRecord(image(userID)));
    const [first, ...others] = await mirror(records);
    expect({ first, others }).toEqual({ first: records[5] && sequenceNumberOf(records[5]), others: [] });
    expect(faults).toEqual(["TooManyRequestsException"]);
    expect(world.usage.apiKeys).toHaveLength(5);
  });

  it("makes no call for users who have only signed up, however many there are", async () => {
    const users = Array.from({ length: 300 }, (_, index) => `sign-up ${index}`);
    await Promise.all(users.map((userID) => world.put(userID, base, { createdAt: start.toISOString() })));
    expect(await mirror(users.map((userID) => streamRecord(image(userID))))).toEqual([]);
    expect(faults).toEqual([]);
    expect(world.calls).toEqual([]);
  });

  it("if there is no room for a user's key, tries again only at the user's next visit", async () => {
    world.reset({ maxKeys: 1 });
    for (const userID of ["in", "out"]) await world.put(userID, pro);
    expect(await mirror(["out", "in"].toReversed().map((userID) => streamRecord(image(userID))))).toEqual([]);
    expect(faults).toEqual(["KeyLimitReached"]);

    world.change({ apiKeys: [], planKeys: [] });
    const visit = image("out", { lastVisited: later(minutes(60)).toISOString() });
    expect(await mirror([streamRecord(visit, image("out"))])).toEqual([]);
    await expectSettled(world, "out", pro);
  });
});
