import { randomUUID } from "node:crypto";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { DomainError } from "../core/domain-error.ts";
import type { Chain } from "../core/network.ts";
import { initially, oneOf, type When } from "../table/step.ts";
import { queryRange, type Table } from "../table/table.ts";
import { writeOne } from "../table/write.ts";
import { chainOf, settingsKey, settingsOf } from "./item-keys.ts";
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
  const changeId = expected && randomUUID();
  const { isWritten, item } = await writeOne<SettingsItem>(table, {
    kind: "change",
    key: settingsKey(userID, chain),
    set: {
      userID,
      updatedAt: now.toISOString(),
      ...(changeId !== undefined && { changeId }),
      ...changes,
      _id: initially(randomUUID()),
      createdAt: initially(now.toISOString()),
    },
    add: { version: 1 },
    when: expected && versionIn(expected),
  });
  // The SDK may send a write again whose answer was lost. Then its condition fails because of itself.
  const isOurs = isWritten || (changeId !== undefined && item?.changeId === changeId);
  if (item === undefined || !isOurs)
    throw new DomainError(
      "PRECONDITION_FAILED",
      "The settings have changed, or If-Match names none of theirs",
    );
  return { ...item, ...settingsInForce(chain, item) };
}

function versionIn(versions: readonly number[]): When {
  // No version is below 1, so this holds for none.
  const isStored = { version: oneOf(versions.length === 0 ? [0] : versions) };
  return versions.includes(0) ? ["absent", isStored] : isStored;
}
