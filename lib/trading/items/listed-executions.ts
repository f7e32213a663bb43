import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { ExecutionKind } from "../../core/execution-words.ts";
import { type Execution, executionIn, type StoredExecution } from "../../orders/execution.ts";
import { type Item, type PageOptions, rangeQuery, type Table } from "../../table/table.ts";
import { listedExecutionsOf } from "./keys.ts";

/** The accepted values of each filtered field. */
export type ListFilter = Readonly<Record<string, readonly string[]>>;

type FilteredPage = PageOptions & { filter: ListFilter };

/**
 * Reads a page of the user's orders or positions, newest first, with one Query. If there is a filter, a page may have
 * fewer records than the limit, or none, although more follow.
 *
 * @returns the records, and the `end` of the page if another may follow.
 */
export async function readListed<Listed extends Execution>(
  table: Table,
  { userID, kind }: { userID: string; kind: ExecutionKind },
  { filter, limit, after }: FilteredPage,
): Promise<{ executions: Listed[]; end?: string }> {
  const range = listedExecutionsOf(userID, kind);
  const { PK, from } = range;
  const { KeyConditionExpression, ExpressionAttributeValues } = rangeQuery(range);
  const conditions = Object.entries(filter).map(([name, values], index) => ({
    expression: `#f${index} IN (${values.map((_, at) => `:f${index}v${at}`).join(", ")})`,
    name: [`#f${index}`, name] as const,
    values: values.map((value, at) => [`:f${index}v${at}`, value] as const),
  }));
  const { Items = [], LastEvaluatedKey } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      ConsistentRead: true,
      KeyConditionExpression,
      ExpressionAttributeValues: {
        ...ExpressionAttributeValues,
        ...Object.fromEntries(conditions.flatMap(({ values }) => values)),
      },
      ...(conditions.length > 0 && {
        FilterExpression: conditions.map(({ expression }) => expression).join(" AND "),
        ExpressionAttributeNames: Object.fromEntries(conditions.map(({ name }) => name)),
      }),
      // Reads one item more than the page contains, to find out whether another page follows. DynamoDB applies a limit
      // before a filter, so filtered queries have no limit.
      ...(conditions.length === 0 && { Limit: limit + 1 }),
      ...(after !== undefined && { ExclusiveStartKey: { PK, SK: from + after } }),
    }),
  );
  const found = (Items as Item<StoredExecution>[]).slice(0, limit);
  const executions = found.map((item) => executionIn(item) as unknown as Listed);
  const last = Items.length > limit ? found.at(-1)?.SK : (LastEvaluatedKey?.SK as string | undefined);
  return { executions, ...(last !== undefined && { end: last.slice(from.length) }) };
}
