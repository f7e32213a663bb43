import { describe, expect, it } from "vitest";
import { PlaceAnyOrderSchema } from "../../lib/api/order-request-schema.ts";
import { validate } from "../../lib/runtime/validate.ts";

const common = {
  chain: "eth",
  wallet: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
  token: "0x5409e03Dda8614EFE68ACFB5d2DaD1A351Cb5094",
  side: "sell",
  amount: "1",
};
const limit = { ...common, type: "limit", price: "2" };
const market = { ...common, side: "buy", type: "market" };
const exit = { percent: 50, takeProfit: { percent: 100_000 }, stopLoss: { percent: -95 } };
const stop = { ...common, type: "stop", stopPrice: "2" };
const trailing = { ...common, type: "trailing_stop", trailPercent: 0.5 };
const twap = { ...common, type: "twap", slices: 2, intervalSeconds: 60 };
const pair = { ...common, type: "oco", takeProfit: { price: "2" }, stopLoss: { stopPrice: "1" } };

const automatic = { auto: "buy", chain: "eth", token: common.token };

describe("PlaceAnyOrderSchema", () => {
  it.each<[object]>([
    [{ ...common, type: "market" }],
    [limit],
    [{ ...limit, side: "buy" }],
    [{ ...market, exits: [] }],
    [{ ...market, exits: [exit, { percent: 50, takeProfit: { price: "2" } }] }],
    [{ ...limit, side: "buy", exits: [{ percent: 100, trailing: { trailPercent: 3 } }] }],
    [{ ...limit, price: `1${"0".repeat(40)}`, expiresInSeconds: 60, maxNetworkFee: "0.1", slippage: 50 }],
    [{ ...limit, amount: undefined, percent: 50 }],
    [{ ...limit, gasPreset: "fast", maxGasPrice: 3, mevProtection: true, allowUnsafe: true, dryRun: true }],
    [stop],
    [{ ...stop, price: `0.${"0".repeat(39)}1`, expiresInSeconds: 7_776_000 }],
    [pair],
    [trailing],
    [twap],
    [{ ...twap, side: "buy", slices: 100, intervalSeconds: 76_896, price: "3" }],
    [{ ...twap, chain: "sol", slices: 24, intervalSeconds: 604_800 / 2, priorityFee: 0.001 }],
    [{ ...trailing, trailPercent: 90, price: "0.5", percent: 50, amount: undefined }],
    [{ ...pair, stopLoss: { stopPrice: "1", price: "0.5" } }],
    [{ ...limit, chain: "sol", priorityFee: 0.001 }],
    [automatic],
    [{ ...automatic, wallet: common.wallet }],
    [{ ...pair, slippage: 50, gasPreset: "turbo", maxGasPrice: 3, mevProtection: true, allowUnsafe: true }],
  ])("accepts %j", (body) => {
    expect(validate(PlaceAnyOrderSchema, body)).toEqual(body);
  });

  it.each<[object, string]>([
    [{ ...limit, type: "take_profit" }, "type"],
    [{ ...limit, type: undefined }, "type"],
    [{ ...stop, side: "buy" }, "side"],
    [{ ...pair, side: "buy" }, "side"],
    [{ ...limit, price: undefined }, "price"],
    [{ ...limit, price: 2 }, "price"],
    [{ ...limit, price: "0" }, "price"],
    [{ ...limit, price: "0.0" }, "price"],
    [{ ...limit, price: "-1" }, "price"],
    [{ ...limit, price: `1.${"1".repeat(41)}` }, "price"],
    [{ ...limit, price: `1${"0".repeat(41)}` }, "price"],
    [{ ...limit, stopPrice: "1" }, "stopPrice"],
    [{ ...limit, exits: [] }, "exits"],
    [{ ...market, side: "sell", exits: [exit] }, "exits"],
    [{ ...market, exits: [exit, exit, exit, exit] }, "exits"],
    [
      {
        ...market,
        exits: [
          { ...exit, percent: 60 },
          { ...exit, percent: 40.0001 },
        ],
      },
      "exits",
    ],
    [{ ...market, exits: [exit, { percent: 50 }] }, "exits.1"],
    [{ ...market, exits: [{ ...exit, percent: 0 }] }, "exits.0.percent"],
    [{ ...market, exits: [{ ...exit, takeProfit: { percent: 0 } }] }, "exits.0.takeProfit.percent"],
    [{ ...market, exits: [{ ...exit, takeProfit: { percent: 100_001 } }] }, "exits.0.takeProfit.percent"],
    [{ ...market, exits: [{ ...exit, takeProfit: { price: "0" } }] }, "exits.0.takeProfit.price"],
    [{ ...market, exits: [{ ...exit, takeProfit: { price: "1", percent: 1 } }] }, "exits.0.takeProfit"],
    [{ ...market, exits: [{ ...exit, takeProfit: {} }] }, "exits.0.takeProfit"],
    [{ ...market, exits: [{ ...exit, stopLoss: { percent: 0 } }] }, "exits.0.stopLoss.percent"],
    [{ ...market, exits: [{ ...exit, stopLoss: { percent: -95.1 } }] }, "exits.0.stopLoss.percent"],
    [{ ...market, exits: [{ ...exit, stopLoss: { percent: -5, price: "1" } }] }, "exits.0.stopLoss"],
    [{ ...market, exits: [{ ...exit, stopLoss: { percent: -5, stopPrice: "1" } }] }, "exits.0.stopLoss"],
    [{ ...market, exits: [{ ...exit, trailing: { trailPercent: 5 } }] }, "exits.0"],
    [
      { ...market, exits: [{ percent: 1, trailing: { trailPercent: 2.9 } }] },
      "exits.0.trailing.trailPercent",
    ],
    [{ ...stop, exits: [exit] }, "exits"],
    [{ ...limit, minAmountOut: "1" }, "minAmountOut"],
    [{ ...limit, maxPriceImpact: 5 }, "maxPriceImpact"],
    [{ ...limit, validForSeconds: 60 }, "validForSeconds"],
    [{ ...limit, pool: common.token }, "pool"],
    [{ ...limit, slices: 2 }, "slices"],
    [{ ...limit, auto: "buy" }, "side"],
    [{ ...stop, trailPercent: 5 }, "trailPercent"],
    [{ ...limit, slippage: 50.0001 }, "slippage"],
    [{ ...limit, expiresInSeconds: 59 }, "expiresInSeconds"],
    [{ ...limit, expiresInSeconds: 60.5 }, "expiresInSeconds"],
    [{ ...limit, expiresInSeconds: 7_776_001 }, "expiresInSeconds"],
    [{ ...limit, amount: undefined }, "amount"],
    [{ ...limit, percent: 5 }, "percent"],
    [{ ...limit, side: "buy", amount: undefined, percent: 5 }, "percent"],
    [{ ...limit, priorityFee: 1 }, "priorityFee"],
    [{ ...limit, chain: "sol", gasPreset: "fast" }, "gasPreset"],
    [{ ...limit, chain: "sol", maxGasPrice: 3 }, "maxGasPrice"],
    [{ ...stop, stopPrice: undefined }, "stopPrice"],
    [{ ...stop, takeProfit: { price: "3" } }, "takeProfit"],
    [{ ...pair, takeProfit: undefined }, "takeProfit"],
    [{ ...pair, takeProfit: {} }, "takeProfit.price"],
    [{ ...pair, takeProfit: { price: "2", stopPrice: "1" } }, "takeProfit.stopPrice"],
    [{ ...pair, stopLoss: undefined }, "stopLoss"],
    [{ ...pair, stopLoss: { price: "1" } }, "stopLoss.stopPrice"],
    [{ ...pair, stopLoss: { stopPrice: "1", percent: 3 } }, "stopLoss.percent"],
    [{ ...pair, price: "1" }, "price"],
    [{ ...twap, slices: 1 }, "slices"],
    [{ ...twap, slices: 101 }, "slices"],
    [{ ...twap, slices: 2.5 }, "slices"],
    [{ ...twap, slices: undefined }, "slices"],
    [{ ...twap, chain: "sol", slices: 25 }, "slices"],
    [{ ...twap, intervalSeconds: 59 }, "intervalSeconds"],
    [{ ...twap, intervalSeconds: 604_801 }, "intervalSeconds"],
    [{ ...twap, slices: 100, intervalSeconds: 76_897 }, "intervalSeconds"],
    [{ ...twap, expiresInSeconds: 86_400 }, "expiresInSeconds"],
    [{ ...twap, price: "0" }, "price"],
    [{ ...twap, stopPrice: "1" }, "stopPrice"],
    [{ ...trailing, side: "buy" }, "side"],
    [{ ...trailing, trailPercent: undefined }, "trailPercent"],
    [{ ...trailing, trailPercent: 0.4999 }, "trailPercent"],
    [{ ...trailing, trailPercent: 90.0001 }, "trailPercent"],
    [{ ...trailing, trailPercent: 1.00001 }, "trailPercent"],
    [{ ...trailing, trailPercent: "5" }, "trailPercent"],
    [{ ...trailing, stopPrice: "1" }, "stopPrice"],
    [{ ...trailing, price: "0" }, "price"],
    [{ ...automatic, auto: "sell" }, "auto"],
    [{ ...automatic, auto: undefined }, "type"],
    [{ ...automatic, token: undefined }, "token"],
    [{ ...automatic, chain: "doge" }, "chain"],
    [{ ...automatic, amount: "1" }, "amount"],
    [{ ...automatic, dryRun: true }, "dryRun"],
    [{ ...automatic, type: "market" }, "type"],
    [{ ...automatic, exits: [] }, "exits"],
  ])("names the field at fault in %j", (body, field) => {
    const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
    expect(() => validate(PlaceAnyOrderSchema, given)).toThrow(
      expect.objectContaining({ code: "INVALID_REQUEST", details: { field } }),
    );
  });

  it.each([market, limit, stop, pair, trailing, twap, automatic])(
    "accepts an id of the client's own: %j",
    (body) => {
      const named = { ...body, clientOrderId: "mine" };
      expect(validate(PlaceAnyOrderSchema, named)).toEqual(named);
    },
  );
});
