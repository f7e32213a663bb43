import { beforeEach, describe, expect, it, vi } from "vitest";
import { coinbase } from "../../../lib/prices/coinbase.ts";
import { dialogue } from "../../../lib/prices/dialogue.ts";

const ear = { price: vi.fn(), absent: vi.fn(), fault: vi.fn() };
const text = JSON.stringify;
const ticker = (product_id: string, price: string) => text({ type: "ticker", product_id, price });
const acknowledge = (...product_ids: string[]) =>
  text({ type: "subscriptions", channels: [{ name: "ticker", product_ids }] });
const refuse = (reason: string) => text({ type: "error", message: "Failed to subscribe", reason });
const asked = (requests: string[]) => requests.map((request) => JSON.parse(request).product_ids[0]);

beforeEach(() => {
  vi.resetAllMocks();
});

describe("a dialogue with a venue", () => {
  it("asks for each product by itself, save for those refused before", () => {
    expect(asked(dialogue(coinbase, new Set(["BNB-USD"]), ear).requests())).toEqual([
      "ETH-USD",
      "SOL-USD",
      "AVAX-USD",
    ]);
  });

  it("hears the price of an asset, and of nothing else", () => {
    const talk = dialogue(coinbase, new Set(), ear);
    talk.hear(ticker("SOL-USD", "140.1"));
    talk.hear(ticker("BTC-USD", "100000"));
    talk.hear(ticker("toString", "1"));
    expect(ear.price.mock.calls).toEqual([[{ asset: "SOL", price: "140.1", asOf: undefined }]]);
  });

  it("notices at once what is refused, and does not ask for it again", () => {
    const refused = new Set<string>();
    const talk = dialogue(coinbase, refused, ear);
    talk.hear(refuse("BNB-USD is not a valid product"));
    talk.hear(acknowledge("ETH-USD", "SOL-USD", "AVAX-USD"));
    talk.overdue();
    expect(ear.absent.mock.calls).toEqual([[{ asset: "BNB", product: "BNB-USD", reason: "refused" }]]);
    expect([...refused]).toEqual(["BNB-USD"]);
  });

  it("notices what was neither acknowledged nor told when the time for it is over", () => {
    const talk = dialogue(coinbase, new Set(), ear);
    talk.hear(acknowledge("ETH-USD"));
    talk.hear(acknowledge("ETH-USD", "SOL-USD"));
    talk.hear(ticker("AVAX-USD", "25"));
    expect(ear.absent).not.toHaveBeenCalled();
    talk.overdue();
    expect(ear.absent.mock.calls).toEqual([
      [{ asset: "BNB", product: "BNB-USD", reason: "not acknowledged" }],
    ]);
  });

  it("counts a refusal that names no product of ours as a fault", () => {
    const talk = dialogue(coinbase, new Set(), ear);
    talk.hear(refuse("You need to specify at least one product ID for channel ticker"));
    talk.hear(refuse("BTC-USD is not a valid product"));
    expect(ear.fault.mock.calls).toEqual([["request refused"], ["request refused"]]);
    expect(ear.absent).not.toHaveBeenCalled();
  });

  it.each<[unknown, string]>([
    [new Blob(["{}"]), "not text"],
    ["", "not JSON"],
    ["<html>", "not JSON"],
    ["7", "not a message"],
    ["null", "not a message"],
    ["[]", "not a message"],
    [ticker("ETH-USD", "free"), "not a price"],
  ])("takes %s for no sign of life, and tells only what kind of thing it is", (message, what) => {
    expect(dialogue(coinbase, new Set(), ear).hear(message)).toBe(false);
    expect(ear.fault.mock.calls).toEqual([[what]]);
  });

  it.each([ticker("ETH-USD", "1"), acknowledge(), refuse("why"), text({ type: "heartbeat" })])(
    "takes %s for a sign of life",
    (message) => {
      expect(dialogue(coinbase, new Set(), ear).hear(message)).toBe(true);
    },
  );
});
