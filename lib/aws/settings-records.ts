import { randomUUID } from "node:crypto";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { type Chain, type Settings, type SettingsPatch, settingsInForce } from "../domain/settings.ts";
import { queryRange, type Table } from "./table.ts";
import { chainOf, settingsKey, settingsOf } from "./table-keys.ts";

/** A chain's settings as stored: those that the user has set, and the record's own fields. Each change adds 1 to `version`. */
export type SettingsItem = SettingsPatch & {
  _id: string;
  userID: string;
  createdAt: string;
  updatedAt: string;
  version: number;
};

/** The settings of each chain that the user has changed, with defaults for those that the user has not set. */
export async function readSettings(table: Table, userID: string) {
  const items = await queryRange<SettingsItem>(table, settingsOf(userID));
  return items.flatMap((item) => {
    const chain = chainOf(item);
    if (chain === undefined) return [];
    return [{ chain, version: item.version, settings: settingsInForce(chain, item) }];
  });
}

/** Creates or changes the user's settings of a chain, in one write. Returns the full record, defaults filled in. */
export async function saveSettings(
  table: Table,
  userID: string,
  chain: Chain,
  changes: Partial<Settings>,
  now: Date,
) {
  const names = Object.keys(changes);
  const { Attributes } = await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: settingsKey(userID, chain),
      UpdateExpression: `SET ${[
        "#_id = if_not_exists(#_id, :_id)",
        "userID = :userID",
        "createdAt = if_not_exists(createdAt, :now)",
        "updatedAt = :now",
        "version = if_not_exists(version, :zero) + :one",
        ...names.map((name) => `${name} = :${name}`),
      ].join(", ")}`,
      ExpressionAttributeNames: { "#_id": "_id" },
      ExpressionAttributeValues: {
        ":_id": randomUUID(),
        ":userID": userID,
        ":now": now.toISOString(),
        ":zero": 0,
        ":one": 1,
        ...Object.fromEntries(Object.entries(changes).map(([name, value]) => [`:${name}`, value])),
      },
      ReturnValues: "ALL_NEW",
    }),
  );
  const item = Attributes as SettingsItem;
  return { ...item, ...settingsInForce(chain, item) };
}
