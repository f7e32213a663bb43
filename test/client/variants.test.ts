import type { Attempt, components, OrderReport, Quote } from "trading-terminal-client";
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

describe("types narrowed by a field", () => {
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
