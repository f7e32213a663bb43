import { isDeepStrictEqual } from "node:util";
import { chainFacts } from "../../../core/chain-facts.ts";
import type { Block } from "../../../orders/block.ts";
import { safetyOf, type TokenSafety } from "../../../orders/token-safety.ts";
import type { ValuesIn } from "../../hosts/ask-together.ts";
import { EarlyMemory, type Remembered } from "../../hosts/early-memory.ts";
import { attemptQuietly } from "../../hosts/rpc-call.ts";
import { headAgainCall, nonceCall } from "../calls/rpc-call.ts";
import { isSameEvmRoute } from "../rules/intent.ts";
import type { RoutePools } from "../venues/pool-quotes.ts";
import type { PoolRoute } from "../venues/pool-routes.ts";
import { newStranger, probeCoins } from "../venues/probe-simulation.ts";
import type { EvmReader } from "../venues/reader.ts";
import { statesNowCall } from "../venues/route-states.ts";
import { type CleanTrip, cleanTripCall, type SwapOutcome } from "../venues/swap-simulation.ts";
import { type RouteAnswers, routeFeeCalls, type SwapRequest } from "./choose-route.ts";

/** Maximum number of purchases to remember, about 2 kB each. */
const mostPurchases = 1000;

/**
 * Maximum percentage by which a pool's payment may have changed. The simulated sale is smaller by as much, because it is
 * encoded before it is known what arrives.
 */
const mostChange = 3n;

/** The routes that the calls of a quote are about. */
type AskedRoutes = {
  /** Routes whose swaps are simulated, with what their pools pay for the purchase. */
  tried: readonly PoolRoute[];
  /** Routes on which a stranger's purchase is simulated, with what their pools pay for it. */
  probed: readonly PoolRoute[];
  /** Further routes whose states are read. */
  others: readonly RoutePools[];
};

type Market = Pick<SwapRequest, "fees" | "baseFee">;

type Seen = AskedRoutes & Market;

/** Routes of a quote, and its fees. */
type KnownRoutes = Seen & {
  /** Time by which the host's block was ahead of this process's clock. */
  aheadMs: number;
};

export type Purchase = Pick<SwapRequest, "wallet" | "token" | "amountIn">;

const nameOf = ({ token, amountIn }: Purchase) => `${token} ${amountIn}`;

/** Remembers one host's routes of recent purchases, of any wallet. */
export class RouteMemory extends EarlyMemory<KnownRoutes> {
  constructor(nowMs?: () => number) {
    super(mostPurchases, nowMs);
  }
}

/** The calls of a quote's second request that its first one makes already, about remembered routes. */
export class EarlyCalls {
  readonly #memory: RouteMemory;
  readonly #purchase: Purchase;
  readonly #taken: Remembered<KnownRoutes> | undefined;
  #wereUseful = false;

  constructor(memory: RouteMemory, purchase: Purchase) {
    this.#memory = memory;
    this.#purchase = purchase;
    this.#taken = memory.take(nameOf(purchase));
  }

  calls(reader: Reader): [] | [ReturnType<typeof earlyCalls>] {
    return this.#taken === undefined ? [] : [earlyCalls(reader, this.#purchase, this.#taken.value)];
  }

