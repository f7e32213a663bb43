import { setTimeout as pause } from "node:timers/promises";
import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { portsOf } from "trading-terminal-devnet/local-chains";
import type { LocalMarket } from "trading-terminal-devnet/local-market";
import { openMarkets } from "trading-terminal-devnet/open-markets";
import { solDeployment } from "trading-terminal-devnet/sol/sol-deployment";
import { type TradingChain, tradingChains } from "../../../lib/core/chain-facts.ts";
import { type Chance, createChance } from "../chance.ts";
import { urlAt } from "../trade/chain-faults.ts";

const { moon, star, taxd, comet } = localAddresses;
const { tokens, pump } = await solDeployment();
export const feez = tokens.FEEZ.mint;
const [bend, grad] = [pump.curves.BEND.mint, pump.pools.GRAD.mint];

const onSol = { [tokens.MOON.mint]: 3, [tokens.FEEZ.mint]: 1, [bend]: 1, [grad]: 1 };
const onEvm = { [moon]: 6, [star]: 2, [taxd]: 2 };

/** Tokens whose prices walk, and how often each is traded. COMET has pools on only two chains. */
const walked: Readonly<Record<TradingChain, Readonly<Record<string, number>>>> = {
  eth: onEvm,
  base: { ...onEvm, [comet]: 2 },
  bsc: onEvm,
  avax: { ...onEvm, [comet]: 2 },
  sol: onSol,
};

export const walkedTokens = (chain: TradingChain): Readonly<Record<string, number>> => walked[chain];

/** Returns how many of a token are worth about as much as one MOON. */
export const countOf = (token: string): number => ({ [bend]: 2000, [grad]: 250 })[token] ?? 1;

/** Returns the part of the usual moves that a token's pools allow. LFJ's have liquidity from 0.9 of the price to 1.12. */
export const reachOf = (chain: TradingChain, token: string): number =>
  chain === "avax" && token === comet ? 0.2 : 1;

/** Prices that move until disposed. */
export type PriceWalk = AsyncDisposable & {
  /** Moves all prices to a multiple of those at the start, in steps over a time, and holds them there. */
  hold(factor: number, overMs: number): void;
  /** Moves all prices of a chain to a multiple of those now, at once. */
  jump(chain: TradingChain, factor: number): Promise<void>;
  /** Keeps the prices of a chain still, or lets them move again. */
  setStill(chain: TradingChain, isStill: boolean): void;
  /** Number of steps of each kind. */
  counts: Map<string, number>;
};

/** A market with the multiple of its first price now, and the time of its last step. */
type Walked = [LocalMarket, { now: number; atMs: number; reach: number }];

/** Returns the next multiple on a steady way to the held one. */
function towards({ now, atMs }: Walked[1], { factor, endMs }: { factor: number; endMs: number }): number {
  const passed = (Date.now() - atMs) / (endMs - atMs);
  return passed > 0 && passed < 1 ? now * (factor / now) ** passed : factor;
}

/** Multiples of the first price between which prices walk. Pools have liquidity from half of it to twice. */
const bounds = { least: 0.68, most: 1.45 };

const within = (factor: number) => Math.min(bounds.most, Math.max(bounds.least, factor));

/** Returns the multiple to which a token's pools go. */
const moved = ({ reach }: Pick<Walked[1], "reach">, factor: number) => 1 + (factor - 1) * reach;

/** Milliseconds between two steps of a chain. */
const pauseMs = { least: 1500, more: 2500 };

/**
 * Moves the prices of each chain: in small steps, in jumps, and by pushes that last a block.
 *
 * @param port the runner's `--chain-port`
 */
export async function walkPrices(port: number, seed: number): Promise<PriceWalk> {
  const ending = new AbortController();
  const counts = new Map<string, number>();
  const still = new Set<TradingChain>();
  const open = new Map<TradingChain, ReadonlyMap<string, Walked>>();
  let held: { factor: number; endMs: number } | undefined;
  const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1);

  async function step(chance: Chance, [market, factors]: Walked): Promise<void> {
    const kind = held === undefined ? chance.weighted({ walk: 70, jump: 15, push: 15 }) : "hold";
    const some = (least: number, more: number) =>
      (least + more * chance.number()) * (chance.number() < 0.5 ? -1 : 1);
    if (kind === "push") {
      await market.moveTo(moved(factors, within(factors.now * (1 + some(0.1, 0.15)))));
      await market.moveTo(moved(factors, factors.now));
    } else {
      const change = { walk: some(0, 0.015), jump: some(0.05, 0.1), hold: some(0, 0.003) }[kind];
      const target = held === undefined ? factors.now : towards(factors, held);
      factors.now = within(target * (1 + change));
      factors.atMs = Date.now();
      await market.moveTo(moved(factors, factors.now));
    }
    count(kind);
  }

  async function walk(chain: TradingChain): Promise<void> {
    const chance = createChance(`prices ${chain} ${seed}`);
    const url = urlAt(portsOf(chain, port).node);
    const markets = await openMarkets(chain);
    const names = Object.keys(walkedTokens(chain));
    const own = new Map<string, Walked>();
    open.set(chain, own);
    for (const token of names)
      own.set(token, [
        await markets.open(url, token),
        { now: 1, atMs: Date.now(), reach: reachOf(chain, token) },
      ]);
    walking.push(
      (async () => {
        while (!ending.signal.aborted) {
          const name = chance.weighted(walkedTokens(chain));
          // Moves all tokens of a chain that are held, so that none of them lags behind. Only counts failures, because
          // the runner may be down, and chains drop and replace transactions.
          const moving = held === undefined ? [name] : names;
          for (const token of still.has(chain) ? [] : moving)
            await step(chance, own.get(token) as Walked).catch(() => count("failed"));
          await pause(pauseMs.least + chance.below(pauseMs.more));
        }
      })(),
    );
  }

  const walking: Promise<void>[] = [];
  await Promise.all(tradingChains.map(walk));
  return {
    hold(factor, overMs) {
      held = { factor, endMs: Date.now() + overMs };
    },
    async jump(chain, factor) {
      for (const [market, factors] of open.get(chain)?.values() ?? []) {
        factors.now = within(factors.now * factor);
        await market.moveTo(moved(factors, factors.now)).then(
          () => count("jump before a halt"),
          () => count("failed"),
        );
      }
    },
    setStill: (chain, isStill) => void still[isStill ? "add" : "delete"](chain),
    counts,
    async [Symbol.asyncDispose]() {
      ending.abort();
      await Promise.all(walking);
    },
  };
}
