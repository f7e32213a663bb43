import type { Address } from "@solana/web3.js";
import { fromAnyHost } from "../../chains/hosts/from-any-host.ts";

import { cpmmConfigsOf, leastLooks } from "../../chains/sol/calls/cpmm-configs.ts";
import type { PoolPlaces } from "../../chains/sol/calls/pool-view.ts";
import { final } from "../../chains/sol/calls/rpc-call.ts";
import {
  type MintPlaces,
  mintsInCalls,
  placesOfMint,
  type TokenView,
  tokenViewsCall,
} from "../../chains/sol/calls/token-view.ts";
import type { SolConfiguration } from "../../chains/sol/rules/configuration.ts";
import type { SolReader } from "../../chains/sol/venues/reader.ts";
import { chainFacts } from "../../core/chain-facts.ts";
import { RecentMap } from "../../core/recent-map.ts";
import type { CoinUnits } from "../../core/units.ts";
import { least } from "../../orders/bigints.ts";
import { identityIn } from "../../orders/requests.ts";
import { nativeToken } from "../../orders/trading-chain.ts";
import { isBehind, type LookMemory } from "../../trading/procedures/reading.ts";
import { depthOf, depthOfReserves, leastDepth } from "../core/depth.ts";
import { type MarketPool, type PricedPool, supplyIn, type TokenPools } from "../core/market.ts";
import { priceAtState } from "./rules/sample-book.ts";
import type { PoolAmounts } from "./rules/witnesses.ts";
import { type SampledVenue, sampledPoolsIn } from "./venues.ts";

/** A pool that can be the reference of its token, with the accounts that show its amounts. */
export type SolPool = MarketPool & { venue: SampledVenue; accounts: readonly string[] };

/** A token with its pools at a slot, as one host shows them. */
export type SolToken = TokenPools<SolPool & PricedPool & { amounts: PoolAmounts }>;

/** Time after which pools that did not exist are searched for again. */
const memoryMs = 10 * 60_000;

/** Maximum number of tokens whose accounts are remembered. */
const mostTokens = 1000;

export const { decimals: decimalsOfCoin } = chainFacts.sol.coin;

/** Computes the depth of a pool. It pays no more than it holds. */
export const depthOfAmounts = (amounts: PoolAmounts): CoinUnits =>
  least(depthOfReserves(amounts), amounts.held);

/** Accounts of a mint: those that were found or, with the time 0, all possible ones. */
type Remembered = { places: MintPlaces; untilMs: number };

/** Reads the prices of Solana tokens, many in one call. Remembers which of their pools exist. */
export class SolPoolReader {
  readonly #reader: SolReader;
  readonly #configs: ReturnType<typeof cpmmConfigsOf>;
  readonly #places = new RecentMap<string, Remembered>(mostTokens);
  readonly #memory: LookMemory<{ number: number }> = { host: 0 };

  constructor(reader: SolReader) {
    this.#reader = reader;
    this.#configs = cpmmConfigsOf(reader.configuration);
  }

  /**
   * Reads tokens and their pools, all of a token at the same slot. Leaves out addresses that are not tokens. Undefined
   * if the host shows an older slot than before. If that lasts ten seconds, the next host is asked.
   *
   * @throws {ChainUnavailable} if no host answers.
   */
  async read(tokens: readonly string[], nowMs = Date.now()): Promise<Map<string, SolToken> | undefined> {
    const wanted = [...new Set(tokens)];
    const fresh = wanted.filter((token) => !this.#isPlaced(token, nowMs));
    // Learns from a few tokens which configurations exist, so that the others need fewer calls.
    if (fresh.length > leastLooks && !this.#configs.areKnown(nowMs))
      await this.read(fresh.slice(0, leastLooks), nowMs);
    const asked = await Promise.all(wanted.map((token) => this.#placesOf(token, nowMs)));
    const views = await fromAnyHost(this.#reader, this.#memory.host, async (request) => {
      const calls = mintsInCalls(asked).map((mints) => tokenViewsCall(mints, final));
      const parts = await Promise.all(calls.map((call) => request([call])));
      return parts.flatMap(([part]) => part);
    });
    const number = Math.max(0, ...views.flatMap((view) => view?.slot ?? []));
    if (number > 0 && isBehind({ number }, this.#memory, nowMs)) return undefined;
    if (number > 0) this.#memory.look = { number };
    return new Map(
      asked.flatMap(({ mint }, index) => {
        const view = views[index];
        if (view === undefined) return [];
        this.#keepFound(mint, view, nowMs);
        const priced = pricedToken(this.#reader, mint, view);
        return priced === undefined ? [] : [[mint, priced] as const];
      }),
    );
  }

  async #placesOf(token: string, nowMs: number): Promise<MintPlaces> {
    const known = this.#places.get(token);
    if (known !== undefined && nowMs < known.untilMs) return known.places;
    const { configuration } = this.#reader;
    const places = await derivedPlaces(configuration, token as Address, await this.#configs.toRead(nowMs));
    this.#places.set(token, { places, untilMs: 0 });
    return places;
  }

  #isPlaced(token: string, nowMs: number): boolean {
    return nowMs < (this.#places.get(token)?.untilMs ?? 0);
  }

  #keepFound(mint: string, view: TokenView, nowMs: number): void {
    const known = this.#places.get(mint);
    if (known === undefined || nowMs < known.untilMs) return;
    this.#configs.note(view);
    const exists = ({ pools }: PoolPlaces) => view.pools.some(({ address }) => pools.includes(address));
    const places = { ...known.places, pools: known.places.pools.filter(exists) };
    this.#places.set(mint, { places, untilMs: nowMs + memoryMs });
  }
}

const derived = new WeakMap<SolConfiguration, RecentMap<string, Promise<MintPlaces>>>();

/** Derives the accounts of a mint once for all hosts, because a hundred addresses take long to derive. */
function derivedPlaces(
  configuration: SolConfiguration,
  mint: Address,
  cpmmConfigs: readonly Address[],
): Promise<MintPlaces> {
  const known = derived.get(configuration) ?? new RecentMap<string, Promise<MintPlaces>>(mostTokens);
  derived.set(configuration, known);
  const name = [mint, ...cpmmConfigs].join();
  const pumpTable = configuration.pumpTable as Address | undefined;
  const places = known.get(name) ?? placesOfMint(mint, { cpmmConfigs, pumpTable });
  known.set(name, places);
  return places;
}

function pricedToken({ configuration }: SolReader, mint: string, view: TokenView): SolToken | undefined {
  const identity = identityIn({ chain: "sol", configuration }, mint, view.claims);
  if (identity === undefined) return undefined;
  const { symbol, name, decimals } = identity;
  const pools = sampledPoolsIn(view).map((pool) => ({ pool, units: depthOfAmounts(pool.amounts) }));
  return {
    token: { chain: "sol", token: mint, symbol, name, decimals, ...supplyIn(view.claims, decimals) },
    pools: pools
      .filter(({ units }) => units >= leastDepth(decimalsOfCoin))
      .toSorted((a, b) => (a.units < b.units ? 1 : a.units > b.units ? -1 : 0))
      .flatMap(({ pool, units }): SolToken["pools"][number][] => {
        const price = priceAtState({ decimals, quoteDecimals: decimalsOfCoin }, pool.amounts);
        const depth = depthOf(units, decimalsOfCoin);
        return price ? [{ ...pool, quote: nativeToken, depth, price }] : [];
      }),
    block: { number: view.slot, time: Number(view.time) },
  };
}
