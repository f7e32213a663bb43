import { isDeepStrictEqual } from "node:util";
import * as v from "valibot";
import { evmAddresses } from "../chains/evm/address.ts";
import type { EvmConfiguration } from "../chains/evm/rules/configuration.ts";
import { swapVenues, venuesOf } from "../chains/evm/rules/swap-venues.ts";
import { hasPool } from "../chains/evm/venues/configured-routes.ts";
import type { TradingConfiguration } from "../chains/families/configuration.ts";
import { keysNamedIn } from "../chains/hosts/keyed-text.ts";
import {
  chainFacts,
  type EvmChain,
  evmChains,
  type TradingChain,
  tradingChains,
} from "../core/chain-facts.ts";
import { operations } from "../operations/operations.ts";
import { defaultLaneShards, mostLaneShards } from "../trading/items/keys.ts";
import { flag, isLoopback, json, matching, wholeWithin } from "./context-values.ts";
import { defaultChains, defaultSol } from "./default-chains.ts";
import {
  coinAmountOf,
  HostsContext,
  HostUrl,
  repeated,
  repeatedHosts,
  repeatedTokens,
  tokenOf,
} from "./host-context.ts";
import { SolContext, solConfigurationOf, solProblems } from "./sol-context.ts";

const Chain = v.picklist(
  tradingChains,
  ({ received }) => `is not a chain that can trade: ${received}. They are ${tradingChains.join(", ")}`,
);

/** Accepts any spelling of an address that wallets accept, and returns its EIP-55 form. */
const Address = v.pipe(
  v.string("must be an address: 0x and 40 hex digits"),
  v.rawTransform<string, string>(({ dataset, addIssue, NEVER }) => {
    const message = evmAddresses.problem(dataset.value);
    if (message === undefined) return evmAddresses.stored(dataset.value);
    addIssue({ message });
    return NEVER;
  }),
);

const Token = tokenOf(Address, 36);

const FeeBps = wholeWithin(0, 9999);

const row = {
  factory: Address,
  router: Address,
  displayOnly: v.exactOptional(v.boolean("must be true or false")),
};
const quoter = Address;

/** Tick spacing of a v3 contract: a positive number that fits into a signed number of 24 bits. */
const Spacing = wholeWithin(1, 2 ** 23 - 1);

const tiersOf = <Tier extends v.GenericSchema>(tier: Tier, message: string) =>
  v.pipe(v.array(tier, message), v.minLength(1, "must have one"));

const spacedTiers = tiersOf(
  v.strictObject({ spacing: Spacing, feeBps: FeeBps }, "must be an object of spacing and feeBps"),
  "must be a list of spacings with their usual fees",
);

const Venue = v.variant(
  "venue",
  [
    v.strictObject(
      { venue: v.picklist(venuesOf("v2")), ...row, feeBps: FeeBps },
      "must be an object of venue, factory, router and feeBps",
    ),
    v.strictObject(
      {
        venue: v.picklist(venuesOf("v3")),
        ...row,
        quoter,
        tiers: tiersOf(FeeBps, "must be a list of fees in basis points"),
        mixesWith: v.exactOptional(v.picklist(venuesOf("v2"))),
      },
      "must be an object of venue, factory, router, quoter, tiers and mixesWith",
    ),
    v.strictObject(
      { venue: v.picklist(venuesOf("slipstream")), ...row, quoter, tiers: spacedTiers },
      "must be an object of venue, factory, router, quoter and tiers",
    ),
    v.strictObject(
      { venue: v.picklist(venuesOf("bins")), ...row, tiers: spacedTiers },
      "must be an object of venue, factory, router and tiers",
    ),
  ],
  ({ received }) => `is not a venue of trading: ${received}. The venues are ${swapVenues.join(", ")}`,
);

const QuoteToken = v.strictObject(
  {
    token: Address,
    isStable: v.boolean("must be true or false"),
    bridges: v.pipe(
      v.array(
        v.strictObject(
          { venue: v.picklist(swapVenues), feeBps: FeeBps, spacing: v.exactOptional(Spacing) },
          "must be an object of venue, feeBps and spacing",
        ),
        "must be a list of pools",
      ),
      v.minLength(1, "must have a pool"),
    ),
  },
  "must be an object of token, isStable and bridges",
);

/** An amount of any EVM chain's coin, because all have the same number of decimals. */
const Coins = coinAmountOf("eth");

const ChainContext = v.strictObject(
  {
    hosts: v.optional(HostsContext),
    // Address of the relay. Null turns off the chain's default relay.
    relay: v.optional(v.nullable(HostUrl)),
    wrapped: v.optional(Token),
    venues: v.optional(
      v.pipe(v.array(Venue, "must be a list of venues"), v.minLength(1, "must have a venue")),
    ),
    quoteTokens: v.optional(v.array(QuoteToken, "must be a list of quote tokens")),
    tokens: v.optional(v.array(Token, "must be a list of tokens")),
    maxOrder: v.optional(Coins),
    maxNetworkFee: v.optional(Coins),
    maxNetworkFeesPerDay: v.optional(Coins),
  },
  "must be an object of hosts, relay, wrapped, venues, quoteTokens, tokens, maxOrder, maxNetworkFee and maxNetworkFeesPerDay",
);

