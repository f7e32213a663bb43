import { arn } from "../account.ts";
import { tableName } from "../cloudformation/resource-types.ts";
import type { Resources } from "../cloudformation/resources.ts";
import type { AccessRequest } from "../iam/caller.ts";

/** Names of the partition keys of a table and its indexes. */
export type TableKeys = { table: string; indexes: Readonly<Record<string, string>> };

/** Partition keys by table name. */
export type TablesKeys = ReadonlyMap<string, TableKeys>;

type KeySchema = readonly { AttributeName: string; KeyType: string }[];
type Index = { IndexName: string; KeySchema: KeySchema };

/** Reads the partition keys of all tables in the stacks. */
export function readTableKeys(resources: Resources): TablesKeys {
  return new Map(
    resources.ofType("AWS::DynamoDB::Table").map((table) => {
      const indexes = ["GlobalSecondaryIndexes", "LocalSecondaryIndexes"].flatMap(
        (name) => (table.property(name) ?? []) as Index[],
      );
      const keys: TableKeys = {
        table: partitionKey(table.property("KeySchema") as KeySchema),
        indexes: Object.fromEntries(
          indexes.map(({ IndexName, KeySchema }) => [IndexName, partitionKey(KeySchema)]),
        ),
      };
      return [tableName(table), keys];
    }),
  );
}

const partitionKey = (schema: KeySchema) =>
  schema.find(({ KeyType }) => KeyType === "HASH")?.AttributeName ?? "";

const keysOfRequest = "dynamodb:LeadingKeys";
const attributesOfRequest = "dynamodb:Attributes";

/** Attributes in DynamoDB's JSON, e.g. `{"PK":{"S":"a"}}`. */
type Attributes = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

/**
 * Part of a call's body that determines its permissions. It is not validated, because DynamoDB refuses malformed calls.
 */
type Body = {
  TableName?: string;
  IndexName?: string;
  Key?: Attributes;
  Item?: Attributes;
  RequestItems?: Record<string, unknown>;
  TransactItems?: Record<string, Body>[];
} & Condition;

type Condition = {
  UpdateExpression?: string;
  KeyConditionExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Attributes;
  KeyConditions?: Record<string, { AttributeValueList?: (Attributes[string] | null)[] }>;
};

type WriteRequests = { PutRequest?: { Item?: Attributes }; DeleteRequest?: { Key?: Attributes } }[];

/**
 * Keys that policies see as `dynamodb:LeadingKeys` for a part of a transaction or for a table of a batch: its own, or
 * those of the whole request. AWS documents neither for transactions.
 */
export const leadingKeysOptions = ["each-part", "whole-request"] as const;

export type LeadingKeys = (typeof leadingKeysOptions)[number];

/** IAM actions for the parts of a transaction. */
const partActions: Readonly<Record<string, string>> = {
  Put: "PutItem",
  Update: "UpdateItem",
  Delete: "DeleteItem",
  ConditionCheck: "ConditionCheckItem",
  Get: "GetItem",
};

/**
 * Lists the permissions that a call needs: one for each part of a transaction or table of a batch, otherwise one.
 * Undefined for PartiQL, whose statements are not read.
 */
export function accessRequestsOf(
  operation: string,
  body: unknown,
  tables: TablesKeys,
  leadingKeys: LeadingKeys = "each-part",
): AccessRequest[] | undefined {
  const requests = requestsOfParts(operation, body, tables);
  if (requests === undefined || leadingKeys === "each-part") return requests;
  const all = requests.flatMap(({ values }) => values[keysOfRequest] ?? []);
  return requests.map((each) =>
    all.length === 0 ? each : { ...each, values: { ...each.values, [keysOfRequest]: all } },
  );
}

