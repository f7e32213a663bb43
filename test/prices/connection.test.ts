import { beforeEach, describe, expect, it, vi } from "vitest";
import { feedSession } from "../../lib/prices/connection.ts";
import { coinbase } from "../../lib/prices/venues/coinbase.ts";

const listener = { quote: vi.fn(), absent: vi.fn(), fault: vi.fn() };
const text = JSON.stringify;
const ticker = (product_id: string, price: string) => text({ type: "ticker", product_id, price });
const acknowledge = (...product_ids: string[]) =>
  text({ type: "subscriptions", channels: [{ name: "ticker", product_ids }] });
const refuse = (reason: string) => text({ type: "error", message: "Failed to subscribe", reason });
const asked = (requests: string[]) => requests.map((request) => JSON.parse(request).product_ids[0]);

beforeEach(() => {
  vi.resetAllMocks();
});

describe("feedSession", () => {
  it("requests each product in its own message, except products that were refused before", () => {
    expect(asked(feedSession(coinbase, new Set(["BNB-USD"]), listener).requests())).toEqual([
      "ETH-USD",
      "SOL-USD",
      "AVAX-USD",
    ]);
  });

  it("passes on only quotes of the known assets", () => {
    const session = feedSession(coinbase, new Set(), listener);
    session.receive(ticker("SOL-USD", "140.1"));
    session.receive(ticker("BTC-USD", "100000"));
    session.receive(ticker("toString", "1"));
    expect(listener.quote.mock.calls).toEqual([[{ asset: "SOL", price: "140.1", asOf: undefined }]]);
  });

  it("reports a refused product at once, and remembers it", () => {
    const refused = new Set<string>();
    const session = feedSession(coinbase, refused, listener);
    session.receive(refuse("BNB-USD is not a valid product"));
    session.receive(acknowledge("ETH-USD", "SOL-USD", "AVAX-USD"));
    session.reportUnacknowledged();
    expect(listener.absent.mock.calls).toEqual([[{ asset: "BNB", product: "BNB-USD", reason: "refused" }]]);
    expect([...refused]).toEqual(["BNB-USD"]);
  });

  it("reports products that were neither acknowledged nor quoted in time", () => {
    const session = feedSession(coinbase, new Set(), listener);
    session.receive(acknowledge("ETH-USD"));
    session.receive(acknowledge("ETH-USD", "SOL-USD"));
    session.receive(ticker("AVAX-USD", "25"));
    expect(listener.absent).not.toHaveBeenCalled();
    session.reportUnacknowledged();
    expect(listener.absent.mock.calls).toEqual([
      [{ asset: "BNB", product: "BNB-USD", reason: "not acknowledged" }],
    ]);
  });

  it("counts a refusal as a fault if it names none of the requested products", () => {
    const session = feedSession(coinbase, new Set(), listener);
    session.receive(refuse("You need to specify at least one product ID for channel ticker"));
    session.receive(refuse("BTC-USD is not a valid product"));
    expect(listener.fault.mock.calls).toEqual([["request refused"], ["request refused"]]);
    expect(listener.absent).not.toHaveBeenCalled();
  });

  it.each<[unknown, string]>([
    [new Blob(["{}"]), "not text"],
    ["", "not JSON"],
    ["<html>", "not JSON"],
    ["7", "not a message"],
    ["null", "not a message"],
    ["[]", "not a message"],
    [ticker("ETH-USD", "free"), "not a price"],
  ])("ignores %s as a sign of life, and reports only its kind", (message, what) => {
    expect(feedSession(coinbase, new Set(), listener).receive(message)).toBe(false);
    expect(listener.fault.mock.calls).toEqual([[what]]);
  });

  it.each([ticker("ETH-USD", "1"), acknowledge(), refuse("why"), text({ type: "heartbeat" })])(
    "counts %s as a sign of life",
    (message) => {
      expect(feedSession(coinbase, new Set(), listener).receive(message)).toBe(true);
    },
  );
});
