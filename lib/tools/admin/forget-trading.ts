import { paginateScan } from "@aws-sdk/lib-dynamodb";
import type { Key } from "../../table/keys.ts";
import type { Table } from "../../table/table.ts";
import { write } from "../../table/write.ts";
import { isOfChains } from "../../trading/items/keys.ts";

/**
 * Deletes all orders placed here, with their items, after the chains were reset. May be repeated after a
 * crash.
 */
export async function forgetTrading(table: Table): Promise<void> {
  const pages = paginateScan(
    { client: table.client },
    { TableName: table.name, ConsistentRead: true, ProjectionExpression: "PK, SK, lane" },
  );
  for await (const { Items = [] } of pages)
    for (const { PK, SK } of (Items as (Key & { lane?: unknown })[]).filter(isOfChains))
      await write(table, { kind: "remove", key: { PK, SK } });
}
