import type { Node } from "constructs";
import * as v from "valibot";
import { tierNames, tiers, type WalletLimits } from "../domain/tier.ts";
import type { Issuer } from "../runtime/token-verifier.ts";

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
  /** A name of one's own for the API, with its ACM certificate of the same region. */
  domain: { domainName: string; certificateArn: string } | undefined;
  /** The SNS topic that hears of alarms. */
  alarmTopicArn: string | undefined;
};

/** A context value that cannot be deployed. The message has a line per key at fault. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

/** `-c key=value` makes every value a string, so lists and objects may arrive as JSON text. */
const fromJson = v.rawTransform<unknown, unknown>(({ dataset, addIssue, NEVER }) => {
  if (typeof dataset.value !== "string") return dataset.value;
  try {
    return JSON.parse(dataset.value);
  } catch {
    addIssue({ message: `is not JSON: ${dataset.value}` });
    return NEVER;
  }
});

const matching = (pattern: RegExp, what: string) =>
  v.pipe(v.string(`must be ${what}`), v.regex(pattern, `must be ${what}`));

const Url = v.pipe(
  v.string("must be a URL"),
  v.check((text) => {
    const url = URL.parse(text);
    return url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
  }, "must be an https URL"),
);

const isLoopback = (host: string) => ["localhost", "127.0.0.1", "[::1]"].includes(host);

const Origin = v.pipe(
  v.string("must be text"),
  v.check(
    (text) => URL.parse(text)?.origin === text,
    ({ input }) => `must be an exact origin such as https://app.example, not ${input}`,
  ),
);

const TierName = v.picklist(
  tierNames,
  ({ received }) => `names no tier ${received}; there are ${tierNames.join(", ")}`,
);

const WalletLimit = v.pipe(
  v.number("must be a number of wallets"),
  v.integer("must be a whole number"),
  v.minValue(0, "must not be negative"),
);

/** Keys that mean nothing without another. */
const needs = [
  ["issuer", "audience"],
  ["audience", "issuer"],
  ["jwksUri", "issuer"],
  ["domainName", "certificateArn"],
  ["certificateArn", "domainName"],
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
    domainName: v.optional(matching(/^([a-z\d-]+\.)+[a-z]{2,}$/, "a domain name in lower case")),
    certificateArn: v.optional(matching(/^arn:[\w-]+:acm:/, "the ARN of an ACM certificate")),
    alarmTopicArn: v.optional(matching(/^arn:[\w-]+:sns:/, "the ARN of an SNS topic")),
  }),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    for (const [given, needed] of needs)
      if (dataset.value[given] !== undefined && dataset.value[needed] === undefined)
        addIssue({ message: `${needed} is needed beside ${given}` });
  }),
);

/** @throws {ConfigurationError} */
export function readConfiguration(node: Node): Configuration {
  const keys = Object.keys(Context.pipe[0].entries);
  const context = v.safeParse(Context, Object.fromEntries(keys.map((key) => [key, node.tryGetContext(key)])));
  if (!context.success) throw new ConfigurationError(context.issues.map(describe).join("\n"));

  const { cookieName, allowedOrigins, walletLimits, alarmTopicArn } = context.output;
  const { issuer, audience, jwksUri = "", domainName, certificateArn } = context.output;
  return {
    issuer: issuer && audience ? { issuer, audience, jwksUri } : undefined,
    cookieName,
    allowedOrigins,
    walletLimits: { ...defaultWalletLimits, ...walletLimits },
    domain: domainName && certificateArn ? { domainName, certificateArn } : undefined,
    alarmTopicArn,
  };
}

const defaultWalletLimits = Object.fromEntries(
  tierNames.map((tier) => [tier, tiers[tier].walletLimit]),
) as WalletLimits;

const describe = (issue: v.BaseIssue<unknown>) =>
  ["Context", v.getDotPath(issue), issue.message].filter((part) => part !== null).join(" ");
