import fc from "fast-check";
import type { Order, Position } from "trading-terminal-client";
import { describe, expect, it } from "vitest";
import { minus, plus } from "../../lib/console/app/exact.ts";
import { profitsOf } from "../../lib/console/app/portfolio/profits.ts";
import { type Book, emptyBook, rebooked } from "../../lib/orders/book.ts";
import { coinText, formatAmount } from "../../lib/orders/decimal-text.ts";
import type { BookEvent } from "../../lib/orders/holding.ts";

const chains = ["eth", "sol"] as const;
const decimals = { eth: 18, sol: 6 } as const;
const startMs = Date.parse("2026-11-21T20:00:00.000Z");
const hourMs = 3_600_000;

type Step = {
  chain: (typeof chains)[number];
  token: number;
  kind: "buy" | "sell" | "move all" | "fail";
  spent: bigint;
  received: bigint;
  networkFee: bigint;
};

/** Plays steps with the service's own books, an hour apart. Returns its records and its sums. */
function played(steps: readonly Step[]) {
  const books = new Map<string, Book>();
  const orders: Order[] = [];
  const positions = new Map<string, Position>();
  const looseFees = { eth: "0", sol: "0" };
  for (const [place, { chain, token, kind, spent, received, networkFee }] of steps.entries()) {
    const time = new Date(startMs + place * hourMs).toISOString();
    const orderId = `o-${place}`;
    const key = { chain, wallet: "w", userID: "u", token: `t-${token}` } as const;
    const name = `${chain} ${token}`;
    const names = { symbol: "MOON", baseSymbol: "MOON", decimals: decimals[chain] };
    const book = books.get(name) ?? emptyBook(key, names);
    const side = kind === "buy" ? "buy" : "sell";
    const common = { orderId, place, settled: true, time, networkFee };
    const event: BookEvent | undefined =
      kind === "move all"
        ? { kind: "moved-out", orderId, place, settled: true, time, left: 0n }
        : kind === "buy"
          ? { ...common, kind, spent, received }
          : kind === "sell"
            ? { ...common, kind, spent, received, held: 10n ** 40n }
            : undefined;
    const { book: next, changed } = rebooked(book, orderId, event ? [event] : [], Date.parse(time));
    books.set(name, next);
    for (const position of changed) positions.set(position.positionId, position as Position);
    if (kind === "move all") continue;
    const isFilled = event !== undefined;
    const tokens = (units: bigint) => formatAmount(units, decimals[chain]);
    const [paid, got] = [spent, received].map((units, at) =>
      (at === 0) === (side === "buy") ? coinText(chain, units) : tokens(units),
    );
    if (changed.length === 0) looseFees[chain] = plus(looseFees[chain], coinText(chain, networkFee));
    orders.push({
      ...{ orderId, chain, wallet: "w", token: key.token, side, type: "market", symbol: "MOON" },
      status: isFilled ? "filled" : "rejected",
      filledAmount: isFilled ? paid : "0",
      ...(isFilled && { receivedAmount: got }),
      networkFee: coinText(chain, networkFee),
      createdAt: time,
    } as Order);
  }
  return { orders, positions: [...positions.values()], looseFees };
}

const units = fc.bigInt({ min: 0n, max: 10n ** 20n });
const step: fc.Arbitrary<Step> = fc.record({
  chain: fc.constantFrom(...chains),
  token: fc.nat(1),
  kind: fc.constantFrom("buy", "buy", "sell", "sell", "move all", "fail"),
  spent: units.map((each) => each + 1n),
  received: units,
  networkFee: fc.bigInt({ min: 0n, max: 10n ** 6n }),
});

const sum = (texts: readonly (string | undefined)[]) =>
  texts.reduce<string>((all, text = "0") => plus(all, text), "0");

describe("profitsOf", () => {
  it("makes the same sums of fills as the service's positions, to the last unit", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 15, maxLength: 40 }), (steps) => {
        const { orders, positions, looseFees } = played(steps);
        const { days, undated } = profitsOf(orders.toReversed(), positions);
        for (const chain of chains) {
          const own = days.filter((day) => day.chain === chain);
          const booked = positions.filter((position) => position.chain === chain);
          expect(sum(own.map(({ gross }) => gross))).toBe(sum(booked.map(({ realizedPnl }) => realizedPnl)));
          const net = sum(own.map(({ gross, fees }) => minus(gross, fees)));
          expect(plus(net, looseFees[chain])).toBe(sum(booked.map(({ netRealizedPnl }) => netRealizedPnl)));
        }
        expect([...undated]).toEqual([]);
      }),
    );
  });
});
