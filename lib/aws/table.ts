import { DynamoDBClient, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, paginateQuery } from "@aws-sdk/lib-dynamodb";
import { keepDeadline, perAttempt } from "./deadline.ts";
import type { Key, KeyRange } from "./table-keys.ts";
import { maxAttempts, timeouts } from "./timeouts.ts";

/** The table and the client that reaches it. */
export type Table = { name: string; client: DynamoDBDocumentClient };

/** An item as stored: its key and its content. */
export type Item<Content = Record<string, unknown>> = Key & Content;

/** Functions open their table once, at load. */
export function openTable(name: string, config: DynamoDBClientConfig = {}): Table {
  const client = new DynamoDBClient({ requestHandler: timeouts, maxAttempts, ...config });
  client.middlewareStack.add(keepDeadline, perAttempt);
  return {
    name,
    client: DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } }),
  };
}

export type QueryOptions = { limit?: number; attributes?: readonly string[] };

/** The items of a range, in order, read consistently. */
export async function queryRange<Content>(
  table: Table,
  range: KeyRange,
  options: QueryOptions = {},
): Promise<Item<Content>[]> {
  const { limit } = options;
  const items: Item<Content>[] = [];
  for await (const page of queryPages<Content>(table, range, options)) {
    items.push(...page);
    if (limit !== undefined && items.length >= limit) break;
  }
  return items.slice(0, limit);
}

/** The same for ranges that may be long, in pages of at most 1 MB and at most `limit` items. */
export async function* queryPages<Content>(
  table: Table,
  range: KeyRange,
  { limit, attributes }: QueryOptions = {},
): AsyncGenerator<Item<Content>[]> {
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
  for await (const page of pages) yield (page.Items ?? []) as Item<Content>[];
}

/** Reads only these attributes. Placeholders allow names that are reserved words of DynamoDB. */
export function projection(attributes: readonly string[]) {
  const names = Object.fromEntries(attributes.map((name, index) => [`#${index}`, name]));
  return { ProjectionExpression: Object.keys(names).join(", "), ExpressionAttributeNames: names };
}
