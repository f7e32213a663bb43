import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Book, emptyBook, holdingsAfter, openPositionBy, rebooked } from "../../lib/orders/book.ts";
import { parseAmount } from "../../lib/orders/decimal-text.ts";
import { type BookEvent, type Holding, netRealizedPnl, nothingHeld } from "../../lib/orders/holding.ts";

const nowMs = Date.parse("2026-11-21T20:03:05.000Z");
const key = { chain: "eth", wallet: "0xW", userID: "alice", token: "0xT" } as const;

const units = (text: string) => parseAmount(text, 18) as bigint;

const common = (place: number) => ({
  orderId: `order${place}`,
  place,
  settled: true,
  time: `2026-11-21T20:0${place}:00.000Z`,
});

const buy = (place: number, spent: bigint, received: bigint, networkFee = 1n): BookEvent => ({
  ...common(place),
  kind: "buy",
  spent,
  received,
  networkFee,
});

const sell = (place: number, spent: bigint, received: bigint, held = 10n ** 30n): BookEvent => ({
  ...common(place),
  kind: "sell",
  spent,
  received,
  held,
  networkFee: 1n,
});

const holdings = (...events: BookEvent[]) => holdingsAfter(nothingHeld, events).slice(1);
const last = (...events: BookEvent[]) => holdings(...events).at(-1) as Holding;

/** Applies events one by one. Returns the book, and every position that it showed in between. */
function shownAfter(...events: BookEvent[]) {
  let book: Book = emptyBook(key, { symbol: "MOON/ETH", baseSymbol: "MOON", decimals: 18 });
  return events.map((event) => {
    const next = rebooked(book, event.orderId, [event], nowMs);
    book = next.book;
    return { book, changed: next.changed };
  });
}

describe("openPositionBy", () => {
  it("finds the position that is open, unless it was opened later", () => {
    const [, closed, again] = shownAfter(buy(1, 100n, 3n), sell(2, 3n, 90n), buy(3, 7n, 1n));
    const at = (minutes: number) => Date.parse(`2026-11-21T20:0${minutes}:00.000Z`);
    expect(openPositionBy(again?.book as Book, at(3))).toBe(again?.changed[0]?.positionId);
    expect(openPositionBy(again?.book as Book, at(2))).toBeUndefined();
    expect(openPositionBy(closed?.book as Book, at(9))).toBeUndefined();
  });
});

