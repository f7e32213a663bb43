import type { MarketRecord } from "trading-terminal-client";
import { describe, expect, it } from "vitest";
import { silent } from "./support/silent-service.ts";

const moon = { chain: "base", token: "0xAbCd" } as const;
const time = "2026-11-21T09:30:00.000Z";

const market = (more: Partial<MarketRecord> = {}): MarketRecord => ({
  ...moon,
  price: "1",
  flags: [],
  revision: 0,
  block: 10,
  asOf: time,
  ...more,
});

const coin = { chain: "base", symbol: "ETH", price: "2600", currency: "USD", source: "s", asOf: time };

/** Follows prices and one token. */
async function following(options: object = {}) {
  const service = await silent({ channels: ["prices"], tokens: [moon], ...options });
  service.socket().emit("open");
  service.socket().snapshot("prices");
  const update = (data: object[], heads: object = {}) =>
    service.socket().message({ type: "update", channel: "prices", time, heads, data });
  return { ...service, update };
}

describe("a stream with followed tokens", () => {
  it("sends its tokens and pace when it subscribes to prices, and again on each new connection", async () => {
    const { socket, clock, stream } = await following({ channels: ["orders", "prices"], every: 5 });
    const named = { type: "subscribe", channels: ["orders", "prices"], tokens: [moon], every: 5 };
    expect(socket().sent).toEqual([named]);
    const sun = { chain: "sol", token: "9Qr8" } as const;
    stream.addTokens([{ ...sun, candles: true }]);
    expect(socket().sent[1]).toEqual({
      type: "subscribe",
      channels: ["prices"],
      tokens: [{ ...sun, candles: true }],
      every: 5,
    });
    stream.removeTokens([{ chain: "base", token: "0xABCD" }]);
    expect(socket().sent[2]).toEqual({ type: "unsubscribe", tokens: [{ chain: "base", token: "0xABCD" }] });
    socket().emit("close");
    stream.addTokens([{ ...sun, candles: false }]);
    await clock.advance(1000);
    socket().emit("open");
    expect(socket().sent).toEqual([{ ...named, tokens: [{ ...sun, candles: false }] }]);
  });

  it("sends no tokens or pace unless configured, so that the service treats it like an older client", async () => {
    const { socket } = await following({ tokens: undefined });
    expect(socket().sent).toEqual([{ type: "subscribe", channels: ["prices"] }]);
  });

  it("updates coins, markets and heads independently as they arrive", async () => {
    const { stream, update } = await following();
    expect(stream.state).toMatchObject({ markets: [], heads: {} });
    const head = { block: 12, time };
    update([coin, market()], { base: head });
    expect(stream.state).toMatchObject({
      prices: { base: coin },
      markets: [market()],
      heads: { base: head },
    });
    const shown = stream.state?.markets;
    update([], { base: { block: 13, time } });
    expect(stream.state?.markets).toBe(shown);
    expect(stream.state?.heads.base?.block).toBe(13);
  });

  it("forgets a removed token even if updates still arrive, and ignores tokens that it does not follow", async () => {
    const { stream, update } = await following();
    update([market(), market({ token: "0x9" })]);
    expect(stream.state?.markets).toHaveLength(1);
    stream.removeTokens([{ chain: "base", token: "0xabcd" }]);
    expect(stream.state?.markets).toEqual([]);
    update([market({ block: 20 })]);
    expect(stream.state?.markets).toEqual([]);
  });

  it("keeps markets while it reconnects and sends its tokens again after a failure of the service", async () => {
    const { stream, socket, clock, update } = await following();
    update([market({ block: 12 })]);
    socket().message({ type: "error", code: "INTERNAL_ERROR", message: "no" });
    await clock.advance(500);
    expect(socket().sent[1]).toEqual({ type: "subscribe", channels: ["prices"], tokens: [moon] });
    socket().emit("close");
    await clock.advance(2000);
    socket().emit("open");
    socket().snapshot("prices");
    expect(stream.state?.markets).toEqual([market({ block: 12 })]);
    update([market({ block: 11 })]);
    expect(stream.state?.markets).toEqual([market({ block: 12 })]);
  });

  it("fails at once if tokens are followed without the prices channel", async () => {
    const { terminal } = await silent();
    for (const more of [{ tokens: [moon] }, { every: 1 as const }])
      expect(() => terminal.follow({ channels: ["orders"], ...more })).toThrow("need the channel prices");
    const stream = terminal.follow({ channels: ["orders"] });
    expect(() => stream.addTokens([moon])).toThrow("need the channel prices");
  });
});