/** Rejects lists, which valibot accepts as objects. */
const ChainContexts = v.pipe(
  v.unknown(),
  v.check((chains) => !Array.isArray(chains), "must be an object of chains"),
  v.record(Chain, v.unknown(), "must be an object of chains"),
  v.object({
    ...v.entriesFromList(evmChains, v.optional(ChainContext)),
    sol: v.optional(SolContext),
  }),
);

/** Lambda's limit. From 1769 MB on, more memory does not make a single thread faster. */
const mostMemoryMB = 10_240;

const twoZones = "must be a list of two availability zones";

/** Keys of the context that select the chains and configure them. */
export const tradingContext = {
  trading: v.optional(json(v.array(Chain, "must be a list of chains")), []),
  chains: v.optional(json(ChainContexts), {}),
  publicHosts: flag(false),
  hostKeys: v.optional(
    matching(/^(\/[\w.-]+)+$/, "the name of an SSM parameter, such as /terminal/host-keys"),
  ),
  lossSignIn: flag(true),
  fastTriggers: flag(false),
  laneShards: v.optional(json(wholeWithin(1, mostLaneShards)), defaultLaneShards),
  readChainsMemoryMB: v.optional(
    json(wholeWithin(operations.readChains.memoryMB, mostMemoryMB)),
    operations.readChains.memoryMB,
  ),
  readChainsPerChain: flag(false),
  signerVpc: flag(true),
  signerZones: v.optional(
    json(
      v.pipe(
        v.array(
          matching(/^[a-z]{2}(-[a-z]+)+-\d[a-z]$/, "an availability zone such as us-east-1a"),
          twoZones,
        ),
        v.check((zones) => zones.length === 2 && zones[0] !== zones[1], twoZones),
      ),
    ),
  ),
};

export type ChainsContext = {
  trading: TradingChain[];
  /** True if chains may trade with the default public hosts. */
  publicHosts: boolean;
  hostKeys?: string | undefined;
  chains: { [Chain in EvmChain]?: v.InferOutput<typeof ChainContext> | undefined } & {
    sol?: v.InferOutput<typeof SolContext> | undefined;
  };
};

function configurationOf({ chains }: ChainsContext, chain: EvmChain): EvmConfiguration {
  const defaults = defaultChains[chain];
  const {
    hosts,
    relay = defaults.relay,
    wrapped,
    venues,
    quoteTokens,
    tokens,
    maxOrder,
    maxNetworkFee,
    maxNetworkFeesPerDay,
  } = chains[chain] ?? {};
  return {
    hosts: hosts ?? defaults.hosts,
    ...(typeof relay === "string" && { relay }),
    wrapped: wrapped ?? defaults.wrapped,
    venues: venues ?? defaults.venues,
    // Leaves out default bridges whose venue the chain's setup does not have.
    quoteTokens:
      quoteTokens ??
      defaults.quoteTokens.map((quote) => ({
        ...quote,
        bridges: quote.bridges.filter((bridge) => hasPool(venues ?? defaults.venues, bridge)),
      })),
    tokens: tokens ?? defaults.tokens,
    ...(maxOrder !== undefined && { maxOrder }),
    maxNetworkFee: maxNetworkFee ?? defaults.maxNetworkFee,
    ...(maxNetworkFeesPerDay !== undefined && { maxNetworkFeesPerDay }),
  };
}

/** Setup of each chain, completed with the defaults. */
export const tradingOf = (context: ChainsContext): TradingConfiguration =>
  Object.fromEntries(
    context.trading.map((chain) => [
      chain,
      chain === "sol" ? solConfigurationOf(context.chains.sol) : configurationOf(context, chain),
    ]),
  );

export const chainsOf = (trading: TradingConfiguration): TradingChain[] =>
  tradingChains.filter((chain) => trading[chain] !== undefined);

const defaultHosts: Readonly<Record<TradingChain, { hosts: readonly string[] }>> = {
  ...defaultChains,
  sol: defaultSol,
};

/** True if all hosts of a chain are on this machine. */
export const isLocalChain = ({ chains }: ChainsContext, chain: TradingChain): boolean =>
  (chains[chain]?.hosts ?? defaultHosts[chain].hosts).every((url) => isLoopback(new URL(url).hostname));

