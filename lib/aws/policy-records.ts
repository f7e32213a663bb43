import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { PolicyKey, PolicyRecord } from "../domain/trading/wallet-policy.ts";
import type { Item, Table } from "./table.ts";
import { contentOf, packed } from "./trading-items.ts";
import { policyKey } from "./trading-keys.ts";
import type { Writes } from "./writes.ts";

/** What is stored of a wallet's policy. Its user may never have set one. */
export async function readPolicyRecord(
  { client, name }: Table,
  wallet: PolicyKey,
): Promise<PolicyRecord | undefined> {
  const { Item } = await client.send(
    new GetCommand({ TableName: name, Key: policyKey(wallet), ConsistentRead: true }),
  );
  return Item && contentOf("policy", Item as Item<object>);
}

/** Writes a policy, if the one before it is still the one that was read. */
export const policyWrite = (
  { name: TableName }: Table,
  record: PolicyRecord,
  read: PolicyRecord | undefined,
): Writes[number] => ({
  Put: {
    TableName,
    Item: { ...policyKey(record), ...(packed(record) as object) },
    ...(read === undefined
      ? { ConditionExpression: "attribute_not_exists(PK)" }
      : { ConditionExpression: "revision = :read", ExpressionAttributeValues: { ":read": read.revision } }),
  },
});
