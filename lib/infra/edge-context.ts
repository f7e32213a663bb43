import * as v from "valibot";
import { flag, json, labels, matching, Origin, wholeWithin } from "./context-values.ts";

/** CloudFront accepts certificates and web ACLs only from this region. */
export const edgeRegion = "us-east-1";

/** Address of the console, below that of the service. Issuers compare it exactly. */
export const consoleUrlOf = (baseUrl: string) => `${baseUrl}/console/`;

/** Keys of the context that determine the address of both APIs, and of the console. */
export const edgeContext = {
  edge: flag(true),
  edgeOnly: flag(false),
  originKeys: v.optional(json(labels), ["1"]),
  webAclArn: v.optional(
    matching(
      /^arn:[\w-]+:wafv2:us-east-1:\d+:global\/webacl\/\S+$/,
      "the ARN of a web ACL for CloudFront, in us-east-1",
    ),
  ),
  firewall: flag(false),
  console: v.optional(json(v.boolean("must be true or false"))),
  consoleClientId: v.optional(matching(/^\S+$/, "text without spaces")),
  consoleScope: v.optional(matching(/\bopenid\b/, "a list of scopes with openid"), "openid"),
  consoleOrigins: v.optional(json(v.array(Origin, "must be a list of origins")), []),
  // AWS WAF accepts limits from 10 to 2,000,000,000.
  firewallRequestsPerMinute: v.optional(json(wholeWithin(10, 2_000_000_000)), 20_000),
};

type Context = {
  edge: boolean;
  edgeOnly: boolean;
  webAclArn?: string | undefined;
  firewall: boolean;
  console?: boolean | undefined;
  certificateArn?: string | undefined;
  domainName?: string | undefined;
  streamDomainName?: string | undefined;
};

/** Finds contradictions between several values of the edge's configuration. */
export function edgeProblems({
  edge,
  edgeOnly,
  webAclArn,
  firewall,
  console,
  ...domains
}: Context): string[] {
  const { domainName, streamDomainName, certificateArn } = domains;
  if (edge)
    return [
      ...(streamDomainName === undefined
        ? []
        : [
            "streamDomainName needs edge to be false: the edge serves the stream at domainName, under /stream",
          ]),
      ...(certificateArn === undefined || certificateArn.split(":")[3] === edgeRegion
        ? []
        : [
            `certificateArn must be of ${edgeRegion}, because CloudFront takes no other; or set edge to false`,
          ]),
    ];
  const given = {
    edgeOnly: edgeOnly || undefined,
    webAclArn,
    firewall: firewall || undefined,
    console: console || undefined,
  };
  return [
    ...Object.entries(given).flatMap(([key, value]) =>
      value === undefined ? [] : [`${key} needs edge to be true`],
    ),
    ...(domainName !== undefined && domainName === streamDomainName
      ? ["streamDomainName must differ from domainName: a name serves one kind of API"]
      : []),
  ];
}
