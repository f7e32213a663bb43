import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { walletKey } from "../../lib/aws/table-keys.ts";
import { walletsOfUser } from "../../lib/aws/wallet-records.ts";
import { listed } from "../../lib/domain/wallet.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { holderOf } from "../support/wallets.ts";
import { linesOf, run } from "./support/admin.ts";
import { targetWith } from "./support/custody.ts";

const db = tableForTests();

/** As version 0.1 has stored it. */
const withoutSlot = (userID: string, address: string) =>
  db.table.client.send(
    new UpdateCommand({
      TableName: db.table.name,
      Key: walletKey(userID, "eth", address),
      UpdateExpression: "REMOVE slot, version",
    }),
  );

describe("number-wallets", () => {
  it("keeps the names and colours that lists show, and leaves other wallets alone", async () => {
    await holderOf(db.table, "ann", ["0x1"], new Date(1));
    await holderOf(db.table, "ann", ["0x2"], new Date(2));
    await holderOf(db.table, "ann", ["0x3"], new Date(3));
    await holderOf(db.table, "bob", ["0x1"]);
    for (const address of ["0x1", "0x2"]) await withoutSlot("ann", address);
    const lists = async () =>
      Promise.all(["ann", "bob"].map(async (user) => listed(await walletsOfUser(db.table, user))));
    const before = await lists();
    const command = async () => linesOf((await run(targetWith(db.table), ["number-wallets"])).out);
    expect(await command()).toEqual(["wallets numbered: 2"]);
    expect((await walletsOfUser(db.table, "ann")).map(({ slot }) => slot)).toEqual([1, 2, 3]);
    expect(await lists()).toEqual(before);
    expect(await command()).toEqual(["wallets numbered: 0"]);
  });
});
