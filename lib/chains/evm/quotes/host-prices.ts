import { RecentMap } from "../../../core/recent-map.ts";
import type { Block } from "../../../orders/block.ts";
import { type Order, orderSides } from "../../../orders/execution.ts";
import type { TokenSafety } from "../../../orders/token-safety.ts";
import { type Ask, askTogether } from "../../hosts/ask-together.ts";
import { isHostError, type RpcRefusal } from "../../hosts/host-fault.ts";
import type { RpcCall } from "../../hosts/rpc-call.ts";
import type { RpcHost } from "../../hosts/rpc-host.ts";
import type { PriceQuestion } from "../../hosts/token-looks.ts";
import { blockCall, gasPriceCall, type StateTag } from "../calls/rpc-call.ts";
import { type EvmRoute, isSameEvmRoute } from "../rules/intent.ts";
import { type Contracts, routesOf } from "../venues/configured-routes.ts";
import { type PoolQuotes, type PoolTrade, poolQuotesCall, type RoutePools } from "../venues/pool-quotes.ts";
import { type PoolRoute, poolRoutesOf } from "../venues/pool-routes.ts";
import { probeCoins, probeSimulation } from "../venues/probe-simulation.ts";
import { routesToProbe, safetyOfKind } from "./choose-route.ts";
import {
  bestFirst,
  expectedFor,
  type First,
  firstsOf,
  hasRoute,
  leadersOf,
  mostInCall,
  type PaidByRoute,
  routesIn,
} from "./route-ranks.ts";

/** A host's answers about a block. */
export type PriceLook = {
  block: PoolQuotes["block"];
  /** Routes that have answered, whether or not they pay. */
  paid: readonly PaidByRoute[];
  /** True for each amount if the routes that are expected to pay best have answered. */
  hasBest: readonly boolean[];
};

/** Time for which a route that fails by itself is left out. */
const leftOutMs = 60_000;

/** Maximum number of tokens to remember for each host, as many as orders may rest. */
const mostTokens = 10_000;

const millionths = 1_000_000n;

/** The findings of a simulated purchase and sale on some routes. */
type Taxes = { probed: readonly PoolRoute[]; safeties: readonly TokenSafety[] };

/** Computes what is left of an amount after the token's tax. */
function afterTax({ probed, safeties }: Taxes, side: Order["side"], route: EvmRoute, amount: bigint): bigint {
  const { buyTax, sellTax } = safetyOfKind(route, probed, safeties);
  const tax = side === "buy" ? buyTax : sellTax;
  return (amount * (millionths - BigInt(Math.round((tax ?? 0) * 10_000)))) / millionths;
}

/** True if the token can be sold, but not through pools of this kind. */
const isBarred = ({ probed, safeties }: Taxes, route: EvmRoute): boolean =>
  safetyOfKind(route, probed, safeties).sellable === false && safeties.some(({ sellable }) => sellable);

type Ranks = {
  /** Routes to ask for a token and side, until the next question to all routes. */
  best: readonly EvmRoute[];
  /** The routes that paid best in the last look. */
  firsts: readonly First[];
  /** The amounts of the last look as text. Small pools may pay best for other amounts. */
  amounts: string;
  /** The routes that paid best until they failed by themselves. */
  missing: readonly First[];
  /** Time when all routes were asked. */
  wholeMs: number;
};

/** A look, the hashes of the earlier blocks, the routes to ask about these, and all routes that have pools. */
type Looked = {
  look: PriceLook | undefined;
  hashes: readonly Block[];
  routes: readonly EvmRoute[];
  pools: readonly RoutePools[];
};

type LookOptions = {
  /** Heights of the earlier blocks. */
  heights?: readonly number[];
  /** False if a look has just been made, so that its routes are kept. */
  renews?: boolean;
  /** True to search for pools again. */
  asksAll?: boolean;
};

/** Notes about a host's answers about a token. */
type Notes = {
  ranks: Partial<Record<Order["side"], Ranks>>;
  /** Routes that have failed by themselves. */
  leftOut: readonly { route: EvmRoute; untilMs: number }[];
  taxes: Taxes;
  /** The routes whose pools existed when all routes were asked last. Most of the configured ones exist for no token. */
  pools?: readonly RoutePools[];
};

