import { inPartsOf } from "../../../core/in-parts.ts";
import type { Block } from "../../../orders/block.ts";
import type { LegQuestion, SumsQuestion } from "../../../orders/resting/firing.ts";
import { type Ladder, type Ladders, mostSums } from "../../../orders/resting/selection.ts";
import type { PriceWord, PriceWords } from "../../../orders/resting/touch.ts";
import { unlessHostFails } from "../../hosts/host-fault.ts";
import { askHost } from "../../hosts/host-group.ts";
import type { RpcHost } from "../../hosts/rpc-host.ts";
import type { TokenPrices } from "../../hosts/token-prices.ts";
import { commonBlock } from "../calls/hosts.ts";
import { blockCall } from "../calls/rpc-call.ts";
import { mostApartSeconds } from "../rules/host-lag.ts";
import type { EvmReader } from "../venues/reader.ts";
import { HostPrices } from "./host-prices.ts";
import { bestOut } from "./route-ranks.ts";

/** Age from which two hosts are asked again for a common block. */
const freshMs = 1000;

/** Time after which all routes are asked again. It is short, because an order fires by the answer. */
const wholeMs = 5000;

/** Maximum number of pairs of hosts that are asked. */
const mostPairs = 3;

type HostPair = readonly RpcHost[];

/** A block that two hosts have. */
type Common = { block: Block; hosts: readonly HostPrices[]; untilMs: number };

/**
 * Asks two hosts for prices at a common block. Serves one run about a few orders, in which it measures each token's taxes
 * once.
 */
export class EvmPrices implements TokenPrices {
  readonly #reader: EvmReader;
  readonly #nowMs: () => number;
  readonly #hosts = new Map<RpcHost, HostPrices>();
  /** Pairs of hosts that have failed together. */
  readonly #failed: HostPair[] = [];
  #common: Promise<Common | undefined> | undefined;

  constructor(reader: EvmReader, nowMs: () => number = Date.now) {
    this.#reader = reader;
    this.#nowMs = nowMs;
  }

  async priceWords(questions: readonly LegQuestion[]): Promise<PriceWords[]> {
    const sorted = questions.toSorted((a, b) => (a.amount < b.amount ? -1 : 1));
    const alike = Map.groupBy(sorted, ({ side, token, distances }) => `${side} ${token} ${distances}`);
    const [first, ...others] = [...alike.values()].flatMap((each) => inPartsOf(mostSums, each));
    if (first === undefined) return [];
    // Asks the first question by itself, because it finds the block that the others are about, and measures taxes.
    const words = new Map(await this.#wordsOf(first));
    for (const more of await Promise.all(others.map((each) => this.#wordsOf(each))))
      for (const [question, ofBoth] of more) words.set(question, ofBoth);
    return questions.map((question) => words.get(question) ?? [undefined, undefined]);
  }

  /** Asks one question about several amounts of the same side and distances, the smallest one first. */
  async #wordsOf(asked: readonly LegQuestion[]): Promise<(readonly [LegQuestion, PriceWords])[]> {
    const { side, token, distances } = asked[0] as LegQuestion;
    const question = { side, token, amounts: asked.map(({ amount }) => amount) };
    const [a, b] = await this.#ofTwo(async ({ block, hosts }) => {
      const heights = distances.map((distance) => Math.max(0, block.number - distance));
      const looks = await onEach(hosts, (host) => host.look(question, block, { heights }));
      // A host refuses hashes of blocks that are not its own, and the numbers are checked below.
      const hashes = looks.find((look) => look !== undefined)?.hashes.map(({ hash }) => hash) ?? [];
      return onEach(hosts, async (host, index): Promise<PriceWord[] | undefined> => {
        const looked = looks[index];
        const look = looked?.look;
        if (looked === undefined || look?.block.number !== block.number) return undefined;
        const earlier = await Promise.all(hashes.map((hash) => host.before(question, looked, { hash })));
        const sure = earlier.flatMap((each, at) =>
          each !== undefined && each.block.number === heights[at]
            ? [{ distance: distances[at] as number, look: each }]
            : [],
        );
        const head = { ...look.block, hash: block.hash };
        return asked.map((_, at) => ({
          head,
          out: bestOut(look.paid, at),
          before: new Map(
            sure.flatMap(({ distance, look: then }) => {
              const out = then.hasBest[at] ? bestOut(then.paid, at) : undefined;
              return out === undefined ? [] : [[distance, out]];
            }),
          ),
          hasBest: look.hasBest[at] === true,
        }));
      });
    });
    return asked.map((each, at) => [each, [a?.[at], b?.[at]]]);
  }

  quoteSums({ side, token, sums }: SumsQuestion): Promise<Ladders> {
    const question = { side, token, amounts: sums };
    return this.#ofTwo(({ block, hosts }) =>
      onEach(hosts, async (host): Promise<Ladder | undefined> => {
        const { look } = await host.look(question, block, { renews: false });
        return look?.block.number === block.number ? look.paid.map(({ outs }) => outs) : undefined;
      }),
    );
  }

