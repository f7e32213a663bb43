import { localV2, localV3 } from "../../support/trading.ts";
import type { ChainUnderTest, Soon } from "./chain-under-test.ts";
import { Clients, tokens, users, wallets } from "./clients.ts";
import { checkEnd, comeToRest } from "./ending.ts";
import { mainRoute, poolOf, type State, spenderOf } from "./ledger-state.ts";
import { ModelChain } from "./model-chain.ts";
import { moveOnce } from "./moves.ts";
import type { Plot } from "./plots.ts";
import { Random } from "./random.ts";
import { type System, theSystem } from "./system.ts";
import { Violation } from "./violation.ts";
import { chain, World } from "./world.ts";

/** Start of each history, in seconds. */
const start = Date.UTC(2026, 10, 21, 20) / 1000;
const mostMoves = 40;

export const genesis: State = {
  accounts: new Map(
    wallets.map((wallet) => [
      wallet,
      {
        nonce: 0,
        coins: 10n ** 9n,
        tokens: new Map(tokens.map((token) => [token, 30_000n])),
        allowances: new Map([
          [spenderOf("MOON", mainRoute("MOON")), 1000n],
          [spenderOf("DUSK", mainRoute("DUSK")), 1000n],
        ]),
      },
    ]),
  ),
  pools: new Map([
    ...tokens.map(
      (token) => [poolOf(token, mainRoute(token)), { coins: 10n ** 6n, tokens: 10n ** 8n }] as const,
    ),
    // MOON's second pool delivers the minimum of most orders, and DUSK's second pool never does.
    [poolOf("MOON", localV3), { coins: 20_000n, tokens: 2n * 10n ** 6n }],
    [poolOf("DUSK", localV2), { coins: 400n, tokens: 40_000n }],
  ]),
  strayCoins: 0n,
};

/** Opens a history's chain, which always starts with the same balances. */
export type OpenChain = (random: Random) => Soon<ChainUnderTest>;

const openModel: OpenChain = (random) => new ModelChain(random, genesis, start);

type Parts = {
  system?: System | undefined;
  openChain?: OpenChain | undefined;
  /** Class of the world in which the history takes place. */
  of?: typeof World | undefined;
  plot?: Plot | undefined;
};

/**
 * Plays one history, and adds the events that it reached to the coverage. Throws a Violation if the code
 * broke an invariant.
 */
export async function playHistory(
  seed: number,
  coverage: Set<string>,
  { system = theSystem, openChain = openModel, of = World, plot }: Parts = {},
): Promise<void> {
  const random = new Random(seed);
  const chainUnderTest = await openChain(random);
  const startMs = (await chainUnderTest.latestTime()) * 1000;
  const world = new of(random, system, chainUnderTest, startMs);
  for (const userID of users) world.maxGasPrices.set(userID, 100n);
  for (const [userID, wallet] of [
    ["alice", wallets[0]],
    ["alice", wallets[1]],
    ["bob", wallets[1]],
  ] as const)
    world.table.put("wallet", { chain, wallet, userID });
  const clients = new Clients(world);
  await plot?.(world, clients);
  for (let moves = 10 + random.below(mostMoves); moves > 0; moves--) await moveOnce(world, clients);
  await comeToRest(world);
  await checkEnd(world, genesis);
  for (const reached of world.seen) coverage.add(reached);
}

/** Plays histories one after another. A violation names its history, so that `playHistory` can replay it. */
export async function playHistories({
  from,
  count,
  reached = new Set(),
  system,
  openChain,
  plot,
}: {
  from: number;
  count: number;
  reached?: Set<string>;
  /** Creates the code under test for each history. */
  system?: () => System;
  openChain?: OpenChain;
  plot?: Plot | undefined;
}): Promise<void> {
  for (let seed = from; seed < from + count; seed++)
    try {
      await playHistory(seed, reached, { system: system?.(), openChain, plot });
    } catch (error) {
      throw error instanceof Violation ? new Violation(`history ${seed}: ${error.message}`) : error;
    }
}
