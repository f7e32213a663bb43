import { inPartsOf } from "../../../core/in-parts.ts";
import { RecentMap } from "../../../core/recent-map.ts";
import { firstAnswer, hostsFrom } from "../../hosts/from-any-host.ts";
import type { RpcHost } from "../../hosts/rpc-host.ts";
import { levelOf, type PoolLevels, type PriceQuestion, type TokenLooks } from "../../hosts/token-looks.ts";
import { type ContractQuestion, multicall } from "../calls/multicall.ts";
import { HostPrices } from "../quotes/host-prices.ts";
import { bestOut } from "../quotes/route-ranks.ts";
import { kindOf, type VenueKind } from "../rules/swap-venues.ts";
import { type NamedPool, namedPoolsOf, type RoutePools } from "../venues/pool-quotes.ts";
import type { EvmReader } from "../venues/reader.ts";

/** Time after which a token's taxes are measured again. */
const taxesMs = 60 * 60_000;

/** Time after which all routes of a token are asked again. */
const wholeMs = 60_000;

const mostTokens = 10_000;

/** Maximum number of questions in one call, each of which takes about 10,000 gas. */
const questionsPerCall = 1000;

/** Selectors of the questions about a pool, and the words of each answer that set the price. */
const reserves = { data: "0x0902f1ac", words: [0, 1], weight: 2 };
const rootPrice = { data: "0x3850c7bd", words: [0], weight: 2 };
const liquidity = { data: "0x1a686502", words: [0], weight: 1 };
const activeBin = { data: "0xdbe65edc", words: [0], weight: 1 };

type Question = typeof reserves;

/** Reserves of a pool with bins change less than its price. The number of its bin shows the price. */
const questionsAbout: Readonly<Record<VenueKind, readonly Question[]>> = {
  v2: [reserves],
  v3: [rootPrice, liquidity],
  slipstream: [rootPrice, liquidity],
  bins: [reserves, activeBin],
};

const wholeBps = 10_000;

function levelsQuestion(pool: NamedPool, { data, words, weight }: Question): ContractQuestion<number[]> {
  const levelAt = (answer: string, word: number) => {
    const value = BigInt(`0x${answer.slice(2 + 64 * word, 66 + 64 * word)}`);
    return data === activeBin.data
      ? Number(value) * Math.log1p((pool.spacing ?? 0) / wholeBps)
      : weight * levelOf(value);
  };
  return { to: pool.pool, data, read: (answer) => words.map((word) => levelAt(answer, word)) };
}

/** Looks at the pools of tokens of an EVM chain, which quotes find. */
export class EvmTokenLooks implements TokenLooks {
  readonly #reader: EvmReader;
  readonly #nowMs: () => number;
  readonly #pools = new RecentMap<string, readonly NamedPool[]>(mostTokens);
  readonly #prices = new Map<RpcHost, { prices: HostPrices; untilMs: number }>();

  constructor(reader: EvmReader, nowMs: () => number = Date.now) {
    this.#reader = reader;
    this.#nowMs = nowMs;
  }

  levels(tokens: readonly string[], host: number): Promise<ReadonlyMap<string, PoolLevels>> {
    return firstAnswer(this.#reader, hostsFrom(this.#reader, host), async (ask) => {
      const poolsOf = (token: string) => this.#pools.get(token) ?? [];
      const pools = [...new Map(tokens.flatMap(poolsOf).map((each) => [each.pool, each])).values()];
      const questions = pools.flatMap((pool) =>
        questionsAbout[kindOf(pool)].map((question) => levelsQuestion(pool, question)),
      );
      const answers = await ask(
        inPartsOf(questionsPerCall, questions).map((part) => multicall(part, "latest")),
      );
      const levels = new Map<string, number[]>();
      for (const [index, found] of answers.flat().entries()) {
        const { to } = questions[index] as ContractQuestion<number[]>;
        levels.set(to, [...(levels.get(to) ?? []), ...(found ?? [])]);
      }
      const levelsOf = (token: string) => poolsOf(token).flatMap(({ pool }) => levels.get(pool) ?? []);
      return new Map(
        tokens.flatMap((token) => (poolsOf(token).length === 0 ? [] : [[token, levelsOf(token)]])),
      );
    });
  }

  outs(question: PriceQuestion, host: number): Promise<readonly (bigint | undefined)[]> {
    return firstAnswer(this.#reader, hostsFrom(this.#reader, host), async (_, by) => {
      const { look, pools } = await this.#pricesOf(by).look(question, "latest");
      this.#add(question.token, pools);
      return question.amounts.map((_, index) => look && bestOut(look.paid, index));
    });
  }

  /** Adds pools to those that are known, because a single host may hide some. */
  #add(token: string, routes: readonly RoutePools[]): void {
    const pools = [...(this.#pools.get(token) ?? []), ...routes.flatMap(namedPoolsOf)];
    this.#pools.set(token, [...new Map(pools.map((pool) => [pool.pool, pool])).values()]);
  }

  #pricesOf(host: RpcHost): HostPrices {
    const nowMs = this.#nowMs();
    const known = this.#prices.get(host);
    if (known !== undefined && nowMs < known.untilMs) return known.prices;
    const asking = { contracts: this.#reader.configuration, wholeMs, nowMs: this.#nowMs };
    const prices = new HostPrices(host, asking);
    this.#prices.set(host, { prices, untilMs: nowMs + taxesMs });
    return prices;
  }
}
