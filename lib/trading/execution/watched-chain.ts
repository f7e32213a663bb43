import type { PoolLevels, TokenLooks } from "../../chains/hosts/token-looks.ts";
import { chainFacts, type TradingChain } from "../../core/chain-facts.ts";
import { forEachConcurrently } from "../../core/concurrency.ts";
import type { Rung } from "../../orders/resting/reach.ts";
import { WatchedOrders, type WatchedSide } from "../../orders/resting/watched-orders.ts";

/** Time after which a token is quoted again if its pools have changed or do not trade it, and otherwise. */
const changedMs = 60_000;
const sameMs = 10 * 60_000;

/** Pause for each token of sol, and the longest pause. */
const pauseOfTokenMs = 10;
const mostPauseMs = 4000;

/** Maximum number of quotes at once, and in a look, so that the next one is not late. */
const quotesAtOnce = 16;
const quotesInLook = 128;

/** The last quotes of a token and side, the levels of its pools at that time, and whether any route paid. */
type Quoted = { levels: PoolLevels; atMs: number; rungs: readonly Rung[]; hasRoute: boolean };

/** Looks at the pools of a chain's tokens that have resting orders, and quotes those whose prices have come near. */
export class WatchedChain {
  readonly chain: TradingChain;
  readonly orders = new WatchedOrders();
  readonly #looks: TokenLooks;
  readonly #quoted = new Map<string, Quoted>();
  /** Time of the last try to quote a token and side, so that failing ones leave room in a look for all others. */
  readonly #triedMs = new Map<string, number>();
  #host = 0;

  constructor(chain: TradingChain, looks: TokenLooks) {
    this.chain = chain;
    this.#looks = looks;
  }

  /**
   * The pause between two looks: the time between blocks, but from one to two seconds. On sol it grows with the tokens,
   * because a call reads the accounts of only about 20.
   */
  get pauseMs(): number {
    const usual = Math.min(2000, Math.max(1000, chainFacts[this.chain].blockSeconds * 1000));
    const ofTokens = this.chain === "sol" ? this.orders.sides.length * pauseOfTokenMs : 0;
    return Math.max(usual, Math.min(ofTokens, mostPauseMs));
  }

  /**
   * Looks once, through each host in turn.
   *
   * @throws {ChainUnavailable} if no host answers.
   */
  async look(nowMs: () => number): Promise<void> {
    const { sides } = this.orders;
    if (sides.length === 0) return;
    const host = this.#host++;
    const levels = await this.#looks.levels([...new Set(sides.map(({ token }) => token))], host);
    const triedMs = (side: WatchedSide) => this.#triedMs.get(nameOf(side)) ?? 0;
    const near = sides
      .filter((side) => this.#isDue(side, levels.get(side.token), nowMs()))
      .toSorted((a, b) => triedMs(a) - triedMs(b))
      .slice(0, quotesInLook);
    const failures: unknown[] = [];
    await forEachConcurrently(near, { concurrency: quotesAtOnce }, async (side) => {
      try {
        await this.#quote(side, levels.get(side.token) ?? [], host, nowMs);
      } catch (error) {
        failures.push(error);
      }
    });
    const names = new Set(sides.map(nameOf));
    for (const known of [this.#quoted, this.#triedMs])
      for (const name of known.keys()) if (!names.has(name)) known.delete(name);
    if (failures.length > 0) throw failures[0];
  }

  #isDue(side: WatchedSide, levels: PoolLevels = [], nowMs: number): boolean {
    const last = this.#quoted.get(nameOf(side));
    // New amounts may lie beyond the ones that were quoted.
    if (last === undefined || !areOf(side.amounts, last.rungs)) return true;
    if (this.orders.hasNew(side)) this.orders.note(side, last.rungs, nowMs);
    const change = changeOf(last.levels, levels);
    if (nowMs - last.atMs >= (change === 0 && last.hasRoute ? sameMs : changedMs)) return true;
    return change > 0 && this.orders.isNear(side, change, nowMs);
  }

  async #quote(side: WatchedSide, levels: PoolLevels, host: number, nowMs: () => number): Promise<void> {
    const { amounts } = side;
    this.#triedMs.set(nameOf(side), nowMs());
    const outs = await this.#looks.outs(side, host);
    const rungs = amounts.map((amount, index): Rung => ({ amount, out: outs[index] }));
    const hasRoute = outs.some((out) => out !== undefined);
    this.#quoted.set(nameOf(side), { levels, atMs: nowMs(), rungs, hasRoute });
    this.orders.note(side, rungs, nowMs());
  }
}

const areOf = (amounts: readonly bigint[], rungs: readonly Rung[]): boolean =>
  amounts.length === rungs.length && rungs.every(({ amount }, index) => amount === amounts[index]);

const nameOf = ({ side, token }: WatchedSide): string => `${side} ${token}`;

/** Computes how far prices may have moved between two looks. Other pools may mean any other price. */
const changeOf = (before: PoolLevels, after: PoolLevels): number =>
  before.length === after.length
    ? Math.max(0, ...before.map((level, index) => Math.abs(level - (after[index] as number))))
    : Number.POSITIVE_INFINITY;
