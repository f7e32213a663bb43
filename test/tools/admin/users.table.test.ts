import { ScanCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, describe, expect, it } from "vitest";
import { dayOf } from "../../../lib/core/time.ts";
import { counted, openPolicy } from "../../../lib/orders/wallet-policy.ts";
import { writeUserKeyRecord } from "../../../lib/plans/user-key-records.ts";
import type { Item } from "../../../lib/table/table.ts";
import { walletKey } from "../../../lib/table/wallet-keys.ts";
import { writeStep } from "../../../lib/trading/items/write-step.ts";
import { profileKey } from "../../../lib/users/item-keys.ts";
import { readProfile } from "../../../lib/users/profile-records.ts";
import { register } from "../../../lib/users/register.ts";
import { saveSettings } from "../../../lib/users/settings-records.ts";
import { earnedFill, storedRow } from "../../support/earning.ts";
import { interceptedTable } from "../../support/intercepted-table.ts";
import { putItems } from "../../support/items.ts";
import { putPolicy } from "../../support/placed-orders.ts";
import { collector, linesOf, now, run } from "./support/admin.ts";
import { stored, targetForTests, userWithWallets } from "./support/custody.ts";
import { expectNoSecretPrinted, keepSecret } from "./support/secrets.ts";

const target = targetForTests();

afterEach(expectNoSecretPrinted);

const signIn = (userID: string, ref?: string) =>
  register(target.table, { userID, names: [`${userID}-name`], ref }, now);

describe("list-users", () => {
  it("prints a header and a row for each user", async () => {
    const { refID } = await signIn("alice");
    await signIn("bob", refID);
    await userWithWallets(target, "carol", 2);
    await run(target, ["set-user", "alice", "--tier", "Pro", "--points", "7", "--xp", "450"]);

    const [header, ...rows] = linesOf((await run(target, ["list-users"])).out);
    expect(header?.split(/ {2,}/)).toEqual([
      ...["user id", "username", "tier", "level", "xp", "points", "wallets", "referred", "last visited"],
    ]);
    const cells = rows.map((row) => row.split(/ +/)).toSorted();
    expect(cells).toEqual([
      ["alice", "alice-name", "Pro", "3", "450", "7", "0", "1", now.toISOString()],
      ["bob", "bob-name", "Base", "1", "0", "0", "0", "0", now.toISOString()],
      ["carol", "carol", "Base", "1", "0", "0", "2", "0", now.toISOString()],
    ]);
  });

  it("prints a JSON array with one user on each line", async () => {
    await signIn("alice");
    await signIn("bob");
    const { out } = await run(target, ["list-users", "--json"]);
    const users = JSON.parse(out);
    expect(users).toHaveLength(2);
    expect(users).toContainEqual({
      userID: "alice",
      username: "alice-name",
      tier: "Base",
      level: 1,
      xp: 0,
      points: 0,
      wallets: 0,
      referred: 0,
      lastVisited: now.toISOString(),
    });
    expect(linesOf(out)).toHaveLength(3);
  });

  it("prints an empty table without users", async () => {
    expect(linesOf((await run(target, ["list-users"])).out)).toHaveLength(1);
    expect((await run(target, ["list-users", "--json"])).out).toBe("[]\n");
  });

  it("reads the next page only after printing the current one", async () => {
    await Promise.all(["a", "b", "c"].map((userID) => signIn(userID)));
    const stdout = collector();
    const printedAtScan: number[] = [];
    const table = interceptedTable(target.table, (command) => {
      printedAtScan.push(linesOf(stdout.text()).length);
      if (command instanceof ScanCommand) command.input.Limit = 1;
    });
    await run({ ...target, table }, ["list-users"], { stdout });
    expect(linesOf(stdout.text())).toHaveLength(4);
    expect(new Set(printedAtScan)).toEqual(new Set([1, 2, 3, 4]));
  });

  it("replaces control characters in its output", async () => {
    await signIn("evil\u001b[2Jid");
    expect((await run(target, ["list-users"])).out).toContain("evil\uFFFD[2Jid");
  });
});

