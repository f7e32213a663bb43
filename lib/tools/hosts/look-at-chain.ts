import { commonBlock } from "../../chains/evm/calls/hosts.ts";
import { blockCall, chainIdentity } from "../../chains/evm/calls/rpc-call.ts";
import { quoteOnEvm } from "../../chains/evm/quotes/quote-on-chain.ts";
import { mostApartSeconds } from "../../chains/evm/rules/host-lag.ts";
import { jointEvmQuote } from "../../chains/evm/rules/joint-facts.ts";
import type { EvmTradeFacts } from "../../chains/evm/rules/trade-facts.ts";
import type { HostError } from "../../chains/hosts/host-fault.ts";
import { type RpcHost, rpcHost } from "../../chains/hosts/rpc-host.ts";
import { chainFacts } from "../../core/chain-facts.ts";
import { DomainError } from "../../core/domain-error.ts";
import type { Wei } from "../../core/units.ts";
import type { Block } from "../../orders/block.ts";
import { coinText } from "../../orders/decimal-text.ts";
import { type ConfiguredChain, callsOfHost } from "./calls-of-host.ts";
import { comparedQuotes, type QuoteOutcome } from "./compared-quotes.ts";
import { settle, wordsOfError } from "./measure.ts";
import type { ChainLook, HostLook, QuoteLook } from "./report.ts";

/** A chain with its hosts. The hosts' limits are learned over many looks. */
export type OpenHosts = ConfiguredChain & { hosts: readonly { url: string; rpc: RpcHost }[] };

/** Listed tokens to quote, and whether to make all calls or only the one for the newest block. */
export type LookScope = { symbols: readonly string[]; hasCalls: boolean };

/** Coins that each quote spends. */
const spent: Wei = 10n ** 17n;

export const openHosts = ({ chain, configuration }: ConfiguredChain): OpenHosts => ({
  chain,
  configuration,
  hosts: configuration.hosts.map((url) => ({
    url,
    rpc: rpcHost({ url, identity: chainIdentity(chainFacts[chain].chainId) }),
  })),
});

/** Looks at all hosts of a chain at the same time. */
export async function lookAtChain(open: OpenHosts, { symbols, hasCalls }: LookScope): Promise<ChainLook> {
  const { chain, configuration } = open;
  const heads = await Promise.all(open.hosts.map(({ rpc }) => settle(rpc.request([blockCall("latest")]))));
  const known = heads.map((head) => (head instanceof Error ? undefined : head[0]));
  const newest = known.filter((head) => head !== undefined).toSorted((a, b) => b.number - a.number)[0];
  const apartSeconds = mostApartSeconds(chain);
  const isInStep = known.map(
    (head) =>
      head !== undefined && newest !== undefined && commonBlock([newest, head], apartSeconds) !== undefined,
  );
  const common = known
    .filter((head, index): head is Block => head !== undefined && isInStep[index] === true)
    .toSorted((a, b) => a.number - b.number)[0];

  const hosts = await Promise.all(
    open.hosts.map(async ({ url }, index): Promise<HostLook> => {
      const answer = heads[index];
      const look = hasCalls
        ? await callsOfHost(open, url, spent)
        : {
            calls: answer instanceof Error ? [failedHead(answer)] : [{ name: "block latest", ...nothing }],
            contracts: [],
          };
      const head = known[index];
      // Shows only the name and port of a host, because the rest of its URL may contain a key.
      const { host } = new URL(url);
      if (head === undefined || newest === undefined) return { host, ...look };
      const lagSeconds = Math.max(0, newest.time - head.time);
      const words = `is further behind the newest host than the ${apartSeconds} s that trading allows`;
      return {
        host,
        head,
        lagSeconds,
        ...look,
        ...(!isInStep[index] && { lagProblem: { words, isFatal: true } }),
      };
    }),
  );
  const quotes: QuoteLook[] = [];
  for (const { symbol, token, decimals } of configuration.tokens.filter((each) =>
    symbols.includes(each.symbol),
  ))
    if (common !== undefined) {
      const asked = open.hosts.map(({ rpc }, index) =>
        isInStep[index] ? quoteBy(rpc, open, token, common.number) : undefined,
      );
      quotes.push({ symbol, ...comparedQuotes(await Promise.all(asked), { decimals, hosts, isAgreed }) });
    }
  const { symbol } = chainFacts[chain].coin;
  return { chain, spent: `${coinText(chain, spent)} ${symbol}`, hosts, quotes };
}

const isAgreed = (a: EvmTradeFacts | DomainError, b: EvmTradeFacts | DomainError) =>
  jointEvmQuote(a, b, "buy") !== undefined;

const nothing = { bytes: 0, ms: 0 };

const failedHead = (error: HostError) => ({
  name: "block latest",
  ...nothing,
  problem: { words: wordsOfError(error), isFatal: true },
});

/** Asks a host for a quote, with the same requests as for an order. */
async function quoteBy(
  rpc: RpcHost,
  chain: ConfiguredChain,
  token: string,
  block: number,
): Promise<QuoteOutcome<EvmTradeFacts>> {
  const trade = { side: "buy", token, amount: coinText(chain.chain, spent) } as const;
  const asked = { trade, gasPreset: "medium", orders: [] } as const;
  try {
    return await settle(quoteOnEvm((calls) => rpc.request(calls), chain, asked, block));
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}
