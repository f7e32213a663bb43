import { describe, expect, it } from "vitest";
import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import { evmOrderSettingsOf } from "../../../lib/chains/evm/rules/order-settings.ts";
import { evmFactsIn } from "../../../lib/chains/evm/rules/placed-facts.ts";
import type { EvmHostQuote, EvmTradeFacts } from "../../../lib/chains/evm/rules/trade-facts.ts";
import { DomainError } from "../../../lib/core/domain-error.ts";
import type { Wei } from "../../../lib/core/units.ts";
import type { Cutoffs } from "../../../lib/orders/cutoffs.ts";
import type { PlacingView } from "../../../lib/orders/effects.ts";
import type { ChainLimits } from "../../../lib/orders/trading-chain.ts";
import { openPolicy, type WalletPolicy } from "../../../lib/orders/wallet-policy.ts";
import { type PlaceRequest, placing, trying } from "../../../lib/trading/procedures/placing.ts";
import { orderFacts, snapshot } from "../../support/lane-states.ts";
import {
  type PlainRequest,
  placeRequest,
  quotedRoute,
  setupName,
  tradeFacts,
} from "../../support/place-request.ts";
import { playPlacing, type Results } from "../../support/play-placing.ts";
import { intent, noLimits, tradeOrder, v2, v3, wideLimits } from "../../support/trading.ts";

const { orderId, userID, wallet, token } = intent();
const plainRequest: PlainRequest = {
  orderId,
  userID,
  wallet,
  token,
  side: "buy",
  amount: 1000n,
  maxGasPrice: 2n,
  gasPreset: "medium",
  isPrivate: true,
  validUntil: 1120,
  key: "k-1",
  fingerprint: "body",
  slippage: 1,
  nowMs: 1_000_000,
};
const plain = placeRequest(plainRequest);

const request = (changes: Partial<PlaceRequest["trade"]> = {}): PlaceRequest => ({
  ...plain,
  trade: { ...plain.trade, ...changes },
});
/** Requests to give away all coins for one unit of a thief's token, without a fresh sign-in. */
const gift = (changes: Partial<PlaceRequest> = {}): PlaceRequest => ({
  ...request({
    maxPriceImpact: 100,
    allowUnsafe: true,
    slippage: undefined,
    minAmountOut: "0.000000000000000001",
  }),
  mayLose: false,
  ...changes,
});
const limited = (limits: ChainLimits<Wei>): PlaceRequest => placeRequest({ ...plainRequest, limits });
const sale = (amount: string) => request({ side: "sell", amount });

const swap = { estimate: 100n, gasLimit: 100n, l1Fee: 0n };
const approve = { estimate: 50n, gasLimit: 50n, l1Fee: 0n };

const view = (changes: Partial<PlacingView<Evm>> = {}): PlacingView<Evm> => ({
  used: undefined,
  order: undefined,
  hasWallet: true,
  laneOrders: [],
  jobs: undefined,
  settings: evmOrderSettingsOf("eth"),
  isStopped: false,
  cutoffs: {},
  limits: noLimits,
  ...changes,
});

/** Returns a view of a wallet with a policy. */
const viewWith = (changes: Partial<WalletPolicy>) => {
  const key = { chain: "eth", wallet, userID } as const;
  const stored = { ...key, policy: { ...openPolicy, ...changes }, revision: 1 };
  return view({ limits: { stored, count: undefined } });
};

const used = { userID: "alice", key: "k-1", orderId: "o1", fingerprint: "body" };

type LaneState = Results<Evm> & { of?: PlaceRequest };

const play = (
  { views = [view()], quotes = [[tradeFacts(), tradeFacts()]], written }: LaneState,
  procedure: ReturnType<typeof placing | typeof trying>,
) => playPlacing(procedure, { views, quotes, written });

