import { describe, expect, it } from "vitest";
import type { Evm } from "../../lib/chains/evm/rules/family.ts";
import { emptyEvmLedger } from "../../lib/chains/evm/rules/ledger.ts";
import { signEvmTransaction } from "../../lib/chains/evm/rules/sign.ts";
import { mostFeeOf } from "../../lib/chains/evm/rules/slot.ts";
import type { Effects, SigningView, SignRequest } from "../../lib/orders/effects.ts";
import type { TradeStep } from "../../lib/orders/table-step.ts";
import { counted, openPolicy } from "../../lib/orders/wallet-policy.ts";
import { seconds } from "../support/lane-states.ts";
import { intent, noLimits, signedFee, signingView, slot, tradeOrder, v2 } from "../support/trading.ts";

const nowMs = seconds * 1000;
const { chain, wallet, userID, orderId, amount } = intent();
/** Highest network fee of the planned slot. */
const fee = mostFeeOf({ ...slot(), ...slot().fees });
const key = { chain, wallet, userID };
const count = counted(key, undefined, { adds: 5n, fees: 2n, swapOf: "another", nowMs });

describe("signTransaction", () => {
  const { place, call, fees } = slot();
  const request = { chain, wallet, userID, orderId, place, purpose: call.purpose, fees };
  const policy = { ...openPolicy, maxPerDay: amount + fee + 5n };
  const limits = { stored: { ...key, policy, revision: 3 }, count };

  /** Returns the step that the signer writes, given this view. */
  function written(view: Partial<SigningView<Evm>>, asked: SignRequest<Evm> = request): TradeStep {
    const procedure = signEvmTransaction(asked);
    const answers = {
      now: nowMs,
      readSigning: signingView(view),
      checkMac: true,
      signBytes: { hash: "0x1", raw: "0x2" },
    } as const satisfies Partial<{ [Name in keyof Effects]: Effects[Name]["answer"] }>;
    for (let next = procedure.next(); !next.done; ) {
      const effect = next.value;
      if (effect.do === "write") return effect.step;
      if (effect.do === "readSigning") expect(effect.day).toBe("2026-11-21");
      next = procedure.next(answers[effect.do as keyof typeof answers]);
    }
    return [];
  }

  const ofLimits = (step: TradeStep) =>
    step.filter(
      (write) =>
        (write.kind === "put" && write.of === "day") || (write.kind === "check" && write.of === "policy"),
    );

  it("counts a buy with its signature, if the policy and the count are unchanged since they were read", () => {
    expect(ofLimits(written({ limits }))).toEqual([
      {
        kind: "put",
        of: "day",
        item: {
          ...count,
          newestOrderId: orderId,
          revision: 2,
          spent: amount + fee + 5n,
          networkFees: fee + 2n,
        },
        when: { revision: 1 },
      },
      { kind: "check", of: "policy", item: key, when: { revision: 3 } },
    ]);
  });

  it("starts the day's count of a wallet on its first buy", () => {
    expect(ofLimits(written({ limits: noLimits }))).toEqual([
      {
        kind: "put",
        of: "day",
        item: expect.objectContaining({ day: "2026-11-21", spent: amount + fee, networkFees: fee }),
        when: "absent",
      },
      { kind: "check", of: "policy", item: key, when: "absent" },
    ]);
  });

  it("counts only the additional fees of further attempts, on the day of their signature", () => {
    const swap = { nonce: place, call: signingView().slot?.call as typeof call & { purpose: "swap" } };
    const ledger = { ...emptyEvmLedger(intent()), fees: { [place]: signedFee(fees) }, swap, revision: 1 };
    const raised = {
      maxFeePerGas: 2n * fees.maxFeePerGas,
      maxPriorityFeePerGas: 2n * fees.maxPriorityFeePerGas,
    };
    for (const purpose of ["swap", "clear"] as const)
      for (const counts of [limits, noLimits]) {
        const view = { limits: counts, ledger, slot: slot({ state: "signed" }) };
        const [counting] = written(view, { ...request, purpose, fees: raised }).filter(
          ({ of }) => of === "day",
        );
        const gasLimit = purpose === "clear" ? 21_000n : 134_415n;
        const rise = gasLimit * raised.maxFeePerGas - fee;
        const { spent = 0n, networkFees = 0n } = counts.count ?? {};
        const item = { spent: spent + rise, networkFees: networkFees + rise };
        expect(counting).toEqual(
          rise > 0n ? expect.objectContaining({ item: expect.objectContaining(item) }) : undefined,
        );
      }
  });

  it("signs a sale only if the policy is unchanged, and counts the sale's fee", () => {
    const of = intent({ side: "sell", routes: [v2] });
    const approval = { purpose: "approve", token: of.token, router: v2.router, amount: of.amount } as const;
    const planned = slot({ call: approval }, of);
    const step = written(
      { order: tradeOrder({ intent: of }), slot: planned, limits },
      { ...request, purpose: "approve" },
    );
    const approvalFee = mostFeeOf({ ...planned, ...fees });
    expect(ofLimits(step)).toEqual([
      expect.objectContaining({
        of: "day",
        item: { ...count, spent: 5n + approvalFee, networkFees: 2n + approvalFee, revision: 2 },
      }),
      { kind: "check", of: "policy", item: key, when: { revision: 3 } },
    ]);
  });
});
