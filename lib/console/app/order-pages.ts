import type { Order, RestData } from "trading-terminal-client";
import type { Failure } from "./format.ts";

type Page = RestData<"listOrders">;
type Answer<Data> = { data?: Data; error?: Failure | undefined };
type Pages = AsyncIterable<Answer<Page> | { data?: undefined; error: Failure }>;

/** Reads pages of orders until one has a wanted order, and leaves out the others. */
export async function nextWanted(pages: Pages, isWanted: (order: Order) => boolean): Promise<Answer<Page>> {
  for await (const { data, error } of pages) {
    if (data === undefined) return { error };
    const orders = data.orders.filter(isWanted);
    if (orders.length > 0 || data.cursor === undefined) return { data: { ...data, orders } };
  }
  return {};
}

type Reading = {
  /** Called after each page with the number of records so far. */
  onRead?: (count: number) => void;
  /** More records than these are an error. */
  most?: number;
};

/** Reads the records of all pages. */
export async function allOf<Data, Item>(
  pages: AsyncIterable<Answer<Data>>,
  itemsOf: (page: NonNullable<Data>) => readonly Item[],
  { onRead, most = Number.POSITIVE_INFINITY }: Reading = {},
): Promise<Answer<Item[]>> {
  const items: Item[] = [];
  for await (const { data, error } of pages) {
    if (data === undefined || data === null) return { error };
    items.push(...itemsOf(data));
    if (items.length > most)
      return { error: { code: "TOO_MANY_RECORDS", message: `There are more than ${most}` } };
    onRead?.(items.length);
  }
  return { data: items };
}
