import { seededRandom } from "../../lib/local/src/random.ts";
import { isCrossed, outAt, worstOf } from "../../lib/orders/resting/prices.ts";
import { type Crossed, selecting } from "../../lib/orders/resting/selection.ts";
import type { Trigger } from "../../lib/orders/resting/stored.ts";
import { Turns } from "../../lib/orders/resting/turns.ts";
import { WatchedOrders } from "../../lib/orders/resting/watched-orders.ts";

const coin = 10n ** 18n;

/** Tokens for a coin before the crash. */
const perCoin = 1000n;

/** Time after a crash in which stops are watched. */
const longestMs = 90_000;

/** A pool of constant product with a fee of 0.3 %. */
class Pool {
  #coins: bigint;
  #tokens: bigint;

  constructor(coins: bigint) {
    this.#coins = coins * coin;
    this.#tokens = coins * coin * perCoin;
  }

  out(amount: bigint): bigint {
    const paid = amount * 997n;
    return (paid * this.#coins) / (this.#tokens * 1000n + paid);
  }

  sell(amount: bigint): bigint {
    const out = this.out(amount);
    this.#coins -= out;
    this.#tokens += amount;
    return out;
  }

  /** Sells until the price has fallen by this many percent. */
  fall(percent: bigint): void {
    const price = (this.#coins * 10n ** 18n) / this.#tokens;
    const least = (price * (100n - percent)) / 100n;
    while ((this.#coins * 10n ** 18n) / this.#tokens > least) this.sell(this.#tokens / 10_000n);
  }
}

export type CrashOptions = {
  stops: number;
  users: number;
  /** Coins in the pool. */
  depth: bigint;
  /** Percentage by which the price falls. */
  fall: bigint;
  blockSeconds: number;
  seed: number;
};

/** Number of sales, and the coins that they brought. */
export type Sold = { count: number; coins: number };

export type CrashReport = {
  /** The stops that filled, and those that fill if the least demanding stops sell first, without delay. */
  filled: Sold;
  possible: Sold;
  /** Number of waves in which orders were fired, and the seconds from the crash to the last of them. */
  waves: number;
  seconds: number;
  /** Fires that sold below the order's worst price, or that the chain would have refused. */
  failed: number;
  /** Stops that rest in the end although they could fill. */
  left: number;
};

function stopsOf({ stops, users, seed }: CrashOptions): Trigger[] {
  const random = seededRandom(seed);
  return Array.from({ length: stops }, (_, index): Trigger => {
    const user = index % users;
    const trigger = { coins: BigInt(850 + Math.floor(random() * 100)), tokens: 1000n * perCoin };
    const worst = { coins: trigger.coins * 8n, tokens: trigger.tokens * 10n };
    // Sells from 0.02 to 0.5 coins' worth.
    const milliCoins = BigInt(Math.round(20 * 25 ** random()));
    return {
      ...({ chain: "base", wallet: `w${user}`, userID: `u${user}`, side: "sell", token: "T" } as const),
      ...({ orderId: `o${index}`, state: "resting", restsUntil: 10 ** 9 } as const),
      amount: (milliCoins * perCoin * coin) / 1000n,
      legs: [{ kind: "stop", trigger, worst }],
    };
  });
}

const isDue = (pool: Pool, { legs: [leg], amount }: Trigger): boolean =>
  leg !== undefined && isCrossed("sell", leg, amount, pool.out(amount));

const floorOf = ({ legs: [leg], amount }: Trigger): bigint =>
  leg === undefined ? 0n : outAt("sell", worstOf(leg), amount);

const canFill = (pool: Pool, row: Trigger): boolean =>
  isDue(pool, row) && pool.out(row.amount) >= floorOf(row);

/** Counts the stops that fill if each sells at once, those that ask least first. */
function possibleOf(options: CrashOptions): Sold {
  const pool = new Pool(options.depth);
  pool.fall(options.fall);
  let left = stopsOf(options);
  const sold = { count: 0, coins: 0 };
  for (;;) {
    const fit = left.filter((each) => canFill(pool, each));
    const [next] = fit.toSorted((a, b) => Number(worstCoins(a) - worstCoins(b)));
    if (next === undefined) return sold;
    note(sold, pool.sell(next.amount));
    left = left.filter((each) => each !== next);
  }
}

function note(sold: Sold, out: bigint): void {
  sold.count++;
  sold.coins += Number(out) / Number(coin);
}

const worstCoins = ({ legs: [leg] }: Trigger): bigint => (leg === undefined ? 0n : worstOf(leg).coins);

/** Lets the watcher's and fireOrders' rules sell the stops after a crash, wave by wave. */
export function stopsInACrash(options: CrashOptions): CrashReport {
  const { depth, fall, blockSeconds } = options;
  const pool = new Pool(depth);
  pool.fall(fall);
  const rows = new Map(stopsOf(options).map((row) => [row.orderId, row]));
  const orders = new WatchedOrders();
  const turns = new Turns();
  const report = {
    filled: { count: 0, coins: 0 },
    possible: possibleOf(options),
    waves: 0,
    seconds: 0,
    failed: 0,
    left: 0,
  };
  /** The price must have held for eight seconds. */
  const holdsFromMs = 8000;
  for (let nowMs = 0; nowMs < longestMs; nowMs += blockSeconds * 1000) {
    orders.take([...rows.values()], nowMs);
    for (const side of orders.sides)
      orders.note(
        side,
        side.amounts.map((amount) => ({ amount, out: pool.out(amount) })),
        nowMs,
      );
    const handed = turns.next(orders.due(nowMs));
    turns.begin(handed, nowMs);
    for (const { orderId } of handed) orders.begin(orderId);
    const crossed = handed.flatMap(({ orderId }): Crossed[] => {
      const row = rows.get(orderId) as Trigger;
      const [leg] = row.legs;
      if (leg === undefined || nowMs < holdsFromMs || !isDue(pool, row)) return [];
      const { userID, wallet, amount } = row;
      return [{ orderId, userID, wallet, leg, amount, slippagePpm: 100_000n }];
    });
    const crowd = { side: "sell", out: 0n, block: `${nowMs}`, isOneOfWallet: true, isPublic: false } as const;
    const selection = selecting(crowd, crossed);
    let next = selection.next();
    while (!next.done) {
      const ladder = [next.value.map((sum) => pool.out(sum))];
      next = selection.next([ladder, ladder]);
    }
    const { chosen } = next.value;
    for (const { orderId, userID } of handed) {
      const isOut = chosen.some(({ crossed }) => crossed.orderId === orderId);
      orders.end(
        orderId,
        isOut ? { state: "out", askAgainMs: 2000 } : { state: "rest", askAgainMs: 3000 },
        nowMs,
      );
      turns.end(userID, [isOut]);
    }
    for (const { crossed, minAmountOut } of chosen) {
      if (pool.out(crossed.amount) < minAmountOut) {
        report.failed++;
        continue;
      }
      note(report.filled, pool.sell(crossed.amount));
      rows.delete(crossed.orderId);
    }
    if (chosen.length > 0) {
      report.waves++;
      report.seconds = nowMs / 1000;
    }
  }
  report.left = [...rows.values()].filter((each) => canFill(pool, each)).length;
  return report;
}
