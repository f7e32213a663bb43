import { getItems } from "../table/batch-get.ts";
import { atLeast, initially, type Write } from "../table/step.ts";
import { readItem, type Table } from "../table/table.ts";
import { write } from "../table/write.ts";
import { stockKey } from "./item-keys.ts";

/** Number of pieces left of a limited reward. */
type Stock = { rewardId: string; stock: number };

/** Reads how many pieces of a reward are left. Returns undefined if they were never counted. */
export async function readStock(table: Table, rewardId: string): Promise<number | undefined> {
  const item = await readItem<Stock>(table, stockKey(rewardId));
  return item?.stock;
}

/** Reads the stocks of several rewards. */
export async function readStocks(table: Table, rewardIds: readonly string[]): Promise<Map<string, number>> {
  const items = await getItems<Stock>(table, rewardIds.map(stockKey));
  return new Map(items.map(({ rewardId, stock }) => [rewardId, stock]));
}

/**
 * Takes a piece from the stock. Fails if none is left.
 *
 * @param initial the stock to start from if the reward's pieces were never counted.
 */
export const takingPiece = (rewardId: string, initial: number): Write => ({
  kind: "change",
  key: stockKey(rewardId),
  set: { stock: initially(initial, { plus: -1 }), rewardId },
  when: ["absent", { stock: atLeast(1) }],
});

/** Returns a piece to the stock. Fails if the reward's stock is no longer counted. */
export const returningPiece = (rewardId: string): Write => ({
  kind: "change",
  key: stockKey(rewardId),
  add: { stock: 1 },
  when: "present",
});

/** Sets the stock, regardless of past sales. If no number is given, removes the stock. */
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
