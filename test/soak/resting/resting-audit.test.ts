import { describe, expect, it } from "vitest";
import type { Order } from "../../../lib/orders/execution.ts";
import type { TraderWallet } from "../trade/traders.ts";
import { askedOf, respects } from "./asked.ts";
import { auditFirings, type Child, type Fired } from "./firing-audit.ts";
import { outOf, type PriceRecord } from "./pools.ts";
import {
  type Fill,
  problemsOfFills,
  problemsOfParent,
  problemsOfResting,
  type ShownParent,
} from "./resting-audit.ts";

const startMs = Date.parse("2026-11-21T20:00:00.000Z");
const at = (seconds: number) => new Date(startMs + 1000 * seconds).toISOString();
const coin = 10n ** 18n;

type Chain = "eth" | "avax" | "sol";

function askedFor(chain: Chain, terms: object) {
  const body = { side: "sell", token: "moon", amount: "100", ...terms };
  const wallet = { chain, address: "0xA" } as TraderWallet;
  const order = { orderId: "rest", createdAt: at(0), expiresAt: at(10_000) } as Order;
  return askedOf("ann", { wallet, key: "k", body }, order, chain === "sol" ? 6 : 18);
}

const limit = { type: "limit", price: "1.1" };
const stop = { type: "stop", stopPrice: "0.9" };
const pair = { type: "oco", takeProfit: { price: "1.1" }, stopLoss: { stopPrice: "0.9", price: "0.5" } };

/** Records a price each second, in a pool so deep that amounts do not move it. */
function recordsOf(chain: Chain, priceAt: (second: number) => number, seconds = 200): PriceRecord[] {
  const units = chain === "sol" ? [1e9, 1e6] : [1e18, 1e18];
  return Array.from({ length: seconds }, (_, number) => {
    const reserves = {
      native: 1e12 * (units[0] as number) * priceAt(number),
      moon: 1e12 * (units[1] as number),
    };
    const market = { tax: 0, routes: [{ path: ["native", "moon"], pools: [{ reserves, fee: 0 }] }] };
    return { atMs: startMs + 1000 * number, number, hash: `${number}`, markets: new Map([["moon", market]]) };
  });
}

const childAt = (second: number, leg: Child["leg"], changes: Partial<Child> = {}): Child => ({
  orderId: "child",
  ...(leg !== undefined && { leg, block: second }),
  createdAtMs: startMs + 1000 * second,
  doneAtMs: startMs + 1000 * (second + 3),
  isFilled: true,
  ...changes,
});

type Case = {
  chain?: Chain;
  terms: object;
  price: (second: number) => number;
  children?: Child[];
  faults?: [number, number];
};

function firingsOf({ chain = "avax", terms, price, children = [], faults }: Case, others: Fired[] = []) {
  const { problems } = auditFirings({
    orders: [{ asked: askedFor(chain, terms), children, attention: [] }, ...others],
    records: () => recordsOf(chain, price),
    faults:
      faults === undefined ? [] : [{ fromMs: startMs + 1000 * faults[0], toMs: startMs + 1000 * faults[1] }],
  });
  return problems;
}

const missed = expect.stringContaining("has not fired in time");
const unreached = expect.stringContaining("whose price it had not reached");
const tooShort = expect.stringContaining("was not reached for long enough");

/** A price that is beyond the stop or the limit for some seconds. */
const during = (from: number, to: number, price: number) => (second: number) =>
  second >= from && second < to ? price : 1;

