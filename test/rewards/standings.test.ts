import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { changedStandings, entriesOf, type Listed, type StandingRow } from "../../lib/rewards/standings.ts";
import type { Key } from "../../lib/table/keys.ts";
import { noExperience, type WindowName, windowsAt, withTotal, xpAt } from "../../lib/users/experience.ts";

const at = (time: string) => new Date(time);
const noon = at("2026-11-25T12:00:00.000Z");

const listed = (fields: Partial<Listed> & { xp?: number } = {}, now = noon): Listed => {
  const { xp = 150, ...others } = fields;
  const experience = withTotal(noExperience(now), xp, now);
  return { userID: "ann", experience, ranked: true, publicName: "Ann", ...others };
};

const nobody = (now = noon) => listed({ xp: 0 }, now);
const written = (after: Listed, now = noon) => changedStandings(nobody(now), after, now).written;

describe("changedStandings", () => {
  it("writes a row for each period, sorted so that those with the most XP come first", () => {
    const rows = written(listed());
    expect(rows.map(({ key }) => `${key.PK} ${key.SK}`)).toEqual([
      "LEADERBOARD#daily 2026-11-25#9007199254740841#ann",
      "LEADERBOARD#weekly 2026-11-23#9007199254740841#ann",
      "LEADERBOARD#monthly 2026-11-01#9007199254740841#ann",
    ]);
    for (const { item } of rows)
      expect(item).toMatchObject({ userID: "ann", publicName: "Ann", xp: 150, level: 2 });
    const orderOf = (xp: number) => String(written(listed({ xp }))[0]?.key.SK);
    const amounts = [Number.MAX_SAFE_INTEGER, 1e15, 1000, 999, 10, 9, 1];
    expect(amounts.map(orderOf).toSorted()).toEqual(amounts.map(orderOf));
  });

  it.each<[string, Partial<Listed> & { xp?: number }]>([
    ["is not ranked", { ranked: false }],
    ["has no public name", { publicName: undefined } as never],
    ["is blocked", { blockedAt: noon.toISOString() }],
    ["has earned nothing", { xp: 0 }],
  ])("lists nobody who %s, and removes the rows of a user from then on", (_, fields) => {
    expect(written(listed(fields))).toEqual([]);
    const before = listed();
    const after = { ...before, ...listed(fields) };
    const { removed } = changedStandings(before, after, noon);
    expect(removed).toEqual(written(before).map(({ key }) => key));
  });

  it("keeps rows until the period is over everywhere", () => {
    const last = at("2026-12-31T23:59:59.999Z");
    const ends = written(listed({}, last), last).map(({ item }) => item.expiresAt * 1000 - last.getTime());
    for (const leftMs of ends) expect(leftMs).toBeGreaterThan(86_400_000);
  });

  it.each([
    ["a day", "2026-11-25T23:59:59.999Z", ["weekly", "monthly"]],
    ["a week", "2026-11-29T23:59:59.999Z", ["monthly"]],
    ["a week and a month", "2027-01-31T23:59:59.999Z", []],
    ["a month, on a leap day", "2028-02-29T23:59:59.999Z", ["weekly"]],
  ])("stops counting XP when %s ends", (_, last, left) => {
    const earned = listed({}, at(last));
    const next = new Date(Date.parse(last) + 1);
    const more = { ...earned, experience: withTotal(earned.experience, 160, next) };
    const rows = changedStandings(earned, more, next).written;
    const xpOf = (name: string) => (left.includes(name) ? 160 : 10);
    expect(rows.map(({ item }) => item.xp)).toEqual(["daily", "weekly", "monthly"].map(xpOf));
    const renamed = changedStandings(earned, { ...earned, publicName: "Nan" }, next).written;
    expect(renamed.map(({ key }) => key.PK)).toEqual(left.map((name) => `LEADERBOARD#${name}`));
  });

  const change = fc.oneof(
    fc.record({ is: fc.constant("xp" as const), by: fc.integer({ min: -60, max: 60 }) }),
    fc.record({ is: fc.constant("name" as const), name: fc.constantFrom(undefined, "Ann", "Nan") }),
    fc.record({ is: fc.constant("ranked" as const), ranked: fc.boolean() }),
    fc.record({ is: fc.constant("blocked" as const), blockedAt: fc.constantFrom(undefined, "2026") }),
  );
  const history = fc.array(fc.record({ hours: fc.constantFrom(0, 1, 13, 24, 24 * 8, 24 * 35), change }), {
    maxLength: 30,
  });

  it("leaves exactly one row in each period that shows the user, whatever has happened", () => {
    fc.assert(
      fc.property(history, (steps) => {
        const table = new Map<string, StandingRow>();
        const idOf = ({ PK, SK }: Key) => `${PK} ${SK}`;
        let [now, profile] = [noon, nobody()];
        for (const { hours, change } of steps) {
          now = new Date(now.getTime() + hours * 3_600_000);
          const { total } = profile.experience;
          const after: Listed = {
            ...profile,
            ...(change.is === "xp" && {
              experience: withTotal(profile.experience, Math.max(0, total + change.by), now),
            }),
            ...(change.is === "ranked" && { ranked: change.ranked }),
          };
          if (change.is === "name") Object.assign(after, { publicName: change.name });
          if (change.is === "blocked") Object.assign(after, { blockedAt: change.blockedAt });
          const { written, removed } = changedStandings(profile, after, now);
          for (const key of removed) table.delete(idOf(key));
          for (const { key, item } of written) table.set(idOf(key), item);
          profile = after;

          const { ranked, publicName, blockedAt, experience } = profile;
          const isShown = ranked && publicName !== undefined && blockedAt === undefined;
          const windows = windowsAt(now);
          for (const name of Object.keys(windows) as WindowName[]) {
            const prefix = `LEADERBOARD#${name} ${windows[name].start}#`;
            const rows = [...table].filter(([id]) => id.startsWith(prefix)).map(([, row]) => row);
            const xp = xpAt(experience, now)[name];
            expect(rows.map((row) => [row.publicName, row.xp])).toEqual(
              isShown && xp > 0 ? [[publicName, xp]] : [],
            );
          }
          expect(table.size).toBeLessThanOrEqual(3);
        }
      }),
    );
  });
});

describe("entriesOf", () => {
  const row = (userID: string, xp: number) => ({ userID, publicName: userID.toUpperCase(), xp, level: 2 });

  it("gives users with the same XP the same rank, and the next one the rank of its place", () => {
    const entries = entriesOf([row("a", 9), row("b", 7), row("c", 7), row("d", 1)], "c");
    expect(entries.map(({ rank }) => rank)).toEqual([1, 2, 2, 4]);
    expect(entries[2]).toEqual({ rank: 2, publicName: "C", xp: 7, Level: 2, isYou: true });
  });

  it("names nobody by the id, and marks only the caller", () => {
    const entries = entriesOf([row("a", 9), row("b", 7)], "b");
    expect(entries.map(({ isYou }) => isYou)).toEqual([undefined, true]);
    expect(JSON.stringify(entriesOf([row("a", 9)], "b"))).not.toContain('"a"');
  });
});
