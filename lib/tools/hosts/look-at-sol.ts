import type { Address } from "@solana/web3.js";
import { type HostError, RpcRefusal } from "../../chains/hosts/host-fault.ts";
import type { RpcHost } from "../../chains/hosts/rpc-host.ts";
import { cpmmProgram } from "../../chains/sol/calls/cpmm-addresses.ts";
import { cpmmConfigsOf } from "../../chains/sol/calls/cpmm-configs.ts";
import { solHost } from "../../chains/sol/calls/hosts.ts";
import {
  accountsCall,
  chainTimeCall,
  clusterCall,
  final,
  messageFeeCall,
  recentPricesCall,
  rentCall,
  simulationCall,
} from "../../chains/sol/calls/rpc-call.ts";
import { paymentsOf, tokenViewCall } from "../../chains/sol/calls/token-view.ts";
import {
  blockhashValidCall,
  landedCall,
  recentBlockhashCall,
  statusesCall,
} from "../../chains/sol/calls/transaction-call.ts";
import { venueOfPool } from "../../chains/sol/messages/order-message.ts";
import {
  attemptMessage,
  isSoldIn,
  roundTripMessage,
  type Trial,
} from "../../chains/sol/messages/trial-messages.ts";
import { wsolBytes } from "../../chains/sol/quotes/look-at-token.ts";
import { quoteOnSol } from "../../chains/sol/quotes/quote-on-chain.ts";
import type { SolConfiguration } from "../../chains/sol/rules/configuration.ts";
import { areSlotsNear } from "../../chains/sol/rules/host-snapshot.ts";
import { jointSolQuote } from "../../chains/sol/rules/joint-facts.ts";
import type { SolTradeFacts } from "../../chains/sol/rules/trade-facts.ts";
import { markerBytes } from "../../chains/sol/venues/instructions.ts";
import { chainFacts } from "../../core/chain-facts.ts";
import { DomainError } from "../../core/domain-error.ts";
import { isLoopback } from "../../infra/context-values.ts";
import { coinText } from "../../orders/decimal-text.ts";
import { callLooks } from "./call-looks.ts";
import { comparedQuotes, type QuoteOutcome } from "./compared-quotes.ts";
import { factsOfSolHost } from "./facts-of-host.ts";
import type { LookScope } from "./look-at-chain.ts";
import { settle, wordsOfError } from "./measure.ts";
import { newestCall, type Recording, recordLanded } from "./record.ts";
import type { ChainLook, HostLook, QuoteLook } from "./report.ts";
import { tryJupiterRoutes } from "./try-jupiter-routes.ts";

/** Solana with its hosts. The hosts' limits are learned over many looks. */
export type OpenSolHosts = {
  chain: "sol";
  configuration: SolConfiguration;
  hosts: readonly { url: string; rpc: RpcHost }[];
  /** Tokens to try with Jupiter's routes, before the listed tokens. */
  mints: readonly string[];
};

/** Lamports that each quote and each trial spends. */
const spent = 10n ** 8n;

export const openSolHosts = (configuration: SolConfiguration, mints: readonly string[]): OpenSolHosts => ({
  chain: "sol",
  configuration,
  mints,
  hosts: configuration.hosts.map((url) => ({ url, rpc: solHost(url, configuration.cluster) })),
});

/**
 * Looks at all hosts of Solana at the same time.
 *
 * @param onRecording Receives answers to keep for tests. If absent, only those of the checks are looked for.
 */
export async function lookAtSolHosts(
  open: OpenSolHosts,
  { symbols, hasCalls }: LookScope,
  onRecording?: (recording: Recording) => void,
): Promise<ChainLook> {
  const heads = await Promise.all(open.hosts.map(({ rpc }) => settle(rpc.request([chainTimeCall(final)]))));
  const slots = heads.map((head) => (head instanceof Error ? undefined : head[0].slot));
  const newest = Math.max(0, ...slots.filter((slot) => slot !== undefined));
  const isInStep = slots.map((slot) => slot !== undefined && areSlotsNear(slot, newest));
  const hosts = await Promise.all(
    open.hosts.map(async ({ url }, index): Promise<HostLook> => {
      const head = heads[index];
      const look = hasCalls
        ? await callsOfSolHost(open.configuration, url)
        : { calls: headLook(head), contracts: [] };
      const { host } = new URL(url);
      const slot = slots[index];
      if (slot === undefined) return { host, ...look };
      const lagSeconds = Math.round((newest - slot) * chainFacts.sol.blockSeconds);
      const words = "is further behind the newest host than trading allows";
      return {
        host,
        head: { number: slot },
        lagSeconds,
        ...look,
        ...(!isInStep[index] && { lagProblem: { words, isFatal: true } }),
      };
    }),
  );
  const quotes: QuoteLook[] = [];
  for (const { symbol, token, decimals } of open.configuration.tokens.filter((each) =>
    symbols.includes(each.symbol),
  )) {
    const asked = open.hosts.map(({ rpc }, index) =>
      isInStep[index] ? quoteBy(rpc, open, token) : undefined,
    );
    quotes.push({ symbol, ...comparedQuotes(await Promise.all(asked), { decimals, hosts, isAgreed }) });
  }
  const [first] = open.hosts;
  const { configuration, mints } = open;
  const routes =
    first && hasCalls ? await tryJupiterRoutes(first.rpc, configuration, { mints, onRecording }) : [];
  if (first && onRecording) for (const each of await recordLanded(first.rpc)) onRecording(each);
  const symbol = chainFacts.sol.coin.symbol;
  return { chain: "sol", spent: `${coinText("sol", spent)} ${symbol}`, hosts, quotes, routes };
}

