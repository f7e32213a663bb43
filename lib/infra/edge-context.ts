import * as v from "valibot";
import { explorers } from "../core/chain-facts.ts";
import { networks } from "../core/network.ts";
import { flag, json, labels, matching, Origin, wholeWithin } from "./context-values.ts";

/** CloudFront accepts certificates and web ACLs only from this region. */
export const edgeRegion = "us-east-1";

/** Address of the console, below that of the service. Issuers compare it exactly. */
export const consoleUrlOf = (baseUrl: string) => `${baseUrl}/console/`;

/** Explorers by network. Their sites may lack TLS, since the console only links to them. */
const Explorers = v.record(
  v.picklist(
    networks,
    ({ received }) => `is not a network: ${received}. The networks are ${networks.join(", ")}`,
  ),
  v.pipe(
    v.string("must be a URL"),
    v.check((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ""), "must be a URL of a site"),
    v.transform((text) => text.replace(/\/+$/, "")),
  ),
  "must be an object of networks and sites",
);

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
  consoleExplorers: v.optional(json(Explorers), explorers),
  consoleDocs: v.optional(
    matching(/^(https:\/\/[^\s/]|\/(?!\/))\S*$/, "an https URL, or a path such as /docs/"),
  ),
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
