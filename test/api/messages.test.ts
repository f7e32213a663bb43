import { describe, expect, it } from "vitest";
import { encodeMessage, errorMessage, type ServerMessage } from "../../lib/api/messages.ts";
import { defaultSettings } from "../../lib/domain/settings.ts";
import { order, position, price } from "../support/executions.ts";
import { executionItem, settingsItem } from "../support/stream.ts";

const time = "2026-11-21T09:00:00.000Z";

const sent = (message: unknown) => JSON.parse(encodeMessage(message as ServerMessage));

describe("a message", () => {
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
  ])("of type $type goes out as it is", (message) => {
    expect(sent(message)).toEqual(message);
  });

  it("holds nothing of a record but what its owner may see", () => {
    const kept = { ...executionItem("ann", order()), expiresAt: 1, internal: "x" };
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
    ["an order among positions", { type: "update", channel: "positions", time, data: [order()] }],
    [
      "a price of no number as text",
      { type: "update", channel: "prices", time, data: [price({ price: 1 as never })] },
    ],
    ["a channel that there is not", { type: "update", channel: "trades", time, data: [] }],
    [
      "a chain without settings",
      { type: "TradingSettingsUpdated", time, data: { chain: "bsc", version: 1, settings: {} } },
    ],
    ["an error of no known code", errorMessage("OOPS" as never, "x")],
  ])("is not made of %s", (_, message) => {
    expect(() => sent(message)).toThrow();
  });
});
