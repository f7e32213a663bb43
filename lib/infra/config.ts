import type { Node } from "constructs";
import * as v from "valibot";
import { keyGraceSeconds as defaultGraceSeconds } from "../domain/plan.ts";
import { tierNames, tiers, type WalletLimits } from "../domain/tier.ts";
import { defaultPriceFeeds, type PriceFeed } from "../prices/feeds.ts";
import type { Issuer } from "../runtime/token-verifier.ts";
import {
  CertificateArn,
  ChannelShards,
  DomainName,
  Feed,
  fromJson,
  GraceSeconds,
  matching,
  Origin,
  TierName,
  Url,
  WalletLimit,
} from "./context-values.ts";

/** A domain name with its ACM certificate. */
export type Domain = { domainName: string; certificateArn: string };

/** What a deployment may choose, by CDK context. The defaults are in `cdk.json`; `-c key=value` goes before them. */
export type Configuration = {
  /** Whose tokens are accepted. Absent: those of a user pool that the data stack makes. */
  issuer: Issuer | undefined;
  /** The cookie that may carry the token in place of the Authorization header. */
  cookieName: string;
  /** Web origins whose pages may call the service with credentials. */
  allowedOrigins: readonly string[];
  /** Those of lib/domain/tier.ts, save for the tiers that the context names. */
  walletLimits: WalletLimits;
  /** A name of one's own for the REST API; its certificate is of the same region. */
  domain: Domain | undefined;
  /** The same for the WebSocket API. One name cannot serve both. */
  streamDomain: Domain | undefined;
  /** Over how many shards the subscribers of a public channel are spread; each is delivered to by itself. */
  channelShards: number;
  /** Where prices come from, in order of preference. With none, no prices are fetched. */
  priceFeeds: readonly PriceFeed[];
  /** Seconds from when a user's API key is made until it is used: API Gateway takes a while to know it. */
  keyGraceSeconds: number;
  /** The SNS topic that hears of alarms. */
  alarmTopicArn: string | undefined;
};

/** A context value that cannot be deployed. The message has a line per key at fault. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

/** Keys that mean nothing without another. */
const needs = [
  ["issuer", "audience"],
  ["audience", "issuer"],
  ["jwksUri", "issuer"],
  ["domainName", "certificateArn"],
  ["certificateArn", "domainName"],
  ["streamDomainName", "streamCertificateArn"],
  ["streamCertificateArn", "streamDomainName"],
] as const;

const Context = v.pipe(
  v.object({
    issuer: v.optional(Url),
    audience: v.optional(matching(/\S/, "text")),
    jwksUri: v.optional(Url),
    cookieName: matching(/^[\w!#$%&'*+.^`|~-]+$/, "a cookie name"),
    allowedOrigins: v.pipe(v.unknown(), fromJson, v.array(Origin, "must be a list of origins")),
    walletLimits: v.pipe(
      v.unknown(),
      fromJson,
      v.record(TierName, WalletLimit, "must be an object of tiers"),
    ),
    domainName: v.optional(DomainName),
    certificateArn: v.optional(CertificateArn),
    streamDomainName: v.optional(DomainName),
    streamCertificateArn: v.optional(CertificateArn),
    channelShards: v.pipe(v.unknown(), fromJson, ChannelShards),
    priceFeeds: v.optional(v.pipe(v.unknown(), fromJson, v.array(Feed, "must be a list of feeds"))),
    keyGraceSeconds: v.optional(v.pipe(v.unknown(), fromJson, GraceSeconds)),
    alarmTopicArn: v.optional(matching(/^arn:[\w-]+:sns:/, "the ARN of an SNS topic")),
  }),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    for (const [given, needed] of needs)
      if (dataset.value[given] !== undefined && dataset.value[needed] === undefined)
        addIssue({ message: `${needed} is needed beside ${given}` });
    const { domainName, streamDomainName } = dataset.value;
    if (domainName !== undefined && domainName === streamDomainName)
      addIssue({ message: "streamDomainName must differ from domainName: one name serves one kind of API" });
  }),
);

/** @throws {ConfigurationError} */
export function readConfiguration(node: Node): Configuration {
  const keys = Object.keys(Context.pipe[0].entries);
  const context = v.safeParse(Context, Object.fromEntries(keys.map((key) => [key, node.tryGetContext(key)])));
  if (!context.success) throw new ConfigurationError(context.issues.map(describe).join("\n"));

  const { cookieName, allowedOrigins, walletLimits, channelShards, alarmTopicArn } = context.output;
  const { issuer, audience, jwksUri = "", priceFeeds = defaultPriceFeeds } = context.output;
  const { keyGraceSeconds = defaultGraceSeconds } = context.output;
  const { domainName, certificateArn, streamDomainName, streamCertificateArn } = context.output;
  return {
    issuer: issuer && audience ? { issuer, audience, jwksUri } : undefined,
    cookieName,
    allowedOrigins,
    walletLimits: { ...defaultWalletLimits, ...walletLimits },
    domain: domainOf(domainName, certificateArn),
    streamDomain: domainOf(streamDomainName, streamCertificateArn),
    channelShards,
    priceFeeds,
    keyGraceSeconds,
    alarmTopicArn,
  };
}

const domainOf = (domainName: string | undefined, certificateArn: string | undefined): Domain | undefined =>
  domainName && certificateArn ? { domainName, certificateArn } : undefined;

const defaultWalletLimits = Object.fromEntries(
  tierNames.map((tier) => [tier, tiers[tier].walletLimit]),
) as WalletLimits;

const describe = (issue: v.BaseIssue<unknown>) =>
  ["Context", v.getDotPath(issue), issue.message].filter((part) => part !== null).join(" ");
