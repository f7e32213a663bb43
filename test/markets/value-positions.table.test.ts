import { beforeEach, describe, expect, it } from "vitest";
import { writeMarket } from "../../lib/markets/items/market-items.ts";
import { type ValueDeps, valuePositions } from "../../lib/markets/value-positions.ts";
import type { Position } from "../../lib/orders/execution.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { position, price } from "../support/executions.ts";
import { decimal, marketAt, moon, otherToken } from "./support/markets.ts";

const db = tableForTests();
const now = new Date("2026-11-22T20:00:00.000Z");
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000);

let wanted: string[];
let deps: ValueDeps;

beforeEach(() => {
  wanted = [];
  deps = {
    table: db.table,
    prices: async () => [price({ chain: "base", symbol: "ETH", price: "2500", asOf: now.toISOString() })],
    want: async (_, tokens) => {
      wanted.push(...tokens.map(({ chain, token }) => `${chain} ${token}`));
    },
  };
});

const held = (changes: Partial<Position> = {}) =>
  position({ chain: "base", token: moon, symbol: "MOON/ETH", amount: "1000", cost: "0.25", ...changes });

const valued = (...positions: Position[]) => valuePositions(deps, { userID: "ann", now }, positions);

const store = (asOf: Date, changes: Parameters<typeof marketAt>[1] = {}) =>
  writeMarket(db.table, { market: marketAt(asOf, changes), state: {} }, { epoch: 1, wantedAt: now });

describe("valuePositions", () => {
  it("adds the price, the value and the profit of open positions, in coin", async () => {
    await store(ago(300), { price: decimal("0.000123") });
    const [open, lowerCase] = [
      held(),
      held({ positionId: "p2", token: moon.toLowerCase(), cost: undefined }),
    ];
    expect(await valued(open, lowerCase)).toEqual([
      {
        ...open,
        price: "0.000123",
        value: "0.123",
        unrealizedPnl: "-0.127",
        priceAsOf: ago(300).toISOString(),
      },
      { ...lowerCase, price: "0.000123", value: "0.123", priceAsOf: ago(300).toISOString() },
    ]);
    expect(wanted).toEqual([`base ${moon}`]);
  });

  it("converts the price in a pool with dollars", async () => {
    const pool = {
      pool: "0x02",
      quote: "0xUSDC",
      venue: "uniswap-v3",
      feeBps: 5,
      depth: decimal("50"),
    } as const;
    await store(now, { token: otherToken, pool, price: decimal("0.5") });
    expect(await valued(held({ token: otherToken }))).toMatchObject([{ price: "0.0002", value: "0.2" }]);
    deps = { ...deps, prices: async () => [] };
    expect((await valued(held({ token: otherToken })))[0]).not.toHaveProperty("price");
  });

  it("omits prices older than ten minutes, and asks the market reader to read new ones", async () => {
    await store(ago(601));
    expect((await valued(held()))[0]).not.toHaveProperty("price");
    expect(wanted).toEqual([`base ${moon}`]);
  });

  it.each<[string, Partial<Position>]>([
    ["closed ones", { status: "closed" }],
    ["those without a token", { token: undefined }],
    ["tokens that are none", { token: "MOON" }],
    ["tokens of a network without markets", { chain: "btc" as Position["chain"] }],
  ])("returns %s without a value", async (_, changes) => {
    await store(now);
    expect(await valued(held(changes))).toEqual([held(changes)]);
    expect(wanted).toEqual([]);
  });

  it("returns a position with an unreadable amount unchanged", async () => {
    await store(now);
    expect(await valued(held({ amount: "a lot" }))).toEqual([held({ amount: "a lot" })]);
  });
});