describe("holdingsAfter", () => {
  it("opens no position for a buy whose token logged no transfer", () => {
    expect(holdings(buy(1, units("1"), 0n))).toEqual([]);
    expect(shownAfter(buy(1, units("1"), 0n))[0]?.changed).toEqual([]);
    expect(last(buy(1, units("1"), units("10")), buy(2, units("1"), 0n))).toMatchObject({
      amount: units("10"),
      cost: units("2"),
    });
  });

  it("adds up buys, and removes the cost of sold tokens", () => {
    const held = last(buy(1, 100n, 30n), buy(2, 50n, 20n), sell(3, 10n, 40n));
    expect(held).toMatchObject({ amount: 40n, cost: 120n, realizedPnl: 10n, networkFees: 3n });
  });

  it("counts network fees of purchases for the tokens still held, and all others as realized", () => {
    const bought = [buy(1, 100n, 30n, 40n), buy(2, 50n, 20n, 60n)];
    const held = last(...bought, sell(3, 10n, 40n));
    expect(held).toMatchObject({ networkFees: 101n, costFees: 80n });
    expect(netRealizedPnl(held)).toBe(10n - 21n);
    // Before the sale, 20 of the 50 tokens have left the wallet.
    expect(last(...bought, sell(3, 10n, 40n, 30n))).toMatchObject({ amount: 20n, costFees: 40n });
    const closed = last(...bought, sell(3, 50n, 400n));
    expect(closed).toMatchObject({ networkFees: 101n, costFees: 0n });
    expect(netRealizedPnl(closed)).toBe(400n - 150n - 101n);
  });

  it("counts all fees of a holding of an earlier version as realized", () => {
    const { costFees: _, ...earlier } = last(buy(1, 100n, 30n, 40n));
    expect(netRealizedPnl(earlier)).toBe(-40n);
    expect(holdingsAfter(earlier, [buy(2, 50n, 20n, 60n)]).at(-1)).toMatchObject({ costFees: 60n });
  });

  it("rounds the cost of a partial sale down, and keeps no cost when all is sold", () => {
    expect(last(buy(1, 100n, 3n), sell(2, 1n, 50n))).toMatchObject({ cost: 67n, realizedPnl: 17n });
    expect(last(buy(1, 100n, 3n), sell(2, 1n, 50n), sell(3, 2n, 60n))).toMatchObject({
      amount: 0n,
      cost: 0n,
      realizedPnl: 10n,
      closedAt: "2026-11-21T20:03:00.000Z",
    });
  });

  it("opens a new position with the first buy after a close", () => {
    const both = holdings(buy(1, 100n, 3n), sell(2, 3n, 90n), buy(3, 7n, 1n));
    expect(both.map(({ ordinal, cost, closedAt }) => [ordinal, cost, closedAt !== undefined])).toEqual([
      [1, 0n, true],
      [2, 7n, false],
    ]);
  });

  it("leaves out the proceeds of tokens that no order has bought", () => {
    expect(holdings(sell(1, 5n, 100n))).toEqual([]);
    expect(last(buy(1, 100n, 10n), sell(2, 40n, 400n))).toMatchObject({ amount: 0n, realizedPnl: 0n });
  });

  it("removes the cost of tokens that left the wallet without an order, and books no profit", () => {
    const held = last(buy(1, 100n, 10n), sell(2, 2n, 30n, 4n));
    expect(held).toMatchObject({ movedOut: 6n, amount: 2n, cost: 20n, realizedPnl: 10n });
  });

  it("closes a position when a sale finds no tokens in the wallet", () => {
    const held = last(buy(1, 100n, 10n), { ...common(2), kind: "sold-out" });
    expect(held).toMatchObject({ amount: 0n, cost: 0n, movedOut: 10n, realizedPnl: 0n });
    expect(held.closedAt).toBeDefined();
  });

  it("accounts for every unit as cost of held tokens or of sold ones", () => {
    const amount = fc.bigInt({ min: 1n, max: 10n ** 24n });
    const trade = fc.record({ isBuy: fc.boolean(), spent: amount, received: amount });
    fc.assert(
      fc.property(fc.array(trade, { maxLength: 12 }), (trades) => {
        const events: BookEvent[] = [];
        for (const [place, { isBuy, spent, received }] of trades.entries()) {
          const held = holdings(...events).at(-1)?.amount ?? 0n;
          if (isBuy) events.push(buy(place, spent, received));
          else if (held > 0n) events.push(sell(place, spent < held ? spent : held, received));
        }
        let open = 0n;
        for (const each of holdings(...events)) open += each.realizedPnl - each.cost;
        for (const event of events) {
          if (event.kind === "buy") open += event.spent;
          if (event.kind === "sell") open -= event.received;
        }
        expect(open).toBe(0n);
      }),
    );
  });

  it("computes a closed position's profit as the exact difference of its orders", () => {
    const amount = fc.bigInt({ min: 1n, max: 10n ** 24n });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(amount, amount), { minLength: 1, maxLength: 5 }),
        amount,
        (buys, received) => {
          const bought = buys.map(([spent, tokens], place) => buy(place, spent, tokens));
          const tokens = buys.reduce((sum, [, each]) => sum + each, 0n);
          const spent = buys.reduce((sum, [each]) => sum + each, 0n);
          const part = tokens / 3n;
          const sales =
            part > 0n
              ? [sell(10, part, received), sell(11, tokens - part, received)]
              : [sell(11, tokens, received)];
          const held = last(...bought, ...sales);
          expect(held.realizedPnl).toBe(received * BigInt(sales.length) - spent);
          expect(held).toMatchObject({ amount: 0n, cost: 0n, costFees: 0n });
          expect(netRealizedPnl(held)).toBe(held.realizedPnl - held.networkFees);
        },
      ),
    );
  });
});