function requestsOfParts(operation: string, body: unknown, tables: TablesKeys): AccessRequest[] | undefined {
  const call = (typeof body === "object" && body !== null ? body : {}) as Body;
  switch (operation) {
    case "ExecuteStatement":
    case "BatchExecuteStatement":
    case "ExecuteTransaction":
      return undefined;
    case "TransactWriteItems":
    case "TransactGetItems":
      return listOf(call.TransactItems).flatMap((item) =>
        Object.entries(item ?? {}).map(([kind, part]) =>
          onTable(partActions[kind] ?? kind, part ?? {}, tables, keyOf(part ?? {}), operation),
        ),
      );
    case "BatchGetItem":
      return Object.entries(call.RequestItems ?? {}).map(([TableName, request]) => {
        const { Keys } = (request ?? {}) as { Keys?: Attributes[] };
        return onTable(operation, { TableName }, tables, (name) => valuesOf(listOf(Keys), name));
      });
    case "BatchWriteItem":
      return Object.entries(call.RequestItems ?? {}).map(([TableName, requests]) => {
        const items = listOf(requests as WriteRequests).map(
          (each) => each?.PutRequest?.Item ?? each?.DeleteRequest?.Key,
        );
        return onTable(operation, { TableName }, tables, (name) => valuesOf(items, name));
      });
    case "Query":
      return [onTable(operation, call, tables, (name) => conditionOn(call, name))];
    default:
      return [onTable(operation, call, tables, keyOf(call))];
  }
}

const listOf = <Element>(list: readonly Element[] | undefined): readonly Element[] =>
  Array.isArray(list) ? list : [];

const keyOf =
  ({ Key, Item }: Body) =>
  (name: string) =>
    valuesOf([Key ?? Item], name);

function valuesOf(items: readonly (Attributes | undefined)[], name: string): string[] {
  return items.flatMap((item) => textOf(item?.[name]));
}

/** Reads the text of a key's value: `{"S":"a"}`, `{"N":"1"}` or `{"B":"YQ=="}`. */
function textOf(value: Attributes[string] | null): string[] {
  return Object.values(value ?? {}).map(String);
}

/** Finds the partition key's value in a query, from an expression or the older KeyConditions. */
function conditionOn(query: Condition, name: string): string[] {
  const {
    KeyConditionExpression: expression = "",
    ExpressionAttributeNames: names = {},
    ExpressionAttributeValues: values = {},
    KeyConditions,
  } = query;
  if (KeyConditions) return listOf(KeyConditions[name]?.AttributeValueList).flatMap(textOf);
  const operands = String(expression).matchAll(/([#:]?[\w.-]+)\s*=\s*([#:]?[\w.-]+)/g);
  return [...operands].flatMap(([, left = "", right = ""]) => {
    const [attribute, value] = left.startsWith(":") ? [right, left] : [left, right];
    return (names[attribute] ?? attribute) === name ? textOf(values[value]) : [];
  });
}

const isSyntax = /^(SET|REMOVE|ADD|DELETE|if_not_exists|list_append)$/i;

/** Lists the attributes that a call writes. Those that other calls read are not emulated. */
function attributesIn({
  Key,
  Item,
  UpdateExpression: update = "",
  ExpressionAttributeNames: names = {},
}: Body) {
  if (Item !== undefined) return Object.keys(Item);
  const words = (String(update).match(/(?<![:\w])#?[A-Za-z_]\w*/g) ?? []).filter(
    (word) => !isSyntax.test(word),
  );
  return words.length === 0 ? [] : [...Object.keys(Key ?? {}), ...words.map((word) => names[word] ?? word)];
}

function onTable(
  operation: string,
  body: Body,
  tables: TablesKeys,
  leadingKeys: (partitionKey: string) => string[],
  enclosing?: string,
): AccessRequest {
  const { TableName, IndexName } = body;
  const attributes = attributesIn(body);
  const name = /^arn:.*:table\/([^/]+)$/.exec(TableName ?? "")?.[1] ?? TableName;
  const keys = tables.get(name ?? "");
  const key = IndexName === undefined ? keys?.table : keys?.indexes[IndexName];
  const leading = key === undefined ? [] : leadingKeys(key);
  return {
    action: `dynamodb:${operation}`,
    resource:
      name === undefined ? "*" : arn("dynamodb", `table/${name}${IndexName ? `/index/${IndexName}` : ""}`),
    values: {
      ...(leading.length > 0 && { [keysOfRequest]: leading }),
      ...(attributes.length > 0 && { [attributesOfRequest]: attributes }),
      ...(enclosing !== undefined && { "dynamodb:EnclosingOperation": [enclosing] }),
    },
  };
}
