import { setTimeout as delay } from "node:timers/promises";
import { DomainError } from "../../../core/domain-error.ts";
import type { QuotedTrade } from "../../../orders/placing-family.ts";
import { askInRounds } from "../../hosts/ask-in-rounds.ts";
import { type BegunRounds, beginRounds } from "../../hosts/begun-rounds.ts";
import { memoryPerHost } from "../../hosts/early-memory.ts";
import { isHostError } from "../../hosts/host-fault.ts";
import type { RpcHost } from "../../hosts/rpc-host.ts";
import { exchangeBetween } from "../calls/blockhash-exchange.ts";
import { jointSolQuote } from "../rules/joint-facts.ts";
import type { SolHostQuote, SolLaneQuestion, SolQuoteQuestion } from "../rules/trade-facts.ts";
import type { SolReader } from "../venues/reader.ts";
import { type JupiterForQuote, jupiterForQuote } from "./ask-jupiter.ts";
import { lookForSolQuote, type SolLook, TrialMemory } from "./early-trial.ts";
import { quoteOnSol } from "./quote-on-chain.ts";

const memoryOf = memoryPerHost(() => new TrialMemory());

type Quotes = readonly [SolHostQuote, SolHostQuote];

/**
 * Makes the first requests about a wallet's trade, which need neither the wallet's orders nor its user's settings.
 * `finish` makes the others once these are known.
 */
export function beginSolQuotes(reader: SolReader, trade: QuotedTrade) {
  const jupiter = jupiterForQuote(reader);
  const begun = beginRounds(reader.client, (ask, host) =>
    lookForSolQuote(ask, reader, trade, memoryOf(host), jupiter),
  );
  return {
    finish: (question: SolLaneQuestion) =>
      quotesOfSolHosts(reader, question, question.slippage, Date.now, { ...begun, jupiter }),
  };
}

/**
 * Asks two hosts about a trade until they agree, or until the time limit is reached. If only one host responds, its
 * answer is accepted. The hosts of a round agree on a blockhash for the order's first message.
 *
 * @param slippage In percent. The hosts' outputs may differ by a part of it.
 */
export function quotesOfSolHosts(
  reader: SolReader,
  question: SolQuoteQuestion,
  slippage: number,
  nowMs: () => number = Date.now,
  begun?: BegunRounds<SolLook> & { jupiter: JupiterForQuote | undefined },
  memoryFor: (host: RpcHost) => TrialMemory | undefined = memoryOf,
): Promise<Quotes> {
  const { hosts, inOrder } = reader.client;
  const { jupiter } = begun ?? { jupiter: jupiterForQuote(reader) };
  async function ask(asked: readonly RpcHost[]): Promise<SolHostQuote[]> {
    const exchange = exchangeBetween(asked.length);
    return Promise.all(
      asked.map(async (host) => {
        try {
          const asked = { ...question, look: begun?.take(host), memory: memoryFor(host) };
          return await quoteOnSol((calls) => host.request(calls), reader, asked, jupiter, exchange);
        } catch (error) {
          exchange.leave();
          if (error instanceof DomainError) return error;
          if (isHostError(error)) return undefined;
          throw error;
        }
      }),
    );
  }
  return askInRounds<RpcHost, SolHostQuote>({
    hosts,
    inOrder,
    nowMs,
    pause: delay,
    quoteBy: async (host) => (await ask([host]))[0],
    ask,
    isAgreed: (a, b) => jointSolQuote(a, b, slippage) !== undefined,
  });
}
