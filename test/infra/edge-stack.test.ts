import { describe, expect, it } from "vitest";
import { exposedHeaders } from "../../lib/runtime/cors.ts";
import {
  customContext,
  firewallContext,
  functionsOf,
  only,
  propertiesOf,
  resourcesOf,
  synthesize,
  type Template,
  type Templates,
  withOutputs,
} from "./synthesized.ts";

type Behavior = { PathPattern?: string; TargetOriginId: string; [name: string]: unknown };

type Distribution = {
  DistributionConfig: {
    CacheBehaviors: Behavior[];
    DefaultCacheBehavior: Behavior;
    CustomErrorResponses: object[];
    Origins: { Id: string; DomainName: unknown; [name: string]: unknown }[];
    [name: string]: unknown;
  };
};

const templates = synthesize();
const { api } = templates;
const edge = withOutputs(templates.edge as Template, templates);
const distribution = only<Distribution>(edge, "AWS::CloudFront::Distribution");
const config = distribution.Properties.DistributionConfig;

const hostOf = (type: string) => ({
  "Fn::Join": [
    "",
    [{ Ref: only(api, type).id }, ".execute-api.", { Ref: "AWS::Region" }, ".", { Ref: "AWS::URLSuffix" }],
  ],
});

const originOf = ({ TargetOriginId }: Behavior) => config.Origins.find(({ Id }) => Id === TargetOriginId);

describe("the distribution", () => {
  it("serves the REST API's stage at every path, and forwards requests unchanged", () => {
    expect(originOf(config.DefaultCacheBehavior)).toMatchObject({
      DomainName: hostOf("AWS::ApiGateway::RestApi"),
      OriginPath: "/live",
      CustomOriginConfig: { OriginProtocolPolicy: "https-only", OriginSSLProtocols: ["TLSv1.2"] },
    });
    expect(only(api, "AWS::ApiGateway::Stage").Properties).toMatchObject({ StageName: "live" });
    expect(config.DefaultCacheBehavior).toEqual({
      TargetOriginId: expect.any(String),
      AllowedMethods: ["GET", "HEAD", "OPTIONS", "PUT", "PATCH", "POST", "DELETE"],
      // Ids of the policies CachingDisabled and AllViewerExceptHostHeader.
      CachePolicyId: "4135ea2d-6df8-44a3-9df3-4b5a84be39ad",
      OriginRequestPolicyId: "b689b0a8-53d0-40ab-baf2-68738e2966ac",
      // Compression by CloudFront would weaken ETags.
      Compress: false,
      ViewerProtocolPolicy: "https-only",
    });
  });

  it("serves the WebSocket API at its stage's path, but not @connections", () => {
    const [behavior, ...others] = config.CacheBehaviors;
    const { TargetOriginId, ...same } = config.DefaultCacheBehavior;
    expect(others.map(({ PathPattern }) => PathPattern)).toEqual([
      "/console",
      "/console/*",
      "/docs/*",
      "/llms.txt",
    ]);
    expect(behavior).toEqual({
      ...same,
      TargetOriginId: expect.any(String),
      PathPattern: "stream",
      AllowedMethods: ["GET", "HEAD"],
    });
    const origin = originOf(behavior as Behavior);
    expect(origin).toMatchObject({ DomainName: hostOf("AWS::ApiGatewayV2::Api") });
    // A WebSocket API accepts no path after its stage.
    expect(origin).not.toHaveProperty("OriginPath");
    expect(only(api, "AWS::ApiGatewayV2::Stage").Properties).toMatchObject({ StageName: "stream" });
  });

  it("caches no errors", () => {
    const statuses = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];
    expect(config.CustomErrorResponses).toEqual(
      statuses.map((ErrorCode) => ({ ErrorCode, ErrorCachingMinTTL: 0 })),
    );
  });

  it("puts the distribution into a stack that no other stack refers to, so that each can change independently", () => {
    expect(JSON.stringify(templates.edge)).not.toContain("Fn::ImportValue");
    for (const template of [templates.data, api, templates.watch])
      expect(JSON.stringify(template)).not.toContain("TerminalEdge");
  });

  it("creates no distribution if the edge is off", () => {
    expect(synthesize(customContext).edge).toBeUndefined();
  });
});

