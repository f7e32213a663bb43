import { describe, expect, it } from "vitest";
import { createApiKey } from "../../../lib/plans/api-keys.ts";
import { mirrorUser } from "../../../lib/plans/mirror.ts";
import { readUserKeyRecord } from "../../../lib/plans/user-key-records.ts";
import { admitConnection } from "../../../lib/realtime/connect.ts";
import { readStock } from "../../../lib/rewards/stock-records.ts";
import { itemDescriptions } from "../../../lib/table/descriptions.ts";
import { type ItemName, itemAt } from "../../../lib/table/keys.ts";
import { type PartitionLayout, partitions } from "../../../lib/table/layout.ts";
import type { Item, Table } from "../../../lib/table/table.ts";
import { walletOwnerKey } from "../../../lib/table/wallet-keys.ts";
import { write } from "../../../lib/table/write.ts";
import { fates, isNamedIn, renamed } from "../../../lib/tools/admin/user-items.ts";
import { restedIn } from "../../../lib/trading/items/resting-records.ts";
import { executionRecorder } from "../../../lib/trading/record-executions.ts";
import {
  changeProfile,
  readOwnProfile,
  readProfile,
  readProfileWithReferrals,
} from "../../../lib/users/profile-records.ts";
import { announcedExportKey, exportedKeyKey } from "../../../lib/wallets/item-keys.ts";
import { worldForTests } from "../../plans/support/world.ts";
import { connectionsApiForTests } from "../../support/connections-api.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { order } from "../../support/executions.ts";
import { interceptedTable } from "../../support/intercepted-table.ts";
import { itemsNamed, putItems } from "../../support/items.ts";
import { now, run, runWith } from "./support/admin.ts";
import { tablesWithEveryItem, tradingWallet } from "./support/every-item.ts";
import { whole } from "./support/whole-user.ts";

const db = tableForTests();
const world = worldForTests();
const api = connectionsApiForTests();

const { userID, username } = whole;

/** Directory that notes its calls. */
function directory() {
  const calls: string[] = [];
  const note = (name: string) => async (user: string) => void calls.push(`${name} ${user}`);
  return { calls, signOut: note("sign out"), remove: note("remove") };
}

/** Runs the command on a table. Time passes only in pauses. */
async function deleteFrom(table: Table, args: string[] = [], parts: Parameters<typeof run>[2] = {}) {
  let at = now;
  const pauseMs = async (ms: number) => {
    at = new Date(at.getTime() + ms);
  };
  return run({ table } as never, ["delete-user", userID, "--yes", ...args], {
    openConnections: async () => ({ table, pusher: api.current.pusher }),
    openPlans: async () => ({ ...world.deps(), table }),
    openDirectory: async () => undefined,
    now: () => at,
    pauseMs,
    ...parts,
  });
}

const filled = tablesWithEveryItem(db, world);

/** Compares tables in which the same user has got different pseudonyms. */
const stateOf = async (table: Table) =>
  (await itemsNamed(table, ""))
    .map((item) => JSON.stringify(item, (_, value) => (value instanceof Set ? [...value] : value)))
    .map((text) => text.replaceAll(/deleted-[0-9a-f-]{36}/g, "PSEUDONYM"))
    .toSorted();

const removeFrom = async (table: Table, items: readonly Item[]) => {
  for (const { PK, SK } of items) await write(table, { kind: "remove", key: { PK, SK } });
};

const kindsWith = (items: readonly Item[], text: string) =>
  [
    ...new Set(
      items.filter((item) => JSON.stringify(item).includes(text)).map((item) => String(itemAt(item))),
    ),
  ].toSorted();

/** Collects all texts in a value, and all names of its fields. */
function textsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value !== "object" || value === null) return [String(value)];
  return Object.entries(value).flatMap(([name, part]) => [name, ...textsIn(part)]);
}

