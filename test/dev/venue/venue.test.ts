import { once } from "node:events";
import { freePort } from "cdk-local-runner/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { WebSocket } from "ws";
import { portBeside, startVenue } from "../../../lib/dev/venue/venue.ts";

type Message = Record<string, unknown> & { type: string };

/** A client of a venue, until the test is over. */
async function connect(options: Parameters<typeof startVenue>[0] = {}) {
  const venue = await startVenue(options);
  const socket = new WebSocket(venue.url);
  onTestFinished(async () => {
    socket.terminate();
    await venue.close();
  });
  const received: Message[] = [];
  socket.on("message", (data) => received.push(JSON.parse(String(data))));
  await once(socket, "open");
  const of = (type: string) => received.filter((message) => message.type === type);
  return {
    venue,
    socket,
    received,
    of,
    say: (message: unknown) => socket.send(typeof message === "string" ? message : JSON.stringify(message)),
    until: (expectation: () => void) => vi.waitFor(expectation, { timeout: 20_000, interval: 10 }),
    last: (type: string) => of(type).at(-1),
  };
}

const subscribe = (channels: unknown[], ...product_ids: string[]) => ({
  type: "subscribe",
  product_ids,
  channels,
});

describe("the simulated venue", () => {
  it("listens on this machine only", async () => {
    const { venue } = await connect();
    expect(venue.url).toMatch(/^ws:\/\/127\.0\.0\.1:\d+$/);
  });

  it("confirms a subscription, then sends the latest trade and each new one", async () => {
    const { say, until, received, of } = await connect();
    say(subscribe(["ticker"], "ETH-USD", "SOL-USD"));
    await until(() => expect(of("ticker").length).toBeGreaterThan(4));
    expect(received[0]).toEqual({
      type: "subscriptions",
      channels: [{ name: "ticker", product_ids: ["ETH-USD", "SOL-USD"] }],
    });
    expect(received.slice(1, 3).map(({ product_id }) => product_id)).toEqual(["ETH-USD", "SOL-USD"]);
    const decimal = expect.stringMatching(/^\d+\.\d{2}$/);
    for (const ticker of of("ticker")) {
      expect(ticker).toMatchObject({
        sequence: expect.any(Number),
        product_id: expect.stringMatching(/^(ETH|SOL)-USD$/),
        price: decimal,
        best_bid: decimal,
        best_ask: decimal,
        side: expect.stringMatching(/^(buy|sell)$/),
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        trade_id: expect.any(Number),
      });
    }
    const ether = of("ticker").filter(({ product_id }) => product_id === "ETH-USD");
    const sequences = ether.map(({ sequence }) => Number(sequence));
    expect(sequences).toEqual([...new Set(sequences)].sort((a, b) => a - b));
  });

  it("adds to the subscriptions with each message, and removes from them", async () => {
    const { say, until, last } = await connect();
    say(subscribe(["ticker", "heartbeat"], "ETH-USD"));
    say(subscribe([{ name: "ticker", product_ids: ["BNB-USD"] }]));
    const channels = [
      { name: "ticker", product_ids: ["ETH-USD", "BNB-USD"] },
      { name: "heartbeat", product_ids: ["ETH-USD"] },
    ];
    await until(() => expect(last("subscriptions")?.channels).toEqual(channels));
    say({ ...subscribe(["ticker"], "ETH-USD"), type: "unsubscribe" });
    await until(() =>
      expect(last("subscriptions")?.channels).toEqual([
        { name: "ticker", product_ids: ["BNB-USD"] },
        channels[1],
      ]),
    );
  });

  it("sends heartbeats of the products that were asked for", async () => {
    const { say, until, of } = await connect();
    say(subscribe(["heartbeat"], "AVAX-USD"));
    await until(() => expect(of("heartbeat").length).toBeGreaterThan(0));
    expect(of("heartbeat")[0]).toEqual({
      type: "heartbeat",
      sequence: expect.any(Number),
      last_trade_id: expect.any(Number),
      product_id: "AVAX-USD",
      time: expect.any(String),
    });
    expect(of("ticker")).toEqual([]);
  });

  it.each([
    [
      subscribe(["ticker"], "ETH-USD", "NOPE-USD"),
      { message: "Failed to subscribe", reason: "NOPE-USD is not a valid product" },
    ],
    [subscribe(["orders"], "ETH-USD"), { reason: "orders is not a valid channel" }],
    [subscribe(["ticker"]), { reason: "You need to specify at least one product ID for channel ticker" }],
    [{ type: "buy" }, { message: "Malformed JSON" }],
    ["{", { message: "Malformed JSON" }],
  ])("refuses all of %j, and stays usable", async (message, error) => {
    const { say, until, received, of } = await connect();
    say(message);
    await until(() => expect(received).toEqual([expect.objectContaining({ type: "error", ...error })]));
    say(subscribe(["ticker"], "SOL-USD"));
    await until(() => expect(of("ticker").length).toBeGreaterThan(0));
    expect(of("ticker").every(({ product_id }) => product_id === "SOL-USD")).toBe(true);
  });

  it("closes a connection that sends messages but does not subscribe in time", async () => {
    const { socket, say, received } = await connect({ subscribeWithinMs: 50 });
    say({ type: "hello" });
    await once(socket, "close");
    expect(received.map(({ type }) => type)).toEqual(["error"]);
  });

  it("keeps a connection that has subscribed open", async () => {
    const { say, until, of, socket } = await connect({ subscribeWithinMs: 50 });
    say(subscribe(["ticker"], "ETH-USD"));
    await until(() => expect(of("ticker").length).toBeGreaterThan(1));
    expect(socket.readyState).toBe(WebSocket.OPEN);
  });

  it("listens on the preferred port, or on a free one if that is in use", async () => {
    const port = await freePort();
    const first = await connect({ port });
    const second = await connect({ port });
    expect(first.venue.url).toBe(`ws://127.0.0.1:${port}`);
    expect(second.venue.url).not.toBe(first.venue.url);
  });

  it.each([
    ["http://127.0.0.1:3000", 23_000],
    ["http://127.0.0.1:45535", 65_535],
    ["http://127.0.0.1:45536", 25_536],
    ["http://127.0.0.1:65535", 45_535],
  ])("has a port of its own beside %s", (runner, port) => {
    expect(portBeside(runner)).toBe(port);
  });

  it("ends every connection when it is closed", async () => {
    const { venue, socket } = await connect();
    const ended = once(socket, "close");
    await venue.close();
    await ended;
    await expect(once(new WebSocket(venue.url), "open")).rejects.toThrow();
  });
});
