import { describe, expect, it } from "vitest";
import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import { usualGasLimit } from "../../../lib/chains/evm/rules/fees.ts";
import type { EvmTradeFacts } from "../../../lib/chains/evm/rules/trade-facts.ts";
import { DomainError } from "../../../lib/core/domain-error.ts";
import type { Effects } from "../../../lib/orders/effects.ts";
import type { RestingRequest } from "../../../lib/orders/resting/request.ts";
import type { StoredResting } from "../../../lib/orders/resting/stored.ts";
import {
  type PlaceRestingRequest,
  placingResting,
  tryingResting,
} from "../../../lib/trading/procedures/placing-resting.ts";
import { storedOrder } from "../../orders/resting/fixtures.ts";
import { placeRequest, tradeFacts } from "../../support/place-request.ts";
import { playPlacing, type Results } from "../../support/play-placing.ts";
import { tradeOrder } from "../../support/trading.ts";
import { orderId, token, userID, view, viewWith, wallet } from "./support/placing.ts";

const nowMs = 1_000_000_000;
const plain = placeRequest({
  ...{ orderId, userID, wallet, token, side: "sell", amount: 1000n, maxGasPrice: 2n, gasPreset: "medium" },
  ...{ isPrivate: true, validUntil: nowMs / 1000 + 120, key: "k-1", fingerprint: "body", slippage: 1, nowMs },
});

type Terms = Partial<Omit<RestingRequest, "type">> & Record<string, unknown>;

const requestOf = (terms: Terms, changes: Partial<PlaceRestingRequest> = {}): PlaceRestingRequest => {
  const { amount = "0.000000000000001" } = terms;
  const body = { chain: "eth", wallet, token, side: "sell", amount, ...terms } as unknown as RestingRequest;
  const { validForSeconds: _, maxPriceImpact: __, ...trade } = plain.trade;
  return {
    ...plain,
    trade: { ...trade, ...body },
    tableId: "table-1",
    ...changes,
  };
};

/** The facts say that 1000 tokens bring 5000 coins, so one token costs 5. */
const limit = (price: string, terms: Terms = {}) => requestOf({ type: "limit", price, ...terms });
const stop = (stopPrice: string, terms: Terms = {}) => requestOf({ type: "stop", stopPrice, ...terms });
const pair = (takeProfit: string, stopPrice: string) =>
  requestOf({ type: "oco", takeProfit: { price: takeProfit }, stopLoss: { stopPrice } });

const facts = (changes: Partial<EvmTradeFacts> = {}) =>
  tradeFacts({ held: { coins: 0n, tokens: 1000n }, ...changes });

type Scene = Results<Evm> & { facts?: Partial<EvmTradeFacts> };

const results = ({ facts: changes, ...scene }: Scene): Results<Evm> => ({
  views: [view()],
  quotes: [[facts(changes), facts(changes)]],
  ...scene,
});

const place = (request: PlaceRestingRequest, scene: Scene = {}) =>
  playPlacing(placingResting(request), results(scene));
const attempt = (request: PlaceRestingRequest, scene: Scene = {}) =>
  playPlacing(tryingResting(request), results(scene));

const restingOf = (count: number, changes: Partial<StoredResting["mandate"]> = {}) => ({
  all: Array.from({ length: count }, (_, n) => storedOrder({ orderId: `P${n}`, ...changes })),
  placed: undefined,
});

