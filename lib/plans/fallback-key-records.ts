import { readItem, type Table } from "../table/table.ts";
import { write } from "../table/write.ts";
import type { FallbackKeys } from "./fallback-keys.ts";
import { fallbackKeysKey } from "./item-keys.ts";
import { KeyChanged } from "./user-key-records.ts";

export const readFallbackKeys = (table: Table): Promise<FallbackKeys | undefined> =>
  readItem<FallbackKeys>(table, fallbackKeysKey);

/**
 * Replaces the record that was read.
 *
 * @throws {KeyChanged}
 */
export async function writeFallbackKeys(
  table: Table,
  read: FallbackKeys | undefined,
  written: Omit<FallbackKeys, "version">,
): Promise<FallbackKeys> {
  const item: FallbackKeys = { ...written, version: (read?.version ?? 0) + 1 };
  const when = read === undefined ? "absent" : { version: read.version };
  if (!(await write(table, { kind: "put", key: fallbackKeysKey, item, when }))) throw new KeyChanged();
  return item;
}
