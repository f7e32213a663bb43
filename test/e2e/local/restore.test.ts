import { CreateTableCommand, DeleteTableCommand } from "@aws-sdk/client-dynamodb";
import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Table } from "../../../lib/table/table.ts";
import { openLocal } from "../../../lib/tools/admin/local-target.ts";
import { itemsNamed, putItems } from "../../support/items.ts";
import { newEvmKey } from "../../support/keys.ts";
import { admin } from "../support/admin.ts";
import { localRunner } from "../support/deployment.ts";
import { importAll, profileOf, settingsAfter, walletsOf } from "../support/terminal.ts";
import { knownUser } from "../support/users.ts";

let table: Table;
let backup: Table;

// Copies only the table's keys, like point-in-time recovery.
beforeAll(async () => {
  ({ table } = await openLocal(localRunner().port));
  backup = { ...table, name: `restored-${process.pid}` };
  const key = (AttributeName: string) => ({ AttributeName, AttributeType: "S" }) as const;
  await table.client.send(
    new CreateTableCommand({
      TableName: backup.name,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: [key("PK"), key("SK")],
      KeySchema: [
        { AttributeName: "PK", KeyType: "HASH" },
        { AttributeName: "SK", KeyType: "RANGE" },
      ],
    }),
  );
});
afterAll(() => table.client.send(new DeleteTableCommand({ TableName: backup.name })));

it("restores a user's wallets, settings and limits while the service runs", async () => {
  const user = await knownUser();
  await importAll(user, [newEvmKey(), newEvmKey()]);
  await settingsAfter(user, "eth", { slippage: 3 });
  const wallets = await walletsOf(user);
  const { tradingSettings } = await profileOf(user);
  const items = await itemsNamed(table, `#${user.id} `);
  await putItems(backup, items);

  const [lost] = items.filter(({ SK }) => SK.startsWith("WALLET#"));
  if (lost === undefined) throw new Error("There is no wallet");
  await table.client.send(new DeleteCommand({ TableName: table.name, Key: { PK: lost.PK, SK: lost.SK } }));
  await importAll(user, [newEvmKey()]);
  await settingsAfter(user, "eth", { slippage: 9 });
  expect(await walletsOf(user)).not.toEqual(wallets);

  await admin("restore", backup.name, "--fix", "--exact", "--user", user.id);

  expect(await walletsOf(user)).toEqual(wallets);
  expect((await profileOf(user)).tradingSettings).toEqual(tradingSettings);
  expect(await admin("restore", backup.name, "--check", "--user", user.id)).toBe(
    "missing: 0\nchanged: 0\nnewer: 0\n",
  );
  await importAll(user, [newEvmKey()]);
});
