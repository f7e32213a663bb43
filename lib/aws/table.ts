import { DynamoDBClient, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, paginateQuery } from "@aws-sdk/lib-dynamodb";
import type { Key, KeyRange } from "./table-keys.ts";
import { maxAttempts, timeouts } from "./timeouts.ts";

/** The table and the client that reaches it. */
export type Table = { name: string; client: DynamoDBDocumentClient };

/** An item as stored: its key and whatever it holds. */
export type Item<Content = Record<string, unknown>> = Key & Content;

/** Opens the table of that name. Functions do so once, at load. */
export function openTable(name: string, config: DynamoDBClientConfig = {}): Table {
  const client = new DynamoDBClient({ requestHandler: timeouts, maxAttempts, ...config });
  return {
    name,
    client: DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } }),
  };
}

/** What a Query may narrow. */
export type QueryOptions = { limit?: number; attributes?: readonly string[] };

/** The items of a range, in order, as they are after every write that was answered before. */
export async function queryRange<Content>(
  table: Table,
  range: KeyRange,
  { limit, attributes }: QueryOptions = {},
): Promise<Item<Content>[]> {
  const pages = paginateQuery(
    { client: table.client },
    {
      TableName: table.name,
      ConsistentRead: true,
      KeyConditionExpression: "PK = :pk AND SK BETWEEN :from AND :to",
      ExpressionAttributeValues: { ":pk": range.PK, ":from": range.from, ":to": range.to },
      Limit: limit,
      ...(attributes && projection(attributes)),
    },
  );
  const items: Item<Content>[] = [];
  for await (const page of pages) {
    items.push(...((page.Items ?? []) as Item<Content>[]));
    if (limit !== undefined && items.length >= limit) break;
  }
  return items.slice(0, limit);
}

/** Asks for these attributes only, whatever words of DynamoDB's they may be. */
export function projection(attributes: readonly string[]) {
  const names = Object.fromEntries(attributes.map((name, index) => [`#${index}`, name]));
  return { ProjectionExpression: Object.keys(names).join(", "), ExpressionAttributeNames: names };
}