/** Notes by host, so that no host decides what another one is asked. */
const notesOfHosts = new WeakMap<RpcHost, RecentMap<string, Notes>>();

function notesOn(host: RpcHost, token: string): Notes {
  const ofHost = notesOfHosts.get(host) ?? new RecentMap(mostTokens);
  notesOfHosts.set(host, ofHost);
  const notes = ofHost.get(token) ?? { ranks: {}, leftOut: [], taxes: { probed: [], safeties: [] } };
  ofHost.set(token, notes);
  return notes;
}

/** Makes a call about routes whose failure concerns them alone. The host is at fault only if it is busy or behind. */
const quiet = <Value>(call: RpcCall<Value>): RpcCall<Value | undefined> => ({
  ...call,
  read: (result) => (result === undefined ? undefined : call.read(result)),
  split(refusal) {
    const parts = partsOf(call, refusal);
    return (
      parts && {
        calls: parts.calls.map(quiet),
        join: (answers) => (answers.includes(undefined) ? undefined : parts.join(answers)),
      }
    );
  },
  recover(refusal) {
    if (refusal.isBusy || refusal.isOutOfStep || refusal.isMissing) throw refusal;
    return undefined;
  },
});

/** Returns undefined if the question is already as small as possible. */
function partsOf({ split }: RpcCall<unknown>, refusal: RpcRefusal) {
  try {
    return split?.(refusal);
  } catch (error) {
    if (!isHostError(error)) throw error;
    return undefined;
  }
}

type Asking = {
  contracts: Contracts;
  /** Time after which all routes are asked again. Until then, only those that paid best are asked. */
  wholeMs: number;
  nowMs: () => number;
};

/** Asks one host what a token's pools pay. */
export class HostPrices {
  readonly host: RpcHost;
  readonly #asking: Asking;
  /** Tokens whose taxes were measured for this run. */
  readonly #measured = new Set<string>();

  constructor(host: RpcHost, asking: Asking) {
    this.host = host;
    this.#asking = asking;
  }

  #ask: Ask = (calls) => this.host.request(calls);

