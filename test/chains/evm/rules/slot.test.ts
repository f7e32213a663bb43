import { describe, expect, it } from "vitest";
import {
  agreedBuy,
  type EvmReceipt,
  type EvmSnapshot,
} from "../../../../lib/chains/evm/rules/host-snapshot.ts";
import type { SwapCall } from "../../../../lib/chains/evm/rules/intent.ts";
import {
  type EvmSlot,
  isFinalEvm,
  isToJudge,
  observedEvm,
  swapResultOf,
  withEvmSendings,
} from "../../../../lib/chains/evm/rules/slot.ts";
import { slot } from "../../../support/trading.ts";

const attempt = {
  purpose: "swap",
  hash: "0x1",
  gasLimit: 1n,
  signedAtMs: 0,
  maxFeePerGas: 1n,
  maxPriorityFeePerGas: 1n,
} as const;
const signed = slot({ state: "signed", attempts: [attempt] });

const block = (number: number) => ({ number, hash: `0xb${number}`, time: number });
const paid = { fee: 1n, l1Fee: 0n, gasUsed: 1n, gasPrice: 1n };
const receipt: EvmReceipt = { hash: "0x1", block: block(5), ...paid, status: "ok", spent: 2n, received: 3n };

const snapshot = (
  receipts: readonly EvmReceipt[],
  { latest = 7, number = 4, blocks = [] as { number: number; hash: string }[] } = {},
): EvmSnapshot => ({
  latest: block(9),
  finalized: block(number),
  nonce: { latest, pending: latest },
  coins: 0n,
  baseFee: 1n,
  clearFees: { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n },
  clearL1Fee: 0n,
  orders: new Map(),
  blocks: new Map(blocks.map((each) => [each.number, each.hash])),
  receipts: new Map(receipts.map((each) => [each.hash, each])),
});

const mined: EvmSlot = { ...signed, state: "mined", receipt };

describe("observed", () => {
  it("trusts the receipt of a single host", () => {
    const after = observedEvm(signed, [snapshot([]), snapshot([receipt])]);
    expect(after).toMatchObject({ state: "mined", receipt, revision: 2 });
  });

  it("rejects one host's receipt if the other host's final chain is already past its block", () => {
    const beyond = snapshot([], { number: 5 });
    for (const slotBefore of [signed, mined])
      for (const snapshots of [
        [snapshot([receipt]), beyond] as const,
        [beyond, snapshot([receipt])] as const,
      ])
        expect(observedEvm(slotBefore, snapshots)).toMatchObject({ state: "signed" });
    expect(observedEvm(signed, [snapshot([receipt]), snapshot([], { number: 4 })]).state).toBe("mined");
    expect(observedEvm(signed, [snapshot([receipt]), snapshot([], { number: 5, latest: 8 })]).state).toBe(
      "mined",
    );
  });

  it("marks a nonce as taken only if both hosts report its use without a receipt", () => {
    const used = snapshot([], { latest: 8 });
    expect(observedEvm(signed, [used, used]).state).toBe("taken");
    expect(observedEvm(signed, [used, snapshot([])]).state).toBe("signed");
    expect(observedEvm(signed, [used, snapshot([receipt], { latest: 8 })]).state).toBe("mined");
  });

  it("keeps the blocks in which a nonce was taken until the final chain replaces them", () => {
    const used = snapshot([], { latest: 8 });
    const taken = observedEvm(signed, [used, used]);
    expect(taken.takenIn).toMatchObject([{ hash: "0xb9" }, { hash: "0xb9" }]);
    expect(observedEvm(taken, [used, used])).toBe(taken);
    expect(observedEvm(taken, [snapshot([]), snapshot([])])).not.toHaveProperty("takenIn");

    const otherBlock = { ...used, latest: block(12), finalized: block(9) };
    const fork = { ...otherBlock, blocks: new Map([[9, "0xfork"]]) };
    expect(observedEvm(taken, [fork, otherBlock])).toBe(taken);
    expect(observedEvm(taken, [fork, fork]).takenIn).toMatchObject([{ number: 12 }, { number: 12 }]);
  });

  it("never waits for a block far in the future that a lying host has made up", () => {
    const used = snapshot([], { latest: 8 });
    const ahead = (blocks: number) => ({ ...used, latest: { ...block(9), number: 9 + blocks } });
    expect(observedEvm(signed, [used, ahead(1000)]).takenIn).toMatchObject([{ number: 9 }, { number: 1009 }]);
    for (const hosts of [[used, ahead(1001)] as const, [ahead(1001), used] as const])
      expect(observedEvm(signed, hosts)).not.toHaveProperty("takenIn");
  });

  it("drops a receipt only if both hosts answer and neither has it", () => {
    expect(observedEvm(mined, [snapshot([]), snapshot([])])).not.toHaveProperty("receipt");
    expect(observedEvm(mined, [snapshot([]), undefined])).toBe(mined);
    expect(observedEvm(mined, [undefined, undefined])).toBe(mined);
  });

  it("keeps a known receipt while any host has it", () => {
    const other = { ...receipt, block: { ...block(5), hash: "0xfork" } };
    expect(observedEvm(mined, [snapshot([other]), snapshot([receipt])])).toBe(mined);
    expect(observedEvm(mined, [snapshot([other]), snapshot([])]).receipt).toEqual(other);
  });

  it("leaves a planned slot unchanged", () => {
    const planned = slot();
    expect(observedEvm(planned, [snapshot([], { latest: 8 }), snapshot([], { latest: 8 })])).toBe(planned);
  });
});

