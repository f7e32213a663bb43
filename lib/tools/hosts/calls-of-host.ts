import { Interface } from "ethers/abi";
import * as v from "valibot";
import type { ChainConfiguration } from "../../trading/chains/chain-configuration.ts";
import { directRoutesOf } from "../../trading/chains/evm/configured-routes.ts";
import { balanceOf, blockNumberOf, blockTimeOf } from "../../trading/chains/evm/contract-questions.ts";
import { feeMarketCalls, l1FeesCall } from "../../trading/chains/evm/fee-market.ts";
import {
  contractQuestion,
  multicall,
  multicallAddress,
  thenRead,
} from "../../trading/chains/evm/multicall.ts";
import { poolCalls } from "../../trading/chains/evm/pool-routes.ts";
import { newStranger } from "../../trading/chains/evm/probe-simulation.ts";
import {
  Bytes,
  blockByHashCall,
  blockCall,
  chainIdCall,
  coinsCall,
  gasEstimateCall,
  type MinedTransaction,
  nonceCall,
  type RpcCall,
  receiptCall,
  tagText,
  transactionCall,
} from "../../trading/chains/evm/rpc-call.ts";
import { simulateCall } from "../../trading/chains/evm/simulation.ts";
import { type HostError, RpcRefusal } from "../../trading/chains/host-fault.ts";
import { chainFacts, type TradingChain } from "../../trading/core/trading-chain.ts";
import { measure, wordsOf } from "./measure.ts";
import type { CallLook, HostLook, Problem } from "./report.ts";

export type ConfiguredChain = { chain: TradingChain; configuration: ChainConfiguration };

/** How trading gets along without an answer. */
type Spare = {
  without: string;
  /** True for the errors that trading gets along with. If absent, these are all. */
  covers?: (error: HostError) => boolean;
};

/** Trading accepts that a host never answers such a call, but not that it fails to answer now. */
const isPermanent = (error: HostError) => error instanceof RpcRefusal && error.kind !== "host";

/** Trading reads this from the newest blocks. */
const mostBlocksBack = 8;

const batchSizes = [3, 10, 30, 100];

/**
 * Makes each call that trading makes, one after another, as their times would add up otherwise. Transactions are not
 * sent.
 *
 * @param spent The amount of coins to ask pools for.
 */
export async function callsOfHost(
  { chain, configuration }: ConfiguredChain,
  url: string,
  spent: bigint,
): Promise<Pick<HostLook, "calls" | "contracts">> {
  const looks: CallLook[] = [];
  const { chainId, hasL1Fee, blockSeconds } = chainFacts[chain];

  async function ask<Value>(name: string, call: RpcCall<Value>, spare?: Spare): Promise<Value | undefined> {
    const { bytes, ms, ...answer } = await measure(url, [call]);
    if ("values" in answer) {
      looks.push({ name, bytes, ms });
      return answer.values[0];
    }
    const isFatal = spare === undefined || spare.covers?.(answer.error) === false;
    const words = wordsOf(answer.error) + (isFatal || spare === undefined ? "" : `, so ${spare.without}`);
    looks.push({ name, bytes, ms, problem: { words, isFatal } });
    return undefined;
  }

  const nothing = () => ({ calls: looks, contracts: [] });
  const id = await ask("chain id", chainIdCall());
  if (id !== undefined && id !== chainId) {
    const words = `belongs to another chain, ${id} instead of ${chainId}`;
    looks.push({ ...(looks.pop() as CallLook), problem: { words, isFatal: true } });
  }
  if (id !== chainId) return nothing();
  const latest = await ask("block latest", blockCall("latest"));
  if (latest === undefined) return nothing();
  const { number } = latest;
  const wallet = newStranger();
  await ask("block finalized", blockCall("finalized"));
  await ask("block safe", blockCall("safe"), { without: "it is left out: no order asks for it" });
  const [history, tip, price] = feeMarketCalls(chain);
  const { baseFee = 0n } = (await ask("fee history", history)) ?? {};
  await ask("tip", tip);
  await ask("gas price", price);
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
  for (const size of batchSizes) await askInBatch(size, coinsCall(wallet, number));
  const contracts = [...(await askForCode()), ...(await askForLinks()), ...(await askForBridges())];
  return { calls: looks, contracts };

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
        ? { words: wordsOf(answer.error), isFatal: true }
        : mostCalls < size
          ? { words: `is refused, so it is sent in parts of at most ${mostCalls} calls`, isFatal: false }
          : undefined;
    looks.push({ name: `batch of ${size}`, bytes, ms, ...(problem && { problem }) });
  }

  async function askForCode(): Promise<HostLook["contracts"]> {
    const contracts = contractsIn(configuration);
    const { bytes, ms, ...answer } = await measure(
      url,
      contracts.map(({ address }) => codeCall(address)),
    );
    const name = `code of ${contracts.length} contracts`;
    if ("error" in answer) {
      looks.push({ name, bytes, ms, problem: { words: wordsOf(answer.error), isFatal: true } });
      return [];
    }
    looks.push({ name, bytes, ms });
    return contracts.map(({ name }, index) => ({
      name,
      ...(answer.values[index] !== true && {
        problem: { words: "has no code at its address", isFatal: true },
      }),
    }));
  }

  async function askForLinks(): Promise<HostLook["contracts"]> {
    const links = linksIn(configuration);
    const questions = links.map(({ address, read }) => addressQuestion(address, read));
    const answers = await ask("contracts of venues", multicall(questions, number));
    if (answers === undefined) return [];
    return links.map(({ name, expected }, index) => ({
      name,
      ...(answers[index] !== expected && {
        problem: { words: `is not ${expected}: remove the row of the venue`, isFatal: true },
      }),
    }));
  }

  async function askForBridges(): Promise<HostLook["contracts"]> {
    const bridges: { name: string; problem?: Problem }[] = [];
    for (const quote of configuration.quoteTokens) {
      const sizes = [{ side: "buy", amountIn: spent }] as const;
      const { direct } = poolCalls(configuration, quote.token, sizes, number, directRoutesOf(configuration));
      const quoted = await ask(`bridges to ${quote.token.slice(0, 8)}`, direct);
      for (const bridge of quoted === undefined ? [] : quote.bridges) {
        const pays = quoted?.routes.some(
          ({ route, amountsOut: [amount] }) =>
            route.venue === bridge.venue && route.feeBps === bridge.feeBps && (amount ?? 0n) > 0n,
        );
        const words = "has no pool that pays, so no order takes it";
        bridges.push({
          name: `bridge ${bridge.venue} at ${bridge.feeBps} bps to ${quote.token}`,
          ...(!pays && { problem: { words, isFatal: false } }),
        });
      }
    }
    return bridges;
  }
}

