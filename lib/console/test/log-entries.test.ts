import { describe, expect, it } from "vitest";
import { type LogEntry, newEntry, withNewest } from "../app/log-entries.ts";

const price = { type: "update", channel: "prices" };
const order = { type: "update", channel: "orders" };

describe("withNewest", () => {
  it("keeps the newest 200 messages, which prices never displace", () => {
    let entries: LogEntry[] = [];
    const orders = Array.from({ length: 201 }, () => newEntry("received", order));
    for (const entry of orders) entries = withNewest(entries, entry);
    for (let count = 0; count < 300; count++) entries = withNewest(entries, newEntry("received", price));
    const kept = entries.filter(({ message }) => message === order);
    expect(kept).toEqual(orders.slice(1).reverse());
    expect(entries).toHaveLength(400);
  });
});
