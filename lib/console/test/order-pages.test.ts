import type { Order } from "trading-terminal-client";
import { describe, expect, it } from "vitest";
import { allOf, nextWanted } from "../app/order-pages.ts";

const error = { code: "SERVICE_UNAVAILABLE", message: "Later" };
const page = (orderIds: string[], cursor?: string) => ({
  data: { orders: orderIds.map((orderId) => ({ orderId }) as Order), ...(cursor && { cursor }) },
});

async function* pagesOf(...answers: (ReturnType<typeof page> | { error: typeof error })[]) {
  yield* answers;
}

const known = new Set(["a", "b", "c"]);
const isUnknown = ({ orderId }: Order) => !known.has(orderId);

describe("nextWanted", () => {
  it("reads past pages of known orders, and no further than the first wanted one", async () => {
    const pages = pagesOf(page(["a", "b"], "1"), page([], "2"), page(["c", "d"], "3"), page(["e"]));
    expect(await nextWanted(pages, isUnknown)).toEqual(page(["d"], "3"));
  });

  it("ends with the last page if all orders are known", async () => {
    expect(await nextWanted(pagesOf(page(["a"], "1"), page(["b"])), isUnknown)).toEqual(page([]));
  });

  it("reports a failed page", async () => {
    expect(await nextWanted(pagesOf(page(["a"], "1"), { error }), isUnknown)).toEqual({ error });
  });
});

describe("allOf", () => {
  const ordersOf = ({ orders }: { orders: Order[] }) => orders;

  it("joins all pages, and reports its progress", async () => {
    const { data: orders } = page(["a", "b", "c"]);
    const counts: number[] = [];
    const pages = pagesOf(page(["a", "b"], "1"), page(["c"]));
    const onRead = (count: number) => void counts.push(count);
    expect(await allOf(pages, ordersOf, { onRead })).toEqual({ data: orders.orders });
    expect(counts).toEqual([2, 3]);
  });

  it("stops at the page that has too many", async () => {
    const { error: refused } = await allOf(pagesOf(page(["a", "b"], "1"), { error }), ordersOf, { most: 1 });
    expect(refused?.code).toBe("TOO_MANY_RECORDS");
  });

  it("reports a failed page in place of a part of the orders", async () => {
    expect(await allOf(pagesOf(page(["a"], "1"), { error }), ordersOf)).toEqual({ error });
  });
});
