import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { startLocalChain } from "trading-terminal-devnet/evm/local-chain";
import { alice } from "trading-terminal-devnet/evm/test-chain";
import { quoteOnEvm } from "../../lib/chains/evm/quotes/quote-on-chain.ts";
import { openEvmChains } from "../../lib/chains/families/open-chains.ts";
import type { Ask } from "../../lib/chains/hosts/ask-together.ts";
import type { EvmChain } from "../../lib/core/chain-facts.ts";

/** The methods that a quote calls, by request. */
export type QuoteShape = readonly (readonly string[])[];

/** Records the questions of a quote for a buy of a listed token with several pools, on a local chain. */
export async function quoteShape(chain: EvmChain): Promise<QuoteShape> {
  const local = await startLocalChain({ chain });
  try {
    const reader = openEvmChains({ [chain]: { ...local.contracts, hosts: [local.url] } }).get(chain);
    if (reader === undefined) throw new Error("The chain does not trade");
    const rounds: string[][] = [];
    const ask: Ask = (calls) => {
      rounds.push(calls.map(({ method }) => method));
      return reader.client.read(calls);
    };
    const trade = { side: "buy", token: localAddresses.moon, amount: "0.5" } as const;
    await quoteOnEvm(ask, reader, { wallet: alice.address, trade, gasPreset: "medium", orders: [] });
    return rounds;
  } finally {
    await local.close();
  }
}