describe("auditFirings", () => {
  it.each<[title: string, facts: Case, problems: unknown[]]>([
    [
      "a limit that fires",
      { terms: limit, price: during(20, 90, 1.2), children: [childAt(22, "limit")] },
      [],
    ],
    ["a limit that is reached and rests", { terms: limit, price: during(20, 90, 1.2) }, [missed]],
    ["a limit that is not reached", { terms: limit, price: during(20, 90, 1.09) }, []],
    ["a limit that is reached for 10 seconds", { terms: limit, price: during(20, 30, 1.2) }, []],
    [
      "a limit that fires without its price",
      { terms: limit, price: during(20, 90, 1.09), children: [childAt(22, "limit")] },
      [unreached],
    ],
    [
      "a missed buy",
      { terms: { ...limit, side: "buy", price: "0.95" }, price: during(20, 90, 0.9) },
      [missed],
    ],
    ["a missed stop", { terms: stop, price: during(20, 90, 0.85) }, [missed]],
    ["a missed stop on eth", { chain: "eth", terms: stop, price: during(20, 120, 0.85) }, [missed]],
    ["a stop on eth after 60 seconds", { chain: "eth", terms: stop, price: during(20, 90, 0.85) }, []],
    ["a stop below its worst price", { terms: stop, price: during(20, 120, 0.7) }, []],
    ["a missed take-profit", { terms: pair, price: during(20, 90, 1.2) }, [missed]],
    ["a missed stop loss on sol", { chain: "sol", terms: pair, price: during(20, 90, 0.85) }, [missed]],
    ["a stop that fires", { terms: stop, price: during(20, 90, 0.85), children: [childAt(29, "stop")] }, []],
    [
      "a stop after a push",
      { terms: stop, price: during(20, 21, 0.8), children: [childAt(20, "stop")] },
      [tooShort],
    ],
    [
      "a stop on eth after two blocks",
      { chain: "eth", terms: stop, price: during(20, 22, 0.8), children: [childAt(21, "stop")] },
      [tooShort],
    ],
    [
      "a stop on eth after three blocks",
      { chain: "eth", terms: stop, price: during(20, 90, 0.85), children: [childAt(22, "stop")] },
      [],
    ],
    [
      "a take-profit after a push",
      { terms: pair, price: during(20, 21, 1.2), children: [childAt(20, "takeProfit")] },
      [tooShort],
    ],
    [
      "a limit after a push",
      { terms: limit, price: during(20, 21, 1.2), children: [childAt(20, "limit")] },
      [],
    ],
    [
      "a stop on sol after a push",
      { chain: "sol", terms: stop, price: during(20, 22, 0.8), children: [childAt(22, "stop")] },
      [tooShort],
    ],
    [
      "a stop on sol after 8 seconds",
      { chain: "sol", terms: stop, price: during(20, 90, 0.85), children: [childAt(29, "stop")] },
      [],
    ],
    ["a stop that is due during a fault", { terms: stop, price: during(20, 90, 0.85), faults: [10, 60] }, []],
    [
      "a stop that is due long after a fault",
      { terms: stop, price: during(20, 150, 0.85), faults: [10, 60] },
      [missed],
    ],
    [
      "a limit whose child has just died",
      { terms: limit, price: during(20, 100, 1.2), children: [childAt(22, "limit", { isFilled: false })] },
      [],
    ],
  ])("judges %s", (_, facts, problems) => {
    expect(firingsOf(facts)).toEqual(problems);
  });

  it("lets an order wait for another one of its wallet", () => {
    const other = {
      asked: askedFor("avax", stop),
      attention: [],
      children: [childAt(21, "stop", { doneAtMs: startMs + 80_000 })],
    };
    const facts: Case = { terms: limit, price: (second) => (second > 19 && second < 90 ? 1.2 : 1) };
    const judged = firingsOf(facts, [other]);
    expect(judged).toEqual([expect.stringContaining("the stop of rest")]);
  });

  it("expects nothing of a cancelled order", () => {
    const asked = { ...askedFor("avax", limit), cancelledAtMs: startMs + 22_000 };
    const records = () => recordsOf("avax", during(20, 90, 1.2));
    const { problems } = auditFirings({
      orders: [{ asked, children: [], attention: [] }],
      records,
      faults: [],
    });
    expect(problems).toEqual([]);
  });
});

describe("problemsOfFills", () => {
  const fill = (spent: bigint, received: bigint): Fill => ({ hash: "0x1", spent, received });
  const asked = askedFor("avax", pair);

  it.each<[problem: string, status: Order["status"], fills: Fill[], leg?: Child["leg"]]>([
    [
      "was filled 2 times, by 0x1, 0x1",
      "filled",
      [fill(40n * coin, 50n * coin), fill(40n * coin, 50n * coin)],
    ],
    [
      "spent 100000000000000000001 of 100000000000000000000 units",
      "filled",
      [fill(100n * coin + 1n, 200n * coin)],
    ],
    ["is cancelled, and a block has its swap", "cancelled", [fill(100n * coin, 110n * coin)]],
    [
      "got 49999999999999999999 for 100000000000000000000 by 0x1, beyond its price",
      "filled",
      [fill(100n * coin, 50n * coin - 1n)],
    ],
    [
      "got 109999999999999999999 for 100000000000000000000 by 0x1, beyond its price",
      "filled",
      [fill(100n * coin, 110n * coin - 1n)],
      "takeProfit",
    ],
  ])("reports that an order %s", (problem, status, fills, leg) => {
    expect(problemsOfFills(asked, { status }, fills, leg)).toEqual([
      `resting order rest of ann on avax ${problem}`,
    ]);
  });

  it("reports no problem of a fill at the worst price of its leg", () => {
    expect(problemsOfFills(asked, { status: "filled" }, [fill(100n * coin, 50n * coin)], "stopLoss")).toEqual(
      [],
    );
  });
});

