import { setTimeout as pause } from "node:timers/promises";
import { StartupError } from "cdk-local-runner";

/** A pool of a token, and the price of the token there. */
export type PricedPool = {
  /** Name of the exchange, and the fee or the kind of the pool. */
  pool: string;
  price: number;
  /** Symbol in which the price is given. */
  unit: string;
};

export type Move = {
  /** Block, or slot, that has the move. */
  block: number;
  /** Price of each pool right after the move, as a multiple of its price at the opening. */
  factors: readonly number[];
};

/** All pools that trade a token on a local chain. */
export type LocalMarket = {
  /** Pools with their prices when the market was opened. */
  pools: readonly PricedPool[];
  /** Maximum number of blocks, or slots, that a push may last. */
  mostBlocks: number;
  /**
   * Moves each pool to a multiple of its price at the opening. Resolves once the block, or slot, has ended.
   *
   * @throws StartupError if a pool cannot be moved
   */
  moveTo: (factor: number) => Promise<Move>;
};

/** True if a price is within 1 % of its target. Both are multiples of the price at the opening. */
export const isNear = (reached: number, target: number): boolean => Math.abs(reached / target - 1) <= 0.01;

/** Number of attempts, as the trades of others may come between a look at a pool and its move. */
const mostMoves = 3;

/**
 * Moves all pools, and again if trades of others came between.
 *
 * @throws StartupError if a pool cannot be moved, or is not within 1 % of its target right after the move
 */
async function moveAll({ pools, moveTo }: LocalMarket, factor: number): Promise<Move> {
  for (let movesLeft = mostMoves; ; movesLeft--) {
    const move = await moveTo(factor);
    const off = move.factors.map((reached) => !isNear(reached, factor));
    if (!off.includes(true)) return move;
    if (movesLeft > 1) continue;
    const names = pools.filter((_, index) => off[index]).map(({ pool }) => pool);
    throw new StartupError(`These pools are not within 1 % of their targets: ${names.join(", ")}`);
  }
}

/**
 * Moves a market in equal steps, one a second, or at once.
 *
 * @throws StartupError if a pool cannot be moved
 */
export async function* moveInSteps(market: LocalMarket, factor: number, seconds = 0): AsyncGenerator<Move> {
  const startMs = performance.now();
  const steps = Math.max(1, seconds);
  for (let step = 1; step <= steps; step++) {
    if (seconds > 0) await pause(Math.max(0, startMs + step * 1000 - performance.now()));
    yield await moveAll(market, 1 + ((factor - 1) * step) / steps);
  }
}

/**
 * Moves a market for one block, or slot, and back.
 *
 * @throws StartupError if a pool cannot be moved, or the push lasts too long
 */
export async function* pushForBlock(market: LocalMarket, factor: number): AsyncGenerator<Move> {
  const pushed = await moveAll(market, factor);
  yield pushed;
  const restored = await moveAll(market, 1);
  yield restored;
  const blocks = restored.block - pushed.block;
  if (blocks > market.mostBlocks)
    throw new StartupError(`The push lasted ${blocks} blocks, as others came between`);
}