describe("observed with amounts from the wallet's balances", () => {
  const says = (moved?: bigint, number = 4, at = receipt) =>
    snapshot([moved === undefined ? at : ({ ...at, moved } as EvmReceipt)], { number });
  const seen = (known: EvmSlot, ...hosts: [EvmSnapshot | undefined, EvmSnapshot | undefined]) =>
    observedEvm(known, hosts).receipt;

  it("accepts an amount that both hosts report, and then stops querying", () => {
    const agreed = observedEvm(signed, [says(5n), says(5n)]);
    expect(agreed.receipt).toMatchObject({ moved: 5n, isAgreed: true });
    expect(observedEvm(agreed, [says(), says()])).toBe(agreed);
    expect(observedEvm(agreed, [says(6n), says(6n)])).toBe(agreed);
    expect(isFinalEvm(agreed, [says(undefined, 5), says(undefined, 5)])).toBe(true);
  });

  it("provisionally uses one host's amount, even while the other host is silent", () => {
    const one = observedEvm(signed, [snapshot([]), says(5n)]);
    expect(one.receipt).toMatchObject({ moved: 5n });
    expect(one.receipt).not.toHaveProperty("isAgreed");
    expect(observedEvm(one, [says(5n), says(6n)])).toBe(one);
    expect(seen(one, says(6n), undefined)).toMatchObject({ moved: 6n });
    expect(observedEvm(one, [says(), undefined])).toBe(one);
  });

  it("treats a swap as not final while the hosts report different amounts", () => {
    const hosts = [says(5n, 5), says(6n, 5)] as const;
    expect(isFinalEvm(observedEvm(signed, hosts), hosts)).toBe(false);
  });

  it("uses the events if a host no longer has the balances of a final block", () => {
    const one = observedEvm(signed, [snapshot([]), says(5n)]);
    expect(seen(one, says(), says(5n))).toMatchObject({ moved: 5n });
    const hosts = [says(undefined, 25), says(5n, 25)] as const;
    const after = observedEvm(one, hosts);
    expect(after.receipt).toEqual(receipt);
    expect(isFinalEvm(after, hosts)).toBe(true);
  });

  it("treats a refusal as temporary until both hosts' final blocks are 20 s later", () => {
    const one = observedEvm(signed, [snapshot([]), says(5n)]);
    for (const early of [
      [says(undefined, 24), says(5n, 25)] as const,
      [says(), says(undefined, 25)] as const,
    ]) {
      const after = observedEvm(one, early);
      expect(after.receipt).toMatchObject({ moved: 5n });
      expect(isFinalEvm(after, early)).toBe(false);
    }
    const unknown = observedEvm(signed, [says(), says()]);
    expect(isFinalEvm(unknown, [says(undefined, 24), says(undefined, 25)])).toBe(false);
    expect(isFinalEvm(unknown, [says(undefined, 25), says(undefined, 25)])).toBe(true);
  });

  it("uses the events if the hosts still disagree when both final blocks are 10 minutes later", () => {
    const one = observedEvm(signed, [says(5n), says(6n)]);
    const early = [says(5n, 604), says(7n, 605)] as const;
    expect(observedEvm(one, early)).toBe(one);
    expect(isFinalEvm(one, early)).toBe(false);
    const hosts = [says(5n, 605), says(7n, 605)] as const;
    const after = observedEvm(one, hosts);
    expect(after.receipt).toEqual(receipt);
    expect(swapResultOf(after)).toMatchObject({ received: 3n, doubt: "balances are unknown" });
    expect(isFinalEvm(after, hosts)).toBe(true);
    // The amount is still accepted once both hosts report it.
    expect(seen(one, says(6n, 605), says(6n, 605))).toMatchObject({ moved: 6n, isAgreed: true });
  });

  it("compares amounts again if the swap moves to another block", () => {
    const agreed = observedEvm(signed, [says(5n), says(5n)]);
    const other = { ...receipt, block: { ...block(5), hash: "0xfork" } };
    const moved = seen(agreed, says(6n, 4, other), says(undefined, 4, other));
    expect(moved).toMatchObject({ block: other.block, moved: 6n });
    expect(moved).not.toHaveProperty("isAgreed");
  });
});

describe("swapResultOf", () => {
  const result = (side: "buy" | "sell", moved?: bigint) =>
    swapResultOf({
      ...mined,
      call: { ...(mined.call as SwapCall), side },
      receipt: { ...receipt, ...(moved !== undefined && { moved }) } as EvmReceipt,
    });

  it("takes tokens from the balances, and coins from the events", () => {
    expect(result("buy", 7n)).toMatchObject({ spent: 2n, received: 7n, doubt: "events are odd" });
    expect(result("sell", 7n)).toMatchObject({ spent: 7n, received: 3n, doubt: "events are odd" });
    expect(result("buy", 3n)).not.toHaveProperty("doubt");
    expect(result("sell", 2n)).not.toHaveProperty("doubt");
  });

  it("marks a result as unchecked if it has no balances", () => {
    expect(result("buy")).toMatchObject({ spent: 2n, received: 3n, doubt: "balances are unknown" });
  });
});

