import { describe, expect, it } from "vitest";
import type { EvmReceipt } from "../../lib/chains/evm/rules/host-snapshot.ts";
import { swapBy } from "../../lib/chains/evm/rules/intent.ts";
import type { EvmAttempt, EvmSlot } from "../../lib/chains/evm/rules/slot.ts";
import { evmSlots } from "../../lib/chains/evm/rules/slot-rules.ts";
import { detailsOf } from "../../lib/trading/order-report.ts";
import { intent, slot, tradeOrder, v2 } from "../support/trading.ts";

const order = tradeOrder({ swapNonce: 7 });

const attempt = (changes: Partial<EvmAttempt> = {}): EvmAttempt => ({
  purpose: "swap",
  hash: "0x9c1f",
  gasLimit: 134_415n,
  maxFeePerGas: 1_750_000_000n,
  maxPriorityFeePerGas: 1_000_000_000n,
  signedAtMs: 0,
  sentAtMs: Date.parse("2026-11-21T20:00:00.210Z"),
  ...changes,
});

const receipt: EvmReceipt = {
  hash: "0x9c1f",
  status: "ok",
  block: { number: 58, hash: "0xb58", time: Date.parse("2026-11-21T20:00:01.000Z") / 1000 },
  fee: 161_298_000_000_000n,
  l1Fee: 0n,
  gasUsed: 107_532n,
  gasPrice: 1_500_000_000n,
  spent: order.amount,
  received: order.intent.quotedOut,
  moved: order.intent.quotedOut,
  isAgreed: true,
};

const filled = slot({ state: "mined", attempts: [attempt()], receipt });

describe("detailsOf", () => {
  it("lists no attempts before a transaction is signed", () => {
    expect(detailsOf(order, [slot()])).toEqual({ attempts: [] });
  });

  it("reports a fill from its receipt, without the signed bytes", () => {
    expect(detailsOf(order, [filled])).toEqual({
      attempts: [
        {
          attempt: 1,
          purpose: "swap",
          nonce: 7,
          txHash: "0x9c1f",
          maxFeePerGas: "1.75",
          maxPriorityFeePerGas: "1",
          gasLimit: 134415,
          submission: "private",
          sentAt: "2026-11-21T20:00:00.210Z",
          outcome: "mined",
        },
      ],
      report: {
        spent: { token: "native", amount: "0.5" },
        received: { token: "0x5FbD", amount: "4960.273038901078125544" },
        quotedAmountOut: "4960.273038901078125544",
        slippage: 0,
        priceImpact: 0.496,
        networkFee: { total: "0.000161298", swap: "0.000161298", approve: "0", clear: "0", l1: "0" },
        gasUsed: 107532,
        effectiveGasPrice: "1.5",
        submission: "private",
        block: 58,
        blockTime: "2026-11-21T20:00:01.000Z",
        approvalLeft: "0",
      },
    });
  });

  it("adds up the fees of all transactions of a sale, and reports the remaining allowance", () => {
    const sale = tradeOrder({
      intent: intent({ side: "sell", quotedOut: 1000n }),
      swapNonce: 7,
      quoted: { networkFee: 0n },
    });
    const approval = slot({
      place: 6,
      call: { purpose: "approve", token: "0x5FbD", router: v2.router, amount: 8n },
      state: "mined",
      isPrivate: false,
      attempts: [attempt({ purpose: "approve", hash: "0xa" })],
      receipt: { ...receipt, hash: "0xa", fee: 10n ** 17n, l1Fee: 10n ** 16n },
    });
    const swap: EvmSlot = {
      ...filled,
      call: swapBy(sale.intent, v2, 8n),
      allowance: 8n,
      receipt: { ...receipt, spent: 0n, moved: 5n, received: 1234n, l1Fee: 2n * 10n ** 16n, fee: 10n ** 17n },
    };
    const { attempts, report } = detailsOf(sale, [swap, approval]);
    expect(attempts.map(({ attempt: number, purpose }) => [number, purpose])).toEqual([
      [1, "approve"],
      [2, "swap"],
    ]);
    expect(report).toMatchObject({
      spent: { token: "0x5FbD", amount: "0.000000000000000005" },
      received: { token: "native", amount: "0.000000000000001234" },
      slippage: -23.4,
      networkFee: { total: "0.2", swap: "0.1", approve: "0.1", clear: "0", l1: "0.03" },
      approvalLeft: "0.000000000000000003",
      // The token has logged no transfer events.
      flags: ["ODD_EVENTS"],
    });
  });

  it.each([
    ["pending", "replaced", "signed", undefined],
    ["replaced", "replaced", "taken", undefined],
    ["replaced", "mined", "mined", receipt],
    ["replaced", "reverted", "mined", { ...receipt, status: "failed", isSlippage: false }],
  ] as const)(
    "shows the newest attempt as %s and the first as %s if the nonce is %s",
    (newest, first, state, seen) => {
      const attempts = [attempt(), attempt({ hash: "0x2", signedAtMs: 1 })];
      const shown = detailsOf(order, [slot({ state, attempts, ...(seen && { receipt: seen }) })]);
      expect(shown.attempts.map(({ outcome }) => outcome)).toEqual([first, newest]);
    },
  );

  it("shows how a transaction reaches a chain without a public pool", () => {
    const own = slot({ attempts: [attempt()], isPrivate: false }, intent({ chain: "base" }));
    expect(detailsOf(order, [own]).attempts).toMatchObject([{ submission: "sequencer" }]);
    const exposed = slot({ attempts: [attempt()], isPrivate: false });
    expect(detailsOf(order, [exposed]).attempts).toMatchObject([{ submission: "public" }]);
  });

  it("shows that a private order's nonce was freed in public", () => {
    const cleared = slot({ attempts: [attempt(), attempt({ purpose: "clear", hash: "0x2" })] });
    const shown = detailsOf(order, [cleared]).attempts;
    expect(shown.map(({ submission }) => submission)).toEqual(["private", "public"]);
  });

  it("returns the stored details of a settled order", () => {
    const details = evmSlots.detailsOf(order, [filled]);
    expect(detailsOf({ ...order, details }, [])).toBe(details);
  });
});
