import { randomUUID } from "node:crypto";
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { DomainError } from "../core/domain-error.ts";
import type { Chain } from "../core/network.ts";
import { queryRange, type Table } from "../table/table.ts";
import { chainOf, settingsKey, settingsOf } from "../table/table-keys.ts";
import { type Settings, type SettingsPatch, settingsInForce } from "./settings.ts";

/** A chain's settings as stored: those that the user has set, and the record's own fields. Each change adds 1 to `version`. */
export type SettingsItem = SettingsPatch & {
  _id: string;
  userID: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  /** Of the last change with a condition. */
  changeId?: string;
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

/** The user's settings of one chain. They have version 0 while the user has not changed any. */
export async function readSettingsOf(table: Table, userID: string, chain: Chain) {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: settingsKey(userID, chain), ConsistentRead: true }),
  );
  const item = Item as SettingsItem | undefined;
  return { chain, version: item?.version ?? 0, settings: settingsInForce(chain, item) };
}

/**
 * Creates or changes the user's settings of a chain, in one write. Returns the full record, defaults filled in.
 *
 * @param expected the versions of which one has to be in the table, 0 for no record. If undefined, any may be.
 * @throws {DomainError} PRECONDITION_FAILED if another one is. Nothing was written.
 */
export async function saveSettings(
  table: Table,
  userID: string,
  chain: Chain,
  changes: Partial<Settings>,
  now: Date,
  expected?: readonly number[],
) {
  const set = {
    userID,
    updatedAt: now.toISOString(),
    ...(expected && { changeId: randomUUID() }),
    ...changes,
  };
  const { values, condition } = asExpected(expected);
  const item = await writtenItem(
    table,
    new UpdateCommand({
      TableName: table.name,
      Key: settingsKey(userID, chain),
      UpdateExpression: `SET ${[
        "#_id = if_not_exists(#_id, :_id)",
        "createdAt = if_not_exists(createdAt, :updatedAt)",
        "version = if_not_exists(version, :zero) + :one",
        ...Object.keys(set).map((name) => `${name} = :${name}`),
      ].join(", ")}`,
      ...(condition && {
        ConditionExpression: condition,
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      }),
      ExpressionAttributeNames: { "#_id": "_id" },
      ExpressionAttributeValues: {
        ":_id": randomUUID(),
        ":zero": 0,
        ":one": 1,
        ...Object.fromEntries(Object.entries(set).map(([name, value]) => [`:${name}`, value])),
        ...values,
      },
      ReturnValues: "ALL_NEW",
    }),
    set.changeId,
  );
  return { ...item, ...settingsInForce(chain, item) };
}

function asExpected(versions: readonly number[] | undefined) {
  if (versions === undefined) return {};
  // No version is below 1, so this holds for none.
  const stored = versions.length === 0 ? [0] : versions;
  const values = Object.fromEntries(stored.map((version, index) => [`:version${index}`, version]));
  const isStored = `version IN (${Object.keys(values).join(", ")})`;
  return {
    values,
    condition: versions.includes(0) ? `attribute_not_exists(version) OR ${isStored}` : isStored,
  };
}

/** The SDK may send a write again whose answer was lost. Then its condition fails because of itself. */
async function writtenItem(table: Table, command: UpdateCommand, changeId: string | undefined) {
  try {
    const { Attributes } = await table.client.send(command);
    return Attributes as SettingsItem;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const stored = unmarshall(error.Item ?? {}) as Partial<SettingsItem>;
    if (changeId !== undefined && stored.changeId === changeId) return stored as SettingsItem;
    throw new DomainError(
      "PRECONDITION_FAILED",
      "The settings have changed, or If-Match names none of theirs",
    );
  }
}