describe("the origin key", () => {
  const rotating = synthesize(firewallContext);
  const [first, second, ...more] = Object.keys(resourcesOf(rotating.data, "AWS::SecretsManager::Secret"));
  const references = (...ids: (string | undefined)[]) => ({
    "Fn::Join": [
      "",
      ids.flatMap((id, index) => [
        `${index === 0 ? "" : ":SecretString:::}},"}{{resolve:secretsmanager:`,
        { Ref: id },
        ...(index === ids.length - 1 ? [":SecretString:::}}"] : []),
      ]),
    ],
  });
  const sentBy = (from: Templates) => {
    const { Properties } = only<Distribution>(
      withOutputs(from.edge as Template, from),
      "AWS::CloudFront::Distribution",
    );
    const { Origins } = Properties.DistributionConfig;
    return Origins.filter(({ CustomOriginConfig }) => CustomOriginConfig).map(
      ({ OriginCustomHeaders }) => OriginCustomHeaders,
    );
  };
  const header = (id: string | undefined) => [{ HeaderName: "x-origin-key", HeaderValue: references(id) }];

  it("generates an origin key that appears in no template and survives switching the edge off", () => {
    for (const context of [{}, customContext]) {
      const { data, api } = synthesize(context);
      expect(only(data, "AWS::SecretsManager::Secret")).toMatchObject({
        id: first,
        Properties: { GenerateSecretString: { ExcludePunctuation: true, PasswordLength: 48 } },
        DeletionPolicy: "RetainExceptOnCreate",
        UpdateReplacePolicy: "Retain",
      });
      expect(resourcesOf(api, "AWS::SecretsManager::Secret")).toEqual({});
    }
  });

  it("creates one origin key for each label, and keeps it when another label is added", () => {
    expect(more).toEqual([]);
    expect([first, second]).toEqual([
      expect.stringMatching(/^OriginKey1/),
      expect.stringMatching(/^OriginKey2/),
    ]);
    expect(only(templates.data, "AWS::SecretsManager::Secret").id).toBe(first);
  });

  it("allows removing an origin key from the context, because no stack imports its export", () => {
    const exported = Object.values(rotating.data.Outputs).filter((output) => "Export" in output);
    expect(JSON.stringify(exported)).not.toContain("OriginKey");
  });

  it("sends the newest origin key to both APIs with each request, and replaces the viewer's header", () => {
    expect(sentBy(templates)).toEqual([header(first), header(first)]);
    expect(sentBy(rotating)).toEqual([header(second), header(second)]);
  });

  it("gives both authorizers all origin keys, which they require only with edgeOnly", () => {
    const variables = (from: Templates, name: string) =>
      functionsOf({ api: withOutputs(from.api, from) })[name]?.Environment?.Variables;
    for (const name of ["authorize", "authorizeConnection"]) {
      expect(variables(templates, name)).toMatchObject({
        ORIGIN_KEYS: references(first),
        EDGE_ONLY: "false",
      });
      expect(variables(rotating, name)).toMatchObject({
        ORIGIN_KEYS: references(first, second),
        EDGE_ONLY: "true",
      });
      expect(variables(synthesize(customContext), name)).toMatchObject({ ORIGIN_KEYS: "" });
    }
  });

  it("keeps direct callers out, because every method needs the API key that only the authorizers provide", () => {
    const methods = propertiesOf<{ HttpMethod: string; ApiKeyRequired?: boolean }>(
      synthesize(firewallContext).api,
      "AWS::ApiGateway::Method",
    ).filter(({ HttpMethod }) => HttpMethod !== "OPTIONS");
    expect(methods.length).toBeGreaterThan(20);
    expect(methods.every(({ ApiKeyRequired }) => ApiKeyRequired)).toBe(true);
  });
});

describe("a custom domain and a web ACL", () => {
  const chosen = synthesize(firewallContext);
  const { domainName, certificateArn, webAclArn } = firewallContext;

  it("attaches the domain and the web ACL to the distribution, while the APIs keep their own addresses", () => {
    const [distribution] = propertiesOf<Distribution>(
      chosen.edge as Template,
      "AWS::CloudFront::Distribution",
    );
    expect(distribution?.DistributionConfig).toMatchObject({
      Aliases: [domainName],
      ViewerCertificate: {
        AcmCertificateArn: certificateArn,
        MinimumProtocolVersion: "TLSv1.2_2021",
        SslSupportMethod: "sni-only",
      },
      WebACLId: webAclArn,
    });
    expect(chosen.edge?.Outputs).toMatchObject({
      BaseUrl: { Value: `https://${domainName}` },
      StreamUrl: { Value: `wss://${domainName}/stream` },
      DomainTarget: { Value: { "Fn::GetAtt": [expect.any(String), "DomainName"] } },
    });
    expect(only(chosen.api, "AWS::ApiGateway::RestApi").Properties).toMatchObject({
      DisableExecuteApiEndpoint: false,
    });
    expect(resourcesOf(chosen.api, "AWS::ApiGateway::DomainName")).toEqual({});
  });
});

