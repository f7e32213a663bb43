import { describe, expect, it } from "vitest";
import { noticeText, readPush } from "../worker/notice-text.ts";

const textOf = (type: string, data: object) => noticeText({ id: "n", type, data: { ...data } });
const order = { symbol: "MOON/ETH", side: "buy", type: "market", filledAmount: "0.1", receivedAmount: "994" };

describe("noticeText", () => {
  it("says what an order has traded, or why it has not", () => {
    expect(textOf("OrderFilled", order)).toEqual({
      title: "Filled: buy of MOON",
      body: "0.1 ETH for 994 MOON",
    });
    expect(textOf("OrderFilled", { ...order, side: "sell" }).body).toBe("0.1 MOON for 994 ETH");
    const ended = { ...order, side: "sell", type: "stop", receivedAmount: undefined, reasonCode: "NO_PRICE" };
    expect(textOf("RestingOrderEnded", ended)).toEqual({
      title: "Ended without a fill: stop sale of MOON",
      body: "Nothing was traded. Reason: no price.",
    });
  });

  it("says until when a thief's request can be stopped, and shows an unknown notice, too", () => {
    expect(textOf("WalletExportRequested", { availableAt: "2026-11-30T12:00:00.000Z" }).body).toMatch(
      /^The key can be read from .*2026.*\. Not you\? Open the terminal and cancel the export\.$/,
    );
    const unknown = { title: "News about your account", body: expect.any(String) };
    expect(textOf("VaultMoved", {})).toEqual(unknown);
    for (const text of [undefined, "", "no JSON", "{}", "null", '{"id":1,"type":"OrderFilled"}'])
      expect(noticeText(readPush(text))).toEqual(unknown);
  });
});