  /**
   * Asks about a block, and for the hashes of earlier ones. The amounts that reach the pools count, so the first look at
   * a token also simulates a purchase and a sale.
   *
   * @throws {HostFault, RpcRefusal} if the host fails.
   */
  async look(
    question: PriceQuestion,
    tag: StateTag,
    { heights = [], renews = true, asksAll = false }: LookOptions = {},
  ): Promise<Looked> {
    const { contracts, nowMs } = this.#asking;
    const { side, token } = question;
    const notes = notesOn(this.host, token);
    const { pools } = notes;
    const known = notes.ranks[side];
    const open = routesOf(contracts, token).filter(
      (route) => !notes.leftOut.some((left) => nowMs() < left.untilMs && isSameEvmRoute(left.route, route)),
    );
    const isUsable = (route: EvmRoute) => !isBarred(notes.taxes, route);
    const usable = open.filter(isUsable);
    const missing = known?.missing ?? [];
    const missed = routesIn(missing);
    const best = bestFirst(missed, known?.best ?? []).filter((route) => hasRoute(usable, route));
    const isOld = known === undefined || (renews && nowMs() - known.wholeMs >= this.#asking.wholeMs);
    const isDue = asksAll || isOld || best.length === 0;
    const isWhole = isDue || known.amounts !== amountsText(question);
    const withPools = usable.filter((route) => pools && hasRoute(pools, route));
    const routes = isWhole ? bestFirst(best, withPools) : best;
    const isMeasured = this.#measured.has(token);
    const first = await this.#quotes(question, routes, tag, {
      hashes: heights.map(blockCall),
      // Says which pools exist, and what they pay a stranger whose taxes are measured.
      found:
        isDue || !isMeasured
          ? [quiet(poolQuotesCall(contracts, token, isMeasured ? [] : [probe], open, tag))]
          : [],
      gasPrice: isMeasured ? [] : [gasPriceCall()],
    });
    const { hashes, gasPrice } = first.extra;
    const [found] = first.extra.found;
    const nowFound = found?.routes.map(({ route }) => route);
    if (nowFound !== undefined) notes.pools = nowFound;
    // A host that does not say which pools exist is asked about each route.
    const existing = nowFound ?? pools ?? open;
    const isLeft = (route: EvmRoute) => hasRoute(existing, route) && !hasRoute(routes, route);
    const others = isWhole ? usable.filter(isLeft) : [];
    const asked = [...routes, ...others];
    const again = async () => (await this.#quotes(question, asked, tag, {})).answers;
    const [isChanged, more] = await Promise.all([
      !isMeasured && found !== undefined && this.#measure(notes, token, found, gasPrice[0] ?? 0n),
      others.length === 0 ? undefined : again(),
    ]);
    this.#measured.add(token);
    const answers = isChanged ? await again() : (more ?? first.answers);
    const paysNothing = !answers.some(({ outs }) => outs?.some((out) => out > 0n));
    if (paysNothing && !isDue) return this.look(question, tag, { heights, asksAll: true });
    const expected = [...missing, ...(known?.firsts ?? [])].filter(({ route }) => isUsable(route));
    const look = this.#lookOf(
      question,
      answers.filter(({ route }) => isUsable(route)),
      expected,
      found?.block,
    );
    if (look !== undefined) {
      const wholeMs = isDue && nowFound !== undefined ? nowMs() : (known?.wholeMs ?? nowMs());
      // A route that fails again, after it was left out, is given up.
      const payers = routesIn(look.paid);
      const isGivenUp = (route: EvmRoute) => hasRoute(missed, route) && hasRoute(asked, route);
      // Keeps routes that paid best in earlier blocks until all are asked again.
      const kept = isOld ? [] : (this.#ranksOf(question)?.best ?? []);
      notes.ranks[side] = {
        best: bestFirst(leadersOf(look.paid, question.amounts), kept),
        firsts: firstsOf(look.paid, question.amounts),
        amounts: amountsText(question),
        missing: expected.filter(({ route }) => !hasRoute(payers, route) && !isGivenUp(route)),
        wholeMs,
      };
    }
    return {
      look,
      hashes,
      routes: bestFirst(notes.ranks[side]?.best ?? [], asked),
      pools: notes.pools ?? [],
    };
  }

  /** Asks what the routes of a look paid at an earlier block. */
  async before(question: PriceQuestion, { look: now, routes }: Looked, tag: StateTag) {
    if (now === undefined || routes.length === 0) return undefined;
    const { answers } = await this.#quotes(question, routes, tag, {});
    const look = this.#lookOf(question, answers, firstsOf(now.paid, question.amounts));
    // Asks the pools that paid best then in the next looks, too: they may pay less in one block only.
    const ranks = this.#ranksOf(question);
    if (look !== undefined && ranks !== undefined)
      ranks.best = bestFirst(ranks.best, routesIn(firstsOf(look.paid, question.amounts)));
    return look;
  }

