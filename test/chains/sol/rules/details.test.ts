import { describe, expect, it } from "vitest";
import { solDetails } from "../../../../lib/chains/sol/rules/details.ts";
import { attemptOf, failed, filled, nowMs, orderOf, slotOf } from "../fixtures.ts";

const clear = attemptOf("c", { purpose: "clear", tipLamports: 0n });
const tipped = attemptOf("a", { tipLamports: 1000n, sentAtMs: nowMs });

describe("solDetails", () => {
  it("shows no details of an order without messages", () => {
    expect(solDetails(orderOf(), [])).toEqual({ attempts: [] });
  });

  it("shows each message with its fees in SOL", () => {
    const slot = slotOf({ isPrivate: true, attempts: [tipped, clear] });
    expect(solDetails(orderOf(), [slot])).toEqual({
      attempts: [
        {
          attempt: 1,
          purpose: "swap",
          txHash: "a",
          priorityFee: "0.00002",
          tip: "0.000001",
          computeUnitLimit: 100_000,
          lastValidBlockHeight: 250,
          submission: "private",
          sentAt: "2026-11-21T20:00:00.000Z",
          outcome: "pending",
        },
        {
          attempt: 2,
          purpose: "clear",
          txHash: "c",
          priorityFee: "0.00002",
          tip: "0",
          computeUnitLimit: 100_000,
          lastValidBlockHeight: 250,
          submission: "public",
          outcome: "pending",
        },
      ],
    });
  });

  it("shows the outcome of each message", () => {
    const attempts = [attemptOf("a"), attemptOf("b"), clear];
    const slot = slotOf({ state: "mined", attempts, receipts: [failed("a"), filled("b")] });
    const { attempts: shown } = solDetails(orderOf(), [slot]);
    expect(shown.map(({ outcome }) => outcome)).toEqual(["reverted", "mined", "expired"]);
  });

  it("reports a fill, with the fees of all messages by purpose", () => {
    const attempts = [tipped, attemptOf("b"), clear];
    const receipts = [filled("a", { tip: 1000n, fee: 26_000n }), failed("c")];
    const { report } = solDetails(orderOf(), [slotOf({ state: "mined", attempts, receipts })]);
    expect(report).toEqual({
      spent: { token: "native", amount: "0.001" },
      received: { token: "MOON", amount: "0.00009" },
      quotedAmountOut: "0.0001",
      slippage: 10,
      submission: "public",
      networkFee: {
        total: "0.000051",
        swap: "0.000026",
        clear: "0.000025",
        priority: "0.00004",
        tip: "0.000001",
      },
      rent: "0.00089784",
      computeUnits: 90_000,
      block: 120,
      blockTime: "2026-11-21T20:00:00.000Z",
    });
  });

  it("reports the amounts of a sale in reverse: tokens spent, coin received", () => {
    const slot = slotOf({ state: "mined", receipts: [filled("a", { spent: 500n, received: 90n })] });
    const { report } = solDetails(orderOf({}, { side: "sell" }), [slot]);
    expect(report).toMatchObject({
      spent: { token: "MOON", amount: "0.0005" },
      received: { token: "native", amount: "0.00000009" },
    });
  });

  it("reports no fill if the clear took effect", () => {
    const slot = slotOf({ state: "mined", attempts: [attemptOf("a"), clear], receipts: [filled("c")] });
    expect(solDetails(orderOf(), [slot])).not.toHaveProperty("report");
  });
});
