import { describe, expect, it } from "vitest";
import type { PlaceOrderRequest } from "../../lib/orders/trade-request.ts";
import { fingerprintOf } from "../../lib/trading/idempotency.ts";

const bodyOn = (chain: PlaceOrderRequest["chain"], token: string, wallet = "A1"): PlaceOrderRequest => ({
  chain,
  wallet,
  token,
  side: "buy",
  type: "market",
  amount: "1",
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

  it("ignores how an amount is written, also on sol", () => {
    const other = { ...bodyOn("sol", "Ab"), amount: "01.00" };
    expect(fingerprintOf(other)).toBe(fingerprintOf(bodyOn("sol", "Ab")));
  });
});