  /** Asks pairs of hosts in turn, until both hosts of a pair answer. */
  async #ofTwo<Answer>(
    ask: (common: Common) => Promise<(Answer | undefined)[]>,
  ): Promise<readonly [Answer | undefined, Answer | undefined]> {
    let best: (Answer | undefined)[] = [];
    for (;;) {
      const pair = this.#pair();
      if (pair === undefined) return bothOf(best);
      const common = await this.#commonOf(pair);
      const answers = common === undefined ? [] : await ask(common);
      if (answers.length > 0 && answers.every((answer) => answer !== undefined)) return bothOf(answers);
      if (best.length === 0) best = answers;
      this.#failed.push(pair);
      this.#common = undefined;
    }
  }

  /** Returns the first two hosts that have not failed together. */
  #pair(): HostPair | undefined {
    const hosts = this.#reader.client.inOrder();
    const pairs =
      hosts.length === 1 ? [hosts] : hosts.flatMap((a, index) => hosts.slice(index + 1).map((b) => [a, b]));
    const hasFailed = (pair: HostPair) =>
      this.#failed.some((failed) => pair.every((host) => failed.includes(host)));
    return this.#failed.length < mostPairs ? pairs.find((pair) => !hasFailed(pair)) : undefined;
  }

  async #commonOf(pair: HostPair): Promise<Common | undefined> {
    const known = await this.#common;
    if (known !== undefined && this.#nowMs() < known.untilMs) return known;
    this.#common = this.#findCommon(pair);
    return this.#common;
  }

  async #findCommon(pair: HostPair): Promise<Common | undefined> {
    const untilMs = this.#nowMs() + freshMs;
    const heads = await Promise.all(pair.map((host) => askHost(host, [blockCall("latest")] as const)));
    const blocks = heads.flatMap((answer) => ("values" in answer ? answer.values[0] : []));
    const block = commonBlock(blocks, mostApartSeconds(this.#reader.chain), pair.length);
    return block && { block, hosts: pair.map((host) => this.#pricesOf(host)), untilMs };
  }

  #pricesOf(host: RpcHost): HostPrices {
    const { configuration: contracts } = this.#reader;
    const prices = this.#hosts.get(host) ?? new HostPrices(host, { contracts, wholeMs, nowMs: this.#nowMs });
    this.#hosts.set(host, prices);
    return prices;
  }
}

/** Asks each host. The answer of a host that fails is undefined. */
const onEach = <Answer>(
  hosts: readonly HostPrices[],
  ask: (host: HostPrices, index: number) => Promise<Answer>,
): Promise<(Answer | undefined)[]> =>
  Promise.all(hosts.map((host, index) => unlessHostFails(ask(host, index))));

/** If a chain has only one host, that host's answer counts twice. */
const bothOf = <Word>([a, ...others]: readonly Word[]): readonly [Word | undefined, Word | undefined] => [
  a,
  others.length === 0 ? a : others[0],
];