describe("placingResting", () => {
  it("adds the exits of the preset to a limit buy that names none, and only to such a buy", () => {
    const exits = [{ percent: 40, takeProfit: { percent: 100 } }];
    const buy = (terms: Terms = {}) => limit("6", { side: "buy", ...terms });
    const played = place(buy(), { views: [view({ exits, resting: restingOf(0) })] });
    expect(played.effects[0]).toMatchObject({ do: "readPlacing", lacksExits: true });
    expect(played.answer).toMatchObject({ order: { placed: { exits } } });
    const written = played.effects.find(({ do: name }) => name === "write") as Effects["write"]["ask"];
    expect(written.step.filter(({ of }) => of === "resting")).toMatchObject([
      { item: { mandate: { orderId, side: "buy" } } },
      { item: { mandate: { exit: { of: orderId, sharePpm: 400_000n }, side: "sell" } } },
    ]);
    for (const other of [buy({ exits: [] }), limit("6"), stop("4")])
      expect(place(other).effects[0]).not.toHaveProperty("lacksExits");
    expect(place(buy()).answer).not.toHaveProperty("order.placed.exits");
  });

  it("records the mandate, its trigger and the key in one transaction, and starts the watch", () => {
    const { answer, did, effects } = place(pair("6", "4"));
    expect(answer).toMatchObject({
      isReplayed: false,
      order: {
        ...{ state: "resting", mac: "mac", tableId: "table-1", version: 1, warnings: [] },
        mandate: {
          ...{ chain: "eth", wallet, userID, orderId, side: "sell", token, amount: 1000n, isPrivate: true },
          legs: [
            { kind: "limit", price: { coins: 6n, tokens: 1n } },
            { kind: "stop", trigger: { coins: 4n, tokens: 1n }, worst: { coins: 16n, tokens: 5n } },
          ],
          createdAt: nowMs,
          expiresAt: nowMs / 1000 + 2_592_000,
        },
        placed: { clientOrderId: "k-1", symbol: "MOON/ETH", decimals: 18 },
      },
    });
    expect(did).toEqual(["readPlacing", "quote", "makeMandateMac", "write", "startTriggers"]);
    const step = effects.flatMap((effect) => (effect.do === "write" ? effect.step : []));
    expect(step.map(({ kind, of }) => `${kind} ${of}`)).toEqual([
      ...["put key", "put resting", "put trigger", "check wallet", "check cutoff", "check cutoff"],
    ]);
    expect(step[0]).toMatchObject({ item: { key: "k-1", orderId, fingerprint: "body" }, when: "absent" });
  });

  it("starts the mark of a trailing stop at the current price, and its worst price from there", () => {
    const { answer } = place(requestOf({ type: "trailing_stop", trailPercent: 20 }));
    expect(answer).toMatchObject({
      order: {
        mandate: { legs: [{ kind: "trailing", trailPpm: 200_000n, worst: { coins: 16n, tokens: 5n } }] },
        mark: { price: { coins: 5n, tokens: 1n }, sinceMs: nowMs },
      },
    });
    const over = requestOf({ type: "trailing_stop", trailPercent: 20, price: "4" });
    expect(() => place(over)).toThrow(expect.objectContaining({ details: { field: "price" } }));
  });

  it("refuses slices of nothing, and those that cost more than they trade", () => {
    const slices = (count: number) => requestOf({ type: "twap", slices: count, intervalSeconds: 60 });
    expect(place(slices(2)).code).toBeUndefined();
    expect(place(slices(100)).code).toBe("AMOUNT_TOO_SMALL");
    expect(place(slices(2), { facts: { amount: 1n, amountOut: 10n ** 9n } }).code).toBe("AMOUNT_TOO_SMALL");
    const poor = { held: { coins: 0n, tokens: 0n } };
    expect(place(slices(100), { facts: poor }).code).toBe("AMOUNT_TOO_SMALL");
    expect(place(slices(2), { facts: poor }).code).toBe("INSUFFICIENT_BALANCE");
  });

  it("needs the tokens that it sells, and no coin; a buy needs nothing, whatever else is open", () => {
    expect(place(limit("6"), { facts: { held: { coins: 0n, tokens: 999n } } }).answer).toMatchObject({
      refused: { code: "INSUFFICIENT_BALANCE", details: { token, available: "0.000000000000000999" } },
    });
    expect(place(limit("6"), { views: [view({ laneOrders: [tradeOrder()] })] }).code).toBeUndefined();
    const none = { held: { coins: 0n, tokens: 0n } };
    expect(place(limit("0.1", { side: "buy" }), { facts: none }).code).toBeUndefined();
  });

  it.each<[string, PlaceRestingRequest, Scene, string | undefined]>([
    ["trading is stopped", limit("6"), { views: [view({ isStopped: true })] }, "TRADING_DISABLED"],
    ["the wallet is gone", limit("6"), { views: [view({ hasWallet: false })] }, "WALLET_NOT_FOUND"],
    ["it is frozen", limit("6"), { views: [viewWith({ tradingEnabled: false })] }, "POLICY_LIMIT"],
    [
      "a buy is too large",
      limit("1", { side: "buy" }),
      { views: [viewWith({ maxPerOrder: 999n })] },
      "POLICY_LIMIT",
    ],
    [
      "its token is forbidden",
      limit("1", { side: "buy" }),
      { views: [viewWith({ tokens: [] })] },
      "POLICY_LIMIT",
    ],
    ["the day is used up", limit("1", { side: "buy" }), { views: [viewWith({ maxPerDay: 1n })] }, undefined],
    ["the slippage is capped", limit("6"), { views: [viewWith({ maxSlippage: 1n })] }, undefined],
    [
      "the token is unsafe",
      limit("1", { side: "buy" }),
      { facts: { flags: ["FREEZABLE"], safety: { sellable: false, buyTax: 0, sellTax: 0, hasLoss: false } } },
      "TOKEN_UNSAFE",
    ],
    [
      "it sells an unsafe one",
      limit("6"),
      { facts: { safety: { sellable: false, buyTax: 0, sellTax: 0, hasLoss: false } } },
      undefined,
    ],
    ["the price impact is high", limit("6"), { facts: { priceImpact: 60 } }, undefined],
    ["the stop is reached", stop("5"), {}, "WOULD_FIRE_NOW"],
    ["the stop is almost reached", stop("4.99"), {}, undefined],
    ["the stop of a pair is reached", pair("6", "5"), {}, "WOULD_FIRE_NOW"],
    ["the limit is reached", limit("1"), {}, undefined],
    ["the user has 99", limit("6"), { views: [view({ resting: restingOf(99) })] }, undefined],
    ["the user has 100", limit("6"), { views: [view({ resting: restingOf(100) })] }, "TOO_MANY_RESTING"],
    [
      "the token has 19",
      limit("6"),
      { views: [view({ resting: restingOf(19, { chain: "eth", wallet, token }) })] },
      undefined,
    ],
    [
      "the token has 20",
      limit("6"),
      { views: [view({ resting: restingOf(20, { chain: "eth", wallet, token }) })] },
      "TOO_MANY_RESTING",
    ],
    ["both apply", stop("5"), { views: [view({ resting: restingOf(100) })] }, "WOULD_FIRE_NOW"],
  ])("decides by the checks that apply at rest: %s", (_, request, scene, code) => {
    const { code: found, did } = place(request, scene);
    expect(found).toBe(code);
    expect(did.includes("write")).toBe(code === undefined);
  });

  it("gives exits of a limit none of its slippage, which would disarm their stops", () => {
    const exits = [{ percent: 100, stopLoss: { percent: -50 } }];
    const { effects } = place(limit("1", { side: "buy", slippage: 0.1, exits }));
    const mandates = effects.flatMap((effect) => (effect.do === "makeMandateMac" ? [effect.mandate] : []));
    expect(mandates.map(({ slippagePpm }) => slippagePpm)).toEqual([1000n, undefined]);
  });

  it("lets an exit pay for six sales with their approvals, and each leg of a pair for half of them", () => {
    const both = { percent: 100, takeProfit: { percent: 50 }, stopLoss: { percent: -50 } };
    const { effects } = place(limit("1", { side: "buy", exits: [both] }));
    const [, exit] = effects.flatMap((effect) => (effect.do === "makeMandateMac" ? [effect.mandate] : []));
    const { gasLimit = 0n } = facts().transactions.at(-1) ?? {};
    const fees = 3n * (gasLimit + usualGasLimit.approve) * facts().fees.maxFeePerGas;
    expect(exit).toMatchObject({ feesLimit: fees, feesStop: fees });
  });

  it("names the limit that is reached: the one of all orders, or of a wallet and token", () => {
    const messageWith = (resting: ReturnType<typeof restingOf>) => {
      const { answer } = place(limit("6"), { views: [view({ resting })] });
      return "refused" in answer ? (answer.refused as Error).message : "";
    };
    expect(messageWith(restingOf(100))).toBe("At most 100 orders can rest; cancel others first");
    const same = restingOf(20, { chain: "eth", wallet, token });
    expect(messageWith(same)).toBe("At most 20 orders of a wallet and token can rest; cancel others first");
  });

  it("does not count orders that have filled or ended", () => {
    const { all } = restingOf(200);
    const ended = { state: "ended", end: { status: "expired", reasonCode: "EXPIRED" } } as const;
    const changed = all.map((order, index) => ({
      ...order,
      ...(index < 100 ? ended : { state: "filled" as const }),
    }));
    const resting = { all: changed, placed: undefined };
    expect(place(limit("6"), { views: [view({ resting })] }).code).toBeUndefined();
  });

  it("names the price at which a stop would fire", () => {
    expect(place(stop("5")).answer).toMatchObject({ refused: { details: { price: "5" } } });
  });

  it.each<[string, PlaceRestingRequest]>([
    ["could sell for less than half", stop("4", { price: "0.1" })],
    ["spends most of the coin on an unlisted token", limit("1", { side: "buy" })],
  ])("needs a fresh sign-in for an order that %s", (_, request) => {
    const scene: Scene = {
      facts: { held: { coins: 1200n, tokens: 1000n }, identity: { ...facts().identity, isListed: false } },
    };
    expect(place({ ...request, mayLose: false }, scene).code).toBe("SIGN_IN_REQUIRED");
    expect(place(request, scene).code).toBeUndefined();
    expect(
      place({ ...request, mayLose: false }, { ...scene, views: [viewWith({ anyLoss: true })] }).code,
    ).toBeUndefined();
  });

  it("dates an order after the user's last cancellation of all", () => {
    const cutoffs = { all: { userID, before: nowMs + 1000 } };
    expect(place(limit("6"), { views: [view({ cutoffs })] }).answer).toMatchObject({
      order: { mandate: { createdAt: nowMs + 1001 }, placed: { createdAt: new Date(nowMs).toISOString() } },
    });
  });

  it("starts again if data of its user have changed meanwhile, and gives up in the end", () => {
    expect(place(limit("6"), { written: [false, true] }).did.filter((each) => each === "write")).toHaveLength(
      2,
    );
    expect(place(limit("6"), { written: [false] }).code).toBe("WALLET_BUSY");
  });

  it("takes its turn, so that no other request has added orders since it counted them", () => {
    const turn = { userID, part: 1 };
    const taken = (count?: number) => {
      const resting = { ...restingOf(0), ...(count !== undefined && { turn: { ...turn, count } }) };
      const { effects } = place(limit("6"), { views: [view({ resting })] });
      const step = effects.flatMap((effect) => (effect.do === "write" ? effect.step : []));
      return step.filter(({ of }) => of === "restingTurn");
    };
    const put = { kind: "put", of: "restingTurn" };
    expect(taken(0)).toEqual([{ ...put, item: { ...turn, count: 1 }, when: "absent" }]);
    expect(taken(7)).toEqual([{ ...put, item: { ...turn, count: 8 }, when: { count: 7 } }]);
    expect(taken()).toEqual([]);
  });

  it("replays a key's order, and refuses another body and an order that is lost", () => {
    const used = { userID, key: "k-1", orderId, fingerprint: "body" };
    const placed = storedOrder({ orderId });
    const replay = place(limit("6"), { views: [view({ used, resting: { all: [placed], placed } })] });
    expect(replay.answer).toEqual({ order: placed, isReplayed: true });
    expect(replay.did).toEqual(["readPlacing", "startTriggers"]);
    const other = { ...used, fingerprint: "another body" };
    for (const views of [[view({ used: other, resting: { all: [], placed } })], [view({ used })]])
      expect(place(limit("6"), { views }).code).toBe("IDEMPOTENCY_KEY_REUSED");
  });

  it("warns of a thin market and of a public pool", () => {
    const request = limit("6");
    const open = { ...request, trade: { ...request.trade, mevProtection: false } };
    expect(place(open, { facts: { priceImpact: 6 } }).answer).toMatchObject({
      order: { warnings: ["MEV_UNPROTECTED", "THIN_POOL"], mandate: { isPrivate: false } },
    });
  });

  it("refuses what hosts refuse, and what they disagree about", () => {
    const none = new DomainError("NO_ROUTE", "No pool");
    expect(place(limit("6"), { quotes: [[none, none]] }).code).toBe("NO_ROUTE");
    expect(place(limit("6"), { quotes: [[facts(), undefined]] }).code).toBe("CHAIN_UNAVAILABLE");
  });
});

describe("tryingResting", () => {
  it("records nothing, and does not object to a stop that would fire", () => {
    const { answer, did } = attempt(stop("5"));
    expect(answer).toMatchObject({ mandate: { amount: 1000n } });
    expect(did).toEqual(["readPlacing", "quote"]);
    expect(attempt(limit("6"), { views: [view({ resting: restingOf(100) })] }).code).toBe("TOO_MANY_RESTING");
  });
});
