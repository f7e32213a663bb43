import type { EvmChain } from "trading-terminal-devnet/chain-facts";
import { factorAt, type Points, swaying } from "trading-terminal-devnet/course";
import { openEvmMarket } from "trading-terminal-devnet/evm/evm-market";
import { startLocalChain } from "trading-terminal-devnet/evm/local-chain";
import { type RandomTrader, tradeInRounds } from "trading-terminal-devnet/random-rounds";

/** A token, and the past of its price. */
export type Course = {
  token: string;
  points: Points;
  /** True if a chart shows its minutes. */
  isShown?: true;
};

/** Seconds between two trades. A chart of minutes shows only the last ones. */
const gaps = { longAgo: 1500, lately: 25 } as const;

const lateMinutes = 105;

/** How far a single trade may move the price from its course, as a fraction of the price. */
const spreads = { longAgo: 0.012, lately: 0.0045, live: 0.001 } as const;

/** Trades a token on a chain that begins with its past, and leaves the chain's state in the file. */
export async function playPast(chain: EvmChain, course: Course, statePath: string): Promise<void> {
  const { token, points, isShown } = course;
  const [[firstMinutes]] = points;
  const endSeconds = Math.floor(Date.now() / 1000);
  const bornAt = endSeconds - firstMinutes * 60;
  const sway = swaying(`${chain} ${token}`);
  const local = await startLocalChain({ chain, statePath, bornAt });
  try {
    const market = await openEvmMarket({ chain, url: local.url, token, patienceMs: 0 });
    for (let time = bornAt + 60; time < endSeconds; ) {
      const minutesAgo = (endSeconds - time) / 60;
      const when = isShown && minutesAgo < lateMinutes ? "lately" : "longAgo";
      await local.request("evm_setNextBlockTimestamp", [time]);
      await market.moveTo(factorAt(points, minutesAgo) * (1 + sway(spreads[when])));
      time += gaps[when];
    }
  } finally {
    await local.close();
  }
}

/** A market that keeps trading. */
export type LiveMarket = RandomTrader & {
  /** Lets the price rise or fall from now on, by a fraction of the price for each trade. */
  climb: (part: number) => void;
};

/** Trades a token about once for each block. */
export async function keepTrading(chain: EvmChain, url: string, token: string): Promise<LiveMarket> {
  const market = await openEvmMarket({ chain, url, token });
  const sway = swaying(`live ${chain} ${token}`);
  let level = 1;
  let rise = 0;
  const onFailure = (error: unknown) => console.warn(`A trade on ${chain} failed: ${error}`);
  const trader = tradeInRounds({ everyMs: 300, random: () => 0, onFailure }, async () => {
    level *= 1 + rise;
    await market.moveTo(level * (1 + sway(spreads.live)));
  });
  return {
    stop: () => trader.stop(),
    climb(part) {
      rise = part;
    },
  };
}
