import { describe, expect, it } from "vitest";
import type { Effect, PlacingView } from "../../../lib/domain/trading/effects.ts";
import { type PlaceRequest, placeOrder } from "../../../lib/domain/trading/placing.ts";
import type { OrderFacts, Sight } from "../../../lib/domain/trading/sight.ts";
import { intent, tradeOrder } from "../../support/trading.ts";

const { minAmountOut: _, gasLimit: __, ...rest } = intent();
const request: PlaceRequest = {
  ...rest,
  amount: 1000n,
  maxGasPrice: 2n,
  key: "k-1",
  fingerprint: "body",
  placed: tradeOrder().placed,
  slippagePpm: 10_000n,
};

const facts: OrderFacts = {
  fees: { maxFeePerGas: 2n, maxPriorityFeePerGas: 1n },
  gasLimit: { approve: 50n, swap: 100n },
  l1Fee: { approve: 0n, swap: 0n },
  quote: { venue: "uniswap-v2", feeBps: 30, amountOut: 5000n },
};

const sight = (changes: Partial<OrderFacts> = {}, hash = "0xb1"): Sight => ({
  latest: { number: 1, hash, time: 1 },
  finalized: { number: 0, hash: "0xb0", time: 0 },
  nonce: { latest: 0, pending: 0, finalized: 0 },
  coins: 1200n,
  baseFee: 1n,
  clearFees: facts.fees,
  clearL1Fee: 0n,
  orders: new Map([[request.orderId, { ...facts, ...changes }]]),
  receipts: new Map(),
});

const view = (changes: Partial<PlacingView> = {}): PlacingView => ({
  used: undefined,
  order: undefined,
  hasWallet: true,
  laneOrders: [],
  isStopped: false,
  maxOrder: undefined,
  ...changes,
});

/** Places the order where the table and the hosts say this. */
function place({
  views = [view()],
  sights = [sight(), sight()],
  isWritten = true,
  of = request,
}: {
  views?: PlacingView[];
  sights?: (Sight | undefined)[];
  isWritten?: boolean;
  of?: PlaceRequest;
} = {}) {
  const effects: Effect[] = [];
  let reads = 0;
  const procedure = placeOrder(of);
  let next = procedure.next();
  while (!next.done) {
    const effect = next.value;
    effects.push(effect);
    if (effect.do === "readPlacing") next = procedure.next(views[reads++] ?? view());
    else if (effect.do === "look") next = procedure.next(sights[effect.host]);
    else if (effect.do === "write") next = procedure.next(isWritten);
    else next = procedure.next(effect.do === "makeMac" ? "mac" : undefined);
  }
  return { answer: next.value, did: effects.map((effect) => effect.do), effects };
}

