import { describe, expect, it } from "vitest";
import { checkSolTrade, type SolSetup } from "../../lib/chains/sol/rules/check-trade.ts";
import { reservedBy, rulesBeside } from "../../lib/orders/reserved.ts";
import { openPolicy } from "../../lib/orders/wallet-policy.ts";
import { nowMs, orderOf } from "../chains/sol/fixtures.ts";
import { solFacts, solMint } from "../support/sol-facts.ts";
import { noLimits } from "../support/trading.ts";

const setup: SolSetup = {
  chain: "sol",
  name: "setup",
  listed: [],
  baseFeeCap: 10_000n,
  limits: { maxNetworkFee: 50_000_000n, baseFeeLamports: 10_000n },
};
const settings = { slippage: 1, priorityFee: 0.001, mevProtection: false };
const quoted = { networkFee: 1_020_000n, rents: 4_976_400n, stayingRents: 897_840n + 2_248_080n };
const buy = orderOf({ amount: 1_000_000_000n, quoted });
const sale = orderOf(
  { amount: 600_000n, quoted: { networkFee: 1_020_000n, rents: 2_937_120n, stayingRents: 897_840n } },
  { side: "sell", token: solMint },
);

describe("reservedBy", () => {
  it("counts the amounts, fees and rents of open orders on sol", () => {
    expect(reservedBy([buy, sale])).toEqual({
      coins: 1_000_000_000n + 1_020_000n + 4_976_400n + 1_020_000n + 2_937_120n,
      tokens: new Map([[solMint, 600_000n]]),
    });
  });

  it("counts nothing for an order that has ended", () => {
    const ended = { ...buy, life: { ...buy.life, status: "filled", stage: "done" } as const };
    expect(reservedBy([ended])).toEqual({ coins: 0n, tokens: new Map() });
  });

  it("leaves exactly enough, to the lamport, for the next order on sol", () => {
    const objectionWith = (coins: bigint) => {
      const trade = { side: "buy", token: solMint, amount: "1" } as const;
      const facts = { ...solFacts, held: { coins, tokens: 0n } };
      return checkSolTrade(setup, trade, { settings, orders: [buy], isStopped: false, mayLose: true }, facts)
        .objection;
    };
    const reserved = 1_000_000_000n + 1_020_000n + 4_976_400n;
    // The next order may have three messages more, each with its base fee.
    const needed = reserved + 15_000n;
    expect(objectionWith(reserved + needed)).toBeUndefined();
    expect(objectionWith(reserved + needed - 1n)).toMatchObject({
      code: "INSUFFICIENT_BALANCE",
      details: { needed: "1.0060114", available: "1.006011399" },
    });
  });
});

describe("rulesBeside", () => {
  it("counts purchases on Solana with their fees, but their remaining rents only as network fees", () => {
    const { userID } = buy.intent;
    const chainLimits = { maxNetworkFee: 50_000_000n };
    expect(rulesBeside(noLimits, [buy, sale], { userID, nowMs, chainLimits })).toMatchObject({
      policy: openPolicy,
      spent: 1_000_000_000n + 2n * 1_020_000n,
      fees: { counted: 2n * (1_020_000n + 897_840n) + 2_248_080n, limit: 500_000_000n },
    });
  });
});
