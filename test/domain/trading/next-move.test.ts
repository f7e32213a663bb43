import { describe, expect, it } from "vitest";
import type { Fees } from "../../../lib/domain/trading/intent.ts";
import { nextMove } from "../../../lib/domain/trading/next-move.ts";
import { clearGas, objectionTo } from "../../../lib/domain/trading/signing-rules.ts";
import { gwei, laneView, sceneOf, seconds, sight, signedOrder } from "../../support/scenes.ts";
import { intent, signingView } from "../../support/trading.ts";

/** The fees that a move asks the signer for. */
function feesAsked(move: ReturnType<typeof nextMove>): Fees {
  if (move.kind !== "sign") throw new Error(`The move is to ${move.kind}`);
  return move.request.fees;
}

describe("nextMove", () => {
  it.each([0n, 10n ** 14n])(
    "frees a nonce whose swap was signed near the highest gas price, if layer 1 costs %d",
    (clearL1Fee) => {
      const late = seconds + 86_400;
      const highest = { maxFeePerGas: 10n * gwei, maxPriorityFeePerGas: 9n * gwei };
      const { order, slot } = signedOrder({
        order: { intent: intent({ chain: "bsc", maxGasPrice: 10n * gwei }) },
        attempt: highest,
      });
      const seen = sight(undefined, {
        latest: { number: 9999, hash: "0xb9999", time: late },
        clearFees: { maxFeePerGas: gwei / 10n, maxPriorityFeePerGas: gwei / 10n },
        clearL1Fee,
      });
      const ended = { ...order, life: { ...order.life, status: "expired", stage: "done" } as const };
      const view = laneView(
        { ...ended, life: { ...ended.life, reasonCode: "NOT_INCLUDED" } },
        { slots: [slot] },
      );
      const fees = feesAsked(nextMove(sceneOf(view, { sights: [seen, seen], nowMs: late * 1000 })));
      expect(fees).toEqual({ maxFeePerGas: 11_250_000_000n, maxPriorityFeePerGas: 10_125_000_000n });
      const { chain, wallet, nonce } = slot;
      const clear = {
        chain,
        wallet,
        nonce,
        call: { purpose: "clear" },
        gasLimit: clearGas,
        ...fees,
      } as const;
      const ledger = { orderId: slot.orderId, approveNonces: [], fees: { 7: highest }, revision: 1 };
      const signing = signingView({ order, slot, ledger, maxGasPrice: 10n * gwei });
      expect(objectionTo(clear, signing, true, late * 1000)).toBeUndefined();
    },
  );
});
