import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeMessage, errorMessage, inParts, type ServerMessage } from "../../lib/api/server-messages.ts";
import { defaultSettings } from "../../lib/users/settings.ts";
import { order, position, price } from "../support/executions.ts";
import { executionItem, settingsItem } from "../support/stream.ts";

const time = "2026-11-21T09:00:00.000Z";

const sent = (message: unknown) => JSON.parse(encodeMessage(message as ServerMessage));

describe("encodeMessage", () => {
  it.each([
    { type: "subscriptions", id: 0, channels: ["orders"], time },
    { type: "snapshot", channel: "orders", more: true, time, data: [order()] },
    { type: "snapshot", channel: "prices", time, data: [] },
    { type: "update", channel: "positions", time, data: [position()] },
    { type: "update", channel: "prices", time, data: [price()] },
    { type: "pong", id: "p1", time },
    { type: "error", id: "e1", code: "NOT_CONNECTED", message: "Gone" },
    {
      type: "TradingSettingsUpdated",
      time,
      data: { chain: "sol", version: 2, settings: defaultSettings.sol },
    },
    {
      type: "TradingSettingsUpdated",
      time,
      data: { chain: "eth", version: 2, settings: defaultSettings.eth },
    },
  ])("encodes a message of type $type unchanged", (message) => {
    expect(sent(message)).toEqual(message);
  });

  it("encodes records stored by an earlier version with wider limits", () => {
    const long = "9".repeat(300);
    const texts = { wallet: long, symbol: "", amount: "1e5", version: 0 };
    const records = {
      orders: { ...order(), ...texts, orderId: "a#b", txHash: "", reason: long, price: ".5" },
      positions: { ...position(), ...texts, positionId: long, realizedPnl: "+1" },
    };
    for (const [channel, record] of Object.entries(records))
      expect(sent({ type: "snapshot", channel, time, data: [record] }).data).toEqual([record]);
  });

  it("leaves out internal fields of a record", () => {
    const kept = { ...executionItem("ann", order()), lane: "eth#0x1", internal: "x" };
    for (const type of ["snapshot", "update"])
      expect(sent({ type, channel: "orders", time, data: [kept] })).toEqual({
        type,
        channel: "orders",
        time,
        data: [order()],
      });
    const { data } = sent({
      type: "TradingSettingsUpdated",
      time,
      data: {
        chain: "eth",
        version: 1,
        settings: { ...settingsItem("ann", "eth", {}), ...defaultSettings.eth },
      },
    });
    expect(data).toEqual({ chain: "eth", version: 1, settings: defaultSettings.eth });
  });

  it.each([
    ["an order as a position", { type: "update", channel: "positions", time, data: [order()] }],
    [
      "a price that is not text",
      { type: "update", channel: "prices", time, data: [price({ price: 1 as never })] },
    ],
    ["an unknown channel", { type: "update", channel: "trades", time, data: [] }],
    [
      "a chain without settings",
      { type: "TradingSettingsUpdated", time, data: { chain: "bsc", version: 1, settings: {} } },
    ],
    ["an error with an unknown code", errorMessage("OOPS" as never, "x")],
  ])("throws for %s", (_, message) => {
    expect(() => sent(message)).toThrow();
  });
});

/** API Gateway's limit for one message. */
const maxMessageBytes = 128 * 1024;

const bytesOf = (item: unknown) => Buffer.byteLength(JSON.stringify(item));

describe("inParts", () => {
  it("returns one empty part for an empty list", () => {
    expect(inParts([])).toEqual([[]]);
  });

  it("puts an oversized item into a separate part", () => {
    const huge = "x".repeat(130_000);
    expect(inParts([huge, "a", "b"])).toEqual([[huge], ["a", "b"]]);
  });

  it("keeps every item once, in order, and fills each part before the next", () => {
    // Characters of one to four bytes, some of which JSON escapes.
    const character = fc.constantFrom("a", "ü", "価", "🚀", '"', "\u0001");
    const item = fc.tuple(character, fc.nat({ max: 10_000 })).map(([one, times]) => one.repeat(times));
    fc.assert(
      fc.property(fc.array(item, { maxLength: 40 }), (items) => {
        const parts = inParts(items);
        expect(parts.flat()).toEqual(items);
        for (const [index, part] of parts.entries()) {
          expect(bytesOf(part)).toBeLessThanOrEqual(120_002);
          const [next] = parts[index + 1] ?? [];
          if (next !== undefined) expect(bytesOf([...part, next])).toBeGreaterThan(120_000);
        }
      }),
      { numRuns: 50 },
    );
  });

  it("keeps parts of the largest possible orders within the limit of a message", () => {
    const long = (length: number) => "\u0001".repeat(length);
    const amount = `${"9".repeat(40)}.${"9".repeat(40)}`;
    const largest = order({
      orderId: "o".repeat(64),
      wallet: long(128),
      symbol: long(128),
      txHash: long(128),
      reason: long(256),
      amount,
      filledAmount: amount,
      price: amount,
      stopPrice: amount,
      averagePrice: amount,
    });
    for (const data of inParts(Array(100).fill(largest))) {
      const time = "2026-11-21T09:00:00.000Z";
      const message = encodeMessage({ type: "snapshot", channel: "orders", more: true, time, data });
      expect(Buffer.byteLength(message)).toBeLessThanOrEqual(maxMessageBytes);
    }
  });
});
