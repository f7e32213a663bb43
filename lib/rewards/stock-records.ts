import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { getItems } from "../table/batch-get.ts";
import { atLeast, initially, type Write } from "../table/step.ts";
import type { Table } from "../table/table.ts";
import { write } from "../table/write.ts";
import { stockKey } from "./item-keys.ts";

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
export const takingPiece = (rewardId: string, initial: number): Write => ({
  kind: "change",
  key: stockKey(rewardId),
  set: { stock: initially(initial, { plus: -1 }), rewardId },
  when: ["absent", { stock: atLeast(1) }],
});

/** Puts a piece back. Fails if the reward has no stock any more. */
export const returningPiece = (rewardId: string): Write => ({
  kind: "change",
  key: stockKey(rewardId),
  add: { stock: 1 },
  when: "present",
});

/** Sets how many are left, whatever was sold. Without a number, the reward has no stock. */
export async function setStock(table: Table, rewardId: string, stock: number | undefined): Promise<void> {
  const key = stockKey(rewardId);
  await write(
    table,
    stock === undefined ? { kind: "remove", key } : { kind: "put", key, item: { rewardId, stock } },
  );
}

/** Begins to count a reward's stock. Returns false, without writing, if it is counted already. */
export async function beginStock(table: Table, rewardId: string, stock: number): Promise<boolean> {
  return write(table, {
    kind: "put",
    key: stockKey(rewardId),
    item: { rewardId, stock },
    when: "absent",
  });
}
