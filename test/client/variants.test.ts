import type {
  Attempt,
  components,
  OrderReport,
  Quote,
  RestingOrderRequest,
  Terminal,
} from "trading-terminal-client";
import { describe, expect, it } from "vitest";

type Schemas = components["schemas"];

const common = { attempt: 1, txHash: "h", submission: "public", purpose: "swap", outcome: "mined" } as const;

// The compiler checks these types. Code that no longer narrows fails to compile.
const priceOf = (attempt: Attempt): string => {
  if ("lastValidBlockHeight" in attempt) {
    const ofSol: Schemas["SolAttempt"] = attempt;
    return ofSol.priorityFee;
  }
  const ofEvm: Schemas["Attempt"] = attempt;
  return ofEvm.maxFeePerGas;
};

const leftOf = (report: OrderReport): string => {
  if ("rent" in report) {
    const ofSol: Schemas["SolOrderReport"] = report;
    return ofSol.rent;
  }
  const ofEvm: Schemas["OrderReport"] = report;
  return ofEvm.approvalLeft;
};

const partOf = ({ networkFee }: Pick<Quote, "networkFee">): string => {
  if ("tip" in networkFee) {
    const ofSol: Schemas["SolNetworkFee"] = networkFee;
    return ofSol.priority;
  }
  const ofEvm: Schemas["EvmNetworkFee"] = networkFee;
  return ofEvm.l1;
};

const token = "0x5409e03Dda8614EFE68ACFB5d2DaD1A351Cb5094";
const sale = { chain: "eth", wallet: token, token, side: "sell", amount: "1" } as const;

/** The compiler checks these requests: each type has its own fields. */
const resting: RestingOrderRequest[] = [
  { ...sale, type: "limit", price: "2" },
  { ...sale, type: "stop", stopPrice: "1" },
  { ...sale, type: "oco", takeProfit: { price: "2" }, stopLoss: { stopPrice: "1" } },
  { ...sale, type: "trailing_stop", trailPercent: 10 },
  { ...sale, type: "twap", slices: 3, intervalSeconds: 60 },
  // @ts-expect-error A limit has no stop.
  { ...sale, type: "limit", stopPrice: "1" },
];

/** Only dry runs of resting orders show their terms. */
const worstOf = async ({ placeOrder }: Pick<Terminal, "placeOrder">) => {
  const { data } = await placeOrder({ body: { ...sale, type: "stop", stopPrice: "1", dryRun: true } });
  const market = await placeOrder({ body: { ...sale, type: "market", dryRun: true } });
  // @ts-expect-error A market order has no terms at rest.
  market.data?.resting;
  return data?.resting.worst;
};

describe("types narrowed by a field", () => {
  it("narrows each resting order by its type, and each dry run by its own", async () => {
    expect(resting.map(({ type }) => type)).toEqual([
      "limit",
      "stop",
      "oco",
      "trailing_stop",
      "twap",
      "limit",
    ]);
    const placeOrder = async () => ({ data: { resting: { worst: "0.8" } } });
    expect(await worstOf({ placeOrder } as never)).toBe("0.8");
  });

  it("narrows attempts to those of Solana or of EVM chains by a field", () => {
    const sol = { priorityFee: "0.001", tip: "0", computeUnitLimit: 1, lastValidBlockHeight: 2 } as const;
    const evm = { nonce: 0, maxFeePerGas: "30", maxPriorityFeePerGas: "1", gasLimit: 3 } as const;
    const attempts: Attempt[] = [
      { ...common, ...sol },
      { ...common, ...evm },
    ];
    expect(attempts.map(priceOf)).toEqual(["0.001", "30"]);
  });

  it("narrows reports and the network fees of quotes by a field", () => {
    const result = { spent: {}, received: {} };
    const reports = [
      { ...result, rent: "0.002" },
      { ...result, approvalLeft: "0" },
    ] as unknown as OrderReport[];
    expect(reports.map(leftOf)).toEqual(["0.002", "0"]);
    const fees = { expected: "1", max: "2" } as const;
    expect(partOf({ networkFee: { ...fees, priority: "0.1", tip: "0.2" } })).toBe("0.1");
    expect(partOf({ networkFee: { ...fees, l1: "0.3" } })).toBe("0.3");
  });
});
