import { describe, expect, it } from "vitest";
import type { HostFees } from "../../../../lib/trading/core/evm/fees.ts";
import { jointFees } from "../../../../lib/trading/core/evm/joint-facts.ts";

const fees = (tip: bigint, forBase: bigint, floor?: bigint): HostFees => ({
  maxFeePerGas: forBase + tip,
  maxPriorityFeePerGas: tip,
  ...(floor !== undefined && { floor }),
});

describe("jointFees", () => {
  it.each([
    ["the lower tip and the higher part for the base fee", fees(3n, 10n), fees(5n, 8n), fees(3n, 10n)],
    ["at least the higher floor", fees(5n, 0n, 5n), fees(9n, 0n, 7n), fees(7n, 0n)],
    ["the lower tip if it is above both floors", fees(8n, 0n, 5n), fees(9n, 0n, 7n), fees(8n, 0n)],
  ])("takes %s", (_, a, b, joint) => {
    expect([jointFees([a, b]), jointFees([b, a])]).toEqual([joint, joint]);
  });
});
