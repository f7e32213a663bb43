import type { Address } from "@solana/web3.js";
import { RecentMap } from "../../../core/recent-map.ts";
import { firstAnswer, hostsFrom } from "../../hosts/from-any-host.ts";
import { levelOf, type PoolLevels, type PriceQuestion, type TokenLooks } from "../../hosts/token-looks.ts";
import { cpmmConfigsOf } from "../calls/cpmm-configs.ts";
import type { PoolPlaces } from "../calls/pool-view.ts";
import { final } from "../calls/rpc-call.ts";
import {
  type MintPlaces,
  mintsInCalls,
  paymentsOf,
  placesOfMint,
  type TokenView,
  tokenViewsCall,
} from "../calls/token-view.ts";
import type { SolReader } from "../venues/reader.ts";

/** Time after which pools that did not exist are searched for again. */
const memoryMs = 60_000;

const mostTokens = 10_000;

/** Looks at the pools of Solana tokens. What amounts bring is computed from the accounts of the last look. */
export class SolTokenLooks implements TokenLooks {
  readonly #reader: SolReader;
  readonly #nowMs: () => number;
  /** Accounts of each token: all possible ones, or those that exist. */
  readonly #places = new RecentMap<string, { places: MintPlaces; untilMs: number }>(mostTokens);
  #views = new Map<string, TokenView>();

  constructor(reader: SolReader, nowMs: () => number = Date.now) {
    this.#reader = reader;
    this.#nowMs = nowMs;
  }

  levels(tokens: readonly string[], host: number): Promise<ReadonlyMap<string, PoolLevels>> {
    return firstAnswer(this.#reader, hostsFrom(this.#reader, host), async (ask) => {
      const places = await Promise.all(tokens.map((token) => this.#placesOf(token)));
      const calls = mintsInCalls(places).map((mints) => tokenViewsCall(mints, final));
      const views = (await Promise.all(calls.map((call) => ask([call])))).flat(2);
      this.#views = new Map();
      for (const [index, view] of views.entries()) {
        const mint = places[index] as MintPlaces;
        if (view === undefined) continue;
        this.#views.set(mint.mint, view);
        this.#keepFound(mint, view);
      }
      return new Map([...this.#views].map(([token, view]) => [token, levelsOf(view)]));
    });
  }

  async outs({ side, token, amounts }: PriceQuestion): Promise<readonly (bigint | undefined)[]> {
    const view = this.#views.get(token);
    return amounts.map((amount) => view && paymentsOf(view, side, amount)[0]?.amountOut);
  }

  async #placesOf(token: string): Promise<MintPlaces> {
    const known = this.#places.get(token);
    if (known !== undefined && this.#nowMs() < known.untilMs) return known.places;
    const { configuration } = this.#reader;
    const cpmmConfigs = await cpmmConfigsOf(configuration).toRead();
    const pumpTable = configuration.pumpTable as Address | undefined;
    return placesOfMint(token as Address, { cpmmConfigs, pumpTable });
  }

  #keepFound(places: MintPlaces, view: TokenView): void {
    const known = this.#places.get(places.mint);
    if (known !== undefined && this.#nowMs() < known.untilMs) return;
    cpmmConfigsOf(this.#reader.configuration).note(view);
    const exists = ({ pools }: PoolPlaces) => view.pools.some(({ address }) => pools.includes(address));
    const found = { ...places, pools: places.pools.filter(exists) };
    this.#places.set(places.mint, { places: found, untilMs: this.#nowMs() + memoryMs });
  }
}

const levelsOf = ({ pools }: TokenView): number[] =>
  pools.flatMap(({ reserves: { coins, tokens }, isOpen }) => [
    2 * levelOf(coins),
    2 * levelOf(tokens),
    Number(isOpen),
  ]);
