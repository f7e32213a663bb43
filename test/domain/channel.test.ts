import { describe, expect, it } from "vitest";
import { channels, isChannel, isPublic, ordered } from "../../lib/domain/channel.ts";

describe("a channel", () => {
  it("is one of three, of which only prices are for everybody", () => {
    expect(channels).toEqual(["orders", "positions", "prices"]);
    expect(channels.filter(isPublic)).toEqual(["prices"]);
  });

  it.each(["", "Orders", " orders", "order", "constructor", "__proto__", "0"])("is not %j", (name) => {
    expect(isChannel(name)).toBe(false);
  });
});

describe("a set of channels", () => {
  it("is listed in one order, each once", () => {
    expect(ordered(["prices", "orders", "prices"])).toEqual(["orders", "prices"]);
    expect(ordered(new Set(["prices", "positions", "orders"] as const))).toEqual([...channels]);
    expect(ordered([])).toEqual([]);
  });
});