describe("problemsOfParent", () => {
  const moon = { chain: "avax", wallet: "0xA", token: "moon", side: "sell" };
  const ended = { status: "filled", stage: "done", settled: true, networkFee: "0.5", txHash: "0x1" };
  const child = { ...moon, ...ended, orderId: "child" } as Order;
  const order = { ...moon, ...ended, orderId: "rest", filledAmount: "100", receivedAmount: "111" } as Order;
  const good: ShownParent = {
    asked: askedFor("avax", limit),
    order,
    children: [{ order: child, hashes: ["0x1"] }],
    firings: [{ orderId: "child", leg: "limit", outcome: "filled" }],
  };
  const fills = [{ hash: "0x1", spent: 100n * coin, received: 111n * coin }];

  it("reports no problem if order, children and chain agree", () => {
    expect(problemsOfParent(good, fills)).toEqual([]);
  });

  it.each<[problem: string, parent: ShownParent, fills: Fill[]]>([
    ["never settled", { ...good, order: { ...order, settled: false } }, fills],
    ["is filled, and no block has its swap", good, []],
    [
      "is filled, and has 0 filled children",
      { ...good, children: [{ order: { ...child, status: "expired" }, hashes: [] }] },
      fills,
    ],
    [
      "has networkFee 0.5 instead of 0",
      { ...good, children: [{ order: { ...child, networkFee: "0" }, hashes: [] }] },
      fills,
    ],
    ["has receivedAmount 112 instead of 111", { ...good, order: { ...order, receivedAmount: "112" } }, fills],
    [
      "names the child lost, which is not listed",
      { ...good, firings: [...good.firings, { orderId: "lost", leg: "limit", outcome: "failed" }] },
      fills,
    ],
    [
      "has ended, and shows child as out",
      { ...good, firings: [{ orderId: "child", leg: "limit", outcome: "out" }] },
      fills,
    ],
  ])("reports that an order %s", (problem, parent, found) => {
    expect(problemsOfParent(parent, found)).toContain(`resting order rest of ann on avax ${problem}`);
  });
});

describe("problemsOfResting", () => {
  it("reports each order that one view has and another one lacks", () => {
    expect(problemsOfResting("ann", { listed: ["a", "b"], open: ["a", "c"], stored: ["a", "d"] })).toEqual([
      "d rests, and status=resting of ann does not list it",
      "b does not rest, and status=resting of ann lists it",
      "d rests, and is not an open order of ann",
      "c of ann is open, and does not rest",
    ]);
  });
});

describe("outOf", () => {
  it("takes fees and taxes off, and the best route", () => {
    const pool = (coins: number, fee: number) => ({ reserves: { native: coins, moon: 1000 }, fee });
    const route = (coins: number, fee: number) => ({ path: ["native", "moon"], pools: [pool(coins, fee)] });
    const market = { tax: 0.05, routes: [route(1000, 0), route(1000, 0.003)] };
    expect(outOf(market, "buy", 100n)).toBeCloseTo((0.95 * 1000 * 100) / 1100, 9);
    expect(outOf(market, "sell", 100n)).toBeCloseTo((1000 * 95) / 1095, 9);
  });

  it("passes through two pools in the direction of the trade", () => {
    const bridge = { reserves: { native: 1000, usdx: 2000 }, fee: 0 };
    const pool = { reserves: { usdx: 4000, moon: 1000 }, fee: 0 };
    const market = { tax: 0, routes: [{ path: ["native", "usdx", "moon"], pools: [bridge, pool] }] };
    const dollars = (2000 * 100) / 1100;
    expect(outOf(market, "buy", 100n)).toBeCloseTo((1000 * dollars) / (4000 + dollars), 9);
    const back = (4000 * 100) / 1100;
    expect(outOf(market, "sell", 100n)).toBeCloseTo((1000 * back) / (2000 + back), 9);
  });
});

describe("respects", () => {
  it.each([
    ["sell", 10n, 11n, true],
    ["sell", 10n, 10n, false],
    ["buy", 11n, 10n, true],
    ["buy", 12n, 10n, false],
  ] as const)("compares a %s of %d for %d with a price of 1.1", (side, spent, received, is) => {
    expect(respects(side, { coins: 11n, tokens: 10n }, { spent, received })).toBe(is);
  });
});
