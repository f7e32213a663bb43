import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { DeleteCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { pointsLineKey } from "../../../lib/rewards/item-keys.ts";
import { readRedemptions } from "../../../lib/rewards/redemption-records.ts";
import { readStock, setStock } from "../../../lib/rewards/stock-records.ts";
import type { Table } from "../../../lib/table/table.ts";
import { profileKey } from "../../../lib/users/item-keys.ts";
import { interceptedTable } from "../../support/intercepted-table.ts";
import { buying, ledgerOf, reward, userWith } from "../../support/rewards.ts";
import { linesOf, now, run } from "./support/admin.ts";
import { targetForTests, targetWith } from "./support/custody.ts";

const target = targetForTests();
let table: Table;

beforeEach(() => {
  ({ table } = target);
});

const catalogue = [reward("mug"), reward("course", { stock: -1, cost: 30 })];

/** Buys a reward for a new user, and returns the redemption's id. */
async function bought(userID: string, rewardId = "mug", second = 0): Promise<string> {
  await userWith(table, userID, 500);
  const at = new Date(Date.UTC(2026, 10, 1, 0, 0, second));
  const { redemption } = await buying(() => table, catalogue)(userID, rewardId, "k", at);
  return redemption.redemptionId;
}

const admin = (...args: string[]) => run(target, args);
const stateOf = async (userID: string) => {
  const { redemptions } = await readRedemptions(table, userID, { limit: 1 });
  const { points, lines } = await ledgerOf(table, userID);
  return {
    status: redemptions[0]?.status,
    version: redemptions[0]?.version,
    points,
    lines: lines.length,
    stock: await readStock(table, "mug"),
  };
};

describe("list-redemptions", () => {
  it("lists pending redemptions, oldest first, or those of another status or a user", async () => {
    const [second, first, done] = [
      await bought("ann", "mug", 2),
      await bought("bob", "course", 1),
      await bought("cat", "mug", 3),
    ];
    await admin("fulfil", done);
    const idsOf = async (...args: string[]) =>
      linesOf((await admin("list-redemptions", ...args)).out).map((line) => line.split("  ")[0]);
    expect(await idsOf()).toEqual([first, second]);
    expect(await idsOf("--status", "fulfilled")).toEqual([done]);
    expect(await idsOf("--status", "all")).toEqual([first, second, done]);
    expect(await idsOf("--user", "ann")).toEqual([second]);
    expect(await idsOf("--user", "cat", "--status", "refunded")).toEqual([]);
    expect((await admin("list-redemptions", "--user", "bob")).out).toBe(
      `${first}  2026-11-01T00:00:01.000Z  pending         30  course  The course  bob\n`,
    );
    expect(JSON.parse((await admin("list-redemptions", "--user", "bob", "--json")).out)).toEqual([
      {
        redemptionId: first,
        userID: "bob",
        rewardId: "course",
        name: "The course",
        cost: 30,
        status: "pending",
        createdAt: "2026-11-01T00:00:01.000Z",
        version: 1,
        updatedAt: "2026-11-01T00:00:01.000Z",
      },
    ]);
  });
});

describe("fulfil", () => {
  it("records the delivery of a redemption only once", async () => {
    const id = await bought("ann");
    const { code, out } = await admin("fulfil", id);
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringMatching(/ fulfilled .* ann\n$/) });
    expect((await admin("fulfil", id)).out).toBe("Nothing changed: it is fulfilled already\n");
    expect(await stateOf("ann")).toEqual({
      status: "fulfilled",
      version: 2,
      points: 400,
      lines: 2,
      stock: 4,
    });
  });

  it.each(["fulfil", "refund"])("reports an unknown redemption: %s", async (command) => {
    expect(await admin(command, "nothing")).toEqual({
      code: 1,
      out: "",
      err: "error: There is no redemption nothing; list-redemptions lists them\n",
    });
  });
});

