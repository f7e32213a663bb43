import { GetCommand } from "@aws-sdk/lib-dynamodb";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { creditTrades } from "../../lib/rewards/credit-trades.ts";
import type { EarnedFill } from "../../lib/rewards/earned-row.ts";
import type { PointsLine } from "../../lib/rewards/points.ts";
import { readPointsLines } from "../../lib/rewards/points-records.ts";
import type { Item, Table } from "../../lib/table/table.ts";
import { write } from "../../lib/table/write.ts";
import { profileKey } from "../../lib/users/item-keys.ts";
import { type Profile, remainsOf } from "../../lib/users/profile.ts";
import { readOwnProfile } from "../../lib/users/profile-records.ts";
import {
  earnedFill,
  earningRules,
  killedAt,
  listed,
  pricesAt,
  sameShard,
  storedRow,
  traderProfile,
  waitingRows,
} from "../support/earning.ts";
import { interceptedTable } from "../support/intercepted-table.ts";
import { putItems } from "../support/items.ts";
import { memoryTable } from "../support/memory-table.ts";

const isFull = process.env.FULL !== undefined;

/** Users with their referrers. The first one is deleted in some histories. */
const referrers: Readonly<Record<string, string | undefined>> = {
  eve: undefined,
  ann: undefined,
  bob: "ann",
  cat: "bob",
  dan: "eve",
  fay: "ann",
};

/** Caps that a few fills reach. */
const rules = { ...earningRules, microPointsPerDollar: 333_333, xpPerDay: 400, pointsPerDay: 90 };

type Settling = {
  userID: string;
  fills: number;
  dollars: number;
  token: string;
  chain: "eth" | "sol";
  side: "buy" | "sell";
  /** Hours from the block to the settlement. */
  lateHours: number;
};

/** Runs at the same time. Each is killed at this command, unless it ends before. */
type Running = { kills: { command: number; isAnswerLost: boolean }[]; hasPrices: boolean };

type Event = { waitMinutes: number; settle?: Settling; run?: Running };

const waitMinutes = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 3 }) },
  { weight: 2, arbitrary: fc.integer({ min: 200, max: 800 }) },
  { weight: 1, arbitrary: fc.constant(3 * 1440) },
);

const settle: fc.Arbitrary<Settling> = fc.record({
  userID: fc.constantFrom(...Object.keys(referrers)),
  fills: fc.integer({ min: 1, max: 50 }),
  dollars: fc.constantFrom(1, 4.999999, 5, 17.123457, 250),
  token: fc.constantFrom(listed, "0xown"),
  chain: fc.constantFrom("eth", "sol"),
  side: fc.constantFrom("buy", "sell"),
  lateHours: fc.integer({ min: 0, max: 30 }),
});

const run: fc.Arbitrary<Running> = fc.record({
  kills: fc.array(fc.record({ command: fc.integer({ min: 1, max: 60 }), isAnswerLost: fc.boolean() }), {
    minLength: 1,
    maxLength: 3,
  }),
  hasPrices: fc.constantFrom(true, true, false),
});

const event: fc.Arbitrary<Event> = fc.oneof(
  fc.record({ waitMinutes, settle }),
  fc.record({ waitMinutes, run }),
);
const history = fc.record({
  events: fc.array(event, { minLength: 6, maxLength: isFull ? 25 : 20 }),
  isDeleted: fc.boolean(),
  /** Numbers of steps by which the commands of racing runs are put off, in turn. */
  pauses: fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 50 }),
});

