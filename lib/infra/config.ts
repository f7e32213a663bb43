import type { Node } from "constructs";
import * as v from "valibot";
import type { TradingConfiguration } from "../chains/families/configuration.ts";
import type { TradingChain } from "../core/chain-facts.ts";
import type { Network } from "../core/network.ts";
import { ServiceError } from "../core/service-error.ts";
import { tierNames, tiers, type WalletLimits } from "../core/tier.ts";
import { maxFallbackKeys } from "../plans/fallback-keys.ts";
import { type PriceFeed, venueNames } from "../prices/feeds.ts";
import type { EarningRules } from "../rewards/earning-rules.ts";
import { type SameSite, sameSites } from "../runtime/session-cookie.ts";
import type { Issuer } from "../runtime/token-verifier.ts";
import { alarmContext } from "./alarm-context.ts";
import { flag, json, labels, matching, Origin, urlOf, wholeWithin } from "./context-values.ts";
import { didYouMean } from "./did-you-mean.ts";
import { earningContext, earningOf, earningProblems } from "./earning-context.ts";
import { edgeContext, edgeProblems } from "./edge-context.ts";
import { exportContext, exportProblems } from "./export-context.ts";
import { channelShardsOf, marketContext, marketsOf } from "./market-context.ts";
import { regionContext, regionProblems } from "./region-context.ts";
import { type ReservedRuns, reservedRunsOf, runsContext, runsProblems } from "./runs-context.ts";
import { throttleContext, throttleProblems } from "./throttle-context.ts";
import { defaultThrottles, type Throttles } from "./throttles.ts";
import { tradingContext, tradingOf, tradingProblems } from "./trading-context.ts";

/** A domain name with its ACM certificate. */
export type Domain = { domainName: string; certificateArn: string };

/** Sender of mail, and the verified SES identity that the address belongs to. */
export type MailIdentity = { from: string; identityArn: string };

/**
 * Values that `dynamodb:LeadingKeys` may have when IAM checks one part of a transaction: the part's own keys, or those
 * of the whole request.
 */
const leadingKeysChoices = ["each-part", "whole-request"] as const;

export type LeadingKeys = (typeof leadingKeysChoices)[number];

export type WarmThroughput = { readUnitsPerSecond: number; writeUnitsPerSecond: number };

