import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Leg } from "../../../lib/orders/resting/mandate.ts";
import {
  type Chosen,
  type Crossed,
  type CrossedCrowd,
  type Ladder,
  type Ladders,
  type Selection,
  selecting,
} from "../../../lib/orders/resting/selection.ts";

const unit = 10n ** 6n;

/** A pool with as many coins as tokens, so that a token costs a coin. */
const depth = 1000n * unit;
const outOf = (sold: bigint, size = depth) => (size * sold) / (size + sold);

/** A stop that sells for at least this many millionths of a coin a token. */
const stopAt = (ppm: number): Leg => ({
  kind: "stop",
  trigger: { coins: 1n, tokens: 1n },
  worst: { coins: BigInt(ppm), tokens: 1_000_000n },
});

const order = (orderId: string, changes: Partial<Crossed> = {}): Crossed => ({
  orderId,
  userID: orderId,
  wallet: orderId,
  leg: stopAt(800_000),
  amount: unit,
  slippagePpm: 10_000n,
  ...changes,
});

const crowd: CrossedCrowd = { side: "sell", out: 0n, block: "0xb", isOneOfWallet: true, isPublic: false };

type Quote = (sums: readonly bigint[]) => Ladders;

const bothSay =
  (ladderOf: (sums: readonly bigint[]) => Ladder): Quote =>
  (sums) => {
    const ladder = ladderOf(sums);
    return [ladder, ladder];
  };

const pool = bothSay((sums) => [sums.map((sum) => outOf(sum))]);

function select(orders: readonly Crossed[], changes: Partial<CrossedCrowd> = {}, quote = pool) {
  const selection = selecting({ ...crowd, ...changes }, orders);
  const questions: bigint[][] = [];
  let next: IteratorResult<bigint[], Selection> = selection.next();
  while (!next.done) {
    questions.push(next.value);
    next = selection.next(quote(next.value));
  }
  return { ...next.value, questions };
}

const ids = (orders: readonly Crossed[]) => orders.map(({ orderId }) => orderId);
const chosenIds = ({ chosen }: { chosen: readonly Chosen[] }) => ids(chosen.map(({ crossed }) => crossed));
const several = (count: number, changes: (index: number) => Partial<Crossed> = () => ({})) =>
  Array.from({ length: count }, (_, index) => order(`o${index}`, changes(index)));

const bySize = (a: Chosen, b: Chosen) => Number(a.crossed.amount - b.crossed.amount);

/** True if all chosen orders fill when a block has them in this order. */
function fillIn(chosen: readonly Chosen[], before = 0n): boolean {
  let sold = before;
  return chosen.every(({ crossed: { amount }, minAmountOut }) => {
    const out = outOf(sold + amount) - outOf(sold);
    sold += amount;
    return out >= minAmountOut;
  });
}

