import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { alice, type TestChain, type TestReceipt } from "trading-terminal-devnet/evm/test-chain";
import { chainIdentity } from "../../../../../lib/chains/evm/calls/rpc-call.ts";
import { snapshotOfEvm } from "../../../../../lib/chains/evm/looks/snapshot-of-host.ts";
import type { Evm } from "../../../../../lib/chains/evm/rules/family.ts";
import type {
  EvmOrderFacts,
  EvmRouteFacts,
  EvmSnapshot,
} from "../../../../../lib/chains/evm/rules/host-snapshot.ts";
import {
  type EvmCall,
  type EvmIntent,
  type EvmRoute,
  swapBy,
} from "../../../../../lib/chains/evm/rules/intent.ts";
import { type CallTransaction, encodeCall } from "../../../../../lib/chains/evm/venues/calldata.ts";
import type { RpcCall } from "../../../../../lib/chains/hosts/rpc-call.ts";
import { type RpcHost, rpcHost } from "../../../../../lib/chains/hosts/rpc-host.ts";
import { chainFacts } from "../../../../../lib/core/chain-facts.ts";
import type { Question } from "../../../../../lib/orders/effects.ts";
import { intent as intentOf, localV2 as v2, localV3 as v3 } from "../../../../support/trading.ts";

export const coins = (count: number) => BigInt(Math.round(count * 1000)) * 10n ** 15n;
export const wallet = alice.address;

export const intent = (changes: Partial<EvmIntent> = {}): EvmIntent =>
  intentOf({
    chain: "base",
    wallet,
    token: localAddresses.moon,
    minAmountOut: 1n,
    routes: [v2, v3],
    isPrivate: false,
    validUntil: 2 ** 32 - 1,
    ...changes,
  });

export const hostAt = (url: string): RpcHost =>
  rpcHost({ url, identity: chainIdentity(chainFacts.base.chainId) });

/** Lets a wallet of a local base trade without the service, and takes snapshots of it. */
export function walletOn(chainOf: () => TestChain) {
  const configuration = () => ({ ...chainOf().contracts, hosts: [chainOf().url] });
  const transactionOf = (call: EvmCall): CallTransaction => encodeCall(configuration(), call, wallet);

  /** Waits until pools no longer skip a costly part of their bookkeeping, as they do within a second. */
  async function waitASecond(): Promise<void> {
    const { timestamp } = (await chainOf().request("eth_getBlockByNumber", ["latest", false])) as {
      timestamp: string;
    };
    await chainOf().request("evm_setNextBlockTimestamp", [Number(timestamp) + 1]);
  }

  async function send(call: EvmCall, gas = 1_000_000n): Promise<TestReceipt> {
    await waitASecond();
    return await chainOf().transact({ from: wallet, ...transactionOf(call), gas });
  }

  const swap = (changes: Partial<EvmIntent>, route: EvmRoute) =>
    send(swapBy(intent(changes), route, intent(changes).amount));

  /** Changes calls on their way to a host. */
  const changing = (change: (call: RpcCall<unknown>) => RpcCall<unknown>): RpcHost => ({
    request: (calls) => hostAt(chainOf().url).request(calls.map(change) as unknown as typeof calls),
  });

  const readerOf = () => ({ chain: "base", configuration: configuration() }) as const;

  const take = async (
    question: Partial<Question<Evm>> = {},
    host: RpcHost = hostAt(chainOf().url),
  ): Promise<EvmSnapshot | undefined> =>
    await snapshotOfEvm(host, readerOf(), { chain: "base", wallet, hashes: [], orders: [], ...question });

  async function factsOf(order: EvmIntent): Promise<EvmOrderFacts> {
    const snapshot = await take({ orders: [order] });
    return snapshot?.orders.get(order.orderId) as EvmOrderFacts;
  }

  /** Returns the route that pays most. */
  async function bestOf(order: EvmIntent): Promise<EvmRouteFacts> {
    const { routes } = await factsOf(order);
    const [best] = routes.toSorted((a, b) => (a.amountOut > b.amountOut ? -1 : 1));
    if (best === undefined) throw new Error("No route delivers");
    return best;
  }

  async function receiptOf({ transactionHash }: TestReceipt) {
    const snapshot = await take({ hashes: [transactionHash] });
    return snapshot?.receipts.get(transactionHash);
  }

  const wei = async () => BigInt((await chainOf().request("eth_getBalance", [wallet, "latest"])) as string);

  return { send, swap, changing, readerOf, take, factsOf, bestOf, receiptOf, wei };
}