describe("delete-user", () => {
  it("mistakes no other text for a user's id, although an issuer may choose any", async () => {
    const { items } = await filled();
    const users = new Set([userID, "fred", "rita"]);
    const texts = new Set(items.flatMap(({ PK: _, SK: __, ...content }) => textsIn(content)));
    for (const each of ["eth", "network", "imported", "walletId"]) expect(texts).toContain(each);
    const mistaken = [...texts].filter(
      (text) => !users.has(text) && items.some((item) => isNamedIn(item, text)),
    );
    expect(mistaken).toEqual([]);
    const trade = items.find((item) => itemAt(item) === "trade") as Item;
    expect(renamed(trade, "eth", "deleted-1")).toEqual(trade);
  });

  it("leaves only what the receipt names", async () => {
    const { table, items } = await filled();
    const { wallet, refID } = await namesOf(table);
    const { code, out, err } = await deleteFrom(table, ["--delete-keys"]);
    expect(code, err).toBe(0);
    const left = await itemsNamed(table, "");
    for (const text of [username, refID, wallet]) expect(kindsWith(items, text)).not.toEqual([]);
    for (const text of [username, refID, wallet]) expect(kindsWith(left, text)).toEqual([]);
    expect(kindsWith(left, userID)).toEqual(["profile"]);
    const pseudonym = /pseudonym: (\S+)/.exec(out)?.[1] ?? "none";
    const named = kindsWith(left, pseudonym);
    expect(named).toEqual([
      ...["ledger", "listedOrder", "pointsLine", "profile"],
      ...["redemption", "redemptionPlace", "referral", "trade"],
    ]);
    for (const kind of named) expect(out).toContain(`of "${itemDescriptions[kind as ItemName]}": `);
    expect(kindsWith(left, tradingWallet)).toEqual(["ledger", "listedOrder", "trade"]);
    expect(out).toContain("the addresses of wallets in orders: ");
    expect(out).toContain(`the directory of your issuer: delete ${userID} there`);
  });

  it("takes the user out of the data of others, and touches nothing else of them", async () => {
    const { table, items } = await filled();
    // Referrals are credited within a minute, and are pending no longer.
    await removeFrom(table, await itemsNamed(table, "REFERRALS"));
    await deleteFrom(table, ["--delete-keys"]);
    const [fred, rita] = await Promise.all([readOwnProfile(table, "fred"), readOwnProfile(table, "rita")]);
    expect([fred.referredBy, fred.referrerId]).toEqual([undefined, undefined]);
    expect(rita.usersReferred).toBe(1);
    const { referrals } = await readProfileWithReferrals(table, "rita");
    expect(referrals.map((referral) => referral.username)).toEqual(["deleted user"]);
    const isAbout = (text: string) => [userID, username, tradingWallet].some((name) => text.includes(name));
    const ofOthers = items
      .map((item) => JSON.stringify(item))
      .filter((text) => /"(rita|fred)"/.test(text) && !isAbout(text));
    expect(ofOthers).toHaveLength(3);
    const after = (await itemsNamed(table, "")).map((item) => JSON.stringify(item));
    expect(after).toEqual(expect.arrayContaining(ofOthers));
    expect(await readStock(table, "mug")).toBe(3);
  });

  it("ends sessions and connections, deletes API keys and refuses old tokens", async () => {
    const { table } = await filled();
    const pool = directory();
    const { current } = (await readUserKeyRecord(table, userID)) ?? {};
    if (current === undefined) throw new Error("The user has no API key");
    await createApiKey(world.openPlans(), current);
    const hasKey = () => world.usage.apiKeys.some(({ value }) => value === current.value);
    expect(hasKey()).toBe(true);
    const openDirectory = async () => pool;
    const { out } = await deleteFrom(table, ["--delete-keys"], { openDirectory });
    expect(pool.calls).toEqual([`sign out ${userID}`, `remove ${userID}`]);
    expect(out).not.toContain("directory");
    expect(api.current.hungUp).toEqual(["connection-1"]);
    expect(hasKey()).toBe(false);
    expect(await readProfile(table, userID)).toMatchObject({ blockedAt: expect.any(String) });
    await mirrorUser({ ...world.deps(), table, now: () => now }, userID);
    expect(hasKey()).toBe(false);
    const record = executionRecorder(table, now);
    expect(await record({ userID, kind: "order", execution: order() })).toBe("unknown user");
    const again = await deleteFrom(table, ["--delete-keys"], { openDirectory });
    expect(again).toMatchObject({ code: 0, out: withoutKeys(out) });
  });

  it("finishes in the same state wherever it is killed", async () => {
    const { table, items } = await filled();
    const other = await db.newTable();
    await putItems(other, items);
    // With exported keys, a run decides about them from records that it removes as well.
    for (const { walletId } of await itemsNamed(table, `SEALED#${userID}`))
      for (const each of [table, other]) await exported(each, String(walletId));
    const { out } = await deleteFrom(table);
    const done = new Set<string>();
    let last: Awaited<ReturnType<typeof deleteFrom>> | undefined;
    let kills = 0;
    for (; last?.code !== 0; kills++) {
      let left = 1;
      const killing = interceptedTable(other, (command) => {
        const { input } = command as { input: object };
        if (!/Put|Update|Delete|Transact/.test(String(command?.constructor.name))) return;
        const text = JSON.stringify(input);
        if (done.has(text)) return;
        if (left-- === 0) throw Object.assign(new Error("killed"), { syscall: "kill" });
        done.add(text);
      });
      last = await deleteFrom(killing);
      if (last.code !== 0) expect(last.err).toMatch(/killed|run the command again/);
    }
    expect(kills).toBeGreaterThan(40);
    expect(await stateOf(other)).toEqual(await stateOf(table));
    const plain = (text: string) => withoutKeys(text).replaceAll(/deleted-[0-9a-f-]{36}/g, "PSEUDONYM");
    expect(plain(last.out)).toBe(plain(out));
    const again = await deleteFrom(other);
    expect(again.out).toBe(withoutKeys(last.out));
  });

  it("keeps private keys and the account until their owner has exported them", async () => {
    const { table } = await filled();
    const pool = directory();
    const openDirectory = async () => pool;
    const keys = await itemsNamed(table, `SEALED#${userID}`);
    expect(keys).toHaveLength(2);
    await changeProfile(table, await readOwnProfile(table, userID), { publicName: "Willy" });
    const first = await deleteFrom(table, [], { openDirectory });
    for (const { address } of keys)
      expect(first.out).toContain(`the private key of eth ${address}: not exported`);
    expect(pool.calls).toEqual([`sign out ${userID}`]);
    expect(await itemsNamed(table, `SEALED#${userID}`)).toEqual(keys);
    expect(await itemsNamed(table, `TRADES#${userID}`)).toEqual([]);
    expect(await itemsNamed(table, `SETTINGS#${userID}`)).toEqual([]);
    // The owner can sign in, connect and export.
    const { blockedAt, publicName } = await readOwnProfile(table, userID);
    expect([blockedAt, publicName]).toEqual([undefined, undefined]);
    expect(await connect(table)).toBe("admitted");
    const [one, two] = keys.map(({ walletId }) => String(walletId));
    await exported(table, one);
    const second = await deleteFrom(table, [], { openDirectory });
    expect(second.out.match(/not exported/g)).toHaveLength(1);
    // An earlier version has left only the announcement of this export.
    await announced(table, two);
    const third = await deleteFrom(table, [], { openDirectory });
    expect(third.out).toContain(`${userID} was deleted at`);
    for (const { address } of keys)
      expect(third.out).toContain(
        `deleted by this run: the private key of eth ${address}, exported at ${exportedAt}`,
      );
    expect(await itemsNamed(table, `SEALED#${userID}`)).toEqual([]);
    expect(pool.calls.at(-1)).toBe(`remove ${userID}`);
    const pseudonyms = [first, second, third].map(({ out }) => /pseudonym: (\S+)/.exec(out)?.[1]);
    expect(new Set(pseudonyms).size).toBe(1);
  });

  it("cancels what rests, and keeps all resting orders under the pseudonym, without a proof", async () => {
    const { table } = await filled();
    const { out } = await deleteFrom(table, ["--delete-keys"]);
    expect(await itemsNamed(table, "RESTING#")).toEqual([]);
    expect(await itemsNamed(table, "TRIGGERS#")).toEqual([]);
    const kept = await itemsNamed(table, `TRADES#${/pseudonym: (\S+)/.exec(out)?.[1]}`);
    const rested = kept.map((item) => restedIn(item)).filter((order) => order !== undefined);
    const end = { status: "cancelled", reasonCode: "CANCELLED_BY_USER" };
    expect(rested).toMatchObject([1, 2].map(() => ({ state: "done", mac: "", end })));
    for (const { mandate, placed } of rested) expect(placed.clientOrderId).toBe(mandate.orderId);
  });

  it("credits the user who referred this one if that is still to be done", async () => {
    const { table, items } = await filled();
    const isCredit = ({ PK, SK }: Item) => PK === "USER#rita" && SK.includes("REFERRAL");
    await removeFrom(table, items.filter(isCredit));
    await changeProfile(table, await readOwnProfile(table, "rita"), { usersReferred: 0 });
    await deleteFrom(table, ["--delete-keys"]);
    const { profile, referrals } = await readProfileWithReferrals(table, "rita");
    expect(profile.usersReferred).toBe(1);
    expect(referrals.map((referral) => referral.username)).toEqual(["deleted user"]);
    expect(kindsWith(await itemsNamed(table, ""), userID)).toEqual(["profile"]);
  });

  it("leaves a user blocked whom an operator had blocked before", async () => {
    const { table } = await filled();
    const blockedAt = new Date(now.getTime() - 3_600_000).toISOString();
    await changeProfile(table, await readOwnProfile(table, userID), { blockedAt });
    const { out } = await deleteFrom(table);
    expect((await readOwnProfile(table, userID)).blockedAt).toBe(blockedAt);
    expect(out).toContain("the directory: the user, who must sign in to export private keys");
  });

  it("asks before it deletes, and once more before it deletes private keys", async () => {
    const { table, items } = await filled();
    const ask = async (...answers: boolean[]) => {
      const questions: string[] = [];
      const confirm = async (question: string) => {
        questions.push(question);
        return answers[questions.length - 1] === true;
      };
      const openTarget = async () => ({ table }) as never;
      const args = ["delete-user", userID, "--delete-keys", "--local", "3000"];
      return { ...(await runWith(args, { openTarget, confirm })), questions };
    };
    expect(await ask(false)).toMatchObject({ code: 1, err: "error: Nothing was deleted\n" });
    const { questions, code } = await ask(true, false);
    expect({ code, questions }).toEqual({
      code: 1,
      questions: [expect.stringContaining(userID), expect.stringContaining("private keys")],
    });
    for (const { address } of await itemsNamed(table, `SEALED#${userID}`))
      expect(questions[1]).toContain(`eth ${address}`);
    expect(await itemsNamed(table, "")).toHaveLength(items.length);
  });

  it("keeps signed bytes of a wallet that somebody else has, too", async () => {
    const { table } = await filled();
    await putItems(table, [{ ...walletOwnerKey("rita", "eth", tradingWallet), userID: "rita" }]);
    const bytes = await itemsNamed(table, `BYTES#eth#${tradingWallet}`);
    expect(bytes.length).toBeGreaterThan(0);
    await deleteFrom(table, ["--delete-keys"]);
    expect(await itemsNamed(table, `BYTES#eth#${tradingWallet}`)).toEqual(bytes);
    expect(await itemsNamed(table, "OWNER#rita")).toHaveLength(1);
  });

  it.each([[], ["--exact"]])("stays done when a backup is restored with %j", async (...flags: string[]) => {
    const { table, items } = await filled();
    const backup = await db.newTable();
    await putItems(backup, items);
    await deleteFrom(table, ["--delete-keys"]);
    const isCounted = (text: string) => !text.includes("REWARD#mug");
    const before = (await stateOf(table)).filter(isCounted);
    const { code } = await run({ table } as never, ["restore", backup.name, "--fix", "--yes", ...flags]);
    expect(code).toBe(0);
    expect((await stateOf(table)).filter(isCounted)).toEqual(before);
  });

  it("deletes again what has come back with an old table, and fails for an unknown user", async () => {
    const { table, items } = await filled();
    await deleteFrom(table, ["--delete-keys"]);
    const state = await stateOf(table);
    await putItems(
      table,
      items.filter((item) => itemAt(item) !== "profile" && itemAt(item) !== "lane"),
    );
    await deleteFrom(table, ["--delete-keys"]);
    const left = kindsWith(await itemsNamed(table, ""), userID);
    expect(left).toEqual(["profile"]);
    expect((await stateOf(table)).length).toBeGreaterThanOrEqual(state.length);
    expect(await deleteFrom(await db.newTable())).toMatchObject({
      code: 1,
      err: `error: The table names no user ${userID}\n`,
    });
  });
});

