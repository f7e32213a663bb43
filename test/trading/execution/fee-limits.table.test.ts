import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { startTestChain, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type EvmIntent, swapBy } from "../../../lib/chains/evm/rules/intent.ts";
import type { EvmSlot } from "../../../lib/chains/evm/rules/slot.ts";
import { writeStep } from "../../../lib/trading/items/write-step.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { placing } from "../../support/placed-orders.ts";
import { intent, localV2, slot, tradeOrder } from "../../support/trading.ts";
import { openDesk, type TradingDesk } from "../../support/trading-desk.ts";

const db = tableForTests();
const { moon: token } = localAddresses;

let chain: TestChain;
let desk: TradingDesk;

beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.close());
beforeEach(async () => {
  desk = await openDesk(db.table, chain, { maxNetworkFeesPerDay });
});

/** Exceeds the wallets' coins, so that only the limit of one transaction counts. */
const maxNetworkFeesPerDay = "1000";

const gasLimit = 160_000n;
/** At this gas price, a swap may cost 99 of the wallet's 100 coins. */
const maxGasPrice = (99n * 10n ** 18n) / gasLimit;

/** Creates an intent with a genuine MAC, as a compromised placeOrder could. */
const planted = (changes: Partial<EvmIntent>): EvmIntent =>
  intent({
    ...desk.lane,
    userID: desk.userID,
    token,
    amount: 10n ** 15n,
    minAmountOut: 1n,
    routes: [localV2],
    gasLimit,
    maxGasPrice,
    isPrivate: false,
    validUntil: Math.floor(Date.now() / 1000) + 600,
    ...changes,
  });

/** Writes an order and its planned slot, then runs the executor and the chain. */
async function execute(own: EvmIntent, planned: Partial<EvmSlot> & Pick<EvmSlot, "call">) {
  const isSwap = planned.call.purpose === "swap";
  const order = tradeOrder({
    intent: own,
    amount: own.amount,
    mac: await desk.macs.makeMac(own),
    ...(isSwap ? { swapNonce: 0 } : { approveNonces: [0] }),
    // Pretends that a run has made the plan, because a later run repeats the plan of the placing.
    revision: 2,
  });
  const fees = { maxFeePerGas: own.maxGasPrice, maxPriorityFeePerGas: own.maxGasPrice };
  const item = slot({ place: 0, fees, gasLimit, isPrivate: false, ...planned }, own);
  await writeStep(db.table, [...placing(order), { kind: "put", of: "slot", item, when: "absent" }]);
  await desk.work();
  await chain.mine();
  return desk.read(own.orderId);
}

describe("fee limits against a compromised placeOrder", () => {
  const rejected = { order: { status: "rejected", reasonCode: "POLICY_LIMIT" } };

  it("protects a wallet's coin from a buy with excessive fees", async () => {
    const before = await desk.coins();
    const own = planted({ orderId: "PLANTEDBUY".padEnd(26, "0") });
    expect(await execute(own, { call: swapBy(own, localV2, own.amount) })).toMatchObject(rejected);
    expect(await desk.coins()).toBe(before);
  });

  it("protects a wallet's coin from an approval with excessive fees", async () => {
    const before = await desk.coins();
    const own = planted({
      orderId: "PLANTEDSALE".padEnd(26, "0"),
      side: "sell",
      amount: 1n,
      approvalGas: gasLimit,
    });
    const call = { purpose: "approve", token, router: localV2.router, amount: 1n } as const;
    expect(await execute(own, { call })).toMatchObject(rejected);
    expect(await desk.coins()).toBe(before);
  });
});

describe("the operators' limits of fees", () => {
  it("rejects an order whose transaction would cost more than the operators allow", async () => {
    const limited = await openDesk(db.table, chain, { maxNetworkFee: "0.00001", maxNetworkFeesPerDay });
    await expect(limited.ask({ amount: "0.01" })).rejects.toMatchObject({
      code: "GAS_PRICE_TOO_HIGH",
      details: { gasPrice: expect.any(String), limit: expect.any(String) },
    });
  });
});
