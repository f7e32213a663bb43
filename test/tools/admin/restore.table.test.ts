import { DeleteCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it } from "vitest";
import { retiredKeyKey, userKeyRecordKey } from "../../../lib/plans/item-keys.ts";
import { connectionCountKey, connectionKey } from "../../../lib/realtime/item-keys.ts";
import { creditOfFills } from "../../../lib/rewards/credit.ts";
import { pointsWrites } from "../../../lib/rewards/points-records.ts";
import { readRedemption } from "../../../lib/rewards/redemption-records.ts";
import { readLeaderboard, standingWrites } from "../../../lib/rewards/standing-records.ts";
import { readStock } from "../../../lib/rewards/stock-records.ts";
import type { Item, Table } from "../../../lib/table/table.ts";
import { sealedKeyKey, walletKey, walletOwnerKey } from "../../../lib/table/wallet-keys.ts";
import { write } from "../../../lib/table/write.ts";
import { executionKey } from "../../../lib/trading/items/keys.ts";
import { noExperience, withTotal } from "../../../lib/users/experience.ts";
import { profileKey } from "../../../lib/users/item-keys.ts";
import type { Profile } from "../../../lib/users/profile.ts";
import { readOwnProfile } from "../../../lib/users/profile-records.ts";
import { walletEventKey } from "../../../lib/wallets/item-keys.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { earnedFill, earningRules } from "../../support/earning.ts";
import { interceptedTable } from "../../support/intercepted-table.ts";
import { itemsNamed, putItems } from "../../support/items.ts";
import { buying, ledgerOf, reward, userWith } from "../../support/rewards.ts";
import { linesOf, now, run, tally } from "./support/admin.ts";
import { targetWith } from "./support/custody.ts";

const db = tableForTests();
let table: Table;
let backup: Table;

const profile = (userID: string, changes: object = {}): Item => ({
  ...profileKey(userID),
  userID,
  points: 1,
  ...changes,
});
const wallet = (userID: string, address: string): Item => ({
  ...walletKey(userID, "eth", address),
  address,
});
const seconds = (from: Date, minutes: number) => from.getTime() / 1000 + minutes * 60;

/** A whole number too large for JavaScript to store exactly, a binary value and a set. */
const odd = { amount: 2n ** 60n + 1n, sealed: new Uint8Array([0, 255]), names: new Set(["a", "b"]) };

const copied = [profile("alice"), wallet("alice", "0x1"), profile("bob")];

beforeEach(async () => {
  [table, backup] = [await db.newTable(), await db.newTable()];
  for (const each of [table, backup]) await putItems(each, copied);
});

const restore = (args: string[], from: Table = table) =>
  run(targetWith(from), ["restore", backup.name, ...args]);
const remove = ({ client, name }: Table, { PK, SK }: Item) =>
  client.send(new DeleteCommand({ TableName: name, Key: { PK, SK } }));
const everything = async (from: Table) =>
  (await itemsNamed(from, "")).toSorted((a, b) => (`${a.PK} ${a.SK}` < `${b.PK} ${b.SK}` ? -1 : 1));

/** Deletes a wallet, changes a profile, and adds a wallet and a user. */
async function damage(): Promise<void> {
  await remove(table, wallet("alice", "0x1"));
  await putItems(table, [profile("bob", { points: 0 }), wallet("alice", "0x2"), profile("carol")]);
}