const place = (scene: LaneState = {}) => play(scene, placing(scene.of ?? request()));
const both = (changes: Partial<EvmTradeFacts>) => [[tradeFacts(changes), tradeFacts(changes)]] as const;

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

  it("names the gas price rather than the day's fee limit if gas is too expensive for any transaction", () => {
    const fees = { maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n };
    const of = limited({ maxNetworkFee: 1000n, maxNetworkFeesPerDay: 10_000n });
    expect(place({ of, quotes: both({ fees, baseFee: 10n ** 9n }) }).code).toBe("GAS_PRICE_TOO_HIGH");
  });

  const worthless = tradeFacts({ priceImpact: 99.9, flags: ["CANNOT_SELL", "NOT_LISTED"] });
  it("protects coins from a thief who has stolen a user's access token", () => {
    const quotes = [[worthless, worthless]] as const;
    expect(place({ of: gift(), quotes }).code).toBe("SIGN_IN_REQUIRED");
    expect(play({ quotes }, trying(gift())).code).toBe("SIGN_IN_REQUIRED");
    // The price is treated as bad even if only one host finds it bad.
    const dear = gift({ trade: { ...plain.trade, slippage: 1 } });
    expect(place({ of: dear, quotes: [[tradeFacts(), worthless]] }).code).toBe("SIGN_IN_REQUIRED");
  });

  it("lets users give coins away after a sign-in, or if their policy allows it", () => {
    const quotes = [[worthless, worthless]] as const;
    expect(place({ of: gift({ mayLose: true }), quotes }).answer).toHaveProperty("order");
    const views = [viewWith({ anyLoss: true })];
    expect(place({ of: gift(), quotes, views }).answer).toHaveProperty("order");
  });

  it("requires a sign-in when small purchases of unlisted tokens add up to most of the coin", () => {
    const unlisted = (coins: bigint) => {
      const { identity } = tradeFacts();
      return tradeFacts({ identity: { ...identity, isListed: false }, held: { coins, tokens: 0n } });
    };
    const buy = (coins: bigint, laneOrders: readonly ReturnType<typeof tradeOrder>[] = []) => {
      const facts = unlisted(coins);
      const of = { ...request(), mayLose: false };
      return place({ of, quotes: [[facts, facts]], views: [view({ laneOrders, jobs: laneOrders.length })] })
        .code;
    };
    expect([buy(2000n), buy(1999n)]).toEqual([undefined, "SIGN_IN_REQUIRED"]);
    const { life } = tradeOrder();
    const other = intent({ token: "0xBAD", amount: 1000n });
    const open = tradeOrder({ intent: other, amount: 1000n, quoted: { networkFee: 0n } });
    const filled = { ...open, life: { ...life, status: "filled", stage: "done", spent: 1000n } } as const;
    expect([buy(4000n, [open]), buy(3999n, [open])]).toEqual([undefined, "SIGN_IN_REQUIRED"]);
    expect([buy(3000n, [filled]), buy(2999n, [filled])]).toEqual([undefined, "SIGN_IN_REQUIRED"]);
  });

  it("rejects an order that the wallet cannot pay in addition to its open orders", () => {
    const open = tradeOrder({ amount: 1n, quoted: { networkFee: 0n } });
    expect(place({ views: [view({ laneOrders: [open], jobs: 1 })] }).answer).toMatchObject({
      refused: { code: "INSUFFICIENT_BALANCE", details: { available: "0.000000000000001199" } },
    });
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

  it("reserves an order's highest cost: gas at its fees, plus a quarter more for the L1 fee", () => {
    const costly = both({
      fees: { maxFeePerGas: 9n, maxPriorityFeePerGas: 1n },
      transactions: [{ ...swap, l1Fee: 40n }],
    });
    const { answer } = place({ of: request({ maxGasPrice: 10e-9 }), quotes: costly, views: [view()] });
    expect(answer).toMatchObject({ refused: { details: { needed: "0.00000000000000195" } } });
  });

  it.each([
    ["no approval", [swap], 200n],
    ["an approval", [approve, swap], 300n],
    ["two approvals", [approve, approve, swap], 400n],
  ])("reserves the network fees of a sale that needs %s", (_, transactions, networkFee) => {
    const { answer } = place({
      of: sale("0.0000000000000009"),
      quotes: both({ amount: 900n, transactions }),
    });
    expect(answer).toMatchObject({ order: { quoted: { networkFee } } });
  });

  it("counts the order's own network fee towards the day's limit", () => {
    expect(place({ views: [viewWith({ maxPerDay: 1200n })] }).answer).toMatchObject({
      order: { amount: 1000n, quoted: { networkFee: 200n } },
    });
    expect(place({ views: [viewWith({ maxPerDay: 1199n })] })).toMatchObject({
      did: ["readPlacing", "quote"],
      answer: {
        refused: {
          code: "POLICY_LIMIT",
          details: { rule: "maxPerDay", limit: "0.000000000000001199", requested: "0.0000000000000012" },
        },
      },
    });
  });

  it.each([
    ["slippage", { slippage: 1.0001 }, 1.02],
    ["a minimum of its own", { minAmountOut: "0.000000000000004949" }, 1.02],
  ])("rejects a buy with %s below the policy's", (_, asked, requested) => {
    const views = [viewWith({ maxSlippage: 10_000n })];
    expect(place({ views }).answer).toHaveProperty("order");
    expect(place({ views, of: request(asked) }).answer).toMatchObject({
      refused: { code: "POLICY_LIMIT", details: { rule: "maxSlippage", limit: 1, requested } },
    });
  });

  it("rejects a sale of a frozen wallet before it queries hosts", () => {
    const { did, answer } = place({
      views: [viewWith({ tradingEnabled: false })],
      of: sale("0.0000000000000009"),
    });
    expect(did).toEqual(["readPlacing"]);
    expect(answer).toMatchObject({ refused: { details: { rule: "tradingEnabled" } } });
  });

  it("rejects a sale of tokens that open sales will sell", () => {
    const promised = intent({ side: "sell", token });
    const laneOrders = [tradeOrder({ intent: promised, amount: 1n, quoted: { networkFee: 0n } })];
    const scene = { of: sale("0.0000000000000009"), quotes: both({ amount: 900n }) };
    expect(place(scene).answer).toHaveProperty("order");
    expect(place({ ...scene, views: [view({ laneOrders })] }).code).toBe("INSUFFICIENT_BALANCE");
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