/** Plays a history in virtual time, over midnights and the end of a leap day. */
async function play(table: Table, { events, isDeleted }: { events: Event[]; isDeleted: boolean }) {
  const fills: EarnedFill[] = [];
  let now = new Date("2028-02-28T20:00:00.000Z");
  for (const [userID, referrerId] of Object.entries(referrers)) {
    const changes = { ...(referrerId && { referrerId }), xpMultiplier: userID === "cat" ? 1.5 : 1 };
    await putItems(table, [{ ...profileKey(userID), ...traderProfile(userID, now, changes) }]);
  }

  const credit = (tables: readonly Table[], hasPrices: boolean) => {
    const prices = async () => (hasPrices ? pricesAt(now) : []);
    const deps = { rules, prices, now: () => now, hasTime: () => true, onFault: () => {} };
    // Ignores faults, because killed runs have many.
    return Promise.all(tables.map((each) => creditTrades({ ...deps, table: each }).catch(() => {})));
  };
  const settleAll = ({ userID, fills: count, dollars, lateHours, ...terms }: Settling) => {
    const filledAt = new Date(now.getTime() - lateHours * 3_600_000).toISOString();
    const ofChain = terms.chain === "sol" ? { coinUnits: String(Math.round(dollars * 1e7)) } : {};
    const rows = Array.from({ length: count }, (_, index) => {
      const orderId = `order-${fills.length + index}`;
      return earnedFill(userID, orderId, now.toISOString(), { ...terms, dollars, filledAt, ...ofChain });
    });
    fills.push(...rows);
    return putItems(table, rows.map(storedRow) as unknown as Item[]);
  };

  for (const [index, { waitMinutes: wait, settle: settled, run: running }] of events.entries()) {
    now = new Date(now.getTime() + wait * 60_000);
    if (settled) await settleAll(settled);
    if (running) {
      const tables = running.kills.map(({ command, isAnswerLost }) => killedAt(table, command, isAnswerLost));
      await credit(tables, running.hasPrices);
    }
    if (isDeleted && index === 4) {
      const item = remainsOf({ userID: "eve", pseudonym: "deleted-eve" }, now);
      await write(table, { kind: "put", key: profileKey("eve"), item });
    }
  }
  // Credits shares a minute after the credits from which they come.
  for (let count = 0; count < 3; count++) {
    now = new Date(now.getTime() + 61_000);
    await credit([table], true);
  }
  return fills;
}

const sumOf = (lines: readonly PointsLine[], name: "change" | "xp") =>
  lines.reduce((sum, line) => sum + (line[name] ?? 0), 0);

/** Checks a user's profile and ledger against all fills that were settled. */
function check(profile: Profile, lines: readonly PointsLine[], fills: readonly EarnedFill[]): void {
  const { userID, earnings, experience, points } = profile;
  const own = fills.filter((fill) => fill.userID === userID);
  const credited = lines.flatMap(({ orderIds = [] }) => orderIds);
  expect(credited.toSorted()).toEqual(own.map(({ orderId }) => orderId).toSorted());
  expect([sumOf(lines, "xp"), sumOf(lines, "change")]).toEqual([experience.total, points]);

  const days = new Set(own.map(({ filledAt }) => filledAt.slice(0, 10)));
  expect(earnings?.tradingDays ?? 0).toBe(days.size);
  expect(earnings?.streak?.last).toBe([...days].toSorted().at(-1));

  const byDay = Map.groupBy(lines, ({ time, reason }) => `${time.slice(0, 10)} ${reason}`);
  for (const [, ofDay] of byDay) {
    // Allows for what an earlier day has carried over.
    expect(sumOf(ofDay, "xp")).toBeLessThanOrEqual(rules.xpPerDay + 1);
    expect(sumOf(ofDay, "change")).toBeLessThanOrEqual(rules.pointsPerDay + 1);
  }
}

/** Puts off commands by these numbers of steps, in turn. */
function pausing(pauses: readonly number[]) {
  let count = 0;
  return async () => {
    const steps = pauses[count++ % pauses.length] ?? 0;
    for (let step = 0; step < steps; step++) await Promise.resolve();
  };
}

describe("creditTrades in a history of fills, midnights, crashes and racing runs", () => {
  it("credits every settled fill once, and every ledger adds up to its profile", async () => {
    await fc.assert(
      fc.asyncProperty(history, async ({ pauses, ...played }) => {
        const table = memoryTable(pausing(pauses));
        const fills = await play(table, played);
        expect(await waitingRows(table)).toEqual([]);
        const lines = new Map<string, PointsLine[]>();
        for (const userID of Object.keys(referrers)) {
          const profile = await readOwnProfile(table, userID);
          lines.set(userID, await readPointsLines(table, userID));
          if (profile.deletedAt === undefined) check(profile, lines.get(userID) ?? [], fills);
        }
        const earned = (userID: string, reason: PointsLine["reason"]) =>
          sumOf(
            (lines.get(userID) ?? []).filter((line) => line.reason === reason),
            "xp",
          );
        for (const referrerId of ["ann", "bob"]) {
          const referred = Object.keys(referrers).filter((userID) => referrers[userID] === referrerId);
          const total = referred.reduce((sum, userID) => sum + earned(userID, "traded"), 0);
          // Allows for what users and referrers carry over.
          expect(earned(referrerId, "referred")).toBeGreaterThan(total / 10 - 2);
          expect(earned(referrerId, "referred")).toBeLessThan(total / 10 + 1);
        }
      }),
    );
  });
});

