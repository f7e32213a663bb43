import { BatchGetCommand } from "@aws-sdk/lib-dynamodb";
import { inPartsOf } from "../core/in-parts.ts";
import { ServiceError } from "../core/service-error.ts";
import type { Key } from "./keys.ts";
import { retry } from "./retry.ts";
import type { Item, Table } from "./table.ts";

/** Maximum number of keys in one BatchGetItem. */
const keysPerCall = 100;

const maxAttempts = 5;

/**
 * Reads the items that exist, consistently and in any order. No key may occur twice.
 *
 * @throws {ServiceError} if DynamoDB does not return all of them within a few attempts.
 */
export async function getItems<Content>(table: Table, keys: readonly Key[]): Promise<Item<Content>[]> {
  const calls = inPartsOf(keysPerCall, keys).map((part) => getAtMost100<Content>(table, part));
  return (await Promise.all(calls)).flat();
}

/**
 * Repeats the request for keys that DynamoDB leaves unprocessed because it throttles or because the answer exceeds 16
 * MB.
 */
async function getAtMost100<Content>(
  { client, name }: Table,
  keys: readonly Key[],
): Promise<Item<Content>[]> {
  const items: Item<Content>[] = [];
  let left = keys;
  const found = await retry(
    async () => {
      const { Responses, UnprocessedKeys } = await client.send(
        new BatchGetCommand({ RequestItems: { [name]: { Keys: [...left], ConsistentRead: true } } }),
      );
      items.push(...((Responses?.[name] ?? []) as Item<Content>[]));
      left = (UnprocessedKeys?.[name]?.Keys ?? []) as Key[];
      return left.length === 0 ? items : undefined;
    },
    { attempts: maxAttempts },
  );
  if (found === undefined) throw new ServiceError("Some keys were never read", { code: "KEYS_UNPROCESSED" });
  return found;
}
