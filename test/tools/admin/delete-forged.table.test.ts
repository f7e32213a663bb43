import { describe, expect, it } from "vitest";
import type { Item, Table } from "../../../lib/table/table.ts";
import { write } from "../../../lib/table/write.ts";
import { profileKey, settingsKey } from "../../../lib/users/item-keys.ts";
import { changeProfile, readOwnProfile, readProfile } from "../../../lib/users/profile-records.ts";
import { register } from "../../../lib/users/register.ts";
import { eventWrite } from "../../../lib/wallets/wallet-events.ts";
import { worldForTests } from "../../plans/support/world.ts";
import { connectionsApiForTests } from "../../support/connections-api.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { itemsNamed, putItems } from "../../support/items.ts";
import { now, run } from "./support/admin.ts";
import { tablesWithEveryItem } from "./support/every-item.ts";
import { whole } from "./support/whole-user.ts";

const db = tableForTests();
const world = worldForTests();
const api = connectionsApiForTests();

const { userID } = whole;

type Pause = (ms: number) => Promise<void>;

/** Runs commands on a table. Time passes only in pauses. */
function adminOf(table: Table, inPause: Pause = async () => {}) {
  let at = now;
  const deps = {
    openConnections: async () => ({ table, pusher: api.current.pusher }),
    openPlans: async () => ({ ...world.deps(), table }),
    openDirectory: async () => undefined,
    now: () => at,
    pauseMs: async (ms: number) => {
      at = new Date(at.getTime() + ms);
      await inPause(ms);
    },
  };
  return (...args: string[]) => run({ table } as never, args, deps);
}

const filled = tablesWithEveryItem(db, world);

const sealedIn = (table: Table) => itemsNamed(table, `SEALED#${userID}`);

const textsOf = (items: readonly Item[]) =>
  items
    .map((item) => JSON.stringify(item, (_, value) => (value instanceof Set ? [...value] : value)))
    .toSorted();

describe("delete-user among users with such words in their items", () => {
  it.each(["eth", "network", "imported", "walletId", "userID", "a wallet's id", "a wallet"])(
    "touches nothing of others when the user is called %j",
    async (name) => {
      const { table, items } = await filled();
      const wallet = items.find(({ PK }) => PK === `WALLETS#${userID}`) ?? {};
      const ids = new Map([
        ["a wallet's id", "_id"],
        ["a wallet", "generatedWalletAddress"],
      ]);
      const field = ids.get(name);
      const id =
        field === undefined ? name : String(Object.entries(wallet).find(([key]) => key === field)?.[1]);
      const before = textsOf(items);
      await register(table, { userID: id, names: [], ref: undefined }, now);
      const { code, err } = await adminOf(table)("delete-user", id, "--yes", "--delete-keys");
      expect(code, err).toBe(0);
      const after = (await itemsNamed(table, "")).filter(({ PK }) => PK !== profileKey(id).PK);
      expect(textsOf(after)).toEqual(before);
    },
  );
});

describe("delete-user with a forged profile or forged events", () => {
  it("keeps keys whose export is recorded only in their wallets' events", async () => {
    const { table } = await filled();
    const keys = await sealedIn(table);
    for (const { walletId } of keys)
      await write(table, [eventWrite({ userID, walletId: String(walletId), type: "exported", now })]);
    const { out } = await adminOf(table)("delete-user", userID, "--yes");
    expect(out).toContain("except for the account");
    expect(await sealedIn(table)).toEqual(keys);
  });

  it("removes nothing with a forged time of deletion, unless keys may go", async () => {
    const { table, items } = await filled();
    const profile = await readOwnProfile(table, userID);
    await changeProfile(table, profile, { deletedAt: now.toISOString(), blockedAt: now.toISOString() });
    const { code, err } = await adminOf(table)("delete-user", userID, "--yes");
    expect(code).toBe(1);
    for (const { address } of await sealedIn(table)) expect(err).toContain(`eth ${address}`);
    expect(await itemsNamed(table, "")).toHaveLength(items.length);
    expect(await adminOf(table)("delete-user", userID, "--yes", "--delete-keys")).toMatchObject({ code: 0 });
    expect(await readOwnProfile(table, userID)).toMatchObject({ username: "deleted user", refID: "" });
    expect(await sealedIn(table)).toEqual([]);
  });

  it("removes nothing without a profile, unless keys may go", async () => {
    const { table, items } = await filled();
    await write(table, { kind: "remove", key: profileKey(userID) });
    const { code, err } = await adminOf(table)("delete-user", userID, "--yes");
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining("only --delete-keys removes them"),
    });
    expect(await itemsNamed(table, "")).toHaveLength(items.length - 1);
  });

  it("never moves items to a pseudonym that is another user", async () => {
    const { table } = await filled();
    const ofRita = async () =>
      textsOf((await itemsNamed(table, "")).filter(({ PK }) => /^(TRADES|POINTS)#rita/.test(PK)));
    const before = await ofRita();
    await changeProfile(table, await readOwnProfile(table, userID), { pseudonym: "rita" });
    const { code, out } = await adminOf(table)("delete-user", userID, "--yes", "--delete-keys");
    expect(code).toBe(0);
    expect(out).toMatch(/pseudonym: deleted-/);
    expect(await ofRita()).toEqual(before);
  });

  it("keeps items that are stored under the pseudonym already", async () => {
    const { table } = await filled();
    const pseudonym = "deleted-00000000-0000-4000-8000-000000000000";
    await changeProfile(table, await readOwnProfile(table, userID), { pseudonym });
    const [line] = await itemsNamed(table, `POINTS#${userID}`);
    const stored = { PK: `POINTS#${pseudonym}`, SK: String(line?.SK), points: 1 };
    await putItems(table, [stored]);
    expect(await adminOf(table)("delete-user", userID, "--yes", "--delete-keys")).toMatchObject({ code: 0 });
    expect(await itemsNamed(table, `${stored.PK} ${stored.SK}`)).toEqual([stored]);
    expect(await itemsNamed(table, `POINTS#${userID}`)).toEqual([]);
  });
});

describe("delete-user while others write", () => {
  it("leaves a user blocked whom an operator blocks while the deletion waits", async () => {
    const { table } = await filled();
    const admin: ReturnType<typeof adminOf> = adminOf(table, async () => {
      await admin("block", userID);
    });
    const { out } = await admin("delete-user", userID, "--yes");
    expect(out).toContain("except for the account");
    expect((await readProfile(table, userID))?.blockedAt).toBeDefined();
    await adminOf(table)("delete-user", userID, "--yes");
    expect((await readProfile(table, userID))?.blockedAt).toBeDefined();
  });

  it("removes items that background functions write within five minutes after the profile's end", async () => {
    const { table } = await filled();
    let isDone = false;
    const admin = adminOf(table, async (ms) => {
      if ((await readProfile(table, userID))?.deletedAt === undefined) return;
      expect(ms).toBeGreaterThan(300_000);
      isDone = true;
      await putItems(table, [{ ...settingsKey(userID, "eth"), slippage: 7 }]);
    });
    await admin("delete-user", userID, "--yes", "--delete-keys");
    expect(isDone).toBe(true);
    expect(await itemsNamed(table, `SETTINGS#${userID}`)).toEqual([]);
  });
});