/** Finds contradictions between several values. Returns lines that begin with the key at fault. */
export function tradingProblems(context: ChainsContext & { fastTriggers: boolean }): string[] {
  const given = evmChains.filter((chain) => context.chains[chain] !== undefined);
  return [
    ...repeated(context.trading).map((chain) => `trading names ${chain} twice`),
    ...chainsWithPublicHosts(context)
      .filter(() => !context.publicHosts)
      .map(
        (chain) =>
          `chains.${chain}.hosts must name your own hosts: public ones limit or refuse requests. To try trading out with public hosts, set publicHosts to true`,
      ),
    ...(context.fastTriggers && !context.trading.every((chain) => isLocalChain(context, chain))
      ? ["fastTriggers is only for local chains: a short push of the price would fire stops"]
      : []),
    ...given.flatMap((chain) =>
      problemsOf(chain, configurationOf(context, chain)).map((problem) => `chains.${chain}.${problem}`),
    ),
    ...(context.chains.sol === undefined
      ? []
      : solProblems(solConfigurationOf(context.chains.sol)).map((problem) => `chains.sol.${problem}`)),
    ...hostKeyProblems(context),
  ];
}

/** Lists the texts of a chain that may name keys. */
function textsOf(chain: ChainsContext["chains"][TradingChain]): string[] {
  if (chain === undefined) return [];
  const { url = "", key = "" } = ("jupiter" in chain && chain.jupiter) || {};
  const relay = typeof chain.relay === "string" ? chain.relay : chain.relay?.url;
  return [...(chain.hosts ?? []), relay ?? "", url, key];
}

/** Finds keys of hosts that nothing stores, and a parameter whose keys nothing names. */
function hostKeyProblems({ chains, hostKeys }: ChainsContext): string[] {
  const named = Object.entries(chains).filter(([, chain]) => keysNamedIn(textsOf(chain).join()).length > 0);
  if (hostKeys === undefined)
    return named.map(([chain]) => `chains.${chain} names keys of hosts, which need the context hostKeys`);
  return named.length === 0
    ? ["hostKeys has no effect: no URL of a host names a key, such as {alchemy}"]
    : [];
}

function problemsOf(
  chain: EvmChain,
  { hosts, relay, wrapped, venues, quoteTokens, tokens }: EvmConfiguration,
) {
  return [
    ...repeatedHosts(hosts),
    ...(relay !== undefined && !chainFacts[chain].hasPublicPool
      ? [`relay has no effect: ${chain} has no public pool to hide transactions from`]
      : []),
    ...(wrapped.decimals !== 18 ? ["wrapped.decimals must be 18, as the coin's are"] : []),
    ...repeated(venues.map(({ venue }) => venue)).map((venue) => `venues has ${venue} twice`),
    ...unknownVenues(chain, { hosts, venues }),
    ...repeated(quoteTokens.map(({ token }) => token)).map((token) => `quoteTokens has ${token} twice`),
    ...quoteTokens.flatMap(({ bridges }) =>
      bridges
        .filter((bridge) => !hasPool(venues, bridge))
        .map(
          ({ venue, feeBps, spacing }) =>
            `quoteTokens names ${venue} at ${feeBps} bps${spacing === undefined ? "" : ` with spacing ${spacing}`}, which venues lacks`,
        ),
    ),
    ...repeatedTokens(chain, [wrapped, ...tokens]),
  ];
}

/**
 * Lists venues whose contracts differ from the defaults. Coins sent to an address that is not a router are lost, so
 * real chains trade only with contracts that are part of the program.
 */
function unknownVenues(chain: EvmChain, { hosts, venues }: Pick<EvmConfiguration, "hosts" | "venues">) {
  if (hosts.every((url) => isLoopback(new URL(url).hostname))) return [];
  const known = defaultChains[chain].venues;
  return venues
    .filter(({ displayOnly: _, ...venue }) => !known.some((each) => isDeepStrictEqual(each, venue)))
    .map(
      ({ venue }) =>
        `venues has ${venue} with other contracts, fees or tiers than lib/infra/default-chains.ts`,
    );
}

/** Lists the trading chains for which the context sets no hosts. */
const chainsWithPublicHosts = ({ trading, chains }: ChainsContext): TradingChain[] =>
  [...new Set(trading)].filter((chain) => chains[chain]?.hosts === undefined);

/** Warns of settings that are valid but give up a protection. */
export function tradingWarnings({
  trading,
  signerVpc,
  walletExport,
}: {
  trading: TradingConfiguration;
  signerVpc: boolean;
  walletExport: boolean;
}): string[] {
  const chains = chainsOf(trading);
  const tried = chains.filter((chain) => trading[chain]?.hosts === defaultHosts[chain].hosts);
  const unchecked = chains.filter((chain) => trading[chain]?.hosts.length === 1);
  return [
    ...tried.map(
      (chain) =>
        `Context publicHosts is true: ${chain} trades with public hosts, which limit or refuse requests, so its orders may fail at any time`,
    ),
    ...unchecked.map(
      (chain) =>
        `Context chains.${chain}.hosts has one host: no second host checks its responses, so it alone decides the prices of trades`,
    ),
    ...(chains.length > 0 && !signerVpc
      ? [
          "Context signerVpc is false: the function that opens wallets can reach the internet, so a compromised dependency could send keys away",
        ]
      : []),
    ...(chains.length > 0 && !walletExport
      ? [
          "Context walletExport is false: users cannot take coins out of wallets that were made here, as nothing else gives them the keys",
        ]
      : []),
  ];
}