describe("rebooked", () => {
  it.each([
    ["before the buy", ["sale", "purchase"]],
    ["after the buy", ["purchase", "sale"]],
  ])("keeps a buy at the nonce of an earlier sale without tokens, if that settles %s", (_, order) => {
    const sale = { ...common(1), orderId: "sale", kind: "sold-out" } as const;
    const bought = { spent: 5n, received: 100n, networkFee: 1n };
    const purchase = { ...common(1), orderId: "purchase", kind: "buy", ...bought } as const;
    const final = order.map((orderId) => (orderId === "sale" ? sale : purchase));
    const found = [
      { ...sale, settled: false },
      { ...purchase, settled: false },
    ];
    const { book } = shownAfter(...found, ...final).at(-1) ?? {};
    expect(book?.base).toMatchObject({ amount: 100n, settled: true });
  });

  it("names a position's token and coin separately if its book does", () => {
    const [first, second] = [buy(1, 5n, 10n), buy(2, 5n, 10n)];
    const unnamed = emptyBook(key, { symbol: "MOON/v2/ETH", decimals: 18 });
    const { book, changed } = rebooked(unnamed, first.orderId, [first], nowMs);
    expect(changed).toMatchObject([{ symbol: "MOON/v2/ETH" }]);
    expect(changed[0]).not.toHaveProperty("baseSymbol");
    const named = rebooked({ ...book, baseSymbol: "MOON/v2" }, second.orderId, [second], nowMs);
    const names = { symbol: "MOON/v2/ETH", baseSymbol: "MOON/v2", quoteSymbol: "ETH" };
    expect(named.changed).toMatchObject([names]);
  });

  it("shows a position as in the example of the API contract", () => {
    const spent = units("0.5");
    const received = units("4960.273038901078125544");
    const [, closed] = shownAfter(buy(1, spent, received, units("0.000161298")), {
      ...sell(2, received, spent - units("0.002980685857159056")),
      networkFee: units("0.000250702"),
    } as BookEvent);
    expect(closed?.changed).toEqual([
      expect.objectContaining({
        positionId: expect.stringMatching(/^[0-9A-Z]{26}$/),
        status: "closed",
        amount: "0",
        cost: "0",
        averageEntryPrice: "0.000100800902708124373",
        realizedPnl: "-0.002980685857159056",
        netRealizedPnl: "-0.003392685857159056",
        networkFees: "0.000412",
        costFees: "0",
        settled: true,
        openedAt: "2026-11-21T20:01:00.000Z",
        closedAt: "2026-11-21T20:02:00.000Z",
        version: 2,
      }),
    ]);
    expect(closed?.changed[0]).not.toHaveProperty("ordinal");
  });

  it("keeps final fills as a sum, and fills that are not yet final as single events", () => {
    const steps = shownAfter(
      buy(1, 100n, 10n),
      { ...buy(2, 50n, 5n), settled: false } as BookEvent,
      buy(3, 1n, 1n),
    );
    expect(steps.map(({ book }) => [book.base.amount, book.events.length])).toEqual([
      [10n, 0],
      [10n, 1],
      [10n, 2],
    ]);
    expect(steps.at(-1)?.changed[0]?.settled).toBe(false);
  });

  it("counts no event as final that comes after a place at which a fill may yet turn up", () => {
    const bought = rebooked(
      emptyBook(key, { symbol: "MOON/ETH", decimals: 18 }),
      "order1",
      [buy(1, 5n, 9n)],
      nowMs,
      2,
    );
    const sold = rebooked(bought.book, "order3", [sell(3, 9n, 12n)], nowMs, 2);
    expect(sold.book).toMatchObject({ base: { amount: 9n, settled: true }, events: [{ orderId: "order3" }] });
    expect(sold.changed).toMatchObject([{ status: "closed", settled: false }]);
    const later = rebooked(sold.book, "order2", [], nowMs);
    expect(later.book).toMatchObject({ base: { amount: 0n, settled: true }, events: [] });
    expect(later.changed).toMatchObject([{ status: "closed", settled: true }]);
  });

  it("sorts a fill by its place in the chain, no matter when it was seen", () => {
    const early = { ...sell(1, 4n, 90n), settled: false } as BookEvent;
    const late = { ...buy(2, 100n, 10n), settled: false } as BookEvent;
    expect(shownAfter(late, early).at(-1)?.book.positions[0]).toMatchObject({ cost: "0.0000000000000001" });
  });

  it("closes a position whose fill was undone, and reopens it with the same id", () => {
    const fill = { ...buy(1, 100n, 10n), settled: false } as BookEvent;
    const back: BookEvent = { kind: "taken-back", orderId: fill.orderId, place: 1, settled: false };
    const shown = shownAfter(fill, back, fill).map(({ changed }) => changed[0]);
    expect(shown.map((position) => [position?.status, position?.version, position?.settled])).toEqual([
      ["open", 1, false],
      ["closed", 2, false],
      ["open", 3, false],
    ]);
    expect(new Set(shown.map((position) => position?.positionId)).size).toBe(1);
  });

  it("never reuses the number of a position whose fill was finally undone", () => {
    const fill = { ...buy(1, 100n, 10n), settled: false } as BookEvent;
    const open = rebooked(
      emptyBook(key, { symbol: "MOON/ETH", baseSymbol: "MOON", decimals: 18 }),
      fill.orderId,
      [fill],
      nowMs,
    );
    const gone = rebooked(open.book, fill.orderId, [], nowMs);
    const next = rebooked(gone.book, "order2", [buy(2, 5n, 5n)], nowMs);
    expect(gone.changed[0]).toMatchObject({ status: "closed", amount: "0", settled: true });
    expect(next.changed.map(({ status }) => status)).toEqual(["open"]);
    expect(next.changed[0]?.positionId).not.toBe(open.changed[0]?.positionId);
  });

  it("shows clients no change if there are no new events", () => {
    const book = shownAfter(buy(1, 100n, 10n))[0]?.book as Book;
    expect(rebooked(book, "order9", [], nowMs).changed).toEqual([]);
  });
});
