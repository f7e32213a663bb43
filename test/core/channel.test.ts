import { describe, expect, it } from "vitest";
import { channels, isChannel, ordered } from "../../lib/core/channel.ts";

describe("channels", () => {
  it("lists orders, positions and prices", () => {
    expect(channels).toEqual(["orders", "positions", "prices"]);
  });
});

describe("isChannel", () => {
  it.each(["", "Orders", " orders", "order", "constructor", "__proto__", "0"])("rejects %j", (name) => {
    expect(isChannel(name)).toBe(false);
  });
});

describe("ordered", () => {
  it("lists each channel once, in display order", () => {
    expect(ordered(["prices", "orders", "prices"])).toEqual(["orders", "prices"]);
    expect(ordered(new Set(["prices", "positions", "orders"] as const))).toEqual([...channels]);
    expect(ordered([])).toEqual([]);
  });
});
