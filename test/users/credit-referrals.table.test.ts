import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { DeleteCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Table } from "../../lib/table/table.ts";
import { creditReferrals } from "../../lib/users/credit-referrals.ts";
import { profileKey } from "../../lib/users/item-keys.ts";
import { readProfile, readProfileWithReferrals } from "../../lib/users/profile-records.ts";
import { pendingReferrals } from "../../lib/users/referral-records.ts";
import { register } from "../../lib/users/register.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { interceptedTable } from "../support/intercepted-table.ts";

const db = tableForTests();

const now = new Date("2026-11-21T09:00:00.000Z");
const user = (userID: string, ref?: string) => ({ userID, names: [userID], ref });

const onFault = vi.fn();
beforeEach(() => onFault.mockReset());

const run = (table: Table = db.table, hasTime = () => true) => creditReferrals(table, { hasTime, onFault });

const conflict = new TransactionCanceledException({
  $metadata: {},
  message: "cancelled",
  CancellationReasons: [{ Code: "None" }, { Code: "TransactionConflict" }],
});

/**
 * Returns the partition of the profile that a transaction changes. Crediting changes one profile; registering changes
 * none.
 */
const credited = (command: unknown) =>
  command instanceof TransactWriteCommand &&
  command.input.TransactItems?.find(({ Update }) => Update !== undefined)?.Update?.Key?.PK;

/** Opens a table in which other transactions keep changing a referrer's profile. */
const contended = (userID?: string) =>
  interceptedTable(db.table, (command) => {
    const of = credited(command);
    if (of && (userID === undefined || of === profileKey(userID).PK)) throw conflict;
  });

const creditOf = async (userID: string) => (await readProfile(db.table, userID))?.usersReferred;
async function pending(): Promise<string[]> {
  const userIDs: string[] = [];
  for await (const { userID } of pendingReferrals(db.table)) userIDs.push(userID);
  return userIDs;
}

/** Registers a referrer, and then users with the referrer's code, without crediting the referrer. */
async function referred(referrerId: string, ...userIDs: string[]): Promise<void> {
  const { refID } = await register(db.table, user(referrerId), now);
  for (const userID of userIDs) await register(contended(), user(userID, refID), now);
}

describe("register while others change the referrer's profile", () => {
  it("registers the user with the name of the referrer, and reports the conflict", async () => {
    const { refID } = await register(db.table, user("famous"), now);
    const profile = await register(contended(), user("fan", refID), now, onFault);
    expect(profile.referredBy).toBe("famous");
    expect(await readProfile(db.table, "fan")).toMatchObject({ referredBy: "famous" });
    expect(onFault).toHaveBeenCalledExactlyOnceWith(conflict);
    expect(await creditOf("famous")).toBe(0);
  });
});

describe("creditReferrals", () => {
  it("credits once what could not be credited at registration", async () => {
    await referred("late", "first", "second");
    for (let count = 0; count < 2; count++) await run();
    expect(await creditOf("late")).toBe(2);
    const { referrals } = await readProfileWithReferrals(db.table, "late");
    expect(referrals).toEqual([
      expect.objectContaining({ username: "first", joinedAt: now.toISOString() }),
      expect.objectContaining({ username: "second" }),
    ]);
    expect(await pending()).toEqual([]);
  });

  it("never repeats a credit that was made at registration", async () => {
    const { refID } = await register(db.table, user("prompt"), now);
    await register(db.table, user("follower", refID), now);
    expect(await creditOf("prompt")).toBe(1);
    await run();
    expect(await creditOf("prompt")).toBe(1);
    expect(await pending()).toEqual([]);
  });

  it("credits once even if a run crashes between the credit and its clean-up", async () => {
    await referred("crashed", "newcomer");
    const crashing = interceptedTable(db.table, (command) => {
      if (command instanceof DeleteCommand) throw new Error("no");
    });
    await run(crashing);
    expect(await pending()).toEqual(["newcomer"]);
    await run();
    expect(await creditOf("crashed")).toBe(1);
    expect(await pending()).toEqual([]);
  });

  it("credits once if two runs overlap", async () => {
    await referred("twice", "one", "two", "three");
    await Promise.all([run(), run()]);
    expect(await creditOf("twice")).toBe(3);
  });

  it("drops a referral if the referrer was deleted", async () => {
    await referred("leaver", "orphan");
    const deletion = new DeleteCommand({ TableName: db.table.name, Key: profileKey("leaver") });
    await db.table.client.send(deletion);
    await run();
    expect(await pending()).toEqual([]);
    expect(await readProfile(db.table, "leaver")).toBeUndefined();
  });

  it("continues after a failure, and retries it in the next run", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    await referred("busy", "a");
    await referred("quiet", "b");
    await run(contended("busy"));
    expect(onFault).toHaveBeenCalledExactlyOnceWith(conflict);
    expect([await creditOf("busy"), await creditOf("quiet")]).toEqual([0, 1]);
    await run();
    expect(await creditOf("busy")).toBe(1);
  });

  it("starts no referral if too little time is left", async () => {
    await referred("patient", "c", "d");
    let left = 1;
    await run(db.table, () => left-- > 0);
    expect(await creditOf("patient")).toBe(1);
    expect(await pending()).toHaveLength(1);
    await run();
  });
});
