import { once } from "node:events";
import { freePort } from "cdk-local-runner/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { WebSocket } from "ws";
import { portBeside, startVenue } from "../../venue/venue.ts";

type Message = Record<string, unknown> & { type: string };

/** Connects a client to a new venue until the test is over. */
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
  it.each([
    [
      subscribe(["ticker"], "ETH-USD", "NOPE-USD"),
      { message: "Failed to subscribe", reason: "NOPE-USD is not a valid product" },
    ],
    [subscribe(["orders"], "ETH-USD"), { reason: "orders is not a valid channel" }],
    [subscribe(["ticker"]), { reason: "You need to specify at least one product ID for channel ticker" }],
    [{ type: "buy" }, { message: "Malformed JSON" }],
    ["{", { message: "Malformed JSON" }],
  ])("rejects %j as a whole, and keeps the connection usable", async (message, error) => {
    const { say, until, received, of } = await connect();
    say(message);
    await until(() => expect(received).toEqual([expect.objectContaining({ type: "error", ...error })]));
    say(subscribe(["ticker"], "SOL-USD"));
    await until(() => expect(of("ticker").length).toBeGreaterThan(0));
    expect(of("ticker").every(({ product_id }) => product_id === "SOL-USD")).toBe(true);
  });

  it("closes a connection that sends messages but does not subscribe in time", async () => {
    const { socket, say } = await connect({ subscribeWithinMs: 50 });
    say({ type: "hello" });
    await once(socket, "close");
  });

  it("listens on the preferred port, or on a free one if that port is in use", async () => {
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
  ])("picks a separate port for the venue of %s", (runner, port) => {
    expect(portBeside(runner)).toBe(port);
  });
});
