import { describe, expect, it } from "vitest";
import { listedChange, readLeaderboard } from "../../lib/rewards/standing-records.ts";
import { updateProfile } from "../../lib/rewards/update-profile.ts";
import { write } from "../../lib/table/write.ts";
import { changeUser } from "../../lib/tools/admin/commands/set-user.ts";
import { changeProfile, readOwnProfile } from "../../lib/users/profile-records.ts";
import { register } from "../../lib/users/register.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { interceptedTable } from "../support/intercepted-table.ts";
import { itemsNamed } from "../support/items.ts";

const db = tableForTests();
const now = new Date("2026-11-25T12:00:00.000Z");

async function trader(userID: string, { xp = 150, ranked = true } = {}) {
  const profile = await register(db.table, { userID, names: [userID], ref: undefined }, now);
  await changeProfile(db.table, profile, { ranked });
  if (xp > 0) await changeUser(db.table, userID, { xp }, now);
  return userID;
}

const named = (userID: string, publicName: string | null, table = db.table) =>
  updateProfile(table, { userID, changes: { publicName }, now });

const seenBy = async (userID: string, window: "daily" | "weekly" | "monthly" = "weekly") =>
  (await readLeaderboard(db.table, { userID, window, now })).entries;

const namesSeen = async () => (await seenBy("nobody")).map(({ publicName }) => publicName);

describe("updateProfile", () => {
  it("lists a ranked user under the public name, changes the row with it, and takes it away", async () => {
    const ann = await trader("ann");
    expect(await named(ann, "Ann")).toEqual({ publicName: "Ann", viewedMessage: false });
    const entry = { rank: 1, publicName: "Ann", xp: 150, Level: 2 };
    expect(await seenBy("bob")).toEqual([entry]);
    expect(await seenBy(ann, "daily")).toEqual([{ ...entry, isYou: true }]);
    await named(ann, "Nan");
    expect(await namesSeen()).toEqual(["Nan"]);
    await named(ann, null);
    expect(await itemsNamed(db.table, "LEADERBOARD")).toEqual([]);
    expect((await readOwnProfile(db.table, ann)).publicName).toBeUndefined();
  });

  it("lists a user without a rank only once the user has one", async () => {
    const cat = await trader("cat", { ranked: false });
    await named(cat, "Cat");
    expect(await namesSeen()).not.toContain("Cat");
    const profile = await readOwnProfile(db.table, cat);
    await write(db.table, listedChange(profile, { ranked: true }, now));
    expect(await namesSeen()).toContain("Cat");
  });

  it("changes only the given fields, and writes nothing if they are the same", async () => {
    const dan = await trader("dan");
    await named(dan, "Dan");
    const changes = { viewedMessage: true };
    const expected = { publicName: "Dan", viewedMessage: true };
    expect(await updateProfile(db.table, { userID: dan, changes, now })).toEqual(expected);
    const sent: string[] = [];
    const table = interceptedTable(db.table, (command) => {
      sent.push(String(command?.constructor.name));
    });
    const again = { publicName: "Dan", ...changes };
    expect(await updateProfile(table, { userID: dan, changes: again, now })).toEqual(expected);
    expect(sent).toEqual(["GetCommand"]);
  });

  it("tries again if the user earns XP between its read and its write", async () => {
    const eve = await trader("eve");
    let isFirst = true;
    const table = interceptedTable(db.table, async (command) => {
      if (!/Transact/.test(String(command?.constructor.name)) || !isFirst) return;
      isFirst = false;
      await changeUser(db.table, eve, { xp: 450 }, now);
    });
    await named(eve, "Eve", table);
    expect((await seenBy(eve)).filter(({ isYou }) => isYou)).toMatchObject([{ xp: 450, Level: 3 }]);
  });

  it("leaves one row for each period after many changes at once", async () => {
    const fay = await trader("fay");
    await Promise.all([
      ...["Fay", "Yaf", null, "Fee"].map((name) => named(fay, name)),
      ...[200, 300, 400].map((xp) => changeUser(db.table, fay, { xp }, now)),
    ]);
    await named(fay, "Fay");
    const { experience } = await readOwnProfile(db.table, fay);
    const rows = (await itemsNamed(db.table, "LEADERBOARD")).filter(({ userID }) => userID === fay);
    expect(rows.map(({ publicName, xp }) => [publicName, xp])).toEqual(
      [1, 2, 3].map(() => ["Fay", experience.weekly.xp]),
    );
  });

  it("cannot list anybody in another's place: two users may have the same name, and each sees who is who", async () => {
    const [gil, hal] = [await trader("gil", { xp: 7000 }), await trader("hal", { xp: 7000 })];
    await named(gil, "Same");
    await named(hal, "Same");
    const top = async (userID: string) => (await seenBy(userID)).slice(0, 2);
    expect((await top(gil)).map(({ rank, publicName }) => [rank, publicName])).toEqual([
      [1, "Same"],
      [1, "Same"],
    ]);
    expect((await top(gil)).map(({ isYou }) => isYou)).toEqual([true, undefined]);
    expect((await top(hal)).map(({ isYou }) => isYou)).toEqual([undefined, true]);
  });
});

describe("readLeaderboard", () => {
  it("reads the first 100 by one Query, and the name of a caller who is not among them", async () => {
    const table = await db.newTable();
    for (let index = 0; index < 102; index++) {
      const userID = `u${index}`;
      const profile = await register(table, { userID, names: [], ref: undefined }, now);
      await changeProfile(table, profile, { ranked: true, publicName: userID });
      await changeUser(table, userID, { xp: 1000 - index }, now);
    }
    const sent: string[] = [];
    const counted = interceptedTable(table, (command) => {
      sent.push(String(command?.constructor.name));
    });
    const { entries, ...rest } = await readLeaderboard(counted, { userID: "u101", window: "monthly", now });
    expect(rest).toEqual({ window: "monthly", start: "2026-11-01", publicName: "u101" });
    expect(entries.map(({ publicName }) => publicName)).toEqual(
      Array.from({ length: 100 }, (_, index) => `u${index}`),
    );
    expect(sent.toSorted()).toEqual(["GetCommand", "QueryCommand"]);
  });

  it("is empty in a new period", async () => {
    await named(await trader("ida"), "Ida");
    const nextMonth = new Date("2026-12-07T00:00:00.000Z");
    for (const window of ["daily", "weekly", "monthly"] as const)
      expect((await readLeaderboard(db.table, { userID: "ida", window, now: nextMonth })).entries).toEqual(
        [],
      );
  });
});