  /**
   * Returns what the second request would answer, if the early calls show it.
   *
   * @param latest The block of the first request's other answers. Undefined if they are about several blocks.
   */
  answersIn([early]: readonly EarlyAnswers[], needed: AskedRoutes, latest: Block | undefined) {
    if (this.#taken === undefined || early === undefined) return undefined;
    if (latest === undefined || isTorn(early, latest)) return undefined;
    const answers = earlyAnswers(this.#taken.value, early, needed, latest);
    this.#wereUseful = answers !== undefined;
    return answers;
  }

  /** Remembers the routes of a quote on which the token showed neither tax nor loss. */
  remember(needed: AskedRoutes, market: Market, block: Pick<Block, "time">, shown: Shown): void {
    if (!areClean(needed.tried, shown)) return;
    const { fees, baseFee } = market;
    const aheadMs = Math.max(0, 1000 * block.time - this.#memory.nowMs());
    const taken = this.#wereUseful ? this.#taken : undefined;
    this.#memory.keep(nameOf(this.#purchase), { ...needed, fees, baseFee, aheadMs }, taken);
  }
}

type Reader = Pick<EvmReader, "chain" | "configuration">;

/** Makes the calls of a quote's second request at the host's newest block. */
function earlyCalls(
  reader: Reader,
  { wallet, token, amountIn }: Purchase,
  { tried, probed, others, fees, baseFee, aheadMs }: KnownRoutes,
) {
  const { chain, configuration } = reader;
  // Chooses a time after the newest block's, even if that came early.
  const time = Math.ceil((Date.now() + aheadMs) / 1000 + chainFacts[chain].blockSeconds);
  const trip = (by: string, coins: bigint, route: PoolRoute) =>
    attemptQuietly(
      cleanTripCall(
        configuration,
        { wallet: by, token, amountIn: coins },
        { ...route, amountOut: soldOf(route) },
        { number: "latest", time, baseFee },
      ),
    );
  const request = { wallet, side: "buy", token, amountIn, fees } as const;
  return {
    trips: tried.map((route) => trip(wallet, amountIn, route)),
    probes: probed.map((route) => trip(newStranger(), probeCoins, route)),
    states: attemptQuietly(statesNowCall(configuration, token, [...tried, ...others], wallet)),
    l1Fees: routeFeeCalls(reader, request, tried, "latest").map((call) => attemptQuietly(call)),
    nextNonce: attemptQuietly(nonceCall(wallet, "latest")),
    // Must be the last call of the request.
    head: attemptQuietly(headAgainCall()),
  };
}

type EarlyAnswers = ValuesIn<ReturnType<typeof earlyCalls>>;

/** True if a new block arrived while the host made the calls. */
const isTorn = ({ states, head }: EarlyAnswers, { number, hash }: Block): boolean =>
  (states !== undefined && states.block !== number) || (head !== undefined && head.hash !== hash);

/**
 * Returns what the second request would have answered, if the host made all calls at the same block, if they were about
 * the routes that a quote at this block needs, and if the token shows no tax and no loss on any of them. Two calls show
 * no block. A later nonce is still the wallet's next one, and two hosts must name the same. Of two fees on L1, the
 * higher one counts.
 *
 * @param latest The host's newest block at the beginning of the request.
 */
function earlyAnswers(known: KnownRoutes, early: EarlyAnswers, needed: AskedRoutes, latest: Block) {
  const { trips, probes, states, l1Fees, nextNonce, head } = early;
  const swaps = cleanTrips(needed.tried, known.tried, trips, latest);
  const strangers = cleanTrips(needed.probed, known.probed, probes, latest);
  const areOthersSame =
    needed.others.length === known.others.length &&
    needed.others.every((route) => known.others.some((each) => hasSamePools(each, route)));
  const isWhole = states !== undefined && head !== undefined && nextNonce !== undefined;
  if (swaps === undefined || strangers === undefined || !areOthersSame || !isWhole) return undefined;
  const fees = l1Fees.map((ofRoutes) => ofRoutes && swaps.flatMap(({ index }) => ofRoutes[index] ?? []));
  const l1 = fees.flatMap((ofRoutes) => (ofRoutes === undefined ? [] : [ofRoutes]));
  if (l1.length < fees.length) return undefined;
  const answers: RouteAnswers = { outcomes: swaps.map(({ trip }) => [outcomeOf(trip)]), l1Fees: l1 };
  return {
    safeties: strangers.map(() => cleanSafety),
    sale: [],
    coins: [states.coins],
    nextNonce: [nextNonce],
    answers,
    states: states.states,
    again: [latest.hash],
  };
}

type Shown = { answers: Pick<RouteAnswers, "outcomes">; safeties: readonly TokenSafety[] };

const areClean = (tried: readonly PoolRoute[], { answers: { outcomes }, safeties }: Shown): boolean =>
  safeties.every(isClean) &&
  tried.every(({ amountOut }, index) => {
    const [outcome] = outcomes[index] ?? [];
    return outcome?.kind === "delivered" && outcome.amountOut === amountOut && isClean(outcome.safety);
  });

const isClean = (safety: TokenSafety | undefined) => isDeepStrictEqual(safety, cleanSafety);

const whole = { sent: 1n, arrived: 1n };

/** The findings about a token of which everything arrives, from purchases as well as from sales. */
const cleanSafety = safetyOf({ bought: whole, sold: whole });

const outcomeOf = ({ arrived, gasUsed }: CleanTrip): SwapOutcome => ({
  kind: "delivered",
  amountOut: arrived,
  wantsZeroFirst: false,
  gasUsed: { swap: gasUsed },
  safety: cleanSafety,
});

const soldOf = ({ amountOut }: PoolRoute): bigint => (amountOut * (100n - mostChange)) / 100n;

/**
 * Finds the trip of each route. Undefined if the routes have changed, or if a trip shows another amount than the pool
 * pays now: it was then simulated at another block, in case the host does not name that, or the token is taxed.
 */
function cleanTrips(
  routes: readonly PoolRoute[],
  known: readonly PoolRoute[],
  trips: readonly (CleanTrip | undefined)[],
  { hash }: Block,
): { trip: CleanTrip; index: number }[] | undefined {
  const found = routes.flatMap((route) => {
    const index = known.findIndex((each) => hasSamePools(each, route));
    const [before, trip] = [known[index], trips[index]];
    if (before === undefined || trip === undefined || trip.arrived !== route.amountOut) return [];
    const { parent = hash } = trip;
    const sold = soldOf(before);
    const isNear = sold > 0n && sold <= trip.arrived && soldOf(route) <= before.amountOut;
    return isNear && parent === hash ? [{ trip, index }] : [];
  });
  return found.length === routes.length && known.length === routes.length ? found : undefined;
}

const hasSamePools = (a: RoutePools, b: RoutePools): boolean =>
  a.pool === b.pool && a.bridgePool === b.bridgePool && isSameEvmRoute(a, b);