describe("refund", () => {
  it("returns points and stock only once when refunds run concurrently", async () => {
    const id = await bought("ann");
    await Promise.all(Array.from({ length: 5 }, () => admin("refund", id)));
    expect(await stateOf("ann")).toEqual({ status: "refunded", version: 2, points: 500, lines: 3, stock: 5 });
    const { code, err } = await admin("fulfil", id);
    expect({ code, err }).toEqual({
      code: 1,
      err: `error: Redemption ${id} is refunded, and nothing was changed\n`,
    });
  });

  it("makes a concurrent fulfilment fail after a refund", async () => {
    const id = await bought("ann");
    let first = true;
    const slow = interceptedTable(table, async (command) => {
      if (!(command instanceof TransactWriteCommand) || !first) return;
      first = false;
      await admin("refund", id);
    });
    expect(await run(targetWith(slow), ["fulfil", id])).toMatchObject({
      code: 1,
      err: `error: Redemption ${id} is refunded, and nothing was changed\n`,
    });
    expect(await stateOf("ann")).toMatchObject({ status: "refunded", version: 2, points: 500 });
  });

  it("gives up with a message when the redemption keeps changing", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    const id = await bought("ann");
    const conflict = new TransactionCanceledException({
      $metadata: {},
      message: "cancelled",
      CancellationReasons: [{ Code: "TransactionConflict" }],
    });
    const contended = interceptedTable(table, (command) => {
      if (command instanceof TransactWriteCommand) throw conflict;
    });
    expect(await run(targetWith(contended), ["refund", id])).toEqual({
      code: 1,
      out: "",
      err: `error: Redemption ${id} kept changing, and nothing was changed; try again\n`,
    });
    vi.restoreAllMocks();
  });

  it("returns no stock for a delivered piece", async () => {
    const id = await bought("ann");
    await admin("fulfil", id);
    expect((await admin("refund", id)).code).toBe(0);
    expect(await stateOf("ann")).toEqual({ status: "refunded", version: 3, points: 500, lines: 3, stock: 4 });
  });

  it("returns no stock for a reward that is unlimited now or was unlimited when bought", async () => {
    const [course, mug] = [await bought("ann", "course"), await bought("bob")];
    await setStock(table, "course", 3);
    await setStock(table, "mug", undefined);
    for (const id of [course, mug]) expect((await admin("refund", id)).code).toBe(0);
    expect([await readStock(table, "course"), await readStock(table, "mug")]).toEqual([3, undefined]);
    expect((await ledgerOf(table, "bob")).points).toBe(500);
  });
});

describe("a recreated profile with an old ledger", () => {
  it("keeps the ledger consistent through purchases, changes and refunds", async () => {
    const id = await bought("ann");
    const forget = () =>
      table.client.send(new DeleteCommand({ TableName: table.name, Key: profileKey("ann") }));
    await forget();
    await userWith(table, "ann", 700);
    expect((await admin("show-user", "ann")).out).toContain(
      "\n  the lines add up to 400, and the balance is 700\n",
    );
    await buying(() => table, catalogue)("ann", "mug", "k2");
    expect(await ledgerOf(table, "ann")).toMatchObject({ points: 600, lines: { length: 4 } });
    await forget();
    await userWith(table, "ann", 0);
    expect((await admin("refund", id)).code).toBe(0);
    await forget();
    await userWith(table, "ann", 0);
    expect((await admin("set-user", "ann", "--points", "7")).code).toBe(0);
    expect(await ledgerOf(table, "ann")).toEqual({
      points: 7,
      lines: [
        ["opening", 500],
        ["redeemed", -100],
        ["restored", 300],
        ["redeemed", -100],
        ["restored", -600],
        ["refunded", 100],
        ["restored", -100],
        ["set", 7],
      ],
    });
  });
});

describe("show-user", () => {
  it("reports missing lines of the ledger", async () => {
    await bought("ann");
    await table.client.send(new DeleteCommand({ TableName: table.name, Key: pointsLineKey("ann", 1) }));
    expect((await admin("show-user", "ann")).out).toContain(
      "\n  the lines add up to -100, and the balance is 400\n  missing lines: 1\n",
    );
  });

  it("shows the newest changes of points and the newest purchases", async () => {
    const id = await bought("ann");
    await admin("refund", id);
    const { out } = await admin("show-user", "ann");
    expect(linesOf(out).slice(-6)).toEqual([
      "points ledger, newest first",
      `  ${now.toISOString()}       +100 ->       500  refunded ${id}`,
      `  2026-11-01T00:00:00.000Z       -100 ->       400  redeemed ${id}`,
      "  2026-11-01T00:00:00.000Z       +500 ->       500  opening",
      "redemptions, newest first",
      `  ${id}  2026-11-01T00:00:00.000Z  refunded       100  mug  The mug`,
    ]);
  });
});
