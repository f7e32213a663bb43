import { expect, it } from "vitest";
import { earnedKey } from "../../../lib/rewards/item-keys.ts";
import { openLocal } from "../../../lib/tools/admin/local-target.ts";
import { changeProfile, readOwnProfile } from "../../../lib/users/profile-records.ts";
import { putItems } from "../../support/items.ts";
import { admin } from "../support/admin.ts";
import { get, send } from "../support/client.ts";
import { localRunner } from "../support/deployment.ts";
import { invokeFunction } from "../support/functions.ts";
import { timestamp } from "../support/shapes.ts";
import { expectToWork, streamOf } from "../support/stream.ts";
import { profileOf } from "../support/terminal.ts";
import { knownUser, type User } from "../support/users.ts";

const change = (user: User, body: unknown) => send("PATCH", "/api/v2/profile", { token: user.token, body });

async function boardFor(user: User, query = "") {
  const { status, json } = await get(`/api/v2/leaderboard${query}`, user);
  expect(status).toBe(200);
  return (
    json as {
      data: { window: string; start: string; publicName: string | null; entries: Record<string, unknown>[] };
    }
  ).data;
}

/** Makes a user ranked, as trades do, and then gives XP, as an operator does. */
async function ranked(xp: number): Promise<User> {
  const user = await knownUser();
  const { table } = await openLocal(localRunner().port);
  await changeProfile(table, await readOwnProfile(table, user.id), { ranked: true });
  await admin("set-user", user.id, "--xp", `${xp}`);
  return user;
}

// More than other tests give, so that these users come first.
const most = 8_000_000_000_000;

it("lists ranked users by XP, under the names that they have chosen, until they take these back", async () => {
  const [first, second, equal, silent] = [
    await ranked(most),
    await ranked(most - 1),
    await ranked(most - 1),
    await ranked(most + 1),
  ];
  const unranked = await knownUser();
  await admin("set-user", unranked.id, "--xp", `${most + 2}`);
  const joined = await change(first, { publicName: "First" });
  expect(joined).toMatchObject({
    status: 200,
    json: { success: true, data: { profile: { publicName: "First", viewedMessage: false } }, timestamp },
  });
  await change(second, { publicName: "Zwei 二" });
  await change(equal, { publicName: "Zwei 二", viewedMessage: true });
  await change(unranked, { publicName: "Nobody" });
  expect((await profileOf(equal)).viewedMessage).toBe(true);

  expect((await boardFor(unranked)).publicName).toBe("Nobody");
  const { window, start, entries } = await boardFor(second);
  expect(window).toBe("weekly");
  expect(new Date(start).getUTCDay()).toBe(1);
  const level = Math.floor(Math.sqrt(most / 100)) + 1;
  const entry = (rank: number, publicName: string, xp: number) => ({
    rank,
    publicName,
    xp,
    Level: xp === most ? level : expect.any(Number),
  });
  expect(entries.slice(0, 3).map(({ isYou: _, ...rest }) => rest)).toEqual([
    entry(1, "First", most),
    entry(2, "Zwei 二", most - 1),
    entry(2, "Zwei 二", most - 1),
  ]);
  expect(entries.filter(({ isYou }) => isYou)).toHaveLength(1);
  const text = JSON.stringify(entries);
  for (const { id } of [first, second, equal, silent, unranked]) expect(text).not.toContain(id);
  expect(text).not.toContain("Nobody");

  await change(first, { publicName: null });
  for (const query of ["?window=daily", "?window=weekly", "?window=monthly"])
    expect((await boardFor(first, query)).entries[0]).toEqual({
      ...entry(1, "Zwei 二", most - 1),
      Level: expect.any(Number),
    });
});

it("tells the user's connections, and nobody else's, what a credit has brought, as getUserData shows it", async () => {
  const [user, other] = [await knownUser(), await knownUser()];
  const [stream, foreign] = [await streamOf(user), await streamOf(other)];
  const { table } = await openLocal(localRunner().port);
  const at = new Date().toISOString();
  const share = { userID: user.id, microXp: 250_000_000, microPoints: 3_000_000, of: "e2e", at };
  await putItems(table, [{ ...earnedKey(user.id, at, "e2e"), kind: "share", ...share }]);

  expect((await invokeFunction("creditTrades", {})).failed).toBe(false);

  const message = await stream.take({ type: "ProfileUpdated" });
  const { Level, Xp, xpRemainingForNextLevel, tradeStreakCount, Ranked } = await profileOf(user);
  expect(message).toStrictEqual({
    type: "ProfileUpdated",
    time: timestamp,
    data: {
      Level,
      Xp,
      xpRemainingForNextLevel,
      tradeStreakCount,
      Ranked,
      points: 3,
      version: expect.any(Number),
    },
  });
  expect([Level, Xp]).toEqual([2, { total: 250, daily: 250, weekly: 250, monthly: 250 }]);
  await expectToWork(foreign);
  expect(foreign.received.filter(({ type }) => type === "ProfileUpdated")).toEqual([]);
});

it.each<[unknown, RegExp]>([
  [{}, /^publicName or viewedMessage is required$/],
  [{ publicName: "" }, /^publicName must be 1 to 32 visible characters/],
  [{ publicName: "a".repeat(33) }, /^publicName must be 1 to 32 visible characters/],
  [{ publicName: "ann@example.com" }, /^publicName must be/],
  [{ publicName: " Ann" }, /^publicName must be/],
  [{ publicName: "A\u202en" }, /^publicName must be/],
  [{ publicName: 7 }, /^publicName must be/],
  [{ viewedMessage: "yes" }, /^viewedMessage /],
  [{ publicName: "Ann", userID: "bob" }, /^userID is not a known field$/],
  [{ publicName: "Ann", ranked: true }, /^ranked is not a known field$/],
])("refuses %j, names the field and changes nothing", async (body, message) => {
  const user = await ranked(7);
  await change(user, { publicName: "Before" });
  expect(await change(user, body)).toMatchObject({
    status: 400,
    json: { error: { code: "INVALID_REQUEST", message: expect.stringMatching(message) } },
  });
  expect((await boardFor(user)).entries).toContainEqual(
    expect.objectContaining({ publicName: "Before", isYou: true }),
  );
  expect((await profileOf(user)).viewedMessage).toBe(false);
});

it.each(["?window=yearly", "?window=", "?window=daily&window=weekly", "?limit=5"])(
  "refuses a leaderboard with the query %s",
  async (query) => {
    const { status } = await get(`/api/v2/leaderboard${query}`, await knownUser());
    expect(status).toBe(400);
  },
);
