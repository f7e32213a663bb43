import { describe, expect, it } from "vitest";
import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import { evmFactsIn } from "../../../lib/chains/evm/rules/placed-facts.ts";
import type { EvmHostQuote } from "../../../lib/chains/evm/rules/trade-facts.ts";
import { DomainError } from "../../../lib/core/domain-error.ts";
import type { Wei } from "../../../lib/core/units.ts";
import type { Cutoffs } from "../../../lib/orders/cutoffs.ts";
import type { PlacingView } from "../../../lib/orders/effects.ts";
import type { ChainLimits } from "../../../lib/orders/trading-chain.ts";
import { trying } from "../../../lib/trading/procedures/placing.ts";
import { orderFacts, snapshot } from "../../support/lane-states.ts";
import { quotedRoute, setupName, tradeFacts } from "../../support/place-request.ts";
import { intent, tradeOrder, v2, v3, wideLimits } from "../../support/trading.ts";
import {
  approve,
  both,
  type LaneState,
  limited,
  place,
  play,
  request,
  swap,
  used,
  userID,
  view,
  wallet,
} from "./support/placing.ts";

describe("placing", () => {
  it("records the order with a minimum that two hosts agree on, then wakes its lane", () => {
    const { answer, did, effects } = place();
    expect(answer).toMatchObject({
      isReplayed: false,
      order: {
        intent: {
          ...intent(),
          routes: [v2],
          amount: 1000n,
          minAmountOut: 4950n,
          quotedOut: 5000n,
          gasLimit: 100n,
          maxGasPrice: 2n,
          nextNonce: 7,
          createdAt: 1_000_000,
          validUntil: 1120,
        },
        placed: { clientOrderId: "k-1", symbol: "MOON/ETH", baseSymbol: "MOON", decimals: 18, slippage: 1 },
        quoted: { priceImpact: 0.5 },
        version: 1,
      },
    });
    expect(did).toEqual(["readPlacing", "quote", "makeMac", "now", "write", "wake"]);
    const { orderId, trade } = request();
    expect(effects.at(-1)).toMatchObject({ job: { orderId, userID, token: trade.token } });
  });

  it("throws rather than records an order without the wallet's next nonce", () => {
    const { nextNonce: _, ...facts } = tradeFacts();
    expect(() => place({ quotes: [[facts, facts]] })).toThrow("next nonce");
  });

  it("binds an order to its best route, and to other routes for which both hosts quote the same sufficient amount", () => {
    const best = quotedRoute();
    const same = quotedRoute({ ...v3, amountOut: 4950n });
    const invented = quotedRoute({ ...v3, feeBps: 100, amountOut: 4999n, deepOut: 10n ** 9n });
    const raised = quotedRoute({ ...v3, feeBps: 5, amountOut: 4990n });
    const low = quotedRoute({ ...v3, feeBps: 1, amountOut: 4949n });
    const honest = tradeFacts({ routes: [best, { ...raised, amountOut: 4980n }, same, low] });
    const lie = tradeFacts({ routes: [best, invented, raised, same, low] });
    for (const quotes of [[[honest, lie]], [[lie, honest]]] as const)
      expect(place({ quotes }).answer).toMatchObject({ order: { intent: { routes: [v2, v3] } } });
  });

  it("prefers a v2 pool as the deep route of an unlisted token, unless v3 pays much more", () => {
    const onV3 = quotedRoute({ ...v3, amountOut: 4990n, deepOut: 19_990n });
    const onV2 = quotedRoute({ venue: "pancakeswap-v2", feeBps: 25, amountOut: 4980n, deepOut: 19_900n });
    const { identity } = tradeFacts();
    const quoted = (isListed: boolean) =>
      both({ identity: { ...identity, isListed }, routes: [quotedRoute(), onV3, onV2] });
    const bound = (isListed: boolean, venues: readonly string[]) =>
      expect(place({ quotes: quoted(isListed) }).answer).toMatchObject({
        order: { intent: { routes: venues.map((venue) => ({ venue })) } },
      });
    bound(true, ["uniswap-v2", "uniswap-v3", "pancakeswap-v2"]);
    bound(false, ["uniswap-v2", "pancakeswap-v2", "uniswap-v3"]);
  });

  it("allows the higher of the two hosts' gas limits", () => {
    const low = tradeFacts({ transactions: [{ ...swap, gasLimit: 60n }] });
    for (const quotes of [[[tradeFacts(), low]], [[low, tradeFacts()]]] as const)
      expect(place({ quotes }).answer).toMatchObject({ order: { intent: { gasLimit: 100n } } });
  });

  it("uses the client's minimum instead of a slippage", () => {
    const { answer } = place({ of: request({ slippage: undefined, minAmountOut: "0.000000000000004999" }) });
    expect(answer).toMatchObject({ order: { intent: { minAmountOut: 4999n } } });
    expect(answer).not.toHaveProperty("order.placed.slippage");
  });

  it("uses the user's settings if the request has none", () => {
    const open = request({
      slippage: undefined,
      gasPreset: undefined,
      maxGasPrice: undefined,
      validForSeconds: undefined,
    });
    const settings = { slippage: 2, gasPreset: "slow", maxGasPrice: 3, mevProtection: true } as const;
    const { answer, effects } = place({ of: open, views: [view({ settings })] });
    expect(effects[1]).toMatchObject({ question: { gasPreset: "slow" } });
    expect(answer).toMatchObject({
      order: {
        intent: { minAmountOut: 4900n, gasPreset: "slow", maxGasPrice: 3_000_000_000n, validUntil: 1600 },
      },
    });
  });

  it("returns the order of a used idempotency key before it checks anything else", () => {
    const order = tradeOrder();
    const unsupported = new DomainError("UNSUPPORTED_CHAIN", "eth does not trade", { chains: [] });
    const { answer, did, effects } = place({
      of: { ...request(), setup: unsupported },
      views: [view({ used, order, isStopped: true, hasWallet: false })],
    });
    expect(answer).toEqual({ order, isReplayed: true });
    expect(did).toEqual(["readPlacing", "wake"]);
    const { orderId, userID, token } = order.intent;
    const job = { orderId, userID, token };
    expect(effects[1]).toEqual({ do: "wake", lane: order.intent, job, reservation: orderId });
  });

  it("starts the watch again for the exits of a buy that was placed before, even after it has settled", () => {
    const exits = [{ percent: 100, takeProfit: { price: "1" }, orderId: "e1" }];
    const own = tradeOrder();
    const order = { ...own, placed: { ...own.placed, exits }, life: { ...own.life, settled: true } };
    expect(place({ views: [view({ used, order })] }).did).toEqual(["readPlacing", "startTriggers"]);
  });

  it("starts no first run again of an order that has had one", () => {
    const order = tradeOrder({ revision: 2 });
    const { effects } = place({ views: [view({ used, order })] });
    expect(effects[1]).toEqual({ do: "wake", lane: order.intent });
  });

  it("rejects a used idempotency key whose order is lost, without querying hosts", () => {
    const { answer, did } = place({ views: [view({ used })] });
    expect(answer).toMatchObject({ refused: { code: "IDEMPOTENCY_KEY_REUSED", details: { orderId: "o1" } } });
    expect(did).toEqual(["readPlacing"]);
  });

  it("rejects a used idempotency key with a different body, and names the key's order", () => {
    const other = { ...used, fingerprint: "another" };
    const { answer } = place({ views: [view({ used: other, order: tradeOrder(), isStopped: true })] });
    expect(answer).toMatchObject({ refused: { code: "IDEMPOTENCY_KEY_REUSED", details: { orderId: "o1" } } });
  });

  it.each<[string, Cutoffs, number]>([
    ["older than the request", { all: { userID, before: 999_999 } }, 1_000_000],
    ["of another chain", { all: { userID, base: 1_500_000 } }, 1_000_000],
    ["by a clock that is ahead", { all: { userID, before: 1_001_000 } }, 1_001_001],
    ["of the chain by such a clock", { all: { userID, before: 1, eth: 1_001_000 } }, 1_001_001],
    ["of the wallet by such a clock", { wallet: { userID, before: 1_000_000 } }, 1_000_001],
  ])("places an order after a cancellation of many orders %s", (_, cutoffs, createdAt) => {
    const { answer, effects } = place({ views: [view({ cutoffs })] });
    expect(answer).toMatchObject({ order: { intent: { createdAt } } });
    const [step = []] = effects.flatMap((effect) => (effect.do === "write" ? [effect.step] : []));
    const lane = { chain: "eth", wallet } as const;
    const ofAll = cutoffs.all && { before: cutoffs.all.before, eth: cutoffs.all.eth };
    expect(step.filter(({ of }) => of === "cutoff")).toEqual([
      { kind: "check", of: "cutoff", item: { userID, lane }, when: ofAll ?? "absent" },
      {
        kind: "check",
        of: "cutoff",
        item: { userID, ...lane },
        when: cutoffs.wallet ? { before: cutoffs.wallet.before } : "absent",
      },
    ]);
  });

  it("returns the order of an identical request that was faster", () => {
    const order = tradeOrder();
    const { answer } = place({ views: [view(), view({ used, order })], written: [false] });
    expect(answer).toEqual({ order, isReplayed: true });
  });

  it.each<[string, PlacingView<Evm>, ChainLimits<Wei>?]>([
    ["TRADING_DISABLED", view({ isStopped: true })],
    ["WALLET_NOT_FOUND", view({ hasWallet: false })],
    ["WALLET_BUSY", view({ laneOrders: Array.from({ length: 20 }, () => tradeOrder()) })],
    ["POLICY_LIMIT", view(), { maxOrder: 999n, maxNetworkFee: 1n }],
  ])("rejects a request with %s before it queries the chain", (refused, known, limits = wideLimits) => {
    const { code, did } = place({ views: [known], of: limited(limits) });
    expect(code).toBe(refused);
    expect(did).toEqual(["readPlacing"]);
  });

  it("does not count children of resting orders among the open orders", () => {
    const parent = { orderId: "P", mandate: "ab".repeat(32), leg: 0, n: 1 };
    const child = tradeOrder({ intent: intent({ parent, amount: 0n }), amount: 0n });
    const quoted = { ...child.quoted, networkFee: 0n };
    const laneOrders = Array.from({ length: 20 }, () => ({ ...child, quoted }));
    expect(place({ views: [view({ laneOrders })] }).code).toBeUndefined();
  });

  it("returns the first of the reasons that need no chain", () => {
    const setup = new DomainError("UNSUPPORTED_CHAIN", "eth does not trade", { chains: [] });
    const views = [view({ hasWallet: false })];
    expect(place({ views, of: { ...request(), setup } }).code).toBe("UNSUPPORTED_CHAIN");
    expect(place({ views }).code).toBe("WALLET_NOT_FOUND");
    const stopped = [view({ isStopped: true })];
    expect(place({ views: stopped, of: { ...request(), setup } }).code).toBe("TRADING_DISABLED");
  });

  const noRoute = new DomainError("NO_ROUTE", "No pool");
  const [onV2, onV3] = [quotedRoute(), quotedRoute({ ...v3, pool: "0x3" })];
  const onBoth = [onV3, onV2] as const;

  it.each<[string, string, readonly [EvmHostQuote, EvmHostQuote]]>([
    ["CHAIN_UNAVAILABLE", "a host is silent", [tradeFacts(), undefined]],
    [
      "CHAIN_UNAVAILABLE",
      "the hosts name different amounts",
      [tradeFacts(), tradeFacts({ routes: [quotedRoute({ amountOut: 50n })] })],
    ],
    [
      "CHAIN_UNAVAILABLE",
      "the hosts name different next nonces",
      [tradeFacts(), tradeFacts({ nextNonce: 8 })],
    ],
    [
      "CHAIN_UNAVAILABLE",
      "the hosts are at different blocks",
      [tradeFacts(), tradeFacts({ block: { number: 2, time: 1 } })],
    ],
    ["CHAIN_UNAVAILABLE", "only one host has a route", [noRoute, tradeFacts()]],
    ["CHAIN_UNAVAILABLE", "one host hides the best route", [tradeFacts({ routes: onBoth }), tradeFacts()]],
    [
      "CHAIN_UNAVAILABLE",
      "one host prefers another route with the same output",
      [tradeFacts({ routes: onBoth }), tradeFacts({ routes: [onV2, onV3] })],
    ],
    ["NO_ROUTE", "no host has a route", [noRoute, noRoute]],
    [
      "GAS_PRICE_TOO_HIGH",
      "gas and its L1 fee cost too much",
      [tradeFacts({ transactions: [{ ...swap, l1Fee: 1n }] }), tradeFacts()],
    ],
    [
      "INSUFFICIENT_BALANCE",
      "the wallet has too little",
      [tradeFacts({ held: { coins: 1199n, tokens: 0n } }), tradeFacts()],
    ],
    [
      "TOKEN_UNSAFE",
      "one host finds that the token cannot be sold",
      [tradeFacts(), tradeFacts({ safety: { ...tradeFacts().safety, sellable: false } })],
    ],
    [
      "PRICE_IMPACT_TOO_HIGH",
      "the price would move too far",
      [tradeFacts({ priceImpact: 101 }), tradeFacts()],
    ],
  ])("rejects a request with %s if %s", (refused, _, quotes) => {
    const { code, did } = place({ quotes: [quotes] });
    expect(code).toBe(refused);
    expect(did).toEqual(["readPlacing", "quote"]);
  });

  it("repeats all checks if another order is placed in the meantime", () => {
    const views = [
      view(),
      view({ jobs: 1, laneOrders: [tradeOrder({ amount: 1n, quoted: { networkFee: 0n } })] }),
    ];
    const { code, did } = place({ views, written: [false] });
    expect(code).toBe("INSUFFICIENT_BALANCE");
    expect(did).toEqual(["readPlacing", "quote", "makeMac", "now", "write", "readPlacing"]);
  });

  it("computes a percentage again if another order is placed in the meantime", () => {
    const { did, answer } = place({
      of: request({ side: "sell", amount: undefined, percent: 50 }),
      views: [view(), view({ jobs: 1 })],
      quotes: [...both({ amount: 450n, transactions: [approve, swap] }), ...both({ amount: 225n })],
      written: [false, true],
    });
    expect(did.filter((each) => each === "quote")).toHaveLength(2);
    expect(answer).toMatchObject({ order: { amount: 225n, placed: { percent: 50 } } });
  });

  it("gives up if other orders are always placed faster", () => {
    expect(place({ written: [false] }).code).toBe("WALLET_BUSY");
  });
});

