import { describe, expect, it } from "vitest";
import { trying } from "../../../lib/trading/procedures/placing.ts";
import { tradeFacts } from "../../support/place-request.ts";
import { intent, tradeOrder } from "../../support/trading.ts";
import {
  approve,
  both,
  gift,
  limited,
  place,
  plain,
  play,
  request,
  sale,
  swap,
  token,
  view,
  viewWith,
} from "./support/placing.ts";

describe("placing within limits", () => {
  it("names the gas price rather than the day's fee limit if gas is too expensive for any transaction", () => {
    const fees = { maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n };
    const of = limited({ maxNetworkFee: 1000n, maxNetworkFeesPerDay: 10_000n });
    expect(place({ of, quotes: both({ fees, baseFee: 10n ** 9n }) }).code).toBe("GAS_PRICE_TOO_HIGH");
  });

  const worthless = tradeFacts({ priceImpact: 99.9, flags: ["CANNOT_SELL", "NOT_LISTED"] });

  it("protects coins from a thief who has stolen a user's access token", () => {
    const quotes = [[worthless, worthless]] as const;
    expect(place({ of: gift(), quotes }).code).toBe("SIGN_IN_REQUIRED");
    expect(play({ quotes }, trying(gift())).code).toBe("SIGN_IN_REQUIRED");
    // The price is treated as bad even if only one host finds it bad.
    const dear = gift({ trade: { ...plain.trade, slippage: 1 } });
    expect(place({ of: dear, quotes: [[tradeFacts(), worthless]] }).code).toBe("SIGN_IN_REQUIRED");
  });

  it("lets users give coins away after a sign-in, or if their policy allows it", () => {
    const quotes = [[worthless, worthless]] as const;
    expect(place({ of: gift({ mayLose: true }), quotes }).answer).toHaveProperty("order");
    const views = [viewWith({ anyLoss: true })];
    expect(place({ of: gift(), quotes, views }).answer).toHaveProperty("order");
  });

  it("requires a sign-in when small purchases of unlisted tokens add up to most of the coin", () => {
    const unlisted = (coins: bigint) => {
      const { identity } = tradeFacts();
      return tradeFacts({ identity: { ...identity, isListed: false }, held: { coins, tokens: 0n } });
    };
    const buy = (coins: bigint, laneOrders: readonly ReturnType<typeof tradeOrder>[] = []) => {
      const facts = unlisted(coins);
      const of = { ...request(), mayLose: false };
      return place({ of, quotes: [[facts, facts]], views: [view({ laneOrders, jobs: laneOrders.length })] })
        .code;
    };
    expect([buy(2000n), buy(1999n)]).toEqual([undefined, "SIGN_IN_REQUIRED"]);
    const { life } = tradeOrder();
    const other = intent({ token: "0xBAD", amount: 1000n });
    const open = tradeOrder({ intent: other, amount: 1000n, quoted: { networkFee: 0n } });
    const filled = { ...open, life: { ...life, status: "filled", stage: "done", spent: 1000n } } as const;
    expect([buy(4000n, [open]), buy(3999n, [open])]).toEqual([undefined, "SIGN_IN_REQUIRED"]);
    expect([buy(3000n, [filled]), buy(2999n, [filled])]).toEqual([undefined, "SIGN_IN_REQUIRED"]);
  });

  it("rejects an order that the wallet cannot pay in addition to its open orders", () => {
    const open = tradeOrder({ amount: 1n, quoted: { networkFee: 0n } });
    expect(place({ views: [view({ laneOrders: [open], jobs: 1 })] }).answer).toMatchObject({
      refused: { code: "INSUFFICIENT_BALANCE", details: { available: "0.000000000000001199" } },
    });
  });

  it("reserves an order's highest cost: gas at its fees, plus a quarter more for the L1 fee", () => {
    const costly = both({
      fees: { maxFeePerGas: 9n, maxPriorityFeePerGas: 1n },
      transactions: [{ ...swap, l1Fee: 40n }],
    });
    const { answer } = place({ of: request({ maxGasPrice: 10e-9 }), quotes: costly, views: [view()] });
    expect(answer).toMatchObject({ refused: { details: { needed: "0.00000000000000195" } } });
  });

  it.each([
    ["no approval", [swap], 200n],
    ["an approval", [approve, swap], 300n],
    ["two approvals", [approve, approve, swap], 400n],
  ])("reserves the network fees of a sale that needs %s", (_, transactions, networkFee) => {
    const { answer } = place({
      of: sale("0.0000000000000009"),
      quotes: both({ amount: 900n, transactions }),
    });
    expect(answer).toMatchObject({ order: { quoted: { networkFee } } });
  });

  it("counts the order's own network fee towards the day's limit", () => {
    expect(place({ views: [viewWith({ maxPerDay: 1200n })] }).answer).toMatchObject({
      order: { amount: 1000n, quoted: { networkFee: 200n } },
    });
    expect(place({ views: [viewWith({ maxPerDay: 1199n })] })).toMatchObject({
      did: ["readPlacing", "quote"],
      answer: {
        refused: {
          code: "POLICY_LIMIT",
          details: { rule: "maxPerDay", limit: "0.000000000000001199", requested: "0.0000000000000012" },
        },
      },
    });
  });

  it.each([
    ["slippage", { slippage: 1.0001 }, 1.02],
    ["a minimum of its own", { minAmountOut: "0.000000000000004949" }, 1.02],
  ])("rejects a buy with %s below the policy's", (_, asked, requested) => {
    const views = [viewWith({ maxSlippage: 10_000n })];
    expect(place({ views }).answer).toHaveProperty("order");
    expect(place({ views, of: request(asked) }).answer).toMatchObject({
      refused: { code: "POLICY_LIMIT", details: { rule: "maxSlippage", limit: 1, requested } },
    });
  });

  it("rejects a sale of a frozen wallet before it queries hosts", () => {
    const { did, answer } = place({
      views: [viewWith({ tradingEnabled: false })],
      of: sale("0.0000000000000009"),
    });
    expect(did).toEqual(["readPlacing"]);
    expect(answer).toMatchObject({ refused: { details: { rule: "tradingEnabled" } } });
  });

  it("rejects a sale of tokens that open sales will sell", () => {
    const promised = intent({ side: "sell", token });
    const laneOrders = [tradeOrder({ intent: promised, amount: 1n, quoted: { networkFee: 0n } })];
    const scene = { of: sale("0.0000000000000009"), quotes: both({ amount: 900n }) };
    expect(place(scene).answer).toHaveProperty("order");
    expect(place({ ...scene, views: [view({ laneOrders })] }).code).toBe("INSUFFICIENT_BALANCE");
  });
});