describe("creditTrades in memory", () => {
  const start = new Date("2026-11-30T12:00:00.000Z");
  const at = start.toISOString();
  const join = (table: Table, userID: string, changes: Partial<Profile> = {}) =>
    putItems(table, [{ ...profileKey(userID), ...traderProfile(userID, start, changes) }]);
  const settleFor = (table: Table, userID: string, count: number, dollars: number, token = listed) => {
    const fills = Array.from({ length: count }, (_, index) => `${userID}-${index}`);
    const rows = fills.map((orderId) => storedRow(earnedFill(userID, orderId, at, { dollars, token })));
    return putItems(table, rows as unknown as Item[]);
  };
  const run = async (table: Table, minutes: number) => {
    const now = new Date(start.getTime() + minutes * 60_000);
    const faults: unknown[] = [];
    const deps = {
      rules: earningRules,
      prices: async () => pricesAt(now),
      now: () => now,
      hasTime: () => true,
    };
    const onFault = (error: unknown) => faults.push(error);
    await creditTrades({ ...deps, table, onFault }).catch(onFault);
    return faults;
  };

  it("loses and doubles nothing, wherever a run is killed", async () => {
    let isKilled = true;
    let kills = 0;
    for (let command = 1; isKilled; command++) {
      for (const isAnswerLost of [false, true]) {
        const table = memoryTable();
        await join(table, "bob");
        await join(table, "ann", { referrerId: "bob" });
        await settleFor(table, "ann", 90, 10.5);
        isKilled = (await run(killedAt(table, command, isAnswerLost), 0)).length > 0;
        if (isKilled) kills++;
        for (const minutes of [2, 4, 6]) expect(await run(table, minutes)).toEqual([]);
        const [ann, bob] = [await readOwnProfile(table, "ann"), await readOwnProfile(table, "bob")];
        expect([ann.experience.total, ann.points, bob.experience.total, bob.points]).toEqual([
          945, 94, 94, 9,
        ]);
        const orderIds = (await readPointsLines(table, "ann")).flatMap((line) => line.orderIds ?? []);
        expect([orderIds.length, new Set(orderIds).size]).toEqual([90, 90]);
        expect(await waitingRows(table)).toEqual([]);
      }
    }
    expect(kills).toBeGreaterThan(30);
  });

  it("does not credit a row again that a slow run read before another run credited it", async () => {
    const table = memoryTable();
    await join(table, "ann");
    await settleFor(table, "ann", 3, 10);
    let others = 0;
    const slow = interceptedTable(table, async (command) => {
      // Lets the other run go first, once this one has read the rows.
      if (command instanceof GetCommand && others++ === 0) await run(table, 0);
    });
    expect(await run(slow, 2)).toEqual([]);
    expect((await readOwnProfile(table, "ann")).experience.total).toBe(30);
    expect(await readPointsLines(table, "ann")).toHaveLength(2);
  });

  it("credits, in the same run, a user behind 5,000 rows of another user", async () => {
    const table = memoryTable();
    const [many = "", one = ""] = sameShard();
    await join(table, many);
    await join(table, one);
    await settleFor(table, many, 5000, 5, "0xother");
    const behind = earnedFill(one, "behind", new Date(start.getTime() + 1).toISOString());
    await putItems(table, [storedRow(behind)] as unknown as Item[]);
    await run(table, 1);
    expect((await readOwnProfile(table, one)).experience.total).toBe(100);
    expect(await waitingRows(table)).toHaveLength(4000);
    for (const minutes of [2, 3, 4, 5]) await run(table, minutes);
    const { experience, points } = await readOwnProfile(table, many);
    expect([experience.total, points]).toEqual([1000, 0]);
    expect(await waitingRows(table)).toEqual([]);
  });
});
