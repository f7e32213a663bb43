import type { Order, RestData } from "trading-terminal-client";
import { describe, expect, it } from "vitest";
import { attemptFacts, cappedFee, feeFacts, orderFacts, reportFacts } from "../app/facts.ts";
import { plainNumber } from "../app/format.ts";

type Read = RestData<"getOrder">;
type Quote = RestData<"quoteOrder">["quote"];

const order = { chain: "sol", symbol: "MOON/SOL", baseSymbol: "MOON" } as Order;
const common = { attempt: 1, txHash: "5x", submission: "public", purpose: "swap", outcome: "mined" } as const;
const solAttempt = {
  ...common,
  priorityFee: "0.0003",
  tip: "0",
  computeUnitLimit: 120_000,
  lastValidBlockHeight: 1234,
} satisfies Read["attempts"][number];

const result = {
  spent: { token: "native", amount: "0.5" },
  received: { token: "mint", amount: "4900.25" },
  ...({ quotedAmountOut: "4901", slippage: 0.0153, block: 311_222 } as const),
  submission: "public",
  blockTime: "2026-11-25T10:00:00.000Z",
} as const;

describe("cappedFee", () => {
  it("names what a fill costs next to the cap, which is not a price", () => {
    const networkFee = { expected: "0.00023921", max: "0.0004", l1: "0" };
    const quote = { chain: "eth", networkFee } as Quote;
    expect(cappedFee(quote, "0.05")).toEqual([
      "Network fee",
      "about 0.0002392 ETH a fill, all capped at 0.05",
    ]);
  });
});

describe("the facts of an order on sol", () => {
  it("shows the parts of the fee and the rent in a quote", () => {
    const fees = { expected: "0.000305", max: "0.00102", priority: "0.0003", tip: "0.0000015" } as const;
    const quote: Partial<Quote> = { chain: "sol", networkFee: fees, rent: "0.00293712" };
    expect(feeFacts(quote as Quote)).toEqual([
      ["Network fee", "0.000305 SOL, at most 0.00102"],
      ["for priority", "0.0003 SOL"],
      ["as a tip", "0.0000015 SOL"],
      ["Rent of accounts", "0.002937 SOL"],
    ]);
  });

  it("shows the terms of an attempt, which include no gas", () => {
    expect(attemptFacts("sol", solAttempt)).toEqual([
      ["Priority fee", "0.0003 SOL"],
      ["Tip", "0 SOL"],
      ["Compute units", "at most 120\u00a0000"],
      ["Valid to block height", "1\u00a0234"],
      ["Sent", "not yet known"],
      ["Way", "public"],
    ]);
  });

  it("lists amounts, fees, rent and slot in a report", () => {
    const report = {
      ...result,
      networkFee: { total: "0.00031", swap: "0.000305", clear: "0", priority: "0.0003", tip: "0" },
      rent: "0.00293712",
      computeUnits: 91_234,
      route: [{ venue: "raydium-cpmm", pool: "p", feeBps: 25, tokenIn: "native", tokenOut: "mint" }],
    } satisfies Read["report"];
    expect(reportFacts(order, report).filter(([name]) => name !== "At")).toEqual([
      ["Spent", "0.5 SOL"],
      ["Received", "4\u00a0900.25 MOON"],
      ["Quoted", "4\u00a0901 MOON"],
      ["Slippage", "0.0153 %"],
      ["Route", "Raydium CPMM 0.25 %"],
      ["Network fee", "0.00031 SOL"],
      ["of it swap", "0.000305 SOL"],
      ["of it priority", "0.0003 SOL"],
      ["Rent of accounts", "0.002937 SOL"],
      ["Compute units", "91\u00a0234"],
      ["Slot", "311\u00a0222"],
      ["Way", "public"],
    ]);
  });

  it("names the router by the label that Jupiter's terms require", () => {
    const report = {
      ...result,
      networkFee: { total: "0.00031", swap: "0.000305", clear: "0", priority: "0.0003", tip: "0" },
      rent: "0.00293712",
      computeUnits: 91_234,
      route: [{ venue: "jupiter-metis", tokenIn: "native", tokenOut: "mint" }],
    } satisfies Read["report"];
    expect(reportFacts(order, report)).toContainEqual(["Route", "Metis, Powered by Jupiter"]);
  });

  it("names the program key that placed an order, and none for an order of the user", () => {
    expect(orderFacts({ ...order, keyId: "pk_1" })).toContainEqual(["Program key", "pk_1"]);
    expect(orderFacts(order).map(([name]) => name)).not.toContain("Program key");
  });

  it("shows the time until which orders on sol are signed, not the time when they expire", () => {
    const named = { validUntil: "2026-11-25T10:00:00.000Z", networkFee: "0.00031", rent: "0" } as const;
    const names = (facts: ReturnType<typeof orderFacts>) => facts.map(([name]) => name);
    expect(names(orderFacts({ ...order, ...named }))).toEqual([
      ...["Signed until", "Network fee", "Rent of accounts"],
    ]);
    expect(names(orderFacts({ ...order, ...named, chain: "eth" }))[0]).toBe("Valid until");
  });
});

describe("the facts of an order on an EVM chain", () => {
  it("shows the nonce and gas of an attempt", () => {
    const attempt = {
      ...common,
      nonce: 7,
      maxFeePerGas: "31.5",
      maxPriorityFeePerGas: "1.25",
      gasLimit: 130_000,
      submission: "private",
    } satisfies Read["attempts"][number];
    expect(attemptFacts("eth", attempt)).toEqual([
      ["Nonce", "7"],
      ["Gas price", "at most 31.5 gwei"],
      ["Priority", "1.25 gwei"],
      ["Gas limit", "130\u00a0000"],
      ["Sent", "not yet known"],
      ["Way", "private"],
    ]);
    const networkFee = { expected: "0.001", max: "0.004", l1: "0" };
    expect(feeFacts({ chain: "eth", networkFee } as Quote)).toEqual([
      ["Network fee", "0.001 ETH, at most 0.004"],
    ]);
  });

  it("shows the paid fees and the gas in a report", () => {
    const networkFee = { total: "0.003", swap: "0.002", approve: "0.001", clear: "0", l1: "0" } as const;
    const gas = { gasUsed: 120_000, effectiveGasPrice: "12", approvalLeft: "0" } as const;
    const facts = reportFacts({ ...order, chain: "bsc" }, { ...result, ...gas, networkFee });
    expect(facts).toEqual(
      expect.arrayContaining([
        ["Network fee", "0.003 BNB"],
        ["of it approve", "0.001 BNB"],
        ["Gas used", "120\u00a0000"],
        ["Block", "311\u00a0222"],
      ]),
    );
    expect(facts.map(([name]) => name)).not.toContain("Rent of accounts");
  });
});

describe("plainNumber", () => {
  it("writes a lamport in the form that browsers' number fields accept", () => {
    expect([1e-9, 0.001, 1e6].map(plainNumber)).toEqual(["0.000000001", "0.001", "1000000"]);
  });
});