/** Settings of a deployment, from CDK context (`-c key=value`). */
export type Configuration = {
  /** Issuer of accepted tokens. If undefined, it is the user pool in the data stack. */
  issuer: Issuer | undefined;
  /** Sender of the user pool's mail. If undefined, Cognito sends it, at most 50 a day. */
  mail: MailIdentity | undefined;
  /** Longest accepted lifetime of a token, in seconds. */
  maxTokenSeconds: number;
  /**
   * Cookie that may carry the token instead of the Authorization header. The name is given without the prefix
   * `__Host-`.
   */
  cookieName: string;
  /** True if the cookie is also accepted under its name without the prefix `__Host-`. */
  bareCookie: boolean;
  /**
   * Says whose requests carry the cookie: those of pages of the API's own site, also links to it from other sites, or
   * those of all sites.
   */
  cookieSameSite: SameSite;
  /** Web origins whose pages may call the service with credentials. */
  allowedOrigins: readonly string[];
  walletLimits: WalletLimits;
  /** True if a distribution serves both APIs at one address. */
  edge: boolean;
  /** True if the edge serves the console. */
  console: boolean;
  /** Client as which the console signs users in. If undefined, it is the audience of the tokens. */
  consoleClientId: string | undefined;
  /** Scopes for which the console asks the issuer. */
  consoleScope: string;
  /** Origins that the console may call besides its own and the issuer's. */
  consoleOrigins: readonly string[];
  /** Sites of explorers to which the console links. */
  consoleExplorers: Readonly<Partial<Record<Network, string>>>;
  /** Documentation to which the console links. */
  consoleDocs: string | undefined;
  /** True if the APIs reject requests that bypass the edge. */
  edgeOnly: boolean;
  /**
   * Labels of the secrets that prove that a request came through the edge. The edge sends the last secret; the APIs
   * accept all of them.
   */
  originKeys: readonly string[];
  /** ARN of the web ACL of the distribution. */
  webAclArn: string | undefined;
  /** True if a web ACL is deployed, which limits requests per address. */
  firewall: boolean;
  firewallRequestsPerMinute: number;
  /**
   * Custom domain of the edge, with a certificate in us-east-1. If there is no edge, it is the domain of the REST API,
   * with a certificate in the API's region.
   */
  domain: Domain | undefined;
  /** Custom domain of the WebSocket API, for deployments without an edge. The two APIs cannot share a name. */
  streamDomain: Domain | undefined;
  /** Number of shards of a public channel's subscribers. Shards get their messages in parallel. */
  channelShards: number;
  /** Maximum number of open WebSocket connections per user. Each of them gets every change. */
  connectionsPerUser: number;
  /** Labels of the keys to which users seal private keys. Clients are offered the last key; all keys are accepted. */
  importKeys: readonly string[];
  /** True if the wallets' key can have replicas in other regions, which cannot be changed later. */
  multiRegionKey: boolean;
  /** Region that gets a replica of the wallets' key and daily copies of the table. */
  replicaRegion: string | undefined;
  /** Replica of the key of a lost deployment, which this deployment uses instead of a key of its own. */
  walletKeyArn: string | undefined;
  /**
   * Change stream of a table that was restored under its old name. CloudFormation only knows the stream of the lost
   * table.
   */
  tableStreamArn: string | undefined;
  /** Price feeds, in order of preference. An empty list fetches no prices. */
  priceFeeds: readonly PriceFeed[];
  /** Number of API keys shared by users who have no key of their own. */
  fallbackKeys: number;
  /** Shortest time between two updates of prices. */
  pricesEverySeconds: number;
  /** Seconds to wait before using a new API key, which API Gateway takes a while to accept. */
  keyGraceSeconds: number;
  /** Rate limits of each method and route, for all callers together. */
  throttles: Throttles;
  /**
   * Chains on which orders are executed, with the hosts and contracts of each. If the list is empty, trading is off.
   */
  trading: TradingConfiguration;
  /** Name of the SSM parameter with the keys that hosts' URLs name. Undefined if they name none. */
  hostKeys: string | undefined;
  /** Number of shards of a chain's lanes. */
  laneShards: number;
  /** Memory of readChains. Lambda gives processor time in proportion. */
  readChainsMemoryMB: number;
  /** True if each chain is read by a run of its own. Otherwise one run reads all chains. */
  readChainsPerChain: boolean;
  /** True if the service reads the markets of tokens on the chains with trading. */
  markets: boolean;
  /** Rules by which trades earn XP and points. Undefined if they earn nothing. */
  earning: EarningRules | undefined;
  /** Number of tokens to read on chains for which it is not the default. */
  marketTokens: Readonly<Partial<Record<TradingChain, number>>>;
  /** Maximum number of functions that may run in the account at the same time. */
  concurrentRuns: number;
  /** Runs that Lambda keeps for single functions, which are their most runs as well. */
  reservedRuns: ReservedRuns;
  /** True if functions that open wallets run in a network without internet access. */
  signerVpc: boolean;
  /** Two availability zones for the network of functions that open wallets. If undefined, AWS's list decides. */
  signerZones: readonly string[] | undefined;
  /** True if orders that could lose more than half of their value need a fresh sign-in. */
  lossSignIn: boolean;
  /** True if resting orders wait only a tenth of the usual times. */
  fastTriggers: boolean;
  /** True if users can export the private keys of their wallets. */
  walletExport: boolean;
  /** Delay between requesting an export and exporting. */
  exportDelaySeconds: number;
  /** True if users can register devices that get notices. */
  devices: boolean;
  /** Operators' EventBridge bus for notices. If undefined, there is one of the service's own where devices are on. */
  noticeBusArn: string | undefined;
  /**
   * Keys that IAM compares with policies when it checks a part of a transaction: the part's own, or those of all parts.
   */
  leadingKeys: LeadingKeys;
  /**
   * Traffic that the table can take at once. If undefined, a new table starts with DynamoDB's minimum, and grows with
   * its use.
   */
  warmThroughput: WarmThroughput | undefined;
  /** SNS topic of the alarms that need a person at once. */
  alarmTopicArn: string | undefined;
  /** SNS topic of the other alarms and of the budget. If undefined, they go to `alarmTopicArn`. */
  ticketTopicArn: string | undefined;
  /** Budget of the account for a month, in dollars. */
  budgetDollars: number | undefined;
  /** Units of hosts in a day that raise an alarm. */
  hostUnitsPerDay: number;
};

/** Defaults of the context. Features whose keys are not listed are off. */
export const defaults = {
  // A day and an hour, in seconds.
  maxTokenSeconds: 90_000,
  cookieName: "access_token",
  cookieSameSite: "Strict",
  allowedOrigins: [],
  // Has a default for each tier, because the context may set only some of them.
  walletLimits: Object.fromEntries(tierNames.map((tier) => [tier, tiers[tier].walletLimit])) as WalletLimits,
  connectionsPerUser: 30,
  // Public feeds that need no API key. Each is used only while the feeds before it are silent.
  priceFeeds: [
    { source: "coinbase", venue: "coinbase", url: "wss://ws-feed.exchange.coinbase.com" },
    { source: "kraken", venue: "kraken", url: "wss://ws.kraken.com/v2" },
  ],
  fallbackKeys: 500,
  pricesEverySeconds: 2,
  keyGraceSeconds: 120,
  importKeys: ["1"],
  leadingKeys: "each-part",
  // AWS's own default in most regions.
  accountRequestsPerSecond: 10_000,
} as const satisfies Partial<Configuration> & { accountRequestsPerSecond: number };

