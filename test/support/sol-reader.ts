import { ChainRefusal } from "trading-terminal-devnet/chain-refusal";
import { type SolHost, startSolHost } from "trading-terminal-devnet/sol/sol-host";
import { createSolNode, localGenesisHash, type SolNode } from "trading-terminal-devnet/sol/sol-node";
import { startTestSurfnet, type TestSurfnet } from "trading-terminal-devnet/sol/test-surfnet";
import { afterAll, beforeAll, beforeEach, vi } from "vitest";
import { type ChainReader, openChains } from "../../lib/chains/families/open-chains.ts";
import { clusterNameLength } from "../../lib/chains/sol/calls/rpc-call.ts";
import { type RecentBlockhash, recentBlockhashCall } from "../../lib/chains/sol/calls/transaction-call.ts";
import type { SolConfiguration } from "../../lib/chains/sol/rules/configuration.ts";
import { jupiterFor } from "../../lib/chains/sol/venues/jupiter-client.ts";
import type { SolReader } from "../../lib/chains/sol/venues/reader.ts";
import type { TradingChain } from "../../lib/core/chain-facts.ts";
import { defaultSol } from "../../lib/infra/default-chains.ts";

/** Changes a host's responses. */
type Lie = (method: string, result: unknown, params: readonly unknown[]) => unknown;

/** A host of a test chain that can return false results. */
export type TestSolHost = Pick<SolHost, "url" | "close"> & { lie: Lie };

export async function startTestSolHost(
  chain: TestSurfnet,
  node: SolNode = createSolNode(chain),
): Promise<TestSolHost> {
  const host = await startSolHost({ node, slotMs: 400 });
  const liar: TestSolHost = { url: host.url, close: host.close, lie: honest };
  host.lie = ({ method, params }, reply) => {
    if ("error" in reply) return reply;
    try {
      return { result: liar.lie(method, reply.result, params) };
    } catch (error) {
      if (!(error instanceof ChainRefusal)) throw error;
      const { code, message, data } = error;
      return { error: { code, message, data } };
    }
  };
  return liar;
}

const honest: Lie = (_, result) => result;

/**
 * Starts a Solana chain and two hosts for the tests of a file. Use them only inside tests. Their false results end with
 * each test.
 */
export function solDeskForTests(): { chain: TestSurfnet; hosts: [TestSolHost, TestSolHost] } {
  const chain = {} as TestSurfnet;
  const hosts = [] as unknown as [TestSolHost, TestSolHost];
  beforeAll(async () => {
    Object.assign(chain, await startTestSurfnet());
    // Both hosts know each blockhash that one of them has named.
    const node = createSolNode(chain);
    hosts.push(await startTestSolHost(chain, node), await startTestSolHost(chain, node));
  });
  beforeEach(() => {
    for (const host of hosts) host.lie = honest;
  });
  afterAll(async () => {
    await Promise.all(hosts.map((host) => host.close()));
    await chain.stop();
  });
  return { chain, hosts };
}

/** Opens Solana the way functions do, with MOON as its listed token. */
export async function solChainsOf(
  chain: TestSurfnet,
  hosts: readonly TestSolHost[],
  changes: Partial<SolConfiguration> = {},
): Promise<ReadonlyMap<TradingChain, ChainReader>> {
  const { mint } = chain.deployment.tokens.MOON;
  const trading = {
    sol: {
      ...defaultSol,
      hosts: hosts.map(({ url }) => url),
      cluster: localGenesisHash.slice(0, clusterNameLength),
      tokens: [{ token: mint, symbol: "MOON", name: "Moon", decimals: 6 }],
      ...changes,
    },
  };
  return openChains(
    trading,
    jupiterFor(() => {}),
  );
}

export const solReaderOf = async (...asked: Parameters<typeof solChainsOf>): Promise<SolReader> =>
  (await solChainsOf(...asked)).get("sol") as SolReader;

/** Makes a host name this blockhash as its newest one. */
export const naming =
  ({ hash: blockhash, lastValidBlockHeight }: RecentBlockhash): Lie =>
  (method, result) =>
    method === "getLatestBlockhash"
      ? { ...(result as object), value: { blockhash, lastValidBlockHeight } }
      : result;

/** Waits until the newest blockhash of a host is no longer its newest one, and returns it. */
export async function olderBlockhash(chain: TestSurfnet, host: TestSolHost): Promise<RecentBlockhash> {
  const { client } = await solReaderOf(chain, [host]);
  const [old] = await client.read([recentBlockhashCall()]);
  await vi.waitFor(async () => {
    const [recent] = await client.read([recentBlockhashCall()]);
    if (recent.hash === old.hash) throw new Error("No slot has followed");
  }, 10_000);
  return old;
}

type Accounts = { context: { slot: number }; value: ({ data: [string, string]; lamports: number } | null)[] };

/** Changes the accounts that a host returns for one slot. */
export const seeing = (change: (answer: Accounts, addresses: string[]) => void) =>
  ((method, result, params) => {
    if (method !== "getMultipleAccounts") return result;
    const answer = structuredClone(result) as Accounts;
    change(answer, params[0] as string[]);
    return answer;
  }) satisfies Lie;

/** Scales the token amount shown in an account by thousandths. */
export const scaling = (account: string, thousandths: bigint) =>
  seeing(({ value }, addresses) => {
    const shown = value[addresses.indexOf(account)];
    if (!shown) return;
    const data = Buffer.from(shown.data[0], "base64");
    data.writeBigUInt64LE((data.readBigUInt64LE(64) * thousandths) / 1000n, 64);
    shown.data[0] = data.toString("base64");
  });
