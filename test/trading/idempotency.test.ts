import { describe, expect, it } from "vitest";
import type { RestingRequest } from "../../lib/orders/resting/request.ts";
import type { PlaceOrderRequest } from "../../lib/orders/trade-request.ts";
import { fingerprintOf, keyOfOrder } from "../../lib/trading/idempotency.ts";

const bodyOn = (chain: PlaceOrderRequest["chain"], token: string, wallet = "A1"): PlaceOrderRequest => ({
  chain,
  wallet,
  token,
  side: "buy",
  type: "market",
  amount: "1",
});

describe("keyOfOrder", () => {
  it("takes the key from the header or from the body, and refuses two that differ", () => {
    expect(keyOfOrder("k", undefined)).toBe("k");
    expect(keyOfOrder(undefined, "k")).toBe("k");
    expect(keyOfOrder("k", "k")).toBe("k");
    expect(keyOfOrder(undefined, undefined)).toBeUndefined();
    expect(() => keyOfOrder("k", "K")).toThrow(expect.objectContaining({ code: "INVALID_REQUEST" }));
  });
});

describe("fingerprintOf", () => {
  it("ignores the case of addresses, except on Solana, where case counts", () => {
    const isSame = (one: PlaceOrderRequest, other: PlaceOrderRequest) =>
      fingerprintOf(one) === fingerprintOf(other);
    expect(isSame(bodyOn("eth", "0xAb"), bodyOn("eth", "0xaB"))).toBe(true);
    expect(isSame(bodyOn("eth", "0xAb", "0xC"), bodyOn("eth", "0xAb", "0xc"))).toBe(true);
    expect(isSame(bodyOn("sol", "Ab"), bodyOn("sol", "aB"))).toBe(false);
    expect(isSame(bodyOn("sol", "Ab", "C"), bodyOn("sol", "Ab", "c"))).toBe(false);
    expect(isSame(bodyOn("sol", "Ab"), bodyOn("sol", "Ab"))).toBe(true);
  });

  it("ignores the key, which the header may name in its place", () => {
    expect(fingerprintOf({ ...bodyOn("eth", "0xAb"), clientOrderId: "k" })).toBe(
      fingerprintOf(bodyOn("eth", "0xAb")),
    );
  });

  it("ignores how an amount is written, also on sol", () => {
    const other = { ...bodyOn("sol", "Ab"), amount: "01.00" };
    expect(fingerprintOf(other)).toBe(fingerprintOf(bodyOn("sol", "Ab")));
  });

  const resting = { chain: "eth", wallet: "0xC", token: "0xAb", side: "sell", amount: "1" } as const;
  it.each<[RestingRequest, RestingRequest]>([
    [
      { ...resting, type: "stop", stopPrice: "0.5", price: "0.4", maxNetworkFee: "1" },
      { ...resting, type: "stop", stopPrice: "0.50", price: "00.4", maxNetworkFee: "1.0" },
    ],
    [
      { ...resting, type: "oco", takeProfit: { price: "2" }, stopLoss: { stopPrice: "1", price: "0.8" } },
      { ...resting, type: "oco", takeProfit: { price: "2.0" }, stopLoss: { price: "0.80", stopPrice: "01" } },
    ],
  ])("ignores how prices are written, but not what they are", (one, other) => {
    expect(fingerprintOf(other)).toBe(fingerprintOf(one));
    const cheaper = {
      ...other,
      ...(other.type === "oco" ? { takeProfit: { price: "1.9" } } : { price: "0.3" }),
    };
    expect(fingerprintOf(cheaper)).not.toBe(fingerprintOf(one));
  });
});
