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

/** Reads the orders of all pages. */
export async function allOrders(pages: Pages): Promise<Answer<Order[]>> {
  const orders: Order[] = [];
  for await (const { data, error } of pages) {
    if (data === undefined) return { error };
    orders.push(...data.orders);
  }
  return { data: orders };
}
