import { setTimeout as delay } from "node:timers/promises";
import { DomainError } from "../../../core/domain-error.ts";
import { isHostError } from "../../chains/host-fault.ts";
import type { SolReader } from "../../chains/open-chains.ts";
import type { RpcHost } from "../../chains/rpc-host.ts";
import { jointSolQuote } from "../../core/sol/joint-quote.ts";
import type { SolHostQuote, SolQuoteQuestion } from "../../core/sol/trade-facts.ts";
import { askInRounds } from "../ask-in-rounds.ts";
import { type JupiterForQuote, jupiterForQuote } from "./ask-jupiter.ts";
import { quoteOnSol } from "./quote-on-sol.ts";

/**
 * Asks two hosts about a trade until they agree, or until the time is up. A lone host is believed.
 *
 * @param slippage In percent: how far it may be from the quote decides how far the hosts may be apart.
 */
export function quotesOfSolHosts(
  reader: SolReader,
  question: SolQuoteQuestion,
  slippage: number,
  nowMs: () => number = Date.now,
): Promise<readonly [SolHostQuote, SolHostQuote]> {
  const { hosts, inOrder } = reader.client;
  const jupiter = jupiterForQuote(reader);
  return askInRounds<RpcHost, SolHostQuote>({
    ...{ hosts, inOrder, nowMs, pause: delay },
    quoteBy: (host) => quoteBy(host, reader, question, jupiter),
    ask: (asked) => Promise.all(asked.map((host) => quoteBy(host, reader, question, jupiter))),
    isAgreed: (a, b) => jointSolQuote(a, b, slippage) !== undefined,
  });
}

async function quoteBy(
  host: RpcHost,
  reader: SolReader,
  question: SolQuoteQuestion,
  jupiter: JupiterForQuote | undefined,
): Promise<SolHostQuote> {
  try {
    return await quoteOnSol((calls) => host.request(calls), reader, question, jupiter);
  } catch (error) {
    if (error instanceof DomainError) return error;
    if (isHostError(error)) return undefined;
    throw error;
  }
}