describe("isToJudge", () => {
  it("returns true for a recent block until both hosts agree on the amount", () => {
    expect(isToJudge(mined, 6000)).toBe(true);
    expect(isToJudge(mined, 60_000)).toBe(false);
    expect(
      isToJudge({ ...mined, receipt: { ...receipt, moved: 3n, isAgreed: true } as EvmReceipt }, 6000),
    ).toBe(false);
    expect(isToJudge(signed, 6000)).toBe(false);
  });
});

describe("withEvmSendings", () => {
  it("keeps the time when an attempt was first sent", () => {
    const sent = withEvmSendings(signed, new Map([["0x1", 5]]));
    expect(sent.attempts[0]?.sentAtMs).toBe(5);
    expect(withEvmSendings(sent, new Map([["0x1", 9]]))).toBe(sent);
  });

  it("marks an attempt as undelivered until a host accepts it", () => {
    const lost = withEvmSendings(signed, new Map([["0x1", "unreached"]]));
    expect(lost.isUndelivered).toBe(true);
    expect(withEvmSendings(lost, new Map())).toBe(lost);
    expect(withEvmSendings(lost, new Map([["0x1", 5]]))).toMatchObject({
      isUndelivered: false,
      revision: 3,
    });
  });

  it("records why an attempt was refused, until the reason changes", () => {
    const refused = withEvmSendings(signed, new Map([["0x1", "underpriced"]]));
    expect(refused).toMatchObject({ isUndelivered: true, refusal: "underpriced", revision: 2 });
    expect(withEvmSendings(refused, new Map())).toBe(refused);
    expect(withEvmSendings(refused, new Map([["0x1", "underpriced"]]))).toBe(refused);
    expect(withEvmSendings(refused, new Map([["0x1", "unfunded"]]))).toMatchObject({ refusal: "unfunded" });
    expect(withEvmSendings(refused, new Map([["0x1", 5]])).refusal).toBeUndefined();
  });
});

describe("isFinal", () => {
  it("returns true if both hosts have the receipt in a final block", () => {
    const agreed: EvmSlot = { ...mined, receipt: { ...receipt, moved: 3n, isAgreed: true } };
    const final = snapshot([receipt], { number: 5 });
    expect(isFinalEvm(agreed, [final, final])).toBe(true);
    expect(isFinalEvm(agreed, [final, snapshot([receipt])])).toBe(false);
    expect(isFinalEvm(agreed, [final, undefined])).toBe(false);
    expect(isFinalEvm(agreed, [final, snapshot([{ ...receipt, received: 4n }], { number: 5 })])).toBe(false);
  });

  it("returns true for a taken nonce if the blocks in which both hosts saw its use are final", () => {
    const taken: EvmSlot = { ...signed, state: "taken", takenIn: [block(5), block(6)] };
    const seen = { number: 6, blocks: [block(5), block(6)] };
    const final = snapshot([], seen);
    expect(isFinalEvm(taken, [final, final])).toBe(true);
    expect(isFinalEvm(taken, [final, undefined])).toBe(false);
    expect(isFinalEvm(taken, [final, snapshot([receipt], seen)])).toBe(false);
    expect(isFinalEvm(taken, [final, snapshot([], { ...seen, number: 5 })])).toBe(false);
    expect(isFinalEvm(taken, [final, snapshot([], { ...seen, blocks: [block(5)] })])).toBe(false);
    const fork = { ...seen, blocks: [block(5), { number: 6, hash: "0xfork" }] };
    expect(isFinalEvm(taken, [final, snapshot([], fork)])).toBe(false);
  });

  it("never returns true for a transaction that may still be mined", () => {
    const final = snapshot([], { latest: 8 });
    expect(isFinalEvm(signed, [final, final])).toBe(false);
  });
});

describe("agreedBuy", () => {
  const brought = (received: bigint) => ({ spent: 2n, received, block: "0xb5" });

  it("counts the wallet's balances if both hosts have them, and the events otherwise", () => {
    const moved = { ...receipt, moved: 4n } as const;
    expect(agreedBuy(moved, moved)).toEqual(brought(4n));
    expect(agreedBuy(receipt, receipt)).toEqual(brought(3n));
    expect([agreedBuy(moved, receipt), agreedBuy(receipt, moved)]).toEqual([brought(3n), brought(3n)]);
  });

  it("is undefined while the hosts differ about balances, amounts or the block", () => {
    const others = [{ moved: 5n }, { received: 6n }, { spent: 3n }, { block: block(6) }];
    for (const other of others)
      expect(agreedBuy({ ...receipt, moved: 4n }, { ...receipt, moved: 4n, ...other })).toBeUndefined();
    expect(agreedBuy(receipt, undefined)).toBeUndefined();
  });
});
