/**
 * The lower bound of an order: one process that has the key. It agrees with two hosts on a quote, signs the swap, and sends
 * it to both.
 */
import { DomainError } from "../../lib/core/domain-error.ts";
import { encodeCall } from "../../lib/trading/chains/evm/calldata.ts";
import { publishCall } from "../../lib/trading/chains/evm/rpc-call.ts";
import { signAndWipe } from "../../lib/trading/chains/evm/signed-transaction.ts";
import { type EvmReader, openChains } from "../../lib/trading/chains/open-chains.ts";
import { jointQuote } from "../../lib/trading/core/evm/joint-facts.ts";
import { needsRefund, type SwapCall } from "../../lib/trading/core/intent.ts";
import { chainFacts } from "../../lib/trading/core/trading-chain.ts";
import { quotesOfHosts } from "../../lib/trading/quotes/quotes-of-hosts.ts";
import { type FloorRequest, serveFloor } from "./serve-floor.ts";
import { now } from "./statistics.ts";

const chain = "eth";
let reader: EvmReader | undefined;

async function trade(request: FloorRequest<EvmReader["configuration"]>): Promise<number> {
  const { configuration, wallet, secret, token, amount } = request;
  reader ??= openChains({ [chain]: configuration }).get(chain) as EvmReader;
  const trade = { side: "buy", token, amount } as const;
  const quotes = await quotesOfHosts(reader, { chain, wallet, trade, gasPreset: "medium", orders: [] });
  const quote = jointQuote(...quotes, trade.side);
  if (quote === undefined || quote instanceof DomainError) throw quote ?? new Error("The hosts disagree");
  const agreedAt = now();
  const { venue, feeBps, router } = quote.routes[0];
  const call: SwapCall = {
    ...{ purpose: "swap", side: trade.side, token, venue, feeBps, router },
    ...{ recipient: wallet, value: quote.amount, amountIn: quote.amount },
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
  // The hosts may share a node, which takes it once.
  await Promise.any(reader.client.hosts.map((host) => host.request([publishCall(raw)])));
  return agreedAt;
}

serveFloor(trade);
