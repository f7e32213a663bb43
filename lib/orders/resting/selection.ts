import { createHash } from "node:crypto";
import { greatest, least } from "../bigints.ts";
import type { Order } from "../execution.ts";
import { minimumOf, whole } from "../percent.ts";
import { classOf, type Leg, type LegClass } from "./mandate.ts";
import { floorOf, isAbove, limitMarginPpm, worstOf } from "./prices.ts";

/** A resting order whose price is reached. All of a selection are of one token and side. */
export type Crossed = {
  orderId: string;
  userID: string;
  wallet: string;
  leg: Leg;
  /** Amount that the order can spend now. */
  amount: bigint;
  slippagePpm: bigint;
};

export type CrossedCrowd = {
  side: Order["side"];
  /** Total amount of the token and side's children that are signed, in no block, and before their deadline. */
  out: bigint;
  /** Hash of the block of the quotes, which shuffles equal orders. */
  block: string;
  /** True if a wallet sends one transaction at a time. */
  isOneOfWallet: boolean;
  /** True if transactions are public before they are mined. A wave then moves the price only a little. */
  isPublic: boolean;
};

/** A host's quotes of some sums by each route that has answered. A sum that a route cannot trade is 0. */
export type Ladder = readonly (readonly bigint[])[];

/** The quotes of both hosts for the same sums at the same block. Undefined for a host without an answer. */
export type Ladders = readonly [Ladder | undefined, Ladder | undefined];

/** An order that fires in this wave. */
export type Chosen = {
  crossed: Crossed;
  /** Output of the order's amount at the price of the wave's last units. */
  quotedOut: bigint;
  minAmountOut: bigint;
};

export type Selection = {
  chosen: readonly Chosen[];
  /** Orders whose floor the price does not meet now, after all that is out and chosen. */
  beyond: readonly Crossed[];
  /** Orders that wait for the next block, because of another order of their wallet or the end of the wave. */
  waiting: readonly Crossed[];
};

/** Maximum number of amounts in a question to a host. */
export const mostSums = 16;

/** Maximum number of questions for a wave, besides the one about each single order. */
const mostQuestions = 8;

/** How much of the first order's price the last order of a public wave must get, in millionths. */
const publicSharePpm = 980_000n;

/** How much of its floor an order must bring, in millionths. */
const sharePpm: Readonly<Record<LegClass, bigint>> = { limit: whole + limitMarginPpm, stop: whole };

type Gain = { amount: bigint; out: bigint };

type Accepted = { order: Crossed; gain: Gain };

type Selecting<Result> = Generator<bigint[], Result, Ladders>;

/**
 * Chooses the crossed orders that fill together if nobody else trades. Goes through them from the one that asks least,
 * and accepts each while the price of the growing sum meets what all accepted ones ask for. An order that does not fit
 * rests, and those after it are quoted without it.
 *
 * Yields the sums to quote, and resumes with both hosts' answers.
 */
export function* selecting(crowd: CrossedCrowd, crossed: readonly Crossed[]): Selecting<Selection> {
  const { side, out } = crowd;
  // Sorts out orders that would not even fill alone, so that no crowd of such orders keeps others from the wave. A
  // single order needs only the question below.
  const alone = crossed.length > 1 ? yield* gainsAlone(out, crossed) : undefined;
  const isFit = (each: Crossed, index: number) =>
    alone === undefined || meets(side, each, alone[index] as Gain);
  const { accepted, beyond, left } = yield* waveOf(crowd, inTurn(crowd, crossed.filter(isFit)));
  const chosen = [...accepted];
  let price = yield* lastPrice(out, chosen);
  while (price !== undefined && !areMet(side, chosen, price)) {
    chosen.pop();
    price = yield* lastPrice(out, chosen);
  }
  return {
    chosen: atPrice(side, chosen, price),
    beyond: [...crossed.filter((each, index) => !isFit(each, index)), ...beyond],
    waiting: [...accepted.slice(chosen.length).map(({ order }) => order), ...left],
  };
}

/** Accepts orders one by one, and returns those that do not fit, and those for which the wave has no room. */
function* waveOf({ side, out, isOneOfWallet, isPublic }: CrossedCrowd, orders: readonly Crossed[]) {
  const accepted: Accepted[] = [];
  const beyond: Crossed[] = [];
  let left = orders;
  let isOver = false;
  for (let questions = 0; questions < mostQuestions && !isOver; questions++) {
    const taken = new Set(accepted.map(({ order }) => order.wallet));
    const isFree = ({ wallet }: Crossed) => !isOneOfWallet || (!taken.has(wallet) && taken.add(wallet));
    const asked = left.filter(isFree).slice(0, mostSums - 1);
    if (asked.length === 0) break;
    const sums = [sumOf(out, accepted)];
    for (const { amount } of asked) sums.push((sums.at(-1) as bigint) + amount);
    const ladders: Ladders = yield sums;
    for (const [index, order] of asked.entries()) {
      const gain = { amount: order.amount, out: gainOf(ladders, index, index + 1) };
      const [first] = accepted;
      if (!areMet(side, [...accepted, { order }], gain)) beyond.push(order);
      else if (isPublic && first && isFarBelow(gain, first.gain)) isOver = true;
      else accepted.push({ order, gain });
      // Stops here, because the further sums include this order.
      if (accepted.at(-1)?.order !== order) break;
    }
    const done = new Set([...beyond, ...accepted.map(({ order }) => order)]);
    left = left.filter((each) => !done.has(each));
  }
  return { accepted, beyond, left };
}

