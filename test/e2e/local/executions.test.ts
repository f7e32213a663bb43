import { describe, expect, it } from "vitest";
import { get } from "../support/client.ts";
import {
  hasVersion,
  invokeRecordExecutions,
  orderReport,
  positionReport,
  type Report,
  record,
  recordByOperator,
  seen,
  updatesIn,
} from "../support/executions.ts";
import { versionOf } from "../support/settings-events.ts";
import { text } from "../support/shapes.ts";
import { type Stream, streamOf, subscribe } from "../support/stream.ts";
import { snapshot, update } from "../support/stream-shapes.ts";
import { settingsAfter } from "../support/terminal.ts";
import { knownUser, newUser, type User } from "../support/users.ts";

async function subscribed(user: User, ...channels: string[]): Promise<Stream> {
  const stream = await streamOf(user);
  await subscribe(stream, ...channels);
  return stream;
}

describe("recorded orders and positions", () => {
  it("sends complete records to their owner's subscribed connections, and to nobody else", async () => {
    const [owner, other] = [await knownUser(), await knownUser()];
    const [orders, positions, both, neither, stranger] = [
      await subscribed(owner, "orders"),
      await subscribed(owner, "positions", "prices"),
      await subscribed(owner, "positions", "orders"),
      await subscribed(owner),
      await subscribed(other, "orders", "positions"),
    ];
    const reports = [orderReport(owner, "o-1", 1), positionReport(owner, "p-1", 7)] as const;
    const [anOrder, aPosition] = reports.map(seen);

    expect(await recordByOperator(...reports)).toMatch(/recorded: 2, .* rejected: 0, failed: 0/);

    expect(await orders.take(hasVersion("orders", "o-1", 1))).toStrictEqual(update("orders", [anOrder]));
    expect(await positions.take(hasVersion("positions", "p-1", 7))).toStrictEqual(
      update("positions", [aPosition]),
    );
    await both.take(hasVersion("orders", "o-1", 1));
    await both.take(hasVersion("positions", "p-1", 7));
    for (const user of [owner, other]) await settingsAfter(user, "eth", { slippage: 2 });
    for (const stream of [orders, both, neither, stranger]) await stream.take(versionOf("eth", 1));
    expect([orders, both, neither, stranger].map(updatesIn)).toStrictEqual([
      [anOrder],
      expect.arrayContaining([anOrder, aPosition]),
      [],
      [],
    ]);
    expect(updatesIn(both)).toHaveLength(2);
  });

  it("shows records only in their owner's later snapshots, in the latest version", async () => {
    const [owner, other] = [await knownUser(), await knownUser()];
    const [first, second, closed] = [
      orderReport(owner, "o-1", 1),
      orderReport(owner, "o-1", 2, { status: "filled", filledAmount: "4", txHash: "0xabc" }),
      positionReport(owner, "p-1", 1, { status: "closed", amount: "0" }),
    ];
    await record(first, closed);
    await record(second);

    const held = await subscribe(await streamOf(owner), "orders", "positions");
    const notHeld = await subscribe(await streamOf(other), "orders", "positions");

    expect(held).toStrictEqual([snapshot("orders", [seen(second)]), snapshot("positions", [seen(closed)])]);
    expect(notHeld).toStrictEqual([snapshot("orders", []), snapshot("positions", [])]);
  });

  it("ignores a record whose version is old or unchanged", async () => {
    const owner = await knownUser();
    const stream = await subscribed(owner, "orders");
    await record(orderReport(owner, "o-1", 3));
    await stream.see(hasVersion("orders", "o-1", 3));

    const again = await record(orderReport(owner, "o-1", 3, { amount: "5" }), orderReport(owner, "o-1", 2));
    await record(orderReport(owner, "o-1", 4));
    await stream.see(hasVersion("orders", "o-1", 4));

    expect(again).toEqual(["unchanged", "unchanged"]);
    expect(updatesIn(stream).map(({ version }) => version)).toEqual([3, 4]);
  });

  it("sends records to a reconnecting client, whether they were recorded before or after", async () => {
    const owner = await knownUser();
    const before = await subscribed(owner, "positions");
    await record(positionReport(owner, "p-1", 1));
    await before.see(hasVersion("positions", "p-1", 1));
    before.terminate();
    await before.closed;
    const [meanwhile, then] = [positionReport(owner, "p-1", 2), positionReport(owner, "p-1", 3)];
    await record(meanwhile);

    const after = await streamOf(owner);
    const held = await subscribe(after, "positions");
    await record(then);
    await after.see(hasVersion("positions", "p-1", 3));

    expect(held).toStrictEqual([snapshot("positions", [seen(meanwhile)])]);
    expect(updatesIn(before).map(({ version }) => version)).toEqual([1]);
    expect(updatesIn(after).at(-1)).toStrictEqual(seen(then));
  });

  it("sends no records to clients that have unsubscribed", async () => {
    const owner = await knownUser();
    const [leaver, stayer] = [await subscribed(owner, "orders"), await subscribed(owner, "orders")];
    await leaver.ask({ type: "unsubscribe", id: "off", channels: ["orders"] });

    await record(orderReport(owner, "o-1", 1));
    await stayer.see(hasVersion("orders", "o-1", 1));
    await settingsAfter(owner, "eth", { slippage: 2 });
    await leaver.take(versionOf("eth", 1));

    expect(updatesIn(leaver)).toEqual([]);
  });

  it("splits records into several messages if one cannot hold them", async () => {
    const owner = await knownUser();
    const stream = await subscribed(owner, "orders");
    const long = { symbol: "s".repeat(128), txHash: "t".repeat(128), reason: "r".repeat(256) };
    const reports = Array.from({ length: 170 }, (_, index) =>
      orderReport(owner, `o-${index + 100}`, 1, long),
    );

    await record(...reports);
    for (const { orderId } of reports) await stream.see(hasVersion("orders", String(orderId), 1));
    const later = await streamOf(owner);
    later.send({ type: "subscribe", channels: ["orders"] });
    const last = await later.take((message) => message.type === "snapshot" && message.more === undefined);

    const parts = later.received.filter(({ type }) => type === "snapshot");
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.at(-1)).toBe(last);
    for (const part of parts.slice(0, -1)) expect(part).toStrictEqual({ ...snapshot("orders"), more: true });
    expect(parts.flatMap(({ data }) => data)).toStrictEqual(reports.map(seen));
    expect(updatesIn(stream)).toHaveLength(170);
    // Each of the 170 records is a write, a change and a push: this takes seconds by itself, and a minute while other
    // tests run.
  }, 180_000);
});