describe("show-user", () => {
  it("prints the profile, the current settings and the wallets", async () => {
    const imported = await userWithWallets(target, "dave", 2);
    await saveSettings(target.table, "dave", "sol", { slippage: 3.5 }, now);
    await run(target, ["set-user", "dave", "--xp", "120", "--points", "9"]);
    const { code, out } = await run(target, ["show-user", "dave"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^points +9$/m);
    expect(out).toMatch(/^level +2$/m);
    expect(out).toMatch(/^xp +total 120, daily 120, weekly 120, monthly 120$/m);
    expect(out).toMatch(/^referredBy +nobody$/m);
    expect(out).toMatch(/^ {2}sol +slippage 3.5, priorityFee 0.001/m);
    for (const { wallet } of imported) {
      expect(out).toContain(wallet.generatedWalletAddress);
      expect(out).toContain(wallet._id);
      await stored(target, wallet);
    }
  });

  it("prints a user's details as JSON", async () => {
    const referrer = await signIn("erin");
    const profile = await signIn("frank", referrer.refID);
    const imported = await userWithWallets(target, "frank", 1);
    const wallets = imported.map(({ wallet }) => wallet);
    await Promise.all(wallets.map((wallet) => stored(target, wallet)));
    const shown = JSON.parse((await run(target, ["show-user", "frank", "--json"])).out);
    expect(shown).toEqual({
      userID: "frank",
      username: "frank-name",
      tier: "Base",
      level: 1,
      points: 0,
      referred: 0,
      lastVisited: profile.lastVisited,
      createdAt: profile.createdAt,
      blockedAt: null,
      refID: profile.refID,
      plan: { name: "Standard", requestsPerMinute: 1000 },
      apiKey: { current: null, next: null },
      xp: { total: 0, daily: 0, weekly: 0, monthly: 0 },
      earnings: {
        tradingDays: 0,
        streak: 0,
        xpMultiplier: 1,
        ranked: false,
        publicName: null,
        xpToday: 0,
        pointsToday: 0,
        sharedXpToday: 0,
        sharedPointsToday: 0,
        waiting: 0,
      },
      referredBy: "erin-name",
      settings: {
        eth: expect.objectContaining({ gasPreset: "medium", maxGasPrice: 100 }),
        base: expect.objectContaining({ gasPreset: "medium", maxGasPrice: 5 }),
        sol: expect.objectContaining({ priorityFee: 0.001 }),
      },
      wallets: wallets.map(({ _id, network, generatedWalletAddress, createdAt }) => {
        return {
          _id,
          network,
          address: generatedWalletAddress,
          slotName: "Wallet 1",
          createdAt,
          state: "active",
          restorableUntil: null,
          spentToday: "0",
          networkFeesToday: "0",
          policy: { tokens: "any", tradingEnabled: true },
        };
      }),
      account: { ledger: [], ledgerSum: 0, missingLines: [], redemptions: [] },
    });
    expect(JSON.parse((await run(target, ["show-user", "erin", "--json"])).out).referred).toBe(1);
  });

  it("prints what trades have earned and how much of today's caps is used, without yesterday's part", async () => {
    await signIn("ivy");
    const [today, yesterday] = [0, 86_400_000].map((ms) => dayOf(new Date(now.getTime() - ms)));
    const streak = { last: yesterday, bits: "0000000000000007", before: 0 };
    const sums = { microXp: 1, microPoints: 1, sharedMicroXp: 12_000_000, sharedMicroPoints: 0 };
    const earnings = { ...sums, ownMicroXp: 250_500_000, ownMicroPoints: 99_000_000, tradingDays: 5, streak };
    const rows = ["ivy", "ivy", "joe"].map((userID, index) =>
      earnedFill(userID, `${index}`, now.toISOString()),
    );
    await putItems(target.table, rows.map(storedRow) as unknown as Item[]);
    const shown = async (day: string | undefined) => {
      await target.table.client.send(
        new UpdateCommand({
          TableName: target.table.name,
          Key: profileKey("ivy"),
          UpdateExpression: "SET earnings = :earnings, publicName = :name",
          ExpressionAttributeValues: { ":earnings": { ...earnings, day }, ":name": "Ivy\u001b[2J" },
        }),
      );
      return (await run(target, ["show-user", "ivy"])).out;
    };
    expect(await shown(today)).toContain(
      "earnings     tradingDays 5, streak 3, xpMultiplier 1, ranked false, publicName Ivy\uFFFD[2J, xpToday 250.5, pointsToday 99, sharedXpToday 12, sharedPointsToday 0, waiting 2",
    );
    expect(await shown(yesterday)).toContain(
      "xpToday 0, pointsToday 0, sharedXpToday 0, sharedPointsToday 0",
    );
  });

  it("prints each wallet's state, limits and spending today", async () => {
    const [first, second] = (await userWithWallets(target, "hugo", 2)).map(({ wallet }) => wallet);
    if (first === undefined || second === undefined) throw new Error("There are no wallets");
    const keyOf = ({ network, generatedWalletAddress }: typeof first) => ({
      userID: "hugo",
      chain: network,
      wallet: generatedWalletAddress,
    });
    const limited = {
      maxPerOrder: 5n * 10n ** 17n,
      maxPerDay: 2n * 10n ** 18n,
      tokens: [],
      maxSlippage: 15_000n,
      tradingEnabled: true,
    };
    const pending = {
      policy: openPolicy,
      effectiveAt: new Date(now.getTime() + 1000).toISOString(),
      tableId: "t",
    };
    await putPolicy(target.table, { ...keyOf(first), policy: limited, pending, revision: 1 });
    const counting = { swapOf: "o1", adds: 3n * 10n ** 17n, fees: 10n ** 16n, nowMs: now.getTime() };
    await writeStep(target.table, [
      { kind: "put", of: "day", item: counted(keyOf(first), undefined, counting), when: "absent" },
    ]);
    const off = { ...openPolicy, tradingEnabled: false };
    await putPolicy(target.table, { ...keyOf(second), policy: off, revision: 1 });
    const retired = { retiredAt: now.toISOString(), expiresAt: Math.ceil(now.getTime() / 1000) + 60 };
    await target.table.client.send(
      new UpdateCommand({
        TableName: target.table.name,
        Key: walletKey("hugo", second.network, second.generatedWalletAddress),
        UpdateExpression: "SET retiredAt = :at, expiresAt = :until",
        ExpressionAttributeValues: { ":at": retired.retiredAt, ":until": retired.expiresAt },
      }),
    );
    const until = new Date(retired.expiresAt * 1000).toISOString();
    const { out } = await run(target, ["show-user", "hugo"]);
    expect(out).toContain(
      "active; buys no token, at most 0.5 an order, at most 2 a day, slippage of at most 1.5 %; " +
        `from ${pending.effectiveAt} buys any token; spent 0.3 today, with network fees of 0.01`,
    );
    expect(out).toContain(
      `retired, can be restored until ${until}; trades nothing; spent 0 today, with network fees of 0`,
    );
  });

  it("prints the plan and the API key's state but never the key's value", async () => {
    await signIn("gina");
    const plan = { name: "Standard", requestsPerMinute: 1000 } as const;
    const [value, nextValue] = ["a1b2c3".repeat(6), "d4e5f6".repeat(6)] as const;
    for (const secret of [value, nextValue]) keepSecret(Buffer.from(secret));
    const show = async (...args: string[]) => (await run(target, ["show-user", "gina", ...args])).out;
    expect(await show()).toMatch(/^plan +Standard, 1000 requests a minute$/m);
    expect(await show()).toMatch(/^apiKey +none$/m);

    const next = { name: "gina/1", value, plan };
    const noted = await writeUserKeyRecord(target.table, undefined, { userID: "gina", next }, now);
    expect(await show()).toMatch(/^apiKey +being made for Standard, 1000 requests a minute$/m);

    const activeFrom = now.toISOString();
    const current = { ...next, keyId: "key", planId: "plan", coverage: "", activeFrom };
    const another = { name: "gina/2", value: nextValue, plan: { ...plan, name: "Pro" as const } };
    await writeUserKeyRecord(target.table, noted, { userID: "gina", current, next: another }, now);
    expect(await show()).toContain(
      `key on Standard, 1000 requests a minute (plan), active from ${activeFrom}; being made for Pro, 1000`,
    );
    expect(JSON.parse(await show("--json")).apiKey).toEqual({
      current: { keyId: "key", planId: "plan", plan, activeFrom },
      next: another.plan,
    });
  });

  it("rejects an unknown user without creating a profile", async () => {
    const { code, out, err } = await run(target, ["show-user", "nobody"]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/^error: There is no user nobody;.*\n$/);
    expect(await readProfile(target.table, "nobody")).toBeUndefined();
  });
});
