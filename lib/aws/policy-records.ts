import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { dayOf, type Limits, type PolicyKey, type PolicyRecord } from "../domain/trading/wallet-policy.ts";
import { getItems } from "./batch-get.ts";
import type { Item, Table } from "./table.ts";
import type { Key } from "./table-keys.ts";
import { contentOf, packed } from "./trading-items.ts";
import { dayKey, policyKey } from "./trading-keys.ts";
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

/** The policies of these wallets, and what they have spent on the day of a time, in their order. */
export async function readLimits(table: Table, wallets: readonly PolicyKey[], now: Date): Promise<Limits[]> {
  const day = dayOf(now.getTime());
  const keys = wallets.map((wallet) => ({ policy: policyKey(wallet), count: dayKey({ ...wallet, day }) }));
  const items = await getItems<object>(
    table,
    keys.flatMap(({ policy, count }) => [policy, count]),
  );
  const found = new Map(items.map((item) => [textOf(item), item]));
  return keys.map(({ policy, count }) => {
    const [storedPolicy, storedCount] = [found.get(textOf(policy)), found.get(textOf(count))];
    return {
      stored: storedPolicy && contentOf("policy", storedPolicy),
      count: storedCount && contentOf("day", storedCount),
    };
  });
}

const textOf = ({ PK, SK }: Key) => JSON.stringify([PK, SK]);

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
