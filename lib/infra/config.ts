import type { Node } from "constructs";
import * as v from "valibot";
import { ServiceError } from "../core/service-error.ts";
import { tierNames, tiers, type WalletLimits } from "../core/tier.ts";
import { maxFallbackKeys } from "../plans/fallback-keys.ts";
import { venueNames } from "../prices/feeds.ts";
import { sameSites } from "../runtime/session-cookie.ts";
import { alarmContext } from "./alarm-context.ts";
import { type Configuration, type Domain, leadingKeysChoices } from "./configuration.ts";
import { flag, json, labels, matching, Origin, urlOf, wholeWithin } from "./context-values.ts";
import { didYouMean } from "./did-you-mean.ts";
import { earningContext, earningOf, earningProblems } from "./earning-context.ts";
import { edgeContext, edgeProblems } from "./edge-context.ts";
import { exportContext, exportProblems } from "./export-context.ts";
import { channelShardsOf, marketContext, marketsOf } from "./market-context.ts";
import { regionContext, regionProblems } from "./region-context.ts";
import { reservedRunsOf, runsContext, runsProblems } from "./runs-context.ts";
import { throttleContext, throttleProblems } from "./throttle-context.ts";
import { defaultThrottles } from "./throttles.ts";
import { tradingContext, tradingOf, tradingProblems } from "./trading-context.ts";

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
  // AWS sets this rate in most regions.
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