/** A configuration that cannot be deployed. The message has one line per problem. */
export class ConfigurationError extends ServiceError {
  override readonly code = "CONFIGURATION_ERROR";
}

/** Matches the keys of this project in the context. CDK's own keys contain other characters. */
const ownKey = /^\w+$/;

/** @throws {ConfigurationError} */
export function readConfiguration(node: Pick<Node, "getAllContext">): Configuration {
  const given: Record<string, unknown> = node.getAllContext();
  const context = v.safeParse(Context, given);
  const known = Object.keys(Context.pipe[0].entries);
  const unknown = Object.keys(given).filter((key) => ownKey.test(key) && !known.includes(key));
  const problems = [
    ...unknown.map(
      (key) => `Context ${key} is unknown: docs/operations.md lists the keys${didYouMean(key, known)}`,
    ),
    ...(context.issues ?? []).map(describe),
  ];
  if (!context.success || problems.length > 0) throw new ConfigurationError(problems.join("\n"));

  const {
    issuer,
    audience,
    jwksUri = "",
    walletLimits,
    accountRequestsPerSecond,
    throttles,
    trading,
    chains,
    publicHosts,
    earning,
    markets,
    channelShards,
    ...rest
  } = context.output;
  const { domainName, certificateArn, streamDomainName, streamCertificateArn, ...others } = rest;
  const { mailFrom, mailIdentityArn, ...chosen } = others;
  const configuredTrading = tradingOf({ trading, chains, publicHosts });
  return {
    ...chosen,
    issuer: issuer && audience ? { issuer, audience, jwksUri } : undefined,
    walletLimits: { ...defaults.walletLimits, ...walletLimits },
    throttles: { ...defaultThrottles(accountRequestsPerSecond), ...throttles },
    trading: configuredTrading,
    earning: earningOf(earning, configuredTrading),
    markets: marketsOf({ trading, markets, concurrentRuns: chosen.concurrentRuns }),
    reservedRuns: reservedRunsOf({ ...chosen, trading }),
    channelShards: channelShards ?? channelShardsOf(chosen),
    domain: domainOf(domainName, certificateArn),
    streamDomain: domainOf(streamDomainName, streamCertificateArn),
    mail: mailFrom && mailIdentityArn ? { from: mailFrom, identityArn: mailIdentityArn } : undefined,
    console: chosen.console ?? chosen.edge,
    consoleClientId: chosen.consoleClientId,
    consoleDocs: chosen.consoleDocs,
    webAclArn: chosen.webAclArn,
    replicaRegion: chosen.replicaRegion,
    walletKeyArn: chosen.walletKeyArn,
    warmThroughput: chosen.warmThroughput,
    signerZones: chosen.signerZones,
    tableStreamArn: chosen.tableStreamArn,
    noticeBusArn: chosen.noticeBusArn,
    hostKeys: chosen.hostKeys,
    alarmTopicArn: chosen.alarmTopicArn,
    ticketTopicArn: chosen.ticketTopicArn,
    budgetDollars: chosen.budgetDollars,
  };
}

const domainOf = (domainName: string | undefined, certificateArn: string | undefined): Domain | undefined =>
  domainName && certificateArn ? { domainName, certificateArn } : undefined;

const describe = (issue: v.BaseIssue<unknown>) =>
  ["Context", v.getDotPath(issue), issue.message].filter((part) => part !== null).join(" ");

const Url = urlOf("http", "must be an https URL");

const TierName = v.picklist(
  tierNames,
  ({ received }) => `is not a tier: ${received}. The tiers are ${tierNames.join(", ")}`,
);

const WalletLimit = v.pipe(
  v.number("must be a number of wallets"),
  v.integer("must be a whole number"),
  v.minValue(0, "must not be negative"),
);

const DomainName = matching(/^([a-z\d-]+\.)+[a-z]{2,}$/, "a domain name in lower case");

const CertificateArn = matching(/^arn:[\w-]+:acm:/, "the ARN of an ACM certificate");

const Feed = v.strictObject(
  {
    source: matching(/\S/, "text"),
    venue: v.picklist(
      venueNames,
      ({ received }) => `is not a venue: ${received}. The venues are ${venueNames.join(", ")}`,
    ),
    url: urlOf("ws", "must be a wss URL"),
  },
  "must be an object of source, venue and url",
);

const unitsFrom = (least: number) => wholeWithin(least, 1_000_000);