describe("restore --check", () => {
  it("finds no difference between equal tables", async () => {
    expect(await restore(["--check"])).toEqual({
      code: 0,
      out: "missing: 0\nchanged: 0\nnewer: 0\n",
      err: "",
    });
  });

  it("lists each difference and changes nothing", async () => {
    await damage();
    const before = await everything(table);
    const { code, out } = await restore(["--check"]);
    expect(code).toBe(0);
    expect(linesOf(out).slice(0, -3).toSorted()).toEqual([
      "changed: USER#bob PROFILE",
      "missing: WALLETS#alice WALLET#eth#0x1",
      "newer: USER#carol PROFILE",
      "newer: WALLETS#alice WALLET#eth#0x2",
    ]);
    expect(linesOf(out).slice(-3)).toEqual(["missing: 1", "changed: 1", "newer: 2"]);
    expect(await everything(table)).toEqual(before);
  });

  it("skips connections, API keys, prices and expired items", async () => {
    await putItems(backup, [
      connectionKey("alice", "a"),
      connectionCountKey("alice"),
      { PK: "CHANNEL#prices#0", SK: "CONNECTION#a" },
      userKeyRecordKey("alice"),
      retiredKeyKey(now, "alice/1"),
      { PK: "PRICES", SK: "LATEST" },
      { ...executionKey("alice", "order", "old"), expiresAt: seconds(now, -1) },
    ]);
    expect((await restore(["--check"])).out).toBe("missing: 0\nchanged: 0\nnewer: 0\n");
    await putItems(backup, [{ ...executionKey("alice", "order", "new"), expiresAt: seconds(now, 1) }]);
    expect((await restore(["--check"])).out).toMatch(/^missing: TRADES#alice ORDER#new$/m);
  });
});

describe("restore --fix", () => {
  it("restores a user's points ledger and redemptions, including their lookup by id", async () => {
    for (const userID of ["dan", "eve"]) await userWith(backup, userID, 100);
    const buy = buying(() => backup, [reward("mug")]);
    const [{ redemption }] = [await buy("dan", "mug", "k"), await buy("eve", "mug", "k")];
    expect((await restore(["--fix", "--user", "dan"])).out).toBe(tally(5, 0, 0));
    expect(await ledgerOf(table, "dan")).toMatchObject({
      points: 0,
      lines: [["opening", 100], expect.anything()],
    });
    expect(await readRedemption(table, redemption.redemptionId)).toMatchObject({ userID: "dan" });
    expect((await restore(["--check", "--user", "dan"])).out).toBe("missing: 0\nchanged: 0\nnewer: 0\n");
  });

  it("restores a profile with its ledger's points, so that no points can be spent twice", async () => {
    await userWith(table, "fay", 300);
    await putItems(backup, await everything(table));
    const buy = (key: string) => buying(() => table, [reward("mug")])("fay", "mug", key);
    await buy("k1");
    await remove(table, profile("fay"));
    expect(await restore(["--fix"])).toMatchObject({ out: tally(1, 0, 0) });
    expect(await buy("k2")).toMatchObject({ points: 100 });
    expect(await ledgerOf(table, "fay")).toEqual({
      points: 100,
      lines: [
        ["opening", 300],
        ["redeemed", -100],
        ["redeemed", -100],
      ],
    });
  });

  it("restores a profile with the XP and the used caps of its ledger, so that no cap counts twice", async () => {
    await userWith(table, "ida", 300);
    const trade = async (dollars: number) => {
      const trader = await readOwnProfile(table, "ida");
      const fill = {
        ...earnedFill("ida", `of ${dollars}`, now.toISOString()),
        microDollars: BigInt(dollars * 1e6),
      };
      const { changes, line } = creditOfFills(trader, [fill], earningRules, now);
      await write(table, await pointsWrites(table, trader, line, { now, also: changes }));
    };
    await trade(200);
    await putItems(backup, await everything(table));
    await trade(700);
    const { experience, earnings, points } = await readOwnProfile(table, "ida");
    await remove(table, profile("ida"));
    await restore(["--fix"]);
    expect(await readOwnProfile(table, "ida")).toMatchObject({ experience, earnings, points });
    await trade(800);
    expect((await readOwnProfile(table, "ida")).experience.total).toBe(earningRules.xpPerDay);
  });

  it("brings leaderboards in line with restored profiles", async () => {
    const user = (userID: string, xp: number, publicName = userID): Item => {
      const experience = withTotal(noExperience(now), xp, now);
      return profile(userID, { experience, ranked: true, publicName });
    };
    const standing = (userID: string, xp: number) => {
      const listed = user(userID, xp) as unknown as Profile;
      const rows = standingWrites({ ...listed, ranked: false }, listed, now);
      return rows.flatMap((row) => (row.kind === "put" ? [{ ...row.key, ...row.item }] : []));
    };
    await putItems(backup, [user("ann", 10), user("cat", 20)]);
    await putItems(table, [user("ann", 300), ...standing("ann", 300), user("new", 5), ...standing("new", 5)]);
    expect(await restore(["--fix", "--exact"])).toMatchObject({ code: 0 });
    const { entries } = await readLeaderboard(table, { userID: "ann", window: "weekly", now });
    expect(entries.map(({ publicName, xp }) => [publicName, xp])).toEqual([
      ["cat", 20],
      ["ann", 10],
    ]);
  });

  it("returns the stock of pending redemptions that it deletes with --exact --user", async () => {
    await userWith(table, "gil", 300);
    await putItems(backup, await everything(table));
    const buy = (key: string) => buying(() => table, [reward("mug")])("gil", "mug", key);
    const [{ redemption }] = [await buy("k1"), await buy("k2")];
    await run(targetWith(table), ["fulfil", redemption.redemptionId]);
    expect(await readStock(table, "mug")).toBe(3);
    expect((await restore(["--fix", "--exact", "--user", "gil"])).code).toBe(0);
    expect(await readStock(table, "mug")).toBe(4);
    expect(await ledgerOf(table, "gil")).toEqual({ points: 300, lines: [] });
    expect((await restore(["--check", "--user", "gil"])).out).toBe("missing: 0\nchanged: 0\nnewer: 0\n");
  });

  it("restores missing items to the last digit and leaves all others alone", async () => {
    await putItems(backup, [profile("dave", odd)]);
    await damage();
    expect(await restore(["--fix"])).toEqual({ code: 0, out: tally(2, 0, 0), err: "" });
    expect((await restore(["--check"])).out).toMatch(/missing: 0\nchanged: 1\nnewer: 2\n$/);
    expect((await restore(["--check"])).out).not.toContain("USER#dave");
  });

  it("restores wallets retired more than 30 days ago only with --exact", async () => {
    const held = (_id: string) => [
      { ...wallet("alice", _id), UserID: "alice", _id },
      { ...sealedKeyKey("alice", "eth", _id), userID: "alice", walletId: _id },
    ];
    await putItems(backup, ["gone", "recent", "back"].flatMap(held));
    const event = (walletId: string, type: "retired" | "restored", days: number) => {
      const at = new Date(now.getTime() - days * 86_400_000);
      return { ...walletEventKey("alice", walletId, at, "e"), type, time: at.toISOString() };
    };
    await putItems(table, [
      event("gone", "restored", 35),
      event("gone", "retired", 31),
      event("recent", "retired", 29),
      event("back", "retired", 33),
      event("back", "restored", 32),
    ]);
    expect(await restore(["--fix"])).toMatchObject({ out: tally(4, 0, 0) });
    expect((await everything(table)).filter(({ SK }) => SK.endsWith("#eth#gone"))).toEqual([]);
    expect(await restore(["--fix", "--exact"])).toMatchObject({ out: tally(2, 0, 5) });
  });

  it("makes the tables equal with --exact", async () => {
    await damage();
    expect(await restore(["--fix", "--exact"])).toEqual({ code: 0, out: tally(1, 1, 2), err: "" });
    expect((await restore(["--check"])).out).toBe("missing: 0\nchanged: 0\nnewer: 0\n");
  });

  it("changes only one user's two partitions with --user", async () => {
    await damage();
    await putItems(
      backup,
      ["alice", "bob"].map((userID) => executionKey(userID, "order", "1")),
    );
    await putItems(table, [executionKey("alice", "position", "1")]);
    expect(await restore(["--fix", "--exact", "--user", "alice"])).toMatchObject({ out: tally(2, 0, 2) });
    expect((await restore(["--check"])).out).toMatch(/missing: 1\nchanged: 1\nnewer: 1\n$/);
  });

  it("restores a user's wallet with the record of its owner", async () => {
    const owner = (userID: string): Item => ({ ...walletOwnerKey(userID, "eth", "0x9"), userID });
    await putItems(backup, [wallet("alice", "0x9"), owner("alice"), owner("bob")]);
    expect(await restore(["--fix", "--user", "alice"])).toMatchObject({ out: tally(2, 0, 0) });
    expect(await itemsNamed(table, "OWNERS#eth#0x9")).toEqual([owner("alice")]);
  });

  it("compares tables of more than one page", async () => {
    const many = Array.from({ length: 120 }, (_, index) => wallet("alice", `0x${index}a`));
    await putItems(backup, many);
    expect(await restore(["--fix", "--user", "alice"])).toMatchObject({ out: tally(120, 0, 0) });
    expect(await everything(table)).toEqual(await everything(backup));
  });

  it("deletes many items only with --yes", async () => {
    await putItems(
      table,
      Array.from({ length: 21 }, (_, index) => profile(`new${index}`)),
    );
    await remove(table, profile("bob"));
    expect(await restore(["--fix", "--exact"])).toEqual({
      code: 1,
      out: "",
      err: "error: Nothing was restored: 21 items would be deleted; look at them with --check, then add --yes\n",
    });
    expect(await restore(["--fix", "--exact", "--yes"])).toMatchObject({ out: tally(1, 0, 21) });
  });

  it("does not change an item that reappears during the restore", async () => {
    await remove(table, profile("bob"));
    const back = profile("bob", { points: 9 });
    const meanwhile = interceptedTable(table, async (command) => {
      if (command instanceof PutCommand) await putItems(table, [back]);
    });
    expect(await restore(["--fix"], meanwhile)).toMatchObject({ code: 0, out: tally(0, 0, 0) });
    expect(await itemsNamed(table, "USER#bob")).toEqual([back]);
  });

  it("continues after a failure and reports it", async () => {
    await damage();
    const failing = interceptedTable(table, (command) => {
      if (command instanceof PutCommand) throw new Error("no");
    });
    expect(await restore(["--fix", "--exact"], failing)).toMatchObject({
      code: 1,
      out: tally(0, 0, 2, 2),
      err: expect.stringMatching(/^(missing: WALLETS#alice WALLET#eth#0x1|changed: USER#bob PROFILE): no$/m),
    });
    expect(await restore(["--fix", "--exact"])).toMatchObject({ code: 0, out: tally(1, 1, 0) });
  });

  it("stops when interrupted", async () => {
    await damage();
    const { code, out, err } = await run(targetWith(table), ["restore", backup.name, "--fix"], {
      interruption: () => AbortSignal.abort(),
    });
    expect({ code, out, err }).toEqual({
      code: 1,
      out: tally(0, 0, 0),
      err: "error: Stopped; run the same command again to continue\n",
    });
  });
});

describe("restore", () => {
  it("rejects the service's own table and an unknown one", async () => {
    expect(await run(targetWith(table), ["restore", table.name, "--fix"])).toMatchObject({
      code: 1,
      err: `error: ${table.name} is the service's own table; name the restored one\n`,
    });
    expect(await run(targetWith(table), ["restore", "unknown", "--check"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("error: ResourceNotFoundException"),
    });
  });

  it("requires --check or --fix", async () => {
    expect(await restore([])).toMatchObject({
      code: 2,
      err: expect.stringContaining("one of --check and --fix is required"),
    });
  });
});
