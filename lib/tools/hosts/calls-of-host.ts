import * as v from "valibot";
import { balanceOf, blockNumberOf, blockTimeOf } from "../../chains/evm/calls/contract-questions.ts";
import { feeMarketCalls, l1FeesCall } from "../../chains/evm/calls/fee-market.ts";
import { multicall } from "../../chains/evm/calls/multicall.ts";
import {
  blockByHashCall,
  blockCall,
  chainIdCall,
  coinsCall,
  gasEstimateCall,
  type MinedTransaction,
  nonceCall,
  receiptCall,
  tagText,
  transactionCall,
} from "../../chains/evm/calls/rpc-call.ts";
import { simulateCall } from "../../chains/evm/calls/simulation.ts";
import type { EvmConfiguration } from "../../chains/evm/rules/configuration.ts";
import { poolCalls } from "../../chains/evm/venues/pool-routes.ts";
import { newStranger } from "../../chains/evm/venues/probe-simulation.ts";
import { type HostError, RpcRefusal } from "../../chains/hosts/host-fault.ts";
import { type RpcCall, thenRead } from "../../chains/hosts/rpc-call.ts";
import { chainFacts, type EvmChain } from "../../core/chain-facts.ts";
import { isLoopback } from "../../infra/context-values.ts";
import { eventsCall } from "../../markets/evm/events-call.ts";
import type { WatchedPool } from "../../markets/evm/rules/watched-pool.ts";
import { callLooks } from "./call-looks.ts";
import { contractsOfHost } from "./contracts-of-host.ts";
import { factsOfHost } from "./facts-of-host.ts";
import { measure, wordsOfError } from "./measure.ts";
import type { HostLook } from "./report.ts";

export type ConfiguredChain = { chain: EvmChain; configuration: EvmConfiguration };

/**
 * True for an error that a host will give for every such call. Trading accepts these errors, but no temporary failures.
 */
const isPermanent = (error: HostError) => error instanceof RpcRefusal && error.kind !== "host";

/** Greatest age, in blocks, of a block that trading reads. */
const mostBlocksBack = 8;

const batchSizes = [3, 10, 30, 100];

/**
 * Makes each call that trading makes, one after another, because parallel calls would slow each other down.
 * Transactions are not sent.
 *
 * @param spent Amount of coins to ask pools for.
 */