const headLook = (head: readonly unknown[] | HostError | undefined) => {
  const look = { name: "time", bytes: 0, ms: 0 };
  return head instanceof Error
    ? [{ ...look, problem: { words: wordsOfError(head), isFatal: true } }]
    : [look];
};

/** Slippage in percent. The quotes of two hosts may differ by a quarter of it. */
const slippage = 1;

const isAgreed = (a: SolTradeFacts | DomainError, b: SolTradeFacts | DomainError) =>
  jointSolQuote(a, b, slippage) !== undefined;

async function quoteBy(
  rpc: RpcHost,
  open: OpenSolHosts,
  token: string,
): Promise<QuoteOutcome<SolTradeFacts>> {
  const trade = { side: "buy", token, amount: coinText("sol", spent) } as const;
  try {
    return await settle(quoteOnSol((calls) => rpc.request(calls), open, { trade, orders: [] }));
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}

/**
 * True for an error that a host will give for every such call. Trading accepts these errors, but no temporary failures.
 */
const isPermanent = (error: HostError) => error instanceof RpcRefusal && error.kind !== "host";

/** Makes each call that trading makes, one after another, because parallel calls would slow each other down. */
async function callsOfSolHost(
  configuration: SolConfiguration,
  url: string,
): Promise<Pick<HostLook, "calls" | "contracts" | "facts">> {
  const { looks, ask, blame } = callLooks(url);
  const done = () => ({ calls: looks, contracts: [] });
  const cluster = await ask("cluster", clusterCall());
  if (cluster !== undefined && cluster !== configuration.cluster) blame("belongs to another cluster");
  if (cluster !== configuration.cluster) return done();
  const time = await ask("time", chainTimeCall(final));
  const recent = await ask("blockhash", recentBlockhashCall());
  if (time === undefined || recent === undefined) return done();
  const valid = await ask("blockhash valid", blockhashValidCall(recent.hash));
  if (valid?.isValid === false) blame("does not know the blockhash that it has just named");
  const { token: wrapped } = configuration.wrapped;
  await ask("accounts", accountsCall([wrapped], { ...final, minContextSlot: time.slot }));
  const marker = await ask("rent of a marker", rentCall(markerBytes, final));
  const wsol = await ask("rent of wrapped SOL", rentCall(wsolBytes, final));
  await ask("recent prices", recentPricesCall([wrapped]), {
    without: "no quote warns of a low priority fee",
  });
  await askAboutTransaction();
  const { payer } = configuration;
  if (marker === undefined || wsol === undefined) return done();
  for (const { token, symbol } of configuration.tokens)
    await tryToken(symbol, token as Address, {
      wallet: (payer ?? wrapped) as Address,
      blockhash: recent.hash,
      rents: { marker, wsol },
    });
  if (isLoopback(new URL(url).hostname)) return done();
  return { ...done(), facts: await factsOfSolHost(ask) };

  async function askAboutTransaction(): Promise<void> {
    const ids = await ask("newest transactions", newestCall(cpmmProgram, 5), {
      without: "the next calls ask for none",
    });
    const [id = ""] = ids ?? [];
    if (id === "") return;
    await ask("statuses", statusesCall([id]));
    const landed = await ask("transaction", landedCall(id));
    if (landed === undefined) blame("does not show a transaction that it has just named");
  }

  /**
   * Simulates messages like those of orders. If the payer has too few coins, the simulations fail but still show their
   * cost.
   */
  async function tryToken(
    symbol: string,
    mint: Address,
    trial: Pick<Trial, "wallet" | "blockhash" | "rents">,
  ): Promise<void> {
    const configs = await cpmmConfigsOf(configuration).toRead();
    const view = await ask(`pools of ${symbol}`, await tokenViewCall(mint, { cpmmConfigs: configs }, final));
    const [best] = view === undefined ? [] : paymentsOf(view, "buy", spent);
    if (view === undefined || best === undefined) return;
    const trade = { ...trial, mint, tokenProgram: view.mint.program as Address };
    const venue = venueOfPool(await best.pool.routeFor("buy", spent));
    const buy = await attemptMessage(trade, { side: "buy", amountIn: spent, venue });
    if (buy === undefined) return;
    await ask("fee of a message", messageFeeCall(buy, final));
    const spare = { without: "only the other hosts show whether a token can be sold", covers: isPermanent };
    const trip = await roundTripMessage(trade, {
      pool: best.pool,
      amountIn: spent,
      bought: best.amountOut,
    });
    const tried = await ask(`buy and sell ${symbol}`, simulationCall(trip, final), spare);
    if (configuration.payer !== undefined && isSoldIn(tried) !== true && tried !== undefined)
      blame(
        `fails in its simulation at instruction ${tried.failedAt ?? "?"}, or its payer has too few coins`,
      );
  }
}
