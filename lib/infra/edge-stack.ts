import {
  Aws,
  CfnOutput,
  CrossStackReferences,
  Duration,
  ReferenceStrength,
  Stack,
  type StackProps,
  Validations,
} from "aws-cdk-lib";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import {
  AllowedMethods,
  CachePolicy,
  Distribution,
  OriginRequestPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from "aws-cdk-lib/aws-cloudfront";
import { HttpOrigin } from "aws-cdk-lib/aws-cloudfront-origins";
import type { Construct } from "constructs";
import { consolePath } from "trading-terminal-console";
import { originKeyHeader } from "../runtime/request-origin.ts";
import type { Issuer } from "../runtime/token-verifier.ts";
import type { Configuration } from "./configuration.ts";
import { type ConsoleConfiguration, ConsoleSite, consoleSiteProps } from "./console-site.ts";
import { restStageName, type TerminalRestApi } from "./rest/rest-api.ts";
import { type StreamApi, streamStageName } from "./websocket/stream-api.ts";

export type EdgeStackProps = Pick<StackProps, "tags"> & {
  configuration: Pick<Configuration, "console" | "domain" | "webAclArn"> & ConsoleConfiguration;
  /** Issuer of the tokens that the APIs accept. */
  issuer: Issuer;
  rest: TerminalRestApi;
  stream: StreamApi;
  /** Secret header value that the APIs require from the edge. */
  originKey: string;
};

/**
 * Statuses for which caching can be configured. By default, CloudFront caches some errors for 10 seconds, for all
 * users.
 */
const errorStatuses = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];

/** Caches nothing and forwards everything except the Host header. */
const passedOn = {
  cachePolicy: CachePolicy.CACHING_DISABLED,
  originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
  viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
  // Leaves compression to API Gateway, because CloudFront's compression would make strong ETags weak.
  compress: false,
};

/**
 * Stack of the distribution that puts both APIs and the console at one address. AWS lets only verified accounts create
 * distributions, so failures, changes and removal of this stack must not touch the APIs. It stores only the console's
 * files.
 */
export class EdgeStack extends Stack {
  constructor(
    scope: Construct,
    id: string,
    { configuration, issuer, rest, stream, originKey, ...props }: EdgeStackProps,
  ) {
    const { domain, webAclArn } = configuration;
    super(scope, id, {
      ...props,
      description: "Trading terminal: one address for both APIs and the console",
    });
    // Avoids exports: CloudFormation would refuse to remove or replace anything that this stack imports.
    CrossStackReferences.of(this).consume(ReferenceStrength.WEAK);
    const site = configuration.console
      ? new ConsoleSite(this, "Console", consoleSiteProps(configuration, issuer))
      : undefined;
    const distribution = new Distribution(this, "Distribution", {
      comment: "Trading terminal",
      ...(domain && {
        domainNames: [domain.domainName],
        certificate: Certificate.fromCertificateArn(this, "Certificate", domain.certificateArn),
        minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
      }),
      ...(webAclArn !== undefined && { webAclId: webAclArn }),
      defaultBehavior: {
        ...passedOn,
        origin: originOf(rest.restApiId, originKey, `/${restStageName}`),
        allowedMethods: AllowedMethods.ALLOW_ALL,
      },
      additionalBehaviors: {
        // Matches only the exact path, and accepts no POST, so that @connections cannot be reached through the edge.
        [streamStageName]: {
          ...passedOn,
          origin: originOf(stream.apiId, originKey),
          allowedMethods: AllowedMethods.ALLOW_GET_HEAD,
        },
        ...site?.behaviors,
      },
      errorResponses: errorStatuses.map((httpStatus) => ({ httpStatus, ttl: Duration.seconds(0) })),
    });
    Validations.of(distribution).acknowledge(
      { id: "AwsSolutions-CFR1", reason: "The service is for users of all countries." },
      {
        id: "AwsSolutions-CFR2",
        reason:
          "A web ACL is billed per rule and request, and tuned to the owner's traffic. The owner may name one.",
      },
      {
        id: "AwsSolutions-CFR3",
        reason:
          "API Gateway logs each request, with the client's address. CloudFront's logs have cookies and queries.",
      },
      {
        id: "AwsSolutions-CFR4",
        reason:
          "CloudFront sets the TLS versions of its own domain names. With a custom domain, the minimum is TLS 1.2.",
      },
    );

    const { distributionDomainName } = distribution;
    const address = domain?.domainName ?? distributionDomainName;
    new CfnOutput(this, "BaseUrl", { value: `https://${address}` });
    new CfnOutput(this, "StreamUrl", { value: `wss://${address}/${streamStageName}` });
    if (site) new CfnOutput(this, "ConsoleUrl", { value: `https://${address}${consolePath}/` });
    if (domain) new CfnOutput(this, "DomainTarget", { value: distributionDomainName });
  }
}

/** Default address of an API in this region. */
const originOf = (apiId: string, originKey: string, originPath?: string) =>
  new HttpOrigin(`${apiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}`, {
    ...(originPath !== undefined && { originPath }),
    customHeaders: { [originKeyHeader]: originKey },
  });
