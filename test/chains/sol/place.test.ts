import { describe, expect, it } from "vitest";
import type { SolSetup } from "../../../lib/chains/sol/rules/check-trade.ts";
import type { SolWalletFacts } from "../../../lib/chains/sol/rules/host-snapshot.ts";
import type { SolIntent } from "../../../lib/chains/sol/rules/intent.ts";
import { solFactsIn } from "../../../lib/chains/sol/rules/placed-facts.ts";
import type { SolTradeFacts } from "../../../lib/chains/sol/rules/trade-facts.ts";
import { DomainError } from "../../../lib/core/domain-error.ts";
import { trying } from "../../../lib/trading/procedures/placing.ts";
import { solMint, solRoute } from "../../support/sol-facts.ts";
import { factsOf, orderOf } from "./fixtures.ts";
import {
  both,
  createdAt,
  facts,
  ofSale,
  paying,
  place,
  play,
  request,
  type Scene,
  sale,
  used,
  userID,
  view,
  wallet,
} from "./support/placing.ts";

describe("placing on sol", () => {
  it("records an order with everything that its intent fixes, then wakes its lane", () => {
    const { answer, did, effects } = place();
    expect(answer).toEqual({
      isReplayed: false,
      order: {
        intent: {
          chain: "sol",
          wallet,
          orderId: "o1",
          userID,
          side: "buy",
          token: solMint,
          amount: 1_000_000_000n,
          minAmountOut: 990_000n,
          quotedOut: 1_000_000n,
          isPrivate: true,
          createdAt: Date.parse(createdAt),
          validUntil: Date.parse(createdAt) / 1000 + 120,
          tokenProgram: "token",
          routes: [{ venue: "raydium-cpmm", pool: "a", config: "config" }],
          budgetLamports: 1_000_000n,
          attempts: 6,
        },
        mac: "mac",
        placed: {
          clientOrderId: "k-1",
          symbol: "MOON/SOL",
          baseSymbol: "MOON",
          decimals: 6,
          slippage: 1,
          createdAt,
        },
        quoted: {
          priceImpact: 0.2,
          marketImpact: 0.1,
          networkFee: 1_035_000n,
          rents: 897_840n + 2n * 2_039_280n,
          feesBps: [25],
          stayingRents: 897_840n + 2_248_080n,
        },
        amount: 1_000_000_000n,
        isCancelling: false,
        revision: 1,
        version: 1,
        updatedAt: createdAt,
        life: expect.objectContaining({ status: "open", stage: "queued", settled: false }),
      },
    });
    expect(did).toEqual(["readPlacing", "quote", "makeMac", "now", "write", "wake"]);
    expect(effects[1]).toMatchObject({
      question: { chain: "sol", wallet, slippage: 1, trade: { side: "buy", token: solMint } },
    });
    expect(effects.at(-1)).toMatchObject({ job: { orderId: "o1", userID, token: solMint } });
  });

  it("stores no hosts' facts for the first run", () => {
    const [step] = place().effects.flatMap((effect) => (effect.do === "write" ? [effect.step] : []));
    expect(step?.map(({ of }) => of)).toEqual(["key", "order", "job", "lane", "wallet", "cutoff", "cutoff"]);
    expect(step?.[2]).not.toHaveProperty("item.facts");
  });

  it("prefers the request's settings to the user's own", () => {
    const settings = { slippage: 2, priorityFee: 0.002, mevProtection: false };
    const views = [view({ settings })];
    expect(place({ views }).answer).toMatchObject({
      order: { intent: { minAmountOut: 980_000n, budgetLamports: 2_000_000n, isPrivate: false } },
    });
    const of = request({ trade: { slippage: 3, priorityFee: 0.003, mevProtection: true } });
    const { answer, effects } = place({ views, of });
    expect(effects[1]).toMatchObject({ question: { slippage: 3 } });
    expect(answer).toMatchObject({
      order: { intent: { minAmountOut: 970_000n, budgetLamports: 3_000_000n, isPrivate: true } },
    });
  });

  it("places a public order if no relay is configured", () => {
    const { leastTip: _, ...setup } = request().setup as SolSetup;
    expect(place({ of: request({ setup }) }).answer).toMatchObject({
      order: { intent: { isPrivate: false } },
    });
  });

  it("uses the client's minimum instead of a slippage", () => {
    const { answer } = place({ of: request({ trade: { minAmountOut: "0.999" } }) });
    expect(answer).toMatchObject({ order: { intent: { minAmountOut: 999_000n, quotedOut: 1_000_000n } } });
    expect(answer).not.toHaveProperty("order.placed.slippage");
  });

  it.each([[15], [600]])("sets a validity of %s seconds if the request says so", (validForSeconds) => {
    const { answer } = place({ of: request({ trade: { validForSeconds } }) });
    expect(answer).toMatchObject({
      order: { intent: { validUntil: Date.parse(createdAt) / 1000 + validForSeconds } },
    });
  });

  it("computes the minimum from the higher of two quotes, whichever host returns it", () => {
    const [low, high] = [paying(1_000_000n), paying(1_002_000n)];
    for (const quotes of [[[low, high]], [[high, low]]] as const)
      expect(place({ quotes }).answer).toMatchObject({
        order: { intent: { quotedOut: 1_002_000n, minAmountOut: 991_980n } },
      });
  });

  it("binds only routes that both hosts name and that reach the minimum, in order of output", () => {
    const honest = paying(1_000_000n, ["b", 995_000n], ["c", 990_000n], ["d", 989_999n]);
    const lie = paying(1_000_000n, ["invented", 999_999n], ["b", 995_001n], ["c", 990_000n], ["d", 989_999n]);
    for (const quotes of [[[honest, lie]], [[lie, honest]]] as const)
      expect(place({ quotes }).answer).toMatchObject({
        order: { intent: { routes: [{ pool: "a" }, { pool: "b" }, { pool: "c" }] } },
      });
    const tight = request({ trade: { minAmountOut: "0.995001" } });
    expect(place({ of: tight, quotes: [[honest, honest]] }).answer).toMatchObject({
      order: { intent: { routes: [{ pool: "a" }] } },
    });
  });

  it("binds at most three routes", () => {
    const many = paying(1_000_000n, ["b", 999_000n], ["c", 998_000n], ["d", 997_000n]);
    const { answer } = place({ quotes: [[many, many]] });
    expect(answer).toMatchObject({
      order: { intent: { routes: [{ pool: "a" }, { pool: "b" }, { pool: "c" }] } },
    });
    expect(answer).not.toHaveProperty("order.intent.routes.3");
    expect(answer).not.toHaveProperty("order.intent.routes.0.amountOut");
  });

  it("binds the best route even below the client's minimum, because the market may move", () => {
    const of = request({ trade: { minAmountOut: "1.5" } });
    expect(place({ of }).answer).toMatchObject({
      order: { intent: { minAmountOut: 1_500_000n, routes: [{ pool: "a" }] } },
    });
  });

  it("lowers the budget of a sale to what the wallet can pay, and reserves its rents", () => {
    const coins = 2_039_280n + 897_840n + 35_000n + 300_000n;
    const quotes = both({ ...ofSale, held: { coins, tokens: 1_000_000n } });
    const of = request({ trade: { ...sale, mevProtection: false } });
    expect(place({ of, quotes }).answer).toMatchObject({
      order: {
        intent: { budgetLamports: 300_000n, amount: 1_000_000n, minAmountOut: 990_000_000n },
        quoted: { networkFee: 335_000n, rents: 2_039_280n + 897_840n },
      },
    });
  });

  it("returns the order of a used idempotency key before any other check, and wakes its lane", () => {
    const order = orderOf();
    const setup = new DomainError("UNSUPPORTED_CHAIN", "sol does not trade", { chains: [] });
    const { answer, did } = place({
      of: request({ setup }),
      views: [view({ used, order, isStopped: true, hasWallet: false })],
    });
    expect(answer).toEqual({ order, isReplayed: true });
    expect(did).toEqual(["readPlacing", "wake"]);
  });

  it("rejects a used idempotency key with a different body, and names the key's order", () => {
    const other = { ...used, fingerprint: "another" };
    expect(place({ views: [view({ used: other, order: orderOf() })] }).answer).toMatchObject({
      refused: { code: "IDEMPOTENCY_KEY_REUSED", details: { orderId: "order1" } },
    });
  });

  it("repeats all checks, counting the rents of an order placed in the meantime", () => {
    const needed = 1_006_011_400n;
    const quotes = both({ held: { coins: 2n * needed - 1n, tokens: 0n } });
    const placed = place({ quotes }).answer as unknown as { order: ReturnType<typeof orderOf> };
    const views = [view(), view({ jobs: 1, laneOrders: [placed.order] })];
    expect(place({ views, quotes, written: [false, true] })).toMatchObject({
      code: "INSUFFICIENT_BALANCE",
      did: ["readPlacing", "quote", "makeMac", "now", "write", "readPlacing"],
    });
    const enough = both({ held: { coins: 2n * needed, tokens: 0n } });
    expect(place({ views, quotes: enough, written: [false, true] }).answer).toHaveProperty("order");
  });

  it("computes a percentage again if another order was placed in the meantime", () => {
    const held = { coins: 10n ** 10n, tokens: 4_000_000n };
    const { did, answer } = place({
      of: request({ trade: { side: "sell", amount: undefined, percent: 50 } }),
      views: [view(), view({ jobs: 1 })],
      quotes: [...both({ ...ofSale, held, amount: 2_000_000n }), ...both({ ...ofSale, held })],
      written: [false, true],
    });
    expect(did.filter((each) => each === "quote")).toHaveLength(2);
    expect(answer).toMatchObject({ order: { amount: 1_000_000n, placed: { percent: 50 } } });
  });
});

