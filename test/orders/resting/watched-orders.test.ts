import { describe, expect, it } from "vitest";
import { distanceTo, rungsFor } from "../../../lib/orders/resting/reach.ts";
import type { Trigger } from "../../../lib/orders/resting/stored.ts";
import { WatchedOrders } from "../../../lib/orders/resting/watched-orders.ts";

const price = (coins: bigint, tokens = 1000n) => ({ coins, tokens });
const limit = (coins: bigint) => ({ kind: "limit", price: price(coins) }) as const;
const stop = (coins: bigint) =>
  ({ kind: "stop", trigger: price(coins), worst: price((coins * 8n) / 10n) }) as const;

const row = (orderId: string, changes: Partial<Trigger> = {}): Trigger => ({
  ...({ chain: "base", wallet: `wallet of ${orderId}`, userID: `user of ${orderId}`, orderId } as const),
  ...({ side: "sell", token: "T", amount: 1000n, legs: [limit(500n)] } as const),
  ...({ state: "resting", restsUntil: 10_000 } as const),
  ...changes,
});

describe("rungsFor", () => {
  it("selects at most 16 amounts, with the smallest and the largest, in order", () => {
    const amounts = Array.from({ length: 400 }, (_, index) => BigInt((index * 7919) % 400));
    const rungs = rungsFor(amounts);
    expect(rungs).toHaveLength(16);
    expect([rungs[0], rungs.at(-1)]).toEqual([0n, 399n]);
    expect(rungs).toEqual(rungs.toSorted((a, b) => Number(a - b)));
    expect(rungsFor([3n, 1n, 3n])).toEqual([1n, 3n]);
  });
});

describe("distanceTo", () => {
  /** Payment of a pool of constant product, rounded down. */
  const pays = (amount: bigint) => (amount * 1_000_000n) / (2_000_000n + amount);

  it("is 0 for each reached leg, although only 16 of 400 amounts are quoted", () => {
    const amounts = Array.from({ length: 400 }, (_, index) => 1n + BigInt(index * index));
    const rungs = rungsFor(amounts).map((amount) => ({ amount, out: pays(amount) }));
    for (const amount of amounts) {
      const out = pays(amount);
      const at = { coins: out, tokens: amount };
      const reached = { kind: "stop", trigger: at, worst: at } as const;
      if (out > 0n) expect(distanceTo("sell", reached, amount, rungs)).toBe(0);
      // A limit needs 0.1 % more than its price.
      const below = { kind: "limit", price: { coins: out * 998n, tokens: amount * 1000n } } as const;
      if (out > 0n) expect(distanceTo("sell", below, amount, rungs)).toBe(0);
    }
  });

  it("tells how far the price must move", () => {
    const rungs = [{ amount: 1000n, out: 400_000n }];
    expect(distanceTo("sell", limit(500_000n), 1000n, rungs)).toBeCloseTo(Math.log(1.25), 4);
    expect(distanceTo("sell", stop(300_000n), 1000n, rungs)).toBeCloseTo(Math.log(4 / 3), 4);
    // 1,000 coins at 500 coins for 1,000 tokens must buy 2,000 tokens.
    expect(distanceTo("buy", limit(500n), 1000n, [{ amount: 1000n, out: 1000n }])).toBeCloseTo(
      Math.log(2),
      2,
    );
  });

  it("is 0 if no route trades the amount", () => {
    expect(distanceTo("sell", stop(1n), 1000n, [{ amount: 1000n, out: undefined }])).toBe(0);
  });
});

