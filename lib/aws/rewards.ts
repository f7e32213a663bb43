import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { Reward } from "../domain/reward.ts";
import type { Table } from "./table.ts";
import { catalogueKey } from "./table-keys.ts";

/** The rewards in the order in which they are shown; none before the first were loaded. */
export async function readCatalogue(table: Table): Promise<Reward[]> {
  const { Item } = await table.client.send(new GetCommand({ TableName: table.name, Key: catalogueKey }));
  return (Item?.rewards as Reward[] | undefined) ?? [];
}
