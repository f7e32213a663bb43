import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { startLocalChain } from "trading-terminal-devnet/evm/local-chain";
import { alice } from "trading-terminal-devnet/evm/test-chain";
import { snapshotOfEvm } from "../../lib/chains/evm/looks/snapshot-of-host.ts";
import { quoteOnEvm } from "../../lib/chains/evm/quotes/quote-on-chain.ts";
import type { Evm } from "../../lib/chains/evm/rules/family.ts";
import { swapBy } from "../../lib/chains/evm/rules/intent.ts";
import { encodeCall } from "../../lib/chains/evm/venues/calldata.ts";
import { openEvmChains } from "../../lib/chains/families/open-chains.ts";
import type { RpcHost } from "../../lib/chains/hosts/rpc-host.ts";
import type { EvmChain } from "../../lib/core/chain-facts.ts";
import type { Question } from "../../lib/orders/effects.ts";
import { intent as intentOf, localV2, localV3 } from "../support/trading.ts";
import { countsOf, type HostCounts, type HostRequest } from "./host-requests.ts";

/** Stage of an order's transaction: unsent, sent but too recently for higher fees to be due, or mined. */
export type Stage = "unsent" | "sent" | "mined";

/** One host's calls for a quote and for a run at each stage. */
export type OrderCalls = Record<Stage | "quote", HostCounts>;

/** Counts a local chain's calls at each stage of a buy order, without those for the chain's id. */
export async function orderCalls(chain: EvmChain): Promise<OrderCalls> {
  const local = await startLocalChain({ chain });
  try {
    const configuration = { ...local.contracts, hosts: [local.url] };
    const reader = openEvmChains({ [chain]: configuration }).get(chain);
    const [host] = reader?.client.hosts ?? [];
    if (reader === undefined || host === undefined) throw new Error("The chain does not trade");
    const wallet = alice.address;
    const token = localAddresses.moon;
    const intent = intentOf({
      chain,
      wallet,
      token,
      minAmountOut: 1n,
      routes: [localV2, localV3],
      isPrivate: false,
      validUntil: 2 ** 32 - 1,
    });

    async function counted(act: (counting: RpcHost) => Promise<unknown>): Promise<HostCounts> {
      const requests: HostRequest[] = [];
      const request: RpcHost["request"] = (calls, signal) => {
        requests.push({ calls, at: 0 });
        return (host as RpcHost).request(calls, signal);
      };
      if ((await act({ request })) === undefined) throw new Error("The host gave no answer");
      return countsOf(requests);
    }
    const snapshot = (about: Partial<Question<Evm>>) =>
      counted((counting) =>
        snapshotOfEvm(counting, reader, { chain, wallet, hashes: [], orders: [], ...about }),
      );

    const orders = [intent];
    const trade = { side: intent.side, token, amount: "0.5" } as const;
    const asked = { wallet, trade, gasPreset: intent.gasPreset, orders: [], isForPlanning: true };
    const quote = await counted(({ request }) => quoteOnEvm((calls) => request(calls), reader, asked));
    const unsent = await snapshot({ orders });
    const sent = await snapshot({ hashes: [`0x${"1".repeat(64)}`] });
    const { value, ...call } = encodeCall(configuration, swapBy(intent, localV2, intent.amount), wallet);
    const swap = { from: wallet, ...call, value: `0x${value.toString(16)}`, gas: "0xf4240" };
    const hashes = [String(await local.request("eth_sendTransaction", [swap]))];
    await local.request("evm_mine");
    const mined = await snapshot({ hashes });
    return { quote, unsent, sent, mined };
  } finally {
    await local.close();
  }
}