describe("fates", () => {
  const layouts: readonly PartitionLayout[] = partitions;
  const kinds = layouts.flatMap(({ key, items }) =>
    Object.entries(items).map(([name, item]) => ({ name: name as ItemName, pattern: `${key} ${item.key}` })),
  );

  it("assigns each item whose key names a user or a wallet to somebody", () => {
    const personal = /\{(userID|wallet|walletId|address|referredId|orderIdOrUserID|orderId|connectionId)\}/;
    // Names only resting orders. Those orders go with their user, or stay under a pseudonym.
    const ofOrders: readonly ItemName[] = ["tally", "ended"];
    const wrong = kinds.filter(
      ({ name, pattern }) => fates[name] === null && personal.test(pattern) && !ofOrders.includes(name),
    );
    expect(wrong).toEqual([]);
  });

  it("tests every kind of item that names a user", async () => {
    const { items } = await filled();
    const awaited = new Set<string>(["job", "slot", "lanePlace"]);
    const wanted = kinds.filter(({ name }) => fates[name] !== null && !awaited.has(name));
    const tried = new Set(items.map(itemAt));
    expect(wanted.filter(({ name }) => !tried.has(name))).toEqual([]);
  });
});

const exportedAt = "2026-11-01T10:00:00.000Z";

const exported = (table: Table, walletId = "") =>
  write(table, { kind: "put", key: exportedKeyKey(userID, walletId), item: { walletId, exportedAt } });

const announced = (table: Table, walletId = "") =>
  write(table, {
    kind: "change",
    key: announcedExportKey(userID, walletId),
    set: { userID, walletId, availableAt: exportedAt },
    add: { times: 1 },
  });

/** Leaves out the lines about keys, which only the run prints that deletes them. */
const withoutKeys = (out: string) => out.replaceAll(/^deleted by this run: .*\n/gm, "");

const connect = (table: Table) =>
  admitConnection(
    { table, limit: 30, isConnected: async () => true, onFault: () => {} },
    { userID, connectionId: "connection-2" },
    { shard: 0, now },
  );

async function namesOf(table: Table) {
  const { refID } = await readOwnProfile(table, userID);
  const [item] = await itemsNamed(table, `WALLETS#${userID}`);
  return { refID, wallet: String(item?.generatedWalletAddress) };
}
