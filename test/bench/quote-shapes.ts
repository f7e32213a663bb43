import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { startLocalChain } from "trading-terminal-devnet/evm/local-chain";
import { alice } from "trading-terminal-devnet/evm/test-chain";
import { quoteOnEvm } from "../../lib/chains/evm/quotes/quote-on-chain.ts";
import { openEvmChains } from "../../lib/chains/families/open-chains.ts";
import type { Ask } from "../../lib/chains/hosts/ask-together.ts";
import type { EvmChain } from "../../lib/core/chain-facts.ts";

/** A question of a quote, and who asks the same: all who trade the token, those with the same trade, or nobody. */
export type ShapeCall = { method: string; scope: "token" | "trade" | "wallet" };

/** The questions of a quote, by request. */
export type QuoteShape = readonly (readonly ShapeCall[])[];

/** Records the questions of quotes for a buy of a listed token with several pools, on a local chain. */
export async function quoteShape(chain: EvmChain): Promise<QuoteShape> {
  const local = await startLocalChain({ chain });
  try {
    const reader = openEvmChains({ [chain]: { ...local.contracts, hosts: [local.url] } }).get(chain);
    if (reader === undefined) throw new Error("The chain does not trade");
    const block = Number(await local.request("eth_blockNumber"));

    async function recorded(amount: string) {
      const rounds: { method: string; name: string | undefined }[][] = [];
      const ask: Ask = (calls) => {
        rounds.push(calls.map(({ method, shared }) => ({ method, name: shared && textOf(shared()) })));
        return reader?.client.read(calls) as never;
      };
      const trade = { side: "buy", token: localAddresses.moon, amount } as const;
      await quoteOnEvm(
        ask,
        reader as never,
        { wallet: alice.address, trade, gasPreset: "medium", orders: [] },
        block,
      );
      return rounds;
    }
    const [one, other] = [await recorded("0.5"), await recorded("0.6")];
    return one.map((calls, round) =>
      calls.map(({ method, name }, index) => {
        const isOfToken = name === other[round]?.[index]?.name;
        return { method, scope: name === undefined ? "wallet" : isOfToken ? "token" : "trade" };
      }),
    );
  } finally {
    await local.close();
  }
}

const textOf = (name: unknown) =>
  JSON.stringify(name, (_, each) => (typeof each === "bigint" ? String(each) : each));
