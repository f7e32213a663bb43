/**
 * The lower bound for the duration of an order: a single process that holds the key. It agrees with two hosts on a
 * quote, signs the swap and sends it to both.
 */

import { publishCall } from "../../lib/chains/evm/calls/rpc-call.ts";
import { quotesOfEvmHosts } from "../../lib/chains/evm/quotes/quotes-of-hosts.ts";
import { needsRefund, type SwapCall } from "../../lib/chains/evm/rules/intent.ts";
import { jointEvmQuote } from "../../lib/chains/evm/rules/joint-facts.ts";
import { encodeCall } from "../../lib/chains/evm/venues/calldata.ts";
import type { EvmReader } from "../../lib/chains/evm/venues/reader.ts";
import { signAndWipe } from "../../lib/chains/evm/venues/signed-transaction.ts";
import { openChains } from "../../lib/chains/families/open-chains.ts";
import { chainFacts } from "../../lib/core/chain-facts.ts";
import { DomainError } from "../../lib/core/domain-error.ts";
import { type FloorRequest, serveFloor } from "./serve-floor.ts";
import { now } from "./statistics.ts";

const chain = "eth";
let reader: EvmReader | undefined;

async function trade(request: FloorRequest<EvmReader["configuration"]>): Promise<number> {
  const { configuration, wallet, secret, token, amount } = request;
  reader ??= openChains({ [chain]: configuration }).get(chain) as EvmReader;
  const trade = { side: "buy", token, amount } as const;
  const question = { chain, wallet, trade, gasPreset: "medium", orders: [] } as const;
  // Remembers no routes, so that the bound stays that of an order in two rounds.
  const quotes = await quotesOfEvmHosts(reader, question, Date.now, undefined, () => undefined);
  const quote = jointEvmQuote(...quotes, trade.side);
  if (quote === undefined || quote instanceof DomainError) throw quote ?? new Error("The hosts disagree");
  const agreedAt = now();
  const { venue, feeBps, router } = quote.routes[0];
  const call: SwapCall = {
    purpose: "swap",
    side: trade.side,
    token,
    venue,
    feeBps,
    router,
    recipient: wallet,
    value: quote.amount,
    amountIn: quote.amount,
    minAmountOut: (quote.amountOut * 99n) / 100n,
    deadline: quote.block.time + 600,
    hasRefund: needsRefund(trade.side, quote.routes[0]),
  };
  const terms = {
    chainId: chainFacts[chain].chainId,
    nonce: quote.nextNonce as number,
    gasLimit: quote.transactions.at(-1)?.gasLimit as bigint,
    fees: quote.fees,
  };
  const { raw } = signAndWipe(Buffer.from(secret, "hex"), encodeCall(configuration, call, wallet), terms);
  // Tolerates a duplicate, because both hosts may share one node.
  await Promise.any(reader.client.hosts.map((host) => host.request([publishCall(raw)])));
  return agreedAt;
}

serveFloor(trade);
