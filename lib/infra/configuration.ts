import type { TradingConfiguration } from "../chains/families/configuration.ts";
import type { TradingChain } from "../core/chain-facts.ts";
import type { Network } from "../core/network.ts";
import type { WalletLimits } from "../core/tier.ts";
import type { PriceFeed } from "../prices/feeds.ts";
import type { EarningRules } from "../rewards/earning-rules.ts";
import type { SameSite } from "../runtime/session-cookie.ts";
import type { Issuer } from "../runtime/token-verifier.ts";
import type { ReservedRuns } from "./runs-context.ts";
import type { Throttles } from "./throttles.ts";

/** A domain name with its ACM certificate. */
export type Domain = { domainName: string; certificateArn: string };

/** Sender of mail, and the verified SES identity that the address belongs to. */
export type MailIdentity = { from: string; identityArn: string };

/**
 * Values that `dynamodb:LeadingKeys` may have when IAM checks one part of a transaction: the part's own keys, or those
 * of the whole request.
 */
export const leadingKeysChoices = ["each-part", "whole-request"] as const;

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
  /** Runs that Lambda keeps for single functions, which cannot have more runs than these. */
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
