import { DynamoDBClient, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, GetCommand, paginateQuery, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { keepDeadline, perAttempt } from "../aws/deadline.ts";
import { fixedSettings, maxAttempts, timeouts } from "../aws/timeouts.ts";
import type { Key, KeyRange } from "./keys.ts";
import type { PartitionName } from "./layout.ts";

export type Table = {
  name: string;
  /**
   * Id that distinguishes this table from a restored table with the same name. Absent in functions that announce
   * nothing.
   */
  id?: string | undefined;
  client: DynamoDBDocumentClient;
  /**
   * Partitions that a transaction may name. Items in other partitions that need a check are read by `write` immediately
   * before the transaction. If undefined, a transaction may check any item.
   */
  transactionPartitions?: readonly PartitionName[] | undefined;
  /** Number of shards for new lanes, if it differs from the default. */
  laneShards?: number | undefined;
};

/** An item as stored: its key and its content. */
export type Item<Content = Record<string, unknown>> = Key & Content;

/** Returns the content of an item. */
export const withoutKey = <Content>({ PK: _, SK: __, ...content }: Item<Content>): Content =>
  content as Content;

/**
 * Reads numbers above 2^53 as numbers, so that schemas can refuse them. By default, the SDK would read them as bigint,
 * or throw.
 */
export const readNumbers = { wrapNumbers: Number };

/** A logger without `info`, for which the SDK would copy each answer: a fifth of the processor time of a large read. */
const logger = { debug() {}, warn() {}, error() {} } as unknown as NonNullable<
  DynamoDBClientConfig["logger"]
>;

/** Opens the table. Functions do this once, when they are loaded. */
export function openTable(name: string, config: DynamoDBClientConfig = {}): Table {
  const client = new DynamoDBClient({
    ...fixedSettings,
    // A function's credentials name no AWS account, so the client cannot use the account's own endpoint.
    accountIdEndpointMode: "disabled",
    requestHandler: timeouts,
    maxAttempts,
    logger,
    ...config,
  });
  client.middlewareStack.add(keepDeadline, perAttempt);
  return {
    name,
    client: DynamoDBDocumentClient.from(client, {
      marshallOptions: { removeUndefinedValues: true },
      // Copies the options, because the client adds some of its own.
      unmarshallOptions: { ...readNumbers },
    }),
  };
}

/** Reads the item with this key, consistently. */
export async function readItem<Content>(
  { client, name }: Table,
  key: Key,
): Promise<Item<Content> | undefined> {
  const read = new GetCommand({ TableName: name, Key: key, ConsistentRead: true });
  const { Item: found } = await client.send(read);
  return found as Item<Content> | undefined;
}

/** Condition on the items that a query returns. Those that it leaves out cost read units, too. */
export type Filter = {
  parameters: { FilterExpression: string; ExpressionAttributeNames: Record<string, string> };
  values: Readonly<Record<string, number | string>>;
};

export type QueryOptions = {
  limit?: number;
  attributes?: readonly string[];
  isReversed?: boolean;
  /** Cannot be combined with `attributes`. */
  filter?: Filter | undefined;
};

/** Builds the parameters of a Query that reads a range. */
export const rangeQuery = ({ PK, from, to }: KeyRange, values?: Filter["values"]) => ({
  KeyConditionExpression: "PK = :pk AND SK BETWEEN :from AND :to",
  ExpressionAttributeValues: { ":pk": PK, ":from": from, ":to": to, ...values },
});

/** Reads the items of a range, consistently and in order. */
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

/** Reads a range that may be long, in pages of at most 1 MB and at most `limit` items. */
export async function* queryPages<Content>(
  table: Table,
  range: KeyRange,
  { limit, attributes, isReversed, filter }: QueryOptions = {},
): AsyncGenerator<Item<Content>[]> {
  const pages = paginateQuery(
    { client: table.client },
    {
      TableName: table.name,
      ConsistentRead: true,
      ...rangeQuery(range, filter?.values),
      ...(isReversed && { ScanIndexForward: false }),
      Limit: limit,
      ...(attributes && projection(attributes)),
      ...filter?.parameters,
    },
  );
  for await (const page of pages) yield (page.Items ?? []) as Item<Content>[];
}

export type PageOptions = {
  limit: number;
  /** Position after which to continue: the `end` of the previous page. */
  after?: string | undefined;
};

/**
 * Reads a page of a range with one Query, consistently and in order. `from` must be the prefix of all sort keys in the
 * range, because `end` omits it.
 *
 * @returns the items, and the `end` of the page if another may follow.
 */
export async function queryPage<Content>(
  { client, name }: Table,
  range: KeyRange,
  { limit, after }: PageOptions,
): Promise<{ items: Item<Content>[]; end?: string }> {
  const { PK, from } = range;
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName: name,
      ConsistentRead: true,
      ...rangeQuery(range),
      // Reads one item more than the page contains, to find out whether another page follows.
      Limit: limit + 1,
      ...(after !== undefined && { ExclusiveStartKey: { PK, SK: from + after } }),
    }),
  );
  const items = (Items as Item<Content>[]).slice(0, limit);
  const last = Items.length > limit ? items.at(-1)?.SK : undefined;
  return { items, ...(last !== undefined && { end: last.slice(from.length) }) };
}

/**
 * Builds parameters that read only these attributes. Placeholders are needed because names may be reserved words of
 * DynamoDB.
 */
export function projection(attributes: readonly string[]) {
  const names = Object.fromEntries(attributes.map((name, index) => [`#${index}`, name]));
  return { ProjectionExpression: Object.keys(names).join(", "), ExpressionAttributeNames: names };
}