  /** Returns the ranks of the last look, if that was about the same amounts. */
  #ranksOf(question: PriceQuestion): Ranks | undefined {
    const ranks = notesOn(this.host, question.token).ranks[question.side];
    return ranks?.amounts === amountsText(question) ? ranks : undefined;
  }

  async #quotes<const Extra extends object>(
    { side, token, amounts }: PriceQuestion,
    routes: readonly EvmRoute[],
    tag: StateTag,
    extra: Extra,
  ) {
    const { contracts } = this.#asking;
    const notes = notesOn(this.host, token);
    const { taxes } = notes;
    const callOf = (group: readonly EvmRoute[]) => {
      const tradeOf = (amountIn: bigint): PoolTrade => ({
        side,
        amountIn: side === "buy" ? amountIn : afterTax(taxes, side, group[0] as EvmRoute, amountIn),
      });
      return quiet(poolQuotesCall(contracts, token, amounts.map(tradeOf), group, tag));
    };
    const isTogether = routes.length <= mostInCall && routes.every(hasTaxOf(taxes, side, routes[0]));
    const groups = isTogether && routes.length > 0 ? [routes] : routes.map((route) => [route]);
    const { quoted, extra: others } = await askTogether(this.#ask, { quoted: groups.map(callOf), extra });
    const failed = groups.filter((group, index) => group.length > 1 && quoted[index] === undefined).flat();
    const alone = failed.length === 0 ? [] : await this.#ask(failed.map((route) => callOf([route])));
    const answerOf = (route: EvmRoute): RouteAnswer => {
      const group = groups.findIndex((each) => each.includes(route));
      const found = quoted[group] ?? alone[failed.indexOf(route)];
      if (found === undefined) return { route };
      const { amountsOut } = found.routes.find((each) => isSameEvmRoute(each.route, route)) ?? {};
      const outs = amounts.map((_, index) => {
        const out = amountsOut?.[index] ?? 0n;
        return side === "buy" ? afterTax(taxes, side, route, out) : out;
      });
      return { route, block: found.block, outs };
    };
    const answers = routes.map(answerOf);
    const untilMs = this.#asking.nowMs() + leftOutMs;
    const silent = answers.flatMap(({ route, block }) => (block === undefined ? [route] : []));
    notes.leftOut = [
      ...notes.leftOut.filter(({ route }) => !hasRoute(silent, route)),
      ...silent.map((route) => ({ route, untilMs })),
    ];
    return { answers, extra: others };
  }

  /**
   * @param firsts Routes that must answer. If there are none for an amount, all of them must.
   * @param at The block at which no route was found.
   */
  #lookOf(
    { amounts }: PriceQuestion,
    answers: readonly RouteAnswer[],
    firsts: readonly First[],
    at?: PoolQuotes["block"],
  ): PriceLook | undefined {
    const blocks = answers.length === 0 && at ? [at] : answers.flatMap(({ block }) => block ?? []);
    const [block] = blocks;
    if (
      block === undefined ||
      blocks.some(({ number, time }) => number !== block.number || time !== block.time)
    )
      return undefined;
    const paid = answers.flatMap(({ route, outs }) => (outs === undefined ? [] : [{ route, outs }]));
    const payers = routesIn(paid);
    const hasBest = amounts.map((amount) => {
      const expected = expectedFor(firsts, amount);
      return expected.length === 0
        ? paid.length === answers.length
        : expected.every((route) => hasRoute(payers, route));
    });
    return { block, paid, hasBest };
  }

  /** Simulates a purchase and a sale by a stranger. Returns true if other taxes were known before. */
  async #measure(notes: Notes, token: string, found: PoolQuotes, baseFee: bigint): Promise<boolean> {
    const { contracts } = this.#asking;
    const [routes = []] = poolRoutesOf({ direct: found, bridged: [] }).routes;
    const probed = routesToProbe(routes);
    const safeties = await this.#ask(
      probed.map((route) => probeSimulation(contracts, token, route, { ...found.block, baseFee })),
    );
    const { taxes: before } = notes;
    notes.taxes = { probed, safeties };
    const textOf = (taxes: Taxes) =>
      routesOf(contracts, token)
        .map((route) => [
          ...orderSides.map((side) => afterTax(taxes, side, route, millionths)),
          isBarred(taxes, route),
        ])
        .join();
    return textOf(before) !== textOf(notes.taxes);
  }
}

const probe: PoolTrade = { side: "buy", amountIn: probeCoins };

/** A route's answer. It has no block if the route has failed. */
type RouteAnswer = { route: EvmRoute; block?: PoolQuotes["block"]; outs?: readonly bigint[] };

const amountsText = ({ amounts }: PriceQuestion): string => `${amounts.filter((amount) => amount > 0n)}`;

const hasTaxOf = (taxes: Taxes, side: Order["side"], other: EvmRoute | undefined) => (route: EvmRoute) =>
  other !== undefined &&
  afterTax(taxes, side, route, millionths) === afterTax(taxes, side, other, millionths);