describe("the stacks of the edge", () => {
  it("deploys the edge after the APIs, without waiting for alarms, whose topic may be wrong", () => {
    const { deployedAfter } = synthesize(firewallContext);
    expect(deployedAfter.TerminalEdge).toContain("TerminalApi");
    expect(deployedAfter.TerminalFirewall).toContain("TerminalApi");
    for (const stack of ["TerminalEdge", "TerminalFirewall"])
      expect(deployedAfter[stack]).not.toContain("TerminalWatch");
    // The second stack must still be deployed if the first fails.
    expect(deployedAfter.TerminalEdge).not.toContain("TerminalFirewall");
    expect(deployedAfter.TerminalFirewall).not.toContain("TerminalEdge");
  });
});

describe("the firewall", () => {
  const firewall = synthesize(firewallContext).firewall as Template;
  const { Properties: acl } = only<{ Rules: Record<string, unknown>[]; DataProtectionConfig: object }>(
    firewall,
    "AWS::WAFv2::WebACL",
  );

  it("answers 429 to addresses that exceed every plan, and only counts other findings", () => {
    expect(acl).toMatchObject({ Scope: "CLOUDFRONT", DefaultAction: { Allow: {} } });
    expect(acl.Rules).toMatchObject([
      {
        Statement: {
          RateBasedStatement: { Limit: 20_000, EvaluationWindowSec: 60, AggregateKeyType: "IP" },
        },
        Action: {
          Block: {
            CustomResponse: { ResponseCode: 429 },
          },
        },
      },
      { OverrideAction: { Count: {} } },
    ]);
  });

  it("lets pages of the first allowed origin read the firewall's 429, and forbids storing it", () => {
    const [{ Action }] = acl.Rules as [
      { Action: { Block: { CustomResponse: { ResponseHeaders: object } } } },
    ];
    expect(Action.Block.CustomResponse.ResponseHeaders).toEqual(
      Object.entries({
        "Cache-Control": "no-store",
        "Retry-After": "60",
        "Access-Control-Allow-Origin": "https://app.example",
        "Access-Control-Allow-Credentials": "true",
        "Access-Control-Expose-Headers": exposedHeaders.join(", "),
        Vary: "Origin",
      }).map(([Name, Value]) => ({ Name, Value })),
    );
  });

  it("samples no requests, so that it shows no token or private key", () => {
    expect(JSON.stringify(acl)).not.toContain('"SampledRequestsEnabled":true');
    expect(JSON.stringify(acl).match(/"SampledRequestsEnabled":false/g)).toHaveLength(3);
    expect(acl.DataProtectionConfig).toEqual({
      DataProtections: [
        {
          Action: "SUBSTITUTION",
          Field: {
            FieldType: "SINGLE_HEADER",
            FieldKeys: ["authorization", "cookie", "sec-websocket-protocol", "x-origin-key"],
          },
        },
        { Action: "SUBSTITUTION", Field: { FieldType: "BODY" } },
        { Action: "SUBSTITUTION", Field: { FieldType: "QUERY_STRING" } },
      ],
    });
  });

  it("outputs its web ACL for the edge", () => {
    const { id } = only(firewall, "AWS::WAFv2::WebACL");
    expect(firewall.Outputs.WebAclArn).toEqual({ Value: { "Fn::GetAtt": [id, "Arn"] } });
    expect(synthesize().firewall).toBeUndefined();
  });
});

describe("the outputs of the edge stack", () => {
  it("outputs the addresses of both APIs and the console", () => {
    const domainName = { "Fn::GetAtt": [distribution.id, "DomainName"] };
    expect(edge.Outputs).toEqual({
      BaseUrl: { Value: { "Fn::Join": ["", ["https://", domainName]] } },
      StreamUrl: { Value: { "Fn::Join": ["", ["wss://", domainName, "/stream"]] } },
      ConsoleUrl: { Value: { "Fn::Join": ["", ["https://", domainName, "/console/"]] } },
    });
  });
});