/** Takes a missing receipt for an unusable result. The host has named the transaction itself. */
const receiptOf = (hash: string): RpcCall<MinedTransaction> =>
  thenRead(receiptCall(hash, true), (mined) => {
    if (mined === undefined) throw new Error("The receipt is missing");
    return mined;
  });

/** Asks for a transaction that may also create a contract, which those of trading never do. */
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

/** Asks whether an address has code. */
const codeCall = (address: string): RpcCall<boolean> => ({
  method: "eth_getCode",
  params: [address, "latest"],
  read: (result) => v.parse(Bytes, result) !== "0x",
});

const linksABI = new Interface(
  ["factory", "factoryV2", "WETH", "WETH9"].map((name) => `function ${name}() view returns (address)`),
);

const addressQuestion = (to: string, name: string) =>
  contractQuestion(linksABI, name, { to, values: [], read: ([address]): string => address });

/** An address that a contract names, where the configuration has it too. */
type Link = { name: string; address: string; read: string; expected: string };

/** Lists what routers and quoters name: their factories and the wrapped coin. Those of another exchange name others. */
function linksIn({ wrapped, venues }: ChainConfiguration): Link[] {
  return venues.flatMap((row) => {
    const link = (role: string, address: string, read: string, expected: string): Link => ({
      ...{ name: `${read} of the ${role} of ${row.venue}`, address, read, expected },
    });
    const { factory, router } = row;
    if (!("quoter" in row))
      return [link("router", router, "factory", factory), link("router", router, "WETH", wrapped.token)];
    const other = venues.find(({ venue }) => "mixesWith" in row && venue === row.mixesWith);
    return [
      link("router", router, "factory", factory),
      link("router", router, "WETH9", wrapped.token),
      ...(other ? [link("router", router, "factoryV2", other.factory)] : []),
      link("quoter", row.quoter, "factory", factory),
      link("quoter", row.quoter, "WETH9", wrapped.token),
    ];
  });
}

/** Lists the addresses of the configuration, with names for people. */
function contractsIn({ wrapped, venues, tokens }: ChainConfiguration): { name: string; address: string }[] {
  return [
    { name: "Multicall3", address: multicallAddress },
    ...[wrapped, ...tokens].map(({ symbol, token }) => ({ name: `token ${symbol}`, address: token })),
    ...venues.flatMap(({ venue, ...row }) =>
      (["factory", "router", "quoter"] as const).flatMap((role) =>
        role in row
          ? [{ name: `${role} of ${venue}`, address: (row as Record<typeof role, string>)[role] }]
          : [],
      ),
    ),
  ];
}
