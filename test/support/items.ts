import { BatchWriteCommand, paginateScan } from "@aws-sdk/lib-dynamodb";
import type { Item, Table } from "../../lib/table/table.ts";

/** Returns all items whose keys contain this text, unsorted. */
export async function itemsNamed(table: Table, text: string): Promise<Item[]> {
  const pages = paginateScan({ client: table.client }, { TableName: table.name, ConsistentRead: true });
  const items: Item[] = [];
  for await (const { Items = [] } of pages) items.push(...(Items as Item[]));
  return items.filter(({ PK, SK }) => `${PK} ${SK}`.includes(text));
}

/** Writes items unchanged, in batches of the largest size. */
export async function putItems(table: Table, items: readonly Item[]): Promise<void> {
  for (let start = 0; start < items.length; start += 25) {
    const requests = items.slice(start, start + 25).map((Item) => ({ PutRequest: { Item } }));
    await table.client.send(new BatchWriteCommand({ RequestItems: { [table.name]: requests } }));
  }
}
