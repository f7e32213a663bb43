import { describe, expect, it } from "vitest";
import { fieldOf, refusalText } from "../../app/ticket/refusals.ts";

const at = (code: string, type: string, details?: object) => fieldOf({ code, message: "", details }, type);

describe("the field of a refusal", () => {
  it.each([
    ["INSUFFICIENT_BALANCE", "market", { symbol: "ETH" }, "amount"],
    ["PRIORITY_FEE_TOO_LOW", "market", {}, "priorityFee"],
    ["TOKEN_UNSAFE", "market", {}, "token"],
    ["WOULD_FIRE_NOW", "stop", { price: "1" }, "stopPrice"],
    ["WOULD_FIRE_NOW", "trailing_stop", { price: "1" }, "trailPercent"],
    ["WOULD_FIRE_NOW", "market", { price: "1", roundTrip: "0.9", exit: 0 }, "exits"],
    ["INVALID_REQUEST", "limit", { field: "price" }, "price"],
    ["INVALID_REQUEST", "stop", { field: "price" }, "worst"],
    ["INVALID_REQUEST", "oco", { field: "stopLoss.price" }, "worst"],
    ["INVALID_REQUEST", "oco", { field: "stopLoss.stopPrice" }, "stopPrice"],
    ["INVALID_REQUEST", "oco", { field: "takeProfit.price" }, "takeProfit"],
    ["INVALID_REQUEST", "twap", { field: "intervalSeconds" }, "minutes"],
    ["INVALID_REQUEST", "market", { field: "exits[0].percent" }, "exits"],
    ["INVALID_REQUEST", "market", { field: "unknown" }, undefined],
    ["TRADING_DISABLED", "market", undefined, undefined],
  ] as const)("finds where %s of a %s order with %j belongs", (code, type, details, field) => {
    expect(at(code, type, details)).toBe(field);
  });
});

describe("the text of a refusal", () => {
  it("shortens amounts, and says plainly if the balance is 0", () => {
    const refusal = { code: "INSUFFICIENT_BALANCE", message: "Long" };
    const details = { symbol: "ETH", needed: "1000.000698261973754092", available: "3.2" };
    expect(refusalText({ ...refusal, details })).toBe(
      "This needs 1\u00a0000 ETH, fees included, but only 3.2 ETH can be spent.",
    );
    expect(refusalText({ ...refusal, details: { ...details, available: "0" } })).toBe(
      "The wallet has no ETH to spend.",
    );
  });

  it("says how a stop is too high", () => {
    const refusal = { code: "WOULD_FIRE_NOW", message: "Long" };
    expect(refusalText({ ...refusal, details: { price: "0.0001" } })).toMatch(/^The price is 0\.0001 now/);
    expect(refusalText({ ...refusal, details: { price: "0.0001", roundTrip: "0.000099", exit: 0 } })).toMatch(
      /bring 0\.000099 for one, and a stop must lie at least 3 % below/,
    );
  });

  it("mentions only fields for which the page has a control", () => {
    const message = "The token cannot be sold. To buy it anyway, set allowUnsafe";
    expect(refusalText({ code: "TOKEN_UNSAFE", message })).toBe("The token cannot be sold.");
    const hearsay = { code: "NO_REFERENCE", message: "Name the least that may arrive in minAmountOut" };
    expect(refusalText(hearsay)).toMatch(/type the minimum that you accept\.$/);
  });
});
