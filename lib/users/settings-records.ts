import { randomUUID } from "node:crypto";
import type { Chain } from "../core/network.ts";
import { saveVersion } from "../table/save-version.ts";
import { initially } from "../table/step.ts";
import { queryRange, readItem, type Table } from "../table/table.ts";
import { chainOf, settingsKey, settingsOf } from "./item-keys.ts";
import { type Settings, type SettingsPatch, settingsInForce } from "./settings.ts";

/**
 * A chain's settings as stored: those that the user has set, and the record's own fields. Each change adds 1 to
 * `version`.
 */
export type SettingsItem = SettingsPatch & {
  _id: string;
  userID: string;
  createdAt: string;
  updatedAt: string;
  version: number;
};

/**
 * Reads the settings of each chain that the user has changed. Fills in defaults for settings that the user has not set.
 */
export async function readSettings(table: Table, userID: string) {
  const items = await queryRange<SettingsItem>(table, settingsOf(userID));
  return items.flatMap((item) => {
    const chain = chainOf(item);
    if (chain === undefined) return [];
    return [{ chain, version: item.version, settings: settingsInForce(chain, item) }];
  });
}

/** Reads the user's settings of one chain. Their version is 0 until the user changes one. */
export async function readSettingsOf(table: Table, userID: string, chain: Chain) {
  const item = await readItem<SettingsItem>(table, settingsKey(userID, chain));
  return { chain, version: item?.version ?? 0, settings: settingsInForce(chain, item) };
}

/**
 * Creates or changes the user's settings of a chain in one write. Returns the full record, with defaults filled in.
 *
 * @throws {DomainError} PRECONDITION_FAILED, without writing, if the version in the table is not among the expected ones.
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
    ...changes,
    _id: initially(randomUUID()),
    createdAt: initially(now.toISOString()),
  };
  const item = await saveVersion<SettingsItem>(table, settingsKey(userID, chain), set, expected);
  return { ...item, ...settingsInForce(chain, item) };
}
