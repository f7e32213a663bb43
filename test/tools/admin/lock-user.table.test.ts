import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { register } from "../../../lib/users/register.ts";
import {
  lockExports,
  lockOf,
  unlockExports,
  unlockOnRequest,
} from "../../../lib/wallets/export/lock-exports.ts";
import { lockKey } from "../../../lib/wallets/item-keys.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { itemsNamed } from "../../support/items.ts";
import { now, run } from "./support/admin.ts";

const db = tableForTests();
const delayed = () => ({ table: db.table, delaySeconds: 0 });

describe("lock-user", () => {
  it("locks the user's exports even if an old, ended lock is restored", async () => {
    await register(db.table, { userID: "ann", names: [], ref: undefined }, now);
    const named = { userID: "ann", now };
    await lockExports(db.table, named);
    const [ended] = await itemsNamed(db.table, "LOCK#ann LOCK");
    await unlockExports({ ...delayed(), announce: () => unlockOnRequest(delayed(), named) }, named);
    expect(await lockOf(delayed(), named)).toEqual({ status: "unlocked" });
    expect(await run({ table: db.table } as never, ["lock-user", "ann"])).toMatchObject({
      code: 0,
      out: "Exports of ann are locked\n",
    });
    expect(await lockOf(delayed(), named)).toMatchObject({ status: "locked" });
    // A compromised lockExports can write any lock.
    await db.table.client.send(
      new PutCommand({ TableName: db.table.name, Item: { ...ended, ...lockKey("ann") } }),
    );
    expect(await lockOf(delayed(), named)).toMatchObject({ status: "locked" });
  });

  it("refuses a user who does not exist", async () => {
    expect(await run({ table: db.table } as never, ["lock-user", "nobody"])).toMatchObject({ code: 1 });
  });
});
