import { describe, expect, it } from "vitest";
import type { Evm } from "../../lib/chains/evm/rules/family.ts";
import type { EvmSlot } from "../../lib/chains/evm/rules/slot.ts";
import { evmSlots } from "../../lib/chains/evm/rules/slot-rules.ts";
import { idleSinceMs, troubleOf } from "../../lib/orders/lane-trouble.ts";
import type { Lane } from "../../lib/orders/table-step.ts";
import type { Life, TradeOrder } from "../../lib/orders/trade-order.ts";
import { intent, slot, tradeOrder } from "../support/trading.ts";

const minuteMs = 60_000;
const changedMs = Date.parse(tradeOrder().updatedAt);
const endMs = intent().validUntil * 1000;

const order = (life: Partial<Life>, gasPreset = intent().gasPreset): TradeOrder<Evm> =>
  tradeOrder({ intent: intent({ gasPreset }), life: { ...tradeOrder().life, ...life } });

const signedAt = (signedAtMs: number): EvmSlot =>
  slot({
    state: "signed",
    attempts: [
      {
        purpose: "swap",
        hash: "0x1",
        gasLimit: 1n,
        signedAtMs,
        maxFeePerGas: 1n,
        maxPriorityFeePerGas: 1n,
      },
    ],
  });

const signed = signedAt(changedMs + 1000);
const late = signedAt(endMs + 2000);

describe("idleSinceMs", () => {
  it.each<[string, TradeOrder<Evm>, EvmSlot[], number | undefined]>([
    ["an open order changed", order({}), [], changedMs],
    ["a transaction of it was signed", order({ stage: "sent" }), [signed], changedMs + 1000],
    [
      "the hosts stopped answering",
      order({ stage: "waiting", reasonCode: "CHAIN_UNAVAILABLE" }),
      [],
      changedMs,
    ],
    ["a slow order's time was over", order({ stage: "sent" }, "slow"), [signed], endMs],
    ["nothing of a slow order was signed", order({}, "slow"), [], changedMs],
    ["an order ended whose nonce is not free", order({ status: "expired" }), [signed], endMs],
    ["an attempt to free the nonce was signed", order({ status: "expired" }), [late], endMs + 2000],
    ["never: it waits for gas", order({ stage: "waiting", reasonCode: "GAS_PRICE_TOO_HIGH" }), [], undefined],
    ["never: it waits for its user", order({ stage: "waiting", reasonCode: "WALLET_BUSY" }), [], undefined],
    [
      "never: its coin was spent elsewhere",
      order({ stage: "waiting", reasonCode: "INSUFFICIENT_BALANCE" }),
      [signed],
      undefined,
    ],
    [
      "never: its fee is above the day's rest",
      order({ stage: "waiting", reasonCode: "POLICY_LIMIT" }),
      [],
      undefined,
    ],
    [
      "five minutes were left of an hour to become final",
      order({ status: "filled" }),
      [slot({ state: "mined" })],
      endMs + 55 * minuteMs,
    ],
  ])("measures idle time from the moment when %s", (_, of, slots, expected) => {
    expect(idleSinceMs([of], slots, evmSlots.mayWait)).toBe(expected);
  });

  it("returns the time of the order that has been idle longest", () => {
    const other = tradeOrder({ intent: intent({ orderId: "other" }), updatedAt: "2026-11-21T19:00:00.000Z" });
    expect(idleSinceMs([order({}), other], [], evmSlots.mayWait)).toBe(changedMs - 60 * minuteMs);
  });
});

describe("troubleOf", () => {
  const nowMs = changedMs;
  const lane = (changes: Partial<Lane> = {}): Lane => ({ chain: "eth", wallet: "0x1", jobs: 1, ...changes });
  const lapsed = (ms: number) => lane({ holder: "run", leaseUntilMs: nowMs - ms });

  it.each<[string, Lane, number | undefined, ReturnType<typeof troubleOf>]>([
    ["free, and nothing is open", lane(), undefined, undefined],
    ["idle for five minutes", lane(), nowMs - 5 * minuteMs, undefined],
    ["idle for longer", lane(), nowMs - 5 * minuteMs - 1, "ORDER_WITHOUT_PROGRESS"],
    ["held", lapsed(-30_000), undefined, undefined],
    ["held by a run that ended two minutes ago", lapsed(2 * minuteMs), undefined, undefined],
    ["held by one that ended earlier", lapsed(2 * minuteMs + 1), undefined, "LANE_HELD_TOO_LONG"],
    ["held for too long and idle", lapsed(6 * minuteMs), nowMs - 6 * minuteMs, "LANE_HELD_TOO_LONG"],
  ])("returns the trouble of a lane that is %s", (_, of, idleMs, expected) => {
    expect(troubleOf(of, idleMs, nowMs)).toBe(expected);
  });
});