describe("the lists of orders and positions", () => {
  it("lists the records page by page, newest first", async () => {
    const owner = await knownUser();
    const reports = [1, 2, 3].map((day) =>
      orderReport(owner, `o-${day}`, 1, { createdAt: `2026-11-0${day}T09:00:00.000Z`, token: "t" }),
    );
    await record(...reports, positionReport(owner, "p-1", 1));

    const first = await get("/api/v2/orders?limit=2&status=partially_filled", owner);
    const { orders, cursor } = (first.json as { data: { orders: unknown[]; cursor: string } }).data;
    const rest = await get(`/api/v2/orders?limit=2&status=partially_filled&cursor=${cursor}`, owner);
    const positions = await get("/api/v2/positions", owner);
    const other = await get(`/api/v2/orders?status=partially_filled&cursor=${cursor}`, await knownUser());

    expect(orders).toStrictEqual([reports[2], reports[1]].map((report) => seen(report as Report)));
    expect(rest.json).toMatchObject({ data: { orders: [seen(reports[0] as Report)] } });
    expect(rest.json).not.toHaveProperty("data.cursor");
    expect(positions.json).toMatchObject({ data: { positions: [{ positionId: "p-1" }] } });
    expect(other.json).toMatchObject({ error: { code: "INVALID_REQUEST", details: { field: "cursor" } } });
  });

  it("shows each listed order to its owner only", async () => {
    const owner = await knownUser();
    const report = orderReport(owner, "o-1", 1);
    await record(report);

    expect((await get("/api/v2/orders/o-1", owner)).json).toMatchObject({
      success: true,
      data: { order: seen(report), attempts: [] },
    });
    const { status, json } = await get("/api/v2/orders/o-1", await knownUser());
    expect(status).toBe(404);
    expect(json).toMatchObject({ success: false, error: { code: "ORDER_NOT_FOUND" } });
  });
});

describe("recordExecutions", () => {
  it("answers each report with its own result", async () => {
    const owner = await knownUser();
    const stranger = await newUser();
    await record(orderReport(owner, "o-1", 5));
    const stream = await subscribed(owner, "orders", "positions");
    const { price, ...noPrice } = orderReport(owner, "o-2", 1);

    const { failed, answer } = await invokeRecordExecutions({
      records: [
        orderReport(owner, "o-1", 4),
        orderReport(stranger, "o-9", 1),
        noPrice,
        { ...positionReport(owner, "p-1", 1), amount: 40 },
        { ...positionReport(owner, "p-2", 1), surprise: 1 },
        { ...positionReport(owner, "p-3", 1), kind: "trade" },
        null,
        positionReport(owner, "p-4", 1),
      ],
    });

    const rejected = (index: number, code = "INVALID_REQUEST") => ({
      index,
      status: "rejected",
      error: { code, message: text },
    });
    expect(failed).toBe(false);
    expect(answer).toStrictEqual({
      results: [
        { index: 0, kind: "order", id: "o-1", status: "unchanged" },
        { ...rejected(1, "UNKNOWN_USER"), kind: "order", id: "o-9" },
        { index: 2, kind: "order", id: "o-2", status: "recorded" },
        rejected(3),
        rejected(4),
        rejected(5),
        rejected(6),
        { index: 7, kind: "position", id: "p-4", status: "recorded" },
      ],
    });
    await stream.see(hasVersion("positions", "p-4", 1));
    await stream.see(hasVersion("orders", "o-2", 1));
    expect(updatesIn(stream)).toHaveLength(2);
  });

  it.each<[title: string, event: unknown]>([
    ["null", null],
    ["a list alone", []],
    ["no records", {}],
    ["an empty list", { records: [] }],
    ["101 records", { records: Array.from({ length: 101 }, () => ({})) }],
    ["a field too many", { records: [{}], more: true }],
  ])("refuses %s in place of a list of reports", async (_, event) => {
    const { failed, answer } = await invokeRecordExecutions(event);

    expect(failed).toBe(true);
    expect(answer).toMatchObject({ errorType: "InvalidRequest", errorMessage: text });
    expect(JSON.stringify(answer)).not.toMatch(/node:internal|file:\/\//);
  });
});
