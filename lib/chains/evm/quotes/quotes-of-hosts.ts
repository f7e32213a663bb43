import { setTimeout as delay } from "node:timers/promises";
import { DomainError } from "../../../core/domain-error.ts";
import type { QuotedTrade } from "../../../orders/placing-family.ts";
import type { Trade } from "../../../orders/trade.ts";
import { askInRounds } from "../../hosts/ask-in-rounds.ts";
import { type BegunRounds, beginRounds } from "../../hosts/begun-rounds.ts";
import { memoryPerHost } from "../../hosts/early-memory.ts";
import { isHostError } from "../../hosts/host-fault.ts";
import type { RpcHost } from "../../hosts/rpc-host.ts";
import { commonBlock } from "../calls/hosts.ts";
import { mostApartSeconds } from "../rules/host-lag.ts";
import { jointEvmQuote } from "../rules/joint-facts.ts";
import type { EvmHostQuote, EvmQuoteQuestion, EvmTradeFacts } from "../rules/trade-facts.ts";
import type { EvmReader } from "../venues/reader.ts";
import { type EvmLook, lookForEvmQuote, quoteOnEvm } from "./quote-on-chain.ts";
import { EarlyCalls, type Purchase, RouteMemory } from "./remembered-routes.ts";

type Quotes = readonly [EvmHostQuote, EvmHostQuote];

/** Settings for asking a chain's hosts about one trade. */
export type Asking<Host> = {
  hosts: readonly Host[];
  /** Returns the hosts. Those that failed recently come last. */
  inOrder(): readonly Host[];
  side: Trade["side"];
  /** Asks a host about a block, by default its newest one. */
  quoteBy: (host: Host, block?: number) => Promise<EvmHostQuote>;
  /** Maximum difference between the times of two hosts' blocks. */
  apartSeconds: number;
  nowMs(): number;
  pause(ms: number): Promise<unknown>;
};

type MemoryFor = (host: RpcHost) => RouteMemory | undefined;

const memoryOf = memoryPerHost(() => new RouteMemory());

const earlyWith = (memory: RouteMemory | undefined) =>
  memory && ((purchase: Purchase) => new EarlyCalls(memory, purchase));

type Early = ReturnType<typeof earlyWith>;

/**
 * Makes the first requests about a wallet's trade, which need neither the wallet's orders nor its user's settings.
 * `finish` makes the others once these are known.
 */
export function beginEvmQuotes(reader: EvmReader, trade: QuotedTrade) {
  const begun = beginRounds(reader.client, (ask, host) =>
    lookForEvmQuote(ask, reader, { ...trade, isForPlanning: true, early: earlyWith(memoryOf(host)) }),
  );
  return {
    finish: (question: EvmQuoteQuestion) => quotesOfEvmHosts(reader, question, Date.now, begun),
  };
}

/**
 * Asks two hosts about a trade until they agree, or until the time limit is reached. If only one host responds, its
 * answer is accepted.
 */
export function quotesOfEvmHosts(
  reader: EvmReader,
  question: EvmQuoteQuestion,
  nowMs: () => number = Date.now,
  begun?: BegunRounds<EvmLook>,
  memoryFor: MemoryFor = memoryOf,
): Promise<Quotes> {
  const { hosts, inOrder } = reader.client;
  return askUntilAgreed<RpcHost>({
    hosts,
    inOrder,
    side: question.trade.side,
    quoteBy: (host, block) => {
      const early = earlyWith(memoryFor(host));
      return quoteBy(host, reader, { ...question, look: begun?.take(host), early }, block);
    },
    apartSeconds: mostApartSeconds(reader.chain),
    nowMs,
    pause: delay,
  });
}

export const askUntilAgreed = <Host>(asking: Asking<Host>): Promise<Quotes> =>
  askInRounds<Host, EvmHostQuote>({
    ...asking,
    ask: (hosts, isFirst) => quotesAtOneBlock(asking, hosts, isFirst),
    isAgreed: (a, b) => jointEvmQuote(a, b, asking.side) !== undefined,
  });

/**
 * Asks hosts that are ahead once more, at the newest block that two hosts have. If that fails, asks all hosts again. A
 * host answers each call of a request separately, so a quote may be inconsistent if a new block arrives in between.
 */
async function quotesAtOneBlock<Host>(
  { quoteBy, apartSeconds }: Asking<Host>,
  hosts: readonly Host[],
  isFirst: boolean,
): Promise<readonly EvmHostQuote[]> {
  const quotes = await Promise.all(hosts.map((host) => quoteBy(host)));
  const blocks = quotes.filter(isQuoted).map(({ block }) => block);
  const common = commonBlock(blocks, apartSeconds);
  if (common === undefined) return quotes;
  const isLate = ({ block }: EvmTradeFacts) => block.number < common.number;
  const isThere = ({ block }: EvmTradeFacts) => isFirst && block.number === common.number;
  return Promise.all(
    quotes.map((quote, index) =>
      !isQuoted(quote) || isLate(quote) || isThere(quote)
        ? quote
        : quoteBy(hosts[index] as Host, common.number),
    ),
  );
}

const isQuoted = (quote: EvmHostQuote): quote is EvmTradeFacts =>
  quote !== undefined && !(quote instanceof DomainError);

async function quoteBy(
  host: RpcHost,
  reader: EvmReader,
  question: EvmQuoteQuestion & { look?: Promise<EvmLook> | undefined; early: Early },
  block?: number,
): Promise<EvmHostQuote> {
  try {
    const asked = { ...question, isForPlanning: true };
    return await quoteOnEvm((calls) => host.request(calls), reader, asked, block);
  } catch (error) {
    if (error instanceof DomainError) return error;
    if (isHostError(error)) return undefined;
    throw error;
  }
}
