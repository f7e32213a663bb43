import { CfnOutput, Stack, type StackProps } from "aws-cdk-lib";
import { CfnWebACL } from "aws-cdk-lib/aws-wafv2";
import type { Construct } from "constructs";
import { originKeyHeader } from "../runtime/request-origin.ts";
import type { Configuration } from "./configuration.ts";
import { edgeRegion } from "./edge-context.ts";
import { fixedCors } from "./rest/gateway-responses.ts";

export type FirewallStackProps = Pick<StackProps, "tags"> & {
  configuration: Pick<Configuration, "allowedOrigins" | "firewallRequestsPerMinute">;
};

/** Takes no samples of requests, because requests carry tokens and private keys. */
const measured = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  sampledRequestsEnabled: false,
});

const secretHeaders = ["authorization", "cookie", "sec-websocket-protocol", originKeyHeader];

/**
 * A web ACL for the edge, in the region that CloudFront requires. The context `webAclArn` passes its ARN to the edge.
 * Its limit per address is higher than the limits of the usage plans, because several users may share an address.
 */
export class FirewallStack extends Stack {
  constructor(scope: Construct, id: string, { configuration, ...props }: FirewallStackProps) {
    super(scope, id, {
      ...props,
      env: { region: edgeRegion },
      description: "Trading terminal: the firewall of the edge",
    });
    const tooMany = "tooMany";
    const responseHeaders = {
      "Cache-Control": "no-store",
      "Retry-After": "60",
      ...fixedCors(configuration.allowedOrigins),
    };
    const acl = new CfnWebACL(this, "WebAcl", {
      scope: "CLOUDFRONT",
      description: "Trading terminal",
      defaultAction: { allow: {} },
      customResponseBodies: {
        [tooMany]: {
          contentType: "APPLICATION_JSON",
          content: JSON.stringify({ error: "Too many requests from this address" }),
        },
      },
      rules: [
        {
          name: "Rate",
          priority: 0,
          statement: {
            rateBasedStatement: {
              limit: configuration.firewallRequestsPerMinute,
              evaluationWindowSec: 60,
              aggregateKeyType: "IP",
            },
          },
          action: {
            block: {
              customResponse: {
                responseCode: 429,
                customResponseBodyKey: tooMany,
                responseHeaders: Object.entries(responseHeaders).map(([name, value]) => ({ name, value })),
              },
            },
          },
          visibilityConfig: measured("Rate"),
        },
        {
          name: "Common",
          priority: 1,
          statement: {
            managedRuleGroupStatement: { vendorName: "AWS", name: "AWSManagedRulesCommonRuleSet" },
          },
          // Only counts requests, until the owner has reviewed the counts and switches to block.
          overrideAction: { count: {} },
          visibilityConfig: measured("Common"),
        },
      ],
      visibilityConfig: measured("WebAcl"),
      dataProtectionConfig: {
        dataProtections: [
          { fieldType: "SINGLE_HEADER", fieldKeys: secretHeaders },
          { fieldType: "BODY" },
          { fieldType: "QUERY_STRING" },
        ].map((field) => ({ action: "SUBSTITUTION", field })),
      },
    });
    new CfnOutput(this, "WebAclArn", { value: acl.attrArn });
  }
}
