import { randomUUID } from "node:crypto";
import { DomainError } from "../core/domain-error.ts";
import type { Chain } from "../core/network.ts";
import { initially, oneOf, type When } from "../table/step.ts";
import { queryRange, readItem, type Table } from "../table/table.ts";
import { writeOne } from "../table/write.ts";
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
  /** Id of the last conditional change. */
  changeId?: string;
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
 * @param expected the versions to accept; 0 means that there is no record. Undefined accepts every version.
 * @throws {DomainError} PRECONDITION_FAILED, without writing, if the version in the table is not among them.
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
  // Recognizes its own change: if the SDK repeats a write whose answer was lost, the repetition fails because the first
  // write succeeded.
  const isOurs = isWritten || (changeId !== undefined && item?.changeId === changeId);
  if (item === undefined || !isOurs)
    throw new DomainError(
      "PRECONDITION_FAILED",
      "The settings have changed, or never had a version that If-Match names",
    );
  return { ...item, ...settingsInForce(chain, item) };
}

function versionIn(versions: readonly number[]): When {
  // Uses 0 to match no record, because versions start at 1.
  const isStored = { version: oneOf(versions.length === 0 ? [0] : versions) };
  return versions.includes(0) ? ["absent", isStored] : isStored;
}