describe("trying", () => {
  it("returns the terms of an order without recording it", () => {
    const { answer, did } = play({}, trying(request()));
    expect(answer).toMatchObject({ facts: { amountOut: 5000n }, check: { least: 4950n } });
    expect(did).toEqual(["readPlacing", "quote"]);
  });

  it("rejects everything in a dry run that placing would reject", () => {
    expect(play({}, trying(limited({ ...wideLimits, maxOrder: 1n }))).code).toBe("POLICY_LIMIT");
  });
});

describe("facts that are stored for an order's first run", () => {
  const latest = { number: 1, hash: "0x1", time: 1 };
  const { coins, baseFee } = snapshot(undefined);
  const host = { latest, nonce: { latest: 7, pending: 7 }, coins, baseFee, order: orderFacts() };
  const told = tradeFacts({ forPlanning: host });
  const factsOf = (scene: LaneState) => {
    const steps = place(scene).effects.flatMap((effect) => (effect.do === "write" ? [effect.step] : []));
    const [job] = (steps.at(-1) ?? []).flatMap((write) =>
      write.kind === "put" && write.of === "job" ? [write.item] : [],
    );
    return job?.facts === undefined ? undefined : evmFactsIn(job.facts, intent({ routes: [v2] }));
  };

  it("stores each host's facts, with the number of the lane's jobs", () => {
    const other = { ...host, coins: 5n };
    const quotes = [[told, tradeFacts({ forPlanning: other })]] as const;
    const hosts = [host, other];
    expect(factsOf({ quotes })).toEqual({ setup: setupName, jobs: 1, hosts });
    expect(factsOf({ quotes, views: [view({ jobs: 2 })] })).toEqual({ setup: setupName, jobs: 3, hosts });
  });

  it.each<[string, LaneState]>([
    ["one host did not say all", { quotes: [[told, tradeFacts()]] }],
    [
      "the hosts saw different blocks",
      { quotes: [[told, tradeFacts({ forPlanning: { ...host, latest: { ...latest, hash: "0x2" } } })]] },
    ],
    ["the table has changed since they were asked", { quotes: [[told, told]], written: [false, true] }],
  ])("stores no facts if %s", (_, scene) => {
    expect(place(scene).answer).toMatchObject({ isReplayed: false });
    expect(factsOf(scene)).toBeUndefined();
  });
});