export async function callsOfHost(
  { chain, configuration }: ConfiguredChain,
  url: string,
  spent: bigint,
): Promise<Pick<HostLook, "calls" | "contracts" | "facts">> {
  const { looks, ask, askAll, blame } = callLooks(url);
  const { chainId, hasL1Fee, blockSeconds } = chainFacts[chain];

  const nothing = () => ({ calls: looks, contracts: [] });
  const id = await ask("chain id", chainIdCall());
  if (id !== undefined && id !== chainId) blame(`belongs to another chain, ${id} instead of ${chainId}`);
  if (id !== chainId) return nothing();
  const latest = await ask("block latest", blockCall("latest"));
  if (latest === undefined) return nothing();
  const { number } = latest;
  const wallet = newStranger();
  const finalized = await ask("block finalized", blockCall("finalized"));
  await ask("block safe", blockCall("safe"), { without: "it is left out: no order asks for it" });
  const [history, tip, price] = feeMarketCalls(chain);
  const { baseFee = 0n } = (await ask("fee history", history)) ?? {};
  await ask("tip", tip);
  if (price !== undefined) await ask("gas price", price);
  await ask("balance", coinsCall(wallet, number));
  await ask("nonce latest", nonceCall(wallet, number));
  await ask("nonce pending", nonceCall(wallet, "pending"), {
    without: "transactions of other programs are seen once a block has them",
    covers: isPermanent,
  });
  await ask("Multicall3", multicall([blockNumberOf(), blockTimeOf()], number));
  const [token = configuration.wrapped] = configuration.tokens;
  const pools = poolCalls(configuration, token.token, [{ side: "buy", amountIn: spent }], number);
  await ask("quotes", pools.direct);
  for (const bridged of pools.bridged) await ask("quotes over quote tokens", bridged);
  const { to, data } = balanceOf(token.token, wallet);
  const read = { from: wallet, to, data, gas: 100_000n };
  await ask("simulation", simulateCall([[read], [read]], { ...latest, baseFee }), {
    without: "only the other hosts show whether a token can be sold",
    covers: isPermanent,
  });
  await ask("gas estimate", gasEstimateCall({ from: wallet, to, data }, number), {
    without: "the usual amount of gas is taken",
    covers: isPermanent,
  });
  if (hasL1Fee)
    await ask("L1 fee", l1FeesCall([{ unsigned: `0x02${"c0".repeat(200)}`, gasLimit: 200_000n }], number));
  await askAboutTransaction(number);
  for (const seconds of [3, 60]) {
    const then = Math.max(0, number - Math.ceil(seconds / blockSeconds));
    const spare = { without: "the reason why a transaction failed may stay unknown" };
    await ask(`state ${seconds} s back`, coinsCall(wallet, then), seconds === 3 ? undefined : spare);
  }
  await ask("logs", eventsCall([anyPool(configuration)], { from: Math.max(0, number - 9), to: number }), {
    without: "the minutes of candles need two other hosts to be proven",
  });
  for (const size of batchSizes) await askInBatch(size, coinsCall(wallet, number));
  const contracts = await contractsOfHost(configuration, { number, spent, askAll });
  // Chains of this machine make blocks at times of their own.
  if (isLoopback(new URL(url).hostname)) return { calls: looks, contracts };
  return { calls: looks, contracts, facts: await factsOfHost(chain, ask, latest, finalized) };

  async function askAboutTransaction(newest: number): Promise<void> {
    for (let back = 0; back < mostBlocksBack && back <= newest; back++) {
      const answer = await measure(url, [transactionsCall(newest - back)]);
      const hash = "values" in answer ? answer.values[0].at(-1) : undefined;
      if (hash === undefined) continue;
      const mined = await ask("receipt", receiptOf(hash));
      await ask("transaction", anyTransactionCall(hash));
      if (mined !== undefined) await ask("block by hash", blockByHashCall(mined.blockHash));
      return;
    }
    const words = "was not asked for: the newest blocks have no transaction";
    looks.push({ name: "receipt", bytes: 0, ms: 0, problem: { words, isFatal: false } });
  }

  async function askInBatch(size: number, call: RpcCall<unknown>): Promise<void> {
    const { bytes, ms, mostCalls, ...answer } = await measure(url, Array(size).fill(call));
    const problem =
      "error" in answer
        ? { words: wordsOfError(answer.error), isFatal: true }
        : mostCalls < size
          ? { words: `is refused, so it is sent in parts of at most ${mostCalls} calls`, isFatal: false }
          : undefined;
    looks.push({ name: `batch of ${size}`, bytes, ms, ...(problem && { problem }) });
  }
}

/**
 * Returns a placeholder for a pool, for calls whose answer does not matter. Its address is that of a contract that
 * emits no events of pools.
 */
const anyPool = ({ wrapped: { token, decimals } }: EvmConfiguration): WatchedPool => ({
  pool: token,
  venue: "uniswap-v2",
  token,
  quote: token,
  isTokenFirst: true,
  decimals,
  quoteDecimals: decimals,
});

/** Treats a missing receipt as an unusable result, because the host itself named the transaction. */
const receiptOf = (hash: string): RpcCall<MinedTransaction> =>
  thenRead(receiptCall(hash, true), (mined) => {
    if (mined === undefined) throw new Error("The receipt is missing");
    return mined;
  });

/** Asks for a transaction that may also create a contract, unlike trading's own transactions. */
const anyTransactionCall = (hash: string): RpcCall<unknown> => ({
  ...transactionCall(hash),
  read: (result) => v.parse(v.object({ hash: v.literal(hash) }), result),
});

const TransactionsSchema = v.object({
  transactions: v.array(v.pipe(v.string(), v.regex(/^0x[\da-f]{64}$/i))),
});

/** Asks for the hashes of a block's transactions. */
const transactionsCall = (number: number): RpcCall<readonly string[]> => ({
  method: "eth_getBlockByNumber",
  params: [tagText(number), false],
  read: (result) => v.parse(TransactionsSchema, result).transactions,
});
