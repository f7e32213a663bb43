import { paginateScan } from "@aws-sdk/lib-dynamodb";
import type { SortKeyRange } from "../../table/keys.ts";
import { projection, type Table } from "../../table/table.ts";

/**
 * Reads all items of one kind, unsorted, page by page as they are consumed. This reads the whole table, so no function
 * of the service may use it.
 *
 * @param attributes Attributes to read. No other attribute leaves the table.
 */
export async function* scan<Content>(
  table: Table,
  { from, to }: SortKeyRange,
  attributes: readonly (keyof Content & string)[],
): AsyncGenerator<Content> {
  const pages = paginateScan(
    { client: table.client },
    {
      TableName: table.name,
      ConsistentRead: true,
      FilterExpression: "SK BETWEEN :from AND :to",
      ExpressionAttributeValues: { ":from": from, ":to": to },
      ...projection(attributes),
    },
  );
  for await (const page of pages) yield* (page.Items ?? []) as Content[];
}
