import { paginateScan } from "@aws-sdk/lib-dynamodb";
import { projection, type Table } from "../aws/table.ts";
import type { SortKeyRange } from "../aws/table-keys.ts";

/**
 * Items of one kind of the whole table, in no order, page by page as they are asked for. It reads everything there is,
 * which is why no function of the service may do it.
 *
 * @param attributes what is wanted of each; the others do not leave the table.
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
