import { DeleteCommand, GetCommand, PutCommand, type UpdateCommandInput } from "@aws-sdk/lib-dynamodb";
import { getItems } from "../table/batch-get.ts";
import type { Table } from "../table/table.ts";
import { afterConflicts, type Writes, writeIf } from "../table/writes.ts";
import { stockKey } from "./reward-keys.ts";

/** How many of a limited reward are left. */
type Stock = { rewardId: string; stock: number };

/** How many of a reward are left, or undefined if none was ever counted. */
export async function readStock({ client, name }: Table, rewardId: string): Promise<number | undefined> {
  const { Item } = await client.send(
    new GetCommand({ TableName: name, Key: stockKey(rewardId), ConsistentRead: true }),
  );
  return (Item as Stock | undefined)?.stock;
}

/** The same for several rewards. */
export async function readStocks(table: Table, rewardIds: readonly string[]): Promise<Map<string, number>> {
  const items = await getItems<Stock>(table, rewardIds.map(stockKey));
  return new Map(items.map(({ rewardId, stock }) => [rewardId, stock]));
}

/**
 * Takes a piece, if there is one.
 *
 * @param initial how many there are if none was ever counted: of rewards from before stocks were counted.
 */
export const takingPiece = (table: Table, rewardId: string, initial: number): Writes[number] => ({
  Update: {
    ...change(table, rewardId),
    UpdateExpression: "SET stock = if_not_exists(stock, :initial) - :one, rewardId = :id",
    ConditionExpression: "attribute_not_exists(PK) OR stock >= :one",
    ExpressionAttributeValues: { ":initial": initial, ":one": 1, ":id": rewardId },
  },
});

/** Puts a piece back. Fails if the reward has no stock any more. */
export const returningPiece = (table: Table, rewardId: string): Writes[number] => ({
  Update: {
    ...change(table, rewardId),
    UpdateExpression: "ADD stock :one",
    ConditionExpression: "attribute_exists(PK)",
    ExpressionAttributeValues: { ":one": 1 },
  },
});

const change = (
  { name: TableName }: Table,
  rewardId: string,
): Pick<UpdateCommandInput, "TableName" | "Key"> => ({
  TableName,
  Key: stockKey(rewardId),
});

/** Sets how many are left, whatever was sold. Without a number, the reward has no stock. */
export async function setStock(table: Table, rewardId: string, stock: number | undefined): Promise<void> {
  const Key = stockKey(rewardId);
  const command =
    stock === undefined
      ? new DeleteCommand({ TableName: table.name, Key })
      : new PutCommand({ TableName: table.name, Item: { ...Key, rewardId, stock } });
  await afterConflicts(() => writeIf(table, command));
}

/** Begins to count a reward's stock. Returns false, without writing, if it is counted already. */
export async function beginStock(table: Table, rewardId: string, stock: number): Promise<boolean> {
  const command = new PutCommand({
    TableName: table.name,
    Item: { ...stockKey(rewardId), rewardId, stock },
    ConditionExpression: "attribute_not_exists(PK)",
  });
  return afterConflicts(() => writeIf(table, command));
}