describe("WatchedOrders", () => {
  const side = { side: "sell", token: "T", amounts: [1000n] } as const;
  const at = (out: bigint) => [{ amount: 1000n, out }];
  const idsDue = (orders: WatchedOrders, nowMs: number) => orders.due(nowMs).map(({ orderId }) => orderId);

  function watching(...rows: Trigger[]): WatchedOrders {
    const orders = new WatchedOrders();
    orders.take(rows, 0);
    return orders;
  }

  it("finds an order due once a leg is reached, also if its row is read again", () => {
    const orders = watching(row("a"));
    orders.note(side, at(400n), 1000);
    expect(idsDue(orders, 1000)).toEqual([]);
    orders.note(side, at(600n), 2000);
    orders.take([row("a")], 2500);
    expect(orders.due(3000)).toMatchObject([{ orderId: "a", sinceMs: 2000 }]);
    orders.begin("a");
    expect(idsDue(orders, 3000)).toEqual([]);
  });

  it("finds firing and filled orders due at once, and again when fireOrders says", () => {
    const orders = watching(row("a", { state: "firing" }), row("b", { state: "filled" }));
    expect(idsDue(orders, 0)).toEqual(["a", "b"]);
    orders.end("a", { state: "out", askAgainMs: 2000 }, 0);
    orders.end("b", { state: "out", askAgainMs: 60_000 }, 0);
    expect(idsDue(orders, 2000)).toEqual(["a"]);
    orders.take([row("a", { state: "filled" }), row("b", { state: "filled" })], 2100);
    expect(idsDue(orders, 2100)).toEqual(["a"]);
  });

  it("finds a pending exit due unless its buy rests", () => {
    const exit = (exitOf: string) => row("e", { state: "pending", exitOf });
    expect(idsDue(watching(exit("market")), 0)).toEqual(["e"]);
    const orders = watching(exit("b"), row("b"));
    expect(idsDue(orders, 60_000)).toEqual([]);
    orders.take([exit("b"), row("b", { state: "filled" })], 60_000);
    expect(idsDue(orders, 60_000)).toEqual(["e", "b"]);
    orders.take([exit("b")], 60_000);
    expect(idsDue(orders, 60_000)).toEqual(["e"]);
  });

  it("finds an exit due for its prices, and from time to time for its position", () => {
    const orders = watching(row("e", { exitOf: "b" }));
    orders.end("e", { state: "rest", askAgainMs: 3000, lookAgainMs: 300_000 }, 0);
    expect(idsDue(orders, 299_999)).toEqual([]);
    expect(idsDue(orders, 300_000)).toEqual(["e"]);
    orders.note(side, at(600n), 4000);
    expect(idsDue(orders, 4000)).toEqual(["e"]);
  });

  it("finds an order due at once if another run has moved it while it was handed over", () => {
    const orders = watching(row("e", { exitOf: "b" }));
    orders.begin("e");
    orders.take([row("e", { exitOf: "b", state: "firing" })], 1000);
    orders.end("e", { state: "rest", askAgainMs: 3000, lookAgainMs: 300_000 }, 2000);
    expect(idsDue(orders, 2000)).toEqual(["e"]);
  });

  it("finds an order due at the end of its mandate", () => {
    const orders = watching(row("a", { restsUntil: 5 }));
    expect(idsDue(orders, 4999)).toEqual([]);
    expect(idsDue(orders, 5000)).toEqual(["a"]);
  });

  /** Hands an order over whenever it is due, and always hears that it rests. Returns the times. */
  function timesOf(leg: Trigger["legs"][number], untilMs: number, askAgainMs = 3000): number[] {
    const orders = watching(row("a", { legs: [leg] }));
    const times: number[] = [];
    for (let nowMs = 0; nowMs <= untilMs; nowMs += 100) {
      orders.note(side, at(leg.kind === "limit" ? 600n : 400n), nowMs);
      if (orders.due(nowMs).length === 0) continue;
      times.push(nowMs);
      orders.end("a", { state: "rest", askAgainMs }, nowMs);
    }
    return times;
  }

  it("waits for longer after each hand-over of a limit without firing, at most five minutes", () => {
    const times = timesOf(limit(500n), 3_600_000);
    expect(times.slice(0, 5)).toEqual([0, 3000, 9000, 21_000, 45_000]);
    expect((times.at(-1) as number) - (times.at(-2) as number)).toBe(300_000);
  });

  it("hands a stop over every three seconds for half a minute, so that it fires once its price has held", () => {
    expect(timesOf(stop(500n), 30_000)).toEqual(Array.from({ length: 11 }, (_, index) => index * 3000));
  });

  it.each([
    ["falls further", 340n],
    ["falls a little further", 349n],
    ["rises, but is still below it", 360n],
  ])("hands a stop over at once when its price %s, however long it could not fill before", (_, out) => {
    const orders = watching(row("a", { legs: [stop(500n)] }));
    for (let nowMs = 0; nowMs < 3_600_000; nowMs += 1000) {
      orders.note(side, at(350n), nowMs);
      if (orders.due(nowMs).length > 0) orders.end("a", { state: "rest", askAgainMs: 3000 }, nowMs);
    }
    const nowMs = 3_600_000;
    orders.note(side, at(355n), nowMs);
    expect(idsDue(orders, nowMs)).toEqual([]);
    expect([0.015, 0.025].map((change) => orders.isNear(side, change, nowMs))).toEqual([false, true]);
    orders.note(side, at(out), nowMs);
    expect(idsDue(orders, nowMs)).toEqual(["a"]);
  });

  it("hands a stop over at once when its price comes back after a minute, however long it could not fill before", () => {
    const orders = watching(row("a", { legs: [stop(500n)] }));
    for (let nowMs = 0; nowMs < 3_600_000; nowMs += 1000) {
      orders.note(side, at(495n), nowMs);
      if (orders.due(nowMs).length > 0) orders.end("a", { state: "rest", askAgainMs: 3000 }, nowMs);
    }
    orders.note(side, at(501n), 3_600_000);
    orders.note(side, at(495n), 3_660_000);
    expect(idsDue(orders, 3_660_000)).toEqual(["a"]);
  });

  it("hands an order over again for its next reading as soon as fireOrders asks for it", () => {
    expect(timesOf(stop(500n), 10_000, 2500)).toEqual([0, 2500, 5000, 7500, 10_000]);
  });

  it("waits at most 24 seconds after hand-overs without an answer, and then continues as if there had been none", () => {
    const orders = watching(row("a", { legs: [limit(500n)] }));
    orders.note(side, at(600n), 0);
    const pauses: number[] = [];
    let nowMs = 0;
    for (const word of [...Array(6).fill(undefined), { state: "rest", askAgainMs: 3000 } as const]) {
      orders.end("a", word, nowMs);
      const beganMs = nowMs;
      while (orders.due(nowMs).length === 0) nowMs += 1000;
      pauses.push(nowMs - beganMs);
    }
    expect(pauses).toEqual([3000, 6000, 12_000, 24_000, 24_000, 24_000, 3000]);
  });

  describe("a trailing stop", () => {
    const rising = (coins: bigint) => ({ ...limit(coins), isOfMark: true }) as const;
    const trailing = (coins: bigint) => row("a", { legs: [stop(coins - 100n), rising(coins)] });

    it("is due when its mark may rise, and does not count as one of its user's firings", () => {
      const orders = watching(trailing(500n));
      orders.note(side, at(600n), 1000);
      expect(orders.due(1000)).toMatchObject([{ orderId: "a", sinceMs: 1000, purpose: "raise" }]);
      orders.note(side, at(400n), 2000);
      expect(orders.due(2000)).toMatchObject([{ purpose: "fire" }]);
    });

    it("is quoted again with its new prices as soon as its mark has risen, and due once it may rise again", () => {
      const orders = watching(trailing(500n));
      for (let nowMs = 0; nowMs < 60_000; nowMs += 1000) {
        orders.note(side, at(600n), nowMs);
        if (orders.due(nowMs).length > 0) orders.end("a", { state: "rest", askAgainMs: 3000 }, nowMs);
      }
      orders.take([trailing(590n)], 60_000);
      expect(orders.hasNew(side)).toBe(true);
      orders.note(side, at(600n), 60_000);
      expect(idsDue(orders, 74_999)).toEqual([]);
      expect(idsDue(orders, 75_000)).toEqual(["a"]);
    });

    it("is handed over at least once a minute while the price is above its mark, however long that lasts", () => {
      const orders = watching(trailing(500n));
      const times: number[] = [];
      for (let nowMs = 0; nowMs < 3_600_000; nowMs += 1000) {
        orders.note(side, at(600n), nowMs);
        if (orders.due(nowMs).length === 0) continue;
        times.push(nowMs / 1000);
        orders.end("a", { state: "rest", askAgainMs: 3000 }, nowMs);
      }
      expect(times.slice(0, 5)).toEqual([0, 15, 45, 105, 165]);
      expect(times.slice(-2)).toEqual([3525, 3585]);
    });

    it("is quoted again once its pools have moved as far as its mark, and as a stop before its price comes", () => {
      const orders = watching(trailing(500n));
      orders.note(side, at(490n), 0);
      expect(orders.isNear(side, 0.015, 0)).toBe(false);
      expect(orders.isNear(side, 0.022, 0)).toBe(true);
      orders.note(side, at(405n), 0);
      expect(orders.isNear(side, 0, 0)).toBe(true);
    });

    it("is due at once when it has to fire, however long the price has been above its mark", () => {
      const orders = watching(trailing(500n));
      for (let nowMs = 0; nowMs < 100_000; nowMs += 1000) {
        orders.note(side, at(600n), nowMs);
        if (orders.due(nowMs).length > 0) orders.end("a", { state: "rest", askAgainMs: 3000 }, nowMs);
      }
      orders.note(side, at(399n), 100_000);
      expect(idsDue(orders, 100_000)).toEqual(["a"]);
    });
  });

  it("finds an order with slices due at the time of the next one, at any price, and quotes nothing for it", () => {
    const sliced = (changes: Partial<Trigger> = {}) => row("a", { legs: [], dueAt: 50, ...changes });
    const orders = watching(sliced());
    expect(orders.sides).toEqual([]);
    expect(idsDue(orders, 49_999)).toEqual([]);
    // Counts as to fire, so that a user whose slices cannot fill comes after the others.
    expect(orders.due(50_500)).toMatchObject([{ orderId: "a", sinceMs: 50_000, purpose: "fire" }]);
    orders.end("a", { state: "rest", askAgainMs: 2000 }, 50_500);
    expect([52_499, 52_500].map((nowMs) => idsDue(orders, nowMs))).toEqual([[], ["a"]]);
    orders.take([sliced({ dueAt: 110 })], 60_000);
    expect([60_000, 110_000].map((nowMs) => idsDue(orders, nowMs))).toEqual([[], ["a"]]);
    orders.take([row("a", { legs: [] })], 120_000);
    expect([120_000, 10_000_000].map((nowMs) => idsDue(orders, nowMs))).toEqual([[], ["a"]]);
  });

  it("does not let a pause of a take-profit delay its stop", () => {
    const orders = watching(row("a", { legs: [limit(500n), stop(100n)] }));
    for (let nowMs = 0; nowMs < 100_000; nowMs += 1000) {
      orders.note(side, at(600n), nowMs);
      if (orders.due(nowMs).length > 0) orders.end("a", { state: "rest", askAgainMs: 3000 }, nowMs);
    }
    expect(idsDue(orders, 100_000)).toEqual([]);
    orders.note(side, at(90n), 100_000);
    expect(idsDue(orders, 100_000)).toEqual(["a"]);
  });

  it("hands a user's limits over less often after 200 firings a day, but not another user's", () => {
    const rows = [row("a"), row("b", { legs: [stop(500n)] }), row("c", { userID: "user of a" })];
    const orders = watching(...rows);
    for (let count = 0; count < 201; count++) {
      orders.note(side, at(600n), 0);
      orders.end("a", { state: "out", askAgainMs: 0 }, 0);
    }
    orders.note(side, at(600n), 299_999);
    expect(idsDue(orders, 299_999)).toEqual(["c"]);
    expect(idsDue(orders, 300_000)).toEqual(["a", "c"]);
  });

  it("counts no look at a child or an end as a firing, of the leg or of its user", () => {
    const orders = watching(row("a"));
    orders.note(side, at(600n), 0);
    for (const state of ["firing", "filled", "ended"] as const) {
      orders.take([row("a", { state })], 0);
      expect(orders.due(0)).toMatchObject([{ purpose: "look" }]);
      for (let count = 0; count < 100; count++) orders.end("a", { state: "out", askAgainMs: 0 }, 0);
    }
    orders.take([row("a")], 0);
    expect(idsDue(orders, 0)).toEqual(["a"]);
  });

  it("hands a stop over at once, however often it has fired", () => {
    const orders = watching(row("a", { legs: [stop(700n)] }));
    for (let count = 0; count < 500; count++) {
      orders.note(side, at(600n), 0);
      orders.end("a", { state: "out", askAgainMs: 0 }, 0);
    }
    expect(idsDue(orders, 0)).toEqual(["a"]);
  });

  it("counts a leg as near if the pools' change may have reached it", () => {
    const orders = watching(row("a"));
    expect(orders.isNear(side, 0.01, 0)).toBe(true);
    orders.note(side, at(400n), 0);
    expect(orders.isNear(side, 0.1, 0)).toBe(false);
    expect(orders.isNear(side, 0.21, 0)).toBe(true);
  });
});