describe("dry runs of orders on sol", () => {
  it("returns the terms of an order without recording it", () => {
    const { answer, did } = play({}, trying(request()));
    expect(answer).toMatchObject({ facts: { amountOut: 1_000_000n }, check: { least: 990_000n } });
    expect(did).toEqual(["readPlacing", "quote"]);
  });
});

describe("facts that are stored for the first run of an order on sol", () => {
  const hash = solMint;
  const route = { venue: "raydium-cpmm", pool: "a", config: "config", amountOut: 1_000_000n } as const;
  const host: SolWalletFacts = {
    slot: 100,
    coins: 10n ** 10n,
    blockhash: { hash, lastValidBlockHeight: 250 },
    order: factsOf({ routes: [route] }),
  };
  const told = (changes: Partial<SolWalletFacts> = {}) => facts({ forPlanning: { ...host, ...changes } });
  const storedBy = (scene: Scene) => {
    const { answer, effects } = place(scene);
    const [job] = effects
      .flatMap((effect) => (effect.do === "write" ? effect.step : []))
      .flatMap((write) => (write.kind === "put" && write.of === "job" ? [write.item] : []))
      .slice(-1);
    if (!("order" in answer)) throw new Error("The order was not placed");
    return job?.facts && solFactsIn(job.facts, answer.order.intent as SolIntent);
  };

  it("are each host's own, with the number of the lane's jobs", () => {
    const other = { coins: 10n ** 10n, slot: 101, blockhash: { hash, lastValidBlockHeight: 251 } };
    const quotes = [[told(), told(other)]] as const;
    const hosts = [host, { ...host, ...other }];
    expect(storedBy({ quotes })).toEqual({ setup: "setup", jobs: 1, hosts });
    expect(storedBy({ quotes, views: [view({ jobs: 2 })] })).toEqual({ setup: "setup", jobs: 3, hosts });
  });

  const byJupiter = (changes: Partial<SolTradeFacts>) =>
    facts({
      ...changes,
      routes: [{ venue: "jupiter-metis", amountOut: 1_000_000n }, solRoute("a", 999_999n)],
    });
  const otherHash = { blockhash: { hash: "other", lastValidBlockHeight: 250 } };
  const otherPool = { order: factsOf({ routes: [{ ...route, pool: "b" }] }) };

  it.each<[string, Scene]>([
    ["one host did not say all", { quotes: [[told(), facts()]] }],
    ["the hosts did not exchange a blockhash", { quotes: [[told(), told(otherHash)]] }],
    ["one host has tried another pool", { quotes: [[told(), told(otherPool)]] }],
    [
      "both have tried a pool that the order does not use first",
      { quotes: [[told(otherPool), told(otherPool)]] },
    ],
    [
      "Jupiter's route is the best",
      { quotes: [[byJupiter({ forPlanning: host }), byJupiter({ forPlanning: host })]] },
    ],
    ["the table has changed since they were asked", { quotes: [[told(), told()]], written: [false, true] }],
  ])("are left out if %s", (_, scene) => {
    expect(storedBy(scene)).toBeUndefined();
  });
});