/** Requires at least the throughput of a new table, because DynamoDB accepts no less. */
const WarmThroughputSchema = v.strictObject(
  { readUnitsPerSecond: unitsFrom(12_000), writeUnitsPerSecond: unitsFrom(4000) },
  "must be an object of readUnitsPerSecond and writeUnitsPerSecond",
);

/** Limits the size of a list, because Lambda refuses functions whose variables exceed 4096 bytes. */
const within = <Item>(maxBytes: number) =>
  v.check<Item[], string>(
    (list) => Buffer.byteLength(JSON.stringify(list)) <= maxBytes,
    `must have at most ${maxBytes} bytes as JSON`,
  );

/** Pairs of keys. The first of each pair requires the second. */
const needs = [
  ["issuer", "audience"],
  ["audience", "issuer"],
  ["jwksUri", "issuer"],
  ["consoleClientId", "issuer"],
  ["domainName", "certificateArn"],
  ["certificateArn", "domainName"],
  ["streamDomainName", "streamCertificateArn"],
  ["streamCertificateArn", "streamDomainName"],
  ["mailFrom", "mailIdentityArn"],
  ["ticketTopicArn", "alarmTopicArn"],
  ["budgetDollars", "alarmTopicArn"],
  ["mailIdentityArn", "mailFrom"],
] as const;

const Context = v.pipe(
  v.object({
    issuer: v.optional(Url),
    audience: v.optional(matching(/\S/, "text")),
    jwksUri: v.optional(Url),
    maxTokenSeconds: v.optional(json(wholeWithin(60, 2_592_000, "seconds")), defaults.maxTokenSeconds),
    cookieName: v.optional(matching(/^[\w!#$%&'*+.^`|~-]+$/, "a cookie name"), defaults.cookieName),
    bareCookie: flag(false),
    cookieSameSite: v.optional(
      v.picklist(sameSites, `must be one of ${sameSites.join(", ")}`),
      defaults.cookieSameSite,
    ),
    allowedOrigins: v.optional(
      json(v.pipe(v.array(Origin, "must be a list of origins"), within(2000))),
      defaults.allowedOrigins,
    ),
    walletLimits: v.optional(json(v.record(TierName, WalletLimit, "must be an object of tiers"))),
    domainName: v.optional(DomainName),
    certificateArn: v.optional(CertificateArn),
    streamDomainName: v.optional(DomainName),
    streamCertificateArn: v.optional(CertificateArn),
    mailFrom: v.optional(
      matching(
        /^([^<>@]+<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/,
        "a mail address, with or without a name",
      ),
    ),
    mailIdentityArn: v.optional(
      matching(/^arn:[\w-]+:ses:[\w-]+:\d+:identity\/\S+$/, "the ARN of an identity in SES"),
    ),
    tableStreamArn: v.optional(
      matching(/^arn:[\w-]+:dynamodb:.+:table\/.+\/stream\/\S+$/, "the ARN of a table's stream"),
    ),
    connectionsPerUser: v.optional(json(wholeWithin(1, 100)), defaults.connectionsPerUser),
    priceFeeds: v.optional(
      json(v.pipe(v.array(Feed, "must be a list of feeds"), within(1000))),
      defaults.priceFeeds,
    ),
    fallbackKeys: v.optional(json(wholeWithin(1, maxFallbackKeys)), defaults.fallbackKeys),
    pricesEverySeconds: v.optional(json(wholeWithin(1, 60, "seconds")), defaults.pricesEverySeconds),
    keyGraceSeconds: v.optional(json(wholeWithin(0, 3600, "seconds")), defaults.keyGraceSeconds),
    importKeys: v.optional(json(labels), defaults.importKeys),
    accountRequestsPerSecond: v.optional(
      json(wholeWithin(250, 1_000_000)),
      defaults.accountRequestsPerSecond,
    ),
    ...throttleContext,
    ...tradingContext,
    ...marketContext,
    ...earningContext,
    ...exportContext,
    ...edgeContext,
    ...regionContext,
    ...runsContext,
    leadingKeys: v.optional(
      v.picklist(leadingKeysChoices, `must be one of ${leadingKeysChoices.join(", ")}`),
      defaults.leadingKeys,
    ),
    warmThroughput: v.optional(json(WarmThroughputSchema)),
    ...alarmContext,
  }),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    for (const [given, needed] of needs)
      if (dataset.value[given] !== undefined && dataset.value[needed] === undefined)
        addIssue({ message: `${needed} is missing: ${given} needs it` });
    for (const message of throttleProblems(dataset.value)) addIssue({ message });
    // Checks rules between several values once each value is valid.
    if (dataset.issues === undefined)
      for (const problemsOf of [
        edgeProblems,
        tradingProblems,
        earningProblems,
        exportProblems,
        regionProblems,
        runsProblems,
      ])
        for (const message of problemsOf(dataset.value)) addIssue({ message });
  }),
);