describe("selecting", () => {
  it("chooses as many equal stops as fill together, in any order", () => {
    const orders = several(48, () => ({ amount: 4n * unit }));
    const { chosen, beyond } = select(orders);
    // The last one gets 0.8 of the first price.
    expect(chosen.length).toBe(30);
    expect(beyond.length).toBeGreaterThan(0);
    expect(fillIn(chosen)).toBe(true);
    expect(fillIn(chosen.toReversed())).toBe(true);
  });

  it("chooses only stops that fill in any order, whatever the others ask for", () => {
    const ask = fc.record({
      ppm: fc.integer({ min: 500_000, max: 1_000_000 }),
      amount: fc.bigInt({ min: 1n, max: 60n }),
    });
    const asks = fc.array(ask, { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(asks, fc.bigInt({ min: 0n, max: 200n }), (all, out) => {
        const orders = all.map(({ ppm, amount }, index) =>
          order(`o${index}`, { leg: stopAt(ppm), amount: amount * unit }),
        );
        const { chosen, beyond, waiting } = select(orders, { out: out * unit });
        expect(fillIn(chosen, out * unit)).toBe(true);
        expect(fillIn(chosen.toReversed(), out * unit)).toBe(true);
        expect(fillIn(chosen.toSorted(bySize), out * unit)).toBe(true);
        expect(fillIn(chosen.toSorted(bySize).toReversed(), out * unit)).toBe(true);
        expect(chosen.length + beyond.length + waiting.length).toBe(orders.length);
      }),
    );
  });

  it("starts the sum at what is out already", () => {
    const orders = several(48, () => ({ amount: 4n * unit }));
    const { chosen, questions } = select(orders, { out: 60n * unit });
    expect(chosen.length).toBe(15);
    expect(questions.every(([first]) => (first as bigint) >= 60n * unit)).toBe(true);
  });

  it("begins with the orders that ask least", () => {
    const orders = [order("high", { leg: stopAt(900_000) }), order("low", { leg: stopAt(700_000) })];
    expect(chosenIds(select(orders))).toEqual(["low", "high"]);
    const buys = [700_000, 900_000].map((ppm) =>
      order(`${ppm}`, { leg: { kind: "limit", price: { coins: BigInt(ppm) * 2n, tokens: 1_000_000n } } }),
    );
    expect(chosenIds(select(buys, { side: "buy" }))).toEqual(["900000", "700000"]);
  });

  it("takes turns among the users who ask the same, with the largest order of each first", () => {
    const orders = several(6, (index) => ({
      userID: index < 5 ? "crowd" : "other",
      amount: BigInt(index + 1) * unit,
    }));
    const turns = chosenIds(select(orders));
    expect(turns.slice(0, 2).toSorted()).toEqual(["o4", "o5"]);
    expect(turns.slice(2)).toEqual(["o3", "o2", "o1", "o0"]);
  });

  it("draws new lots among equal orders in each block", () => {
    const firstIn = (block: string) => chosenIds(select(several(4), { block }))[0];
    const firsts = Array.from({ length: 30 }, (_, block) => firstIn(`0x${block}`));
    expect(new Set(firsts).size).toBeGreaterThan(1);
    expect(firstIn("0x1")).toBe(firstIn("0x1"));
  });

  it("asks no question about more than 16 sums", () => {
    const { questions, chosen } = select(several(48, () => ({ amount: 1000n })));
    expect(chosen).toHaveLength(48);
    expect(Math.max(...questions.map(({ length }) => length))).toBe(16);
  });

  it("asks about a single order once", () => {
    expect(select([order("a")]).questions).toEqual([[0n, unit]]);
  });

  it("does not let twenty orders that cannot fill delay others", () => {
    const hopeless = several(20, () => ({ leg: stopAt(400_000), amount: 5000n * unit }));
    expect(chosenIds(select([...hopeless, order("good", { leg: stopAt(990_000) })]))).toEqual(["good"]);
  });

  it("passes over an order that is too large for the wave, and chooses smaller ones after it", () => {
    const orders = [
      ...several(20, () => ({ leg: stopAt(700_000), amount: 5n * unit })),
      order("large", { leg: stopAt(710_000), amount: 400n * unit }),
      order("small", { leg: stopAt(720_000) }),
    ];
    const selection = select(orders);
    expect(ids(selection.beyond)).toEqual(["large"]);
    expect(chosenIds(selection)).toContain("small");
  });

  it("chooses one order of a wallet where a wallet sends one transaction at a time", () => {
    const orders = several(2, () => ({ wallet: "0xf39F" }));
    expect(select(orders)).toMatchObject({ chosen: [{}], beyond: [], waiting: [{}] });
    expect(select(orders, { isOneOfWallet: false }).chosen).toHaveLength(2);
  });

  it("chooses stops that move the price of a public pool by at most 2 %", () => {
    const orders = several(30, () => ({ amount: 2n * unit }));
    const selection = select(orders, { isPublic: true });
    expect(selection.chosen).toHaveLength(6);
    expect(selection.waiting).toHaveLength(24);
    expect(select([order("large", { amount: 100n * unit })], { isPublic: true }).chosen).toHaveLength(1);
  });

  it("gives all orders of a wave the price of its last unit, less their slippage, but never less than they ask", () => {
    const orders = several(10, () => ({ amount: 10n * unit }));
    const { chosen } = select(orders);
    const last = outOf(100n * unit) - outOf(90n * unit);
    expect(chosen.map(({ quotedOut }) => quotedOut)).toEqual(Array(10).fill(last));
    expect(chosen[0]?.minAmountOut).toBe((last * 99n) / 100n);
    const [strict] = select([order("strict", { leg: stopAt(998_000) })]).chosen;
    expect(strict?.minAmountOut).toBe(998_000n);
  });

  it("lets a limit fill only with its margin", () => {
    const limitAt = (ppm: number): Leg => ({
      kind: "limit",
      price: { coins: BigInt(ppm), tokens: 1_000_000n },
    });
    // A token brings 0.999 coins.
    expect(select([order("a", { leg: limitAt(998_000) })]).chosen).toHaveLength(1);
    expect(select([order("a", { leg: limitAt(998_500) })]).beyond).toHaveLength(1);
  });

  it("uses the quotes of the host that says less, and none of a silent host", () => {
    const half: Quote = (sums) => [[sums.map((sum) => outOf(sum))], [sums.map((sum) => outOf(sum) / 2n)]];
    const silent: Quote = (sums) => [[sums.map((sum) => outOf(sum))], undefined];
    expect([half, silent].map((quote) => select([order("a")], {}, quote).chosen)).toEqual([[], []]);
  });

  it("compares two sums by the route that is best for the larger one", () => {
    const small = depth / 10n;
    const routes = bothSay((sums) => [
      sums.map((sum) => outOf(sum)),
      sums.map((sum) => (outOf(sum, small) * 105n) / 100n),
    ]);
    const { chosen } = select(
      several(2, () => ({ amount: 20n * unit })),
      {},
      routes,
    );
    expect(chosen[0]?.quotedOut).toBe(outOf(40n * unit) - outOf(20n * unit));
  });
});
