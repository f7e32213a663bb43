import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { Table } from "../table/table.ts";
import { write, writeOne } from "../table/write.ts";
import { catalogueKey } from "./item-keys.ts";
import type { Reward } from "./reward.ts";

/**
 * Reads the rewards in display order. Empty until an operator loads some.
 *
 * @param isConsistent if true, the read includes the latest write and costs twice as much.
 */
export async function readCatalogue(table: Table, { isConsistent = false } = {}): Promise<Reward[]> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: catalogueKey, ConsistentRead: isConsistent }),
  );
  return (Item?.rewards as Reward[] | undefined) ?? [];
}

/** Replaces the rewards, in one write. Returns the previous ones. */
export async function replaceCatalogue(table: Table, rewards: readonly Reward[]): Promise<Reward[]> {
  const put = { kind: "put", key: catalogueKey, item: { rewards } } as const;
  const { item } = await writeOne<{ rewards?: Reward[] }>(table, put);
  return item?.rewards ?? [];
}

/** Loads the first rewards. Returns false, without writing, if any were loaded before, even an empty catalogue. */
export async function createCatalogue(table: Table, rewards: readonly Reward[]): Promise<boolean> {
  return write(table, { kind: "put", key: catalogueKey, item: { rewards }, when: "absent" });
}
