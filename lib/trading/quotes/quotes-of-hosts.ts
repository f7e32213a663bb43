import { setTimeout as delay } from "node:timers/promises";
import { DomainError } from "../../core/domain-error.ts";
import { commonBlock } from "../chains/chain-client.ts";
import { HostFault, RpcRefusal } from "../chains/host-fault.ts";
import type { ChainReader } from "../chains/open-chains.ts";
import type { RpcHost } from "../chains/rpc-host.ts";
import { isSameQuote } from "../core/placing.ts";
import type { HostQuote, QuoteQuestion, TradeFacts } from "../core/trade-facts.ts";
import { chainFacts } from "../core/trading-chain.ts";
import { quoteOnChain } from "./quote-on-chain.ts";

/** Disagreeing hosts are asked again for this long, with this pause. */
const agreeMs = 2000;
const pauseMs = 100;

type Quotes = readonly [HostQuote, HostQuote];

/** Asks two hosts about a trade until they agree, or until the time is up. A lone host is believed. */
export async function quotesOfHosts(
  reader: ChainReader,
  question: QuoteQuestion,
  nowMs: () => number = Date.now,
): Promise<Quotes> {
  const untilMs = nowMs() + agreeMs;
  const { client } = reader;
  const [only, another] = client.hosts;
  if (only !== undefined && another === undefined) {
    const quote = await quoteBy(only, reader, question);
    return [quote, quote];
  }
  for (let isFirst = true; ; isFirst = false) {
    // Asks the other hosts only if the first two do not agree.
    const hosts = isFirst ? client.inOrder().slice(0, 2) : client.inOrder();
    const quotes = await quotesAtOneBlock(hosts, reader, question);
    const pairs = quotes.flatMap((a, index) => quotes.slice(index + 1).map((b): Quotes => [a, b]));
    const settled = pairs.find(isSettled);
    if (settled !== undefined) return settled;
    if (nowMs() + pauseMs >= untilMs) return pairs[0] ?? [undefined, undefined];
    await delay(pauseMs);
  }
}

/** Asks hosts that are ahead again, at the newest block that two hosts have. */
async function quotesAtOneBlock(
  hosts: readonly RpcHost[],
  reader: ChainReader,
  question: QuoteQuestion,
): Promise<readonly HostQuote[]> {
  const quotes = await Promise.all(hosts.map((host) => quoteBy(host, reader, question)));
  const blocks = quotes.filter(isQuoted).map(({ block }) => block);
  const common = commonBlock(blocks, chainFacts[reader.chain].maxLagBlocks);
  if (common === undefined) return quotes;
  return Promise.all(
    quotes.map((quote, index) =>
      isQuoted(quote) && quote.block.number > common.number
        ? quoteBy(hosts[index] as RpcHost, reader, question, common.number)
        : quote,
    ),
  );
}

const isQuoted = (quote: HostQuote): quote is TradeFacts =>
  quote !== undefined && !(quote instanceof DomainError);

function isSettled([a, b]: Quotes): boolean {
  if (a instanceof DomainError && b instanceof DomainError) return a.code === b.code;
  return isQuoted(a) && isQuoted(b) && isSameQuote(a, b);
}

async function quoteBy(
  host: RpcHost,
  reader: ChainReader,
  question: QuoteQuestion,
  block?: number,
): Promise<HostQuote> {
  try {
    return await quoteOnChain((calls) => host.request(calls), reader, question, block);
  } catch (error) {
    if (error instanceof DomainError) return error;
    if (error instanceof HostFault || error instanceof RpcRefusal) return undefined;
    throw error;
  }
}