describe("placeOrder", () => {
  it("records the order with a minimum that two hosts agree on, then wakes its lane", () => {
    const { answer, did } = place();
    expect(answer).toMatchObject({
      isReplayed: false,
      order: { intent: { minAmountOut: 4950n }, version: 1 },
    });
    expect(did).toEqual(["readPlacing", "look", "look", "makeMac", "write", "wake"]);
  });

  it("takes the client's minimum before its own", () => {
    const { answer } = place({ of: { ...request, minAmountOut: 4999n } });
    expect(answer).toMatchObject({ order: { intent: { minAmountOut: 4999n } } });
  });

  it("answers a used key with its order before it checks anything else", () => {
    const used = { userID: "alice", key: "k-1", orderId: "o1", fingerprint: "body" };
    const order = tradeOrder();
    const { answer, did } = place({ views: [view({ used, order, isStopped: true, hasWallet: false })] });
    expect(answer).toEqual({ order, isReplayed: true });
    expect(did).toEqual(["readPlacing", "wake"]);
  });

  it("refuses a used key with another body", () => {
    const used = { userID: "alice", key: "k-1", orderId: "o1", fingerprint: "another" };
    expect(place({ views: [view({ used, order: tradeOrder() })] }).answer).toEqual({
      refused: "IDEMPOTENCY_KEY_REUSED",
    });
  });

  it("answers with the order of the same request that was faster", () => {
    const used = { userID: "alice", key: "k-1", orderId: "o1", fingerprint: "body" };
    const order = tradeOrder();
    expect(place({ views: [view(), view({ used, order })], isWritten: false }).answer).toEqual({
      order,
      isReplayed: true,
    });
  });

  it.each([
    ["TRADING_DISABLED", view({ isStopped: true })],
    ["WALLET_NOT_FOUND", view({ hasWallet: false })],
    ["WALLET_BUSY", view({ laneOrders: Array.from({ length: 20 }, () => tradeOrder()) })],
    ["POLICY_LIMIT", view({ maxOrder: 999n })],
  ])("refuses with %s before it asks the chain", (code, known) => {
    const { answer, did } = place({ views: [known] });
    expect(answer).toEqual({ refused: code });
    expect(did).toEqual(["readPlacing"]);
  });

  it.each([
    ["CHAIN_UNAVAILABLE", "a host is silent", [sight(), undefined]],
    [
      "CHAIN_UNAVAILABLE",
      "the hosts name different amounts",
      [sight(), sight({ quote: { ...(facts.quote as NonNullable<OrderFacts["quote"]>), amountOut: 50n } })],
    ],
    ["CHAIN_UNAVAILABLE", "the hosts are at different blocks", [sight(), sight({}, "0xb2")]],
    [
      "GAS_PRICE_TOO_HIGH",
      "gas costs more than the order allows, its part for layer 1 included",
      [sight({ l1Fee: { approve: 0n, swap: 1n } }), sight()],
    ],
  ])("refuses with %s if %s", (code, _, sights) => {
    const { answer, did } = place({ sights });
    expect(answer).toEqual({ refused: code });
    expect(did).not.toContain("write");
  });

  it("refuses what the wallet cannot pay beside its open orders", () => {
    const open = tradeOrder({ amount: 1n, quoted: { amountOut: 1n, networkFee: 0n } });
    expect(place({ views: [view({ laneOrders: [] })] }).answer).toHaveProperty("order");
    expect(place({ views: [view({ laneOrders: [open] })] }).answer).toEqual({
      refused: "INSUFFICIENT_BALANCE",
    });
  });

  it("reserves the most that the order can cost: gas at its fees, and a quarter more for layer 1", () => {
    const costly = {
      fees: { maxFeePerGas: 9n, maxPriorityFeePerGas: 1n },
      l1Fee: { approve: 7n, swap: 40n },
    };
    const of = { ...request, amount: 1n, maxGasPrice: 10n };
    const { answer } = place({ of, sights: [sight(costly), sight(costly)] });
    expect(answer).toMatchObject({ order: { quoted: { amountOut: 5000n, networkFee: 950n } } });
  });

  it.each([
    ["no approval", { allowance: 900n }, 200n],
    ["an approval", { allowance: 899n }, 300n],
    ["two approvals", { allowance: 899n, wantsZeroFirst: true }, 400n],
  ])("reserves the network fees of a sale that needs %s", (_, allowed, networkFee) => {
    const of = { ...request, side: "sell", amount: 900n } as const;
    const facts = { held: 900n, ...allowed };
    const { answer } = place({ of, sights: [sight(facts), sight(facts)] });
    expect(answer).toMatchObject({ order: { quoted: { networkFee } } });
  });

  it("refuses a sale of tokens that open sales have promised", () => {
    const of = { ...request, side: "sell", amount: 900n } as const;
    const sale = intent({ side: "sell", token: request.token });
    const laneOrders = [tradeOrder({ intent: sale, amount: 1n, quoted: { amountOut: 1n, networkFee: 0n } })];
    const facts = { held: 900n, allowance: 900n };
    const sights = [sight(facts), sight(facts)];
    expect(place({ of, sights }).answer).toHaveProperty("order");
    expect(place({ of, sights, views: [view({ laneOrders })] }).answer).toEqual({
      refused: "INSUFFICIENT_BALANCE",
    });
  });
});
