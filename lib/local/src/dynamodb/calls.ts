import * as v from "valibot";
import type { ItemName } from "./in-flight.ts";

/** Attribute values in DynamoDB's JSON, e.g. `{"PK":{"S":"a"}}`. */
type Attributes = Record<string, unknown>;

const attributes = v.record(v.string(), v.unknown());

const condition = {
  TableName: v.string(),
  ConditionExpression: v.optional(v.string()),
  ExpressionAttributeNames: v.optional(attributes),
  ExpressionAttributeValues: v.optional(attributes),
  ReturnValuesOnConditionCheckFailure: v.optional(v.string()),
};
const put = v.object({ ...condition, Item: attributes });
const keyed = v.object({ ...condition, Key: attributes });

/** A part of a transaction, or a single write. */
export type ItemCall = v.InferOutput<typeof put> | v.InferOutput<typeof keyed>;

const one = <Schema extends v.GenericSchema>(schema: Schema) =>
  v.pipe(
    schema,
    v.transform((call) => [call]),
  );
/** An item of a transaction, whose only key is the operation: `{"Put":{…}}`. */
const oneOf = v.pipe(
  v.object({
    Put: v.optional(put),
    Update: v.optional(keyed),
    Delete: v.optional(keyed),
    ConditionCheck: v.optional(keyed),
    Get: v.optional(keyed),
  }),
  v.transform(
    ({ Put, Update, Delete, ConditionCheck, Get }) => Put ?? Update ?? Delete ?? ConditionCheck ?? Get,
  ),
);
const transaction = v.pipe(
  v.object({ TransactItems: v.array(oneOf), ClientRequestToken: v.optional(v.string()) }),
  v.transform(({ TransactItems }) => TransactItems),
);

/** Parts of a BatchWriteItem. */
const batch = v.pipe(
  v.object({
    RequestItems: v.record(
      v.string(),
      v.array(
        v.object({
          PutRequest: v.optional(v.object({ Item: attributes })),
          DeleteRequest: v.optional(v.object({ Key: attributes })),
        }),
      ),
    ),
  }),
  v.transform(({ RequestItems }) =>
    Object.entries(RequestItems).flatMap(([TableName, requests]) =>
      requests.map(({ PutRequest, DeleteRequest }): ItemCall | undefined => {
        if (PutRequest) return { TableName, ...PutRequest };
        return DeleteRequest && { TableName, ...DeleteRequest };
      }),
    ),
  ),
);

const schemas = {
  PutItem: one(put),
  UpdateItem: one(keyed),
  DeleteItem: one(keyed),
  BatchWriteItem: batch,
  TransactWriteItems: transaction,
  TransactGetItems: transaction,
};

export type ConflictingOperation = keyof typeof schemas;

/** True for operations that can conflict with others. Plain reads cannot. */
export function canConflict(operation: string): operation is ConflictingOperation {
  return Object.hasOwn(schemas, operation);
}

/** Lists the parts of a call in order. Undefined for a malformed call, which DynamoDB refuses. */
export function partsOf(operation: ConflictingOperation, body: unknown): ItemCall[] | undefined {
  const parsed = v.safeParse(schemas[operation], body);
  const parts: (ItemCall | undefined)[] = parsed.success ? parsed.output : [undefined];
  return parts.every((part) => part !== undefined) ? parts : undefined;
}

export function tableOf({ TableName }: ItemCall): string {
  return /^arn:.*:table\/([^/]+)$/.exec(TableName)?.[1] ?? TableName;
}

/** @param keyNames the names of the table's key attributes */
export function itemNameOf(call: ItemCall, keyNames: readonly string[]): ItemName {
  return JSON.stringify([tableOf(call), ...Object.values(keyOf(call, keyNames))]);
}

export function keyOf(call: ItemCall, keyNames: readonly string[]): Attributes {
  const from = "Item" in call ? call.Item : call.Key;
  return Object.fromEntries(keyNames.map((name) => [name, from[name]]));
}

/** Turns a part's condition into a ConditionCheck, which writes nothing. Undefined for a part without a condition. */
export function conditionCheck(call: ItemCall, keyNames: readonly string[]): object | undefined {
  const { TableName, ConditionExpression, ReturnValuesOnConditionCheckFailure } = call;
  if (ConditionExpression === undefined) return undefined;
  // Keeps only used names and values, because DynamoDB refuses unused ones.
  const used = new Set(ConditionExpression.match(/[#:]\w+/g));
  const only = (defined: Attributes = {}) => {
    const entries = Object.entries(defined).filter(([name]) => used.has(name));
    return entries.length > 0 ? Object.fromEntries(entries) : undefined;
  };
  return {
    ConditionCheck: {
      TableName,
      Key: keyOf(call, keyNames),
      ConditionExpression,
      ExpressionAttributeNames: only(call.ExpressionAttributeNames),
      ExpressionAttributeValues: only(call.ExpressionAttributeValues),
      ReturnValuesOnConditionCheckFailure,
    },
  };
}