/**
 * Returns what the wave's last units bring. The order of transactions within a block is unknown, and if the smallest
 * one comes last, it gets a lower price than a large one would.
 */
function* lastPrice(out: bigint, chosen: readonly Accepted[]): Selecting<Gain | undefined> {
  const last = chosen.at(-1)?.gain;
  if (last === undefined) return undefined;
  const amount = least(last.amount, ...chosen.map(({ order }) => order.amount));
  if (amount === last.amount) return last;
  const sum = sumOf(out, chosen);
  return { amount, out: gainOf(yield [sum - amount, sum], 0, 1) };
}

const sumOf = (out: bigint, accepted: readonly Accepted[]): bigint =>
  accepted.reduce((sum, { order }) => sum + order.amount, out);

/** Asks what each order would bring after everything that is out, if only it fired. */
function* gainsAlone(out: bigint, orders: readonly Crossed[]): Selecting<Gain[]> {
  const gains: Gain[] = [];
  for (let from = 0; from < orders.length; from += mostSums - 1) {
    const asked = orders.slice(from, from + mostSums - 1);
    const ladders = yield [out, ...asked.map(({ amount }) => out + amount)];
    gains.push(...asked.map(({ amount }, index) => ({ amount, out: gainOf(ladders, 0, index + 1) })));
  }
  return gains;
}

/** Sorts orders: those that ask least first, and equal ones by turns among their users. */
function inTurn({ side, block }: CrossedCrowd, crossed: readonly Crossed[]): Crossed[] {
  const turns = new Map<string, number>();
  return crossed
    .map((order) => ({ order, lot: lotOf(block, order) }))
    .toSorted((a, b) => bySize(a.order, b.order) || (a.lot < b.lot ? -1 : 1))
    .map(({ order, lot }) => {
      const { coins, tokens } = worstOf(order.leg);
      const equals = `${order.userID} ${coins}/${tokens}`;
      const turn = turns.get(equals) ?? 0;
      turns.set(equals, turn + 1);
      return { order, turn, lot };
    })
    .toSorted((a, b) => byFloor(side, a.order, b.order) || a.turn - b.turn || (a.lot < b.lot ? -1 : 1))
    .map(({ order }) => order);
}

const lotOf = (block: string, { orderId }: Crossed): string =>
  createHash("sha256").update(`${block} ${orderId}`).digest("hex");

const bySize = (a: Crossed, b: Crossed): number => Number(b.amount > a.amount) - Number(a.amount > b.amount);

/** Sales ask least at the lowest price, and buys at the highest. */
function byFloor(side: Order["side"], a: Crossed, b: Crossed): number {
  const [ofA, ofB] = [worstOf(a.leg), worstOf(b.leg)];
  const order = Number(isAbove(ofA, ofB)) - Number(isAbove(ofB, ofA));
  return side === "sell" ? order : -order;
}

/**
 * Computes what the last part of a sum adds to the output of the sum's best route. The lower of the two hosts' answers
 * counts.
 */
function gainOf([a, b]: Ladders, before: number, at: number): bigint {
  const gainIn = (ladder: Ladder = []) => {
    const outOf = (route: readonly bigint[], index: number) => route[index] ?? 0n;
    const best = ladder.reduce<readonly bigint[]>(
      (other, route) => (outOf(route, at) > outOf(other, at) ? route : other),
      [],
    );
    return outOf(best, at) - outOf(best, before);
  };
  return greatest(least(gainIn(a), gainIn(b)), 0n);
}

/** True if a price meets what an order asks for, with a limit's margin. */
const meets = (side: Order["side"], { leg }: Crossed, { amount, out }: Gain): boolean =>
  out * whole >= floorOf(side, leg, amount) * sharePpm[classOf(leg)];

const areMet = (side: Order["side"], orders: readonly Pick<Accepted, "order">[], price: Gain): boolean =>
  orders.every(({ order }) => meets(side, order, price));

const isFarBelow = (gain: Gain, first: Gain): boolean =>
  gain.out * first.amount * whole < first.out * gain.amount * publicSharePpm;

const atPrice = (side: Order["side"], chosen: readonly Accepted[], price: Gain | undefined): Chosen[] =>
  price === undefined
    ? []
    : chosen.map(({ order: crossed }) => {
        const { leg, amount, slippagePpm } = crossed;
        const quotedOut = (price.out * amount) / price.amount;
        const minAmountOut = greatest(floorOf(side, leg, amount), minimumOf(quotedOut, slippagePpm));
        return { crossed, quotedOut, minAmountOut };
      });
