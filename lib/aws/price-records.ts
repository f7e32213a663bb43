import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { Price } from "../domain/price.ts";
import type { Table } from "./table.ts";
import { pricesKey } from "./table-keys.ts";
import { writeIf } from "./writes.ts";

/** The latest prices as kept, and the lease of the run that saved them: a run with a smaller one may save no more. */
export type PricesItem = { prices: Price[]; lease: string; updatedAt: string };

/**
 * Makes these the latest prices, and the lease theirs.
 *
 * @param lease text, of which the greater wins
 * @returns false, and changes nothing, when a greater lease has saved prices.
 */
export async function savePrices(
  table: Table,
  prices: readonly Price[],
  lease: string,
  now = new Date(),
): Promise<boolean> {
  return writeIf(
    table,
    new UpdateCommand({
      TableName: table.name,
      Key: pricesKey,
      UpdateExpression: "SET prices = :prices, lease = :lease, updatedAt = :now",
      ConditionExpression: "attribute_not_exists(lease) OR lease <= :lease",
      ExpressionAttributeValues: { ":prices": prices, ":lease": lease, ":now": now.toISOString() },
    }),
  );
}

/** The latest prices, after every save that was answered before; none before the first. */
export async function readPrices(table: Table): Promise<Price[]> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: pricesKey, ConsistentRead: true }),
  );
  return (Item as PricesItem | undefined)?.prices ?? [];
}
