import { describe, expect, it } from "vitest";
import { customContext, only, synthesize, type Template, withOutputs } from "./synthesized.ts";

type Behavior = { PathPattern?: string; TargetOriginId: string; [name: string]: unknown };

type Distribution = {
  DistributionConfig: {
    CacheBehaviors: Behavior[];
    DefaultCacheBehavior: Behavior;
    CustomErrorResponses: object[];
    Origins: { Id: string; DomainName: unknown; OriginPath?: string; CustomOriginConfig: object }[];
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
  it("serves the REST API's stage at every path, and passes everything on", () => {
    expect(originOf(config.DefaultCacheBehavior)).toMatchObject({
      DomainName: hostOf("AWS::ApiGateway::RestApi"),
      OriginPath: "/live",
      CustomOriginConfig: { OriginProtocolPolicy: "https-only", OriginSSLProtocols: ["TLSv1.2"] },
    });
    expect(only(api, "AWS::ApiGateway::Stage").Properties).toMatchObject({ StageName: "live" });
    expect(config.DefaultCacheBehavior).toEqual({
      TargetOriginId: expect.any(String),
      AllowedMethods: ["GET", "HEAD", "OPTIONS", "PUT", "PATCH", "POST", "DELETE"],
      // CachingDisabled and AllViewerExceptHostHeader.
      CachePolicyId: "4135ea2d-6df8-44a3-9df3-4b5a84be39ad",
      OriginRequestPolicyId: "b689b0a8-53d0-40ab-baf2-68738e2966ac",
      // It would weaken ETags.
      Compress: false,
      ViewerProtocolPolicy: "https-only",
    });
  });

  it("serves the WebSocket API at the path that is its stage, and not @connections", () => {
    const [behavior, ...others] = config.CacheBehaviors;
    const { TargetOriginId, ...same } = config.DefaultCacheBehavior;
    expect(others).toEqual([]);
    expect(behavior).toEqual({
      ...same,
      TargetOriginId: expect.any(String),
      PathPattern: "stream",
      AllowedMethods: ["GET", "HEAD"],
    });
    const origin = originOf(behavior as Behavior);
    expect(origin).toMatchObject({ DomainName: hostOf("AWS::ApiGatewayV2::Api") });
    // A WebSocket API takes no path behind its stage.
    expect(origin).not.toHaveProperty("OriginPath");
    expect(only(api, "AWS::ApiGatewayV2::Stage").Properties).toMatchObject({ StageName: "stream" });
  });

  it("keeps no error for other users", () => {
    const statuses = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];
    expect(config.CustomErrorResponses).toEqual(
      statuses.map((ErrorCode) => ({ ErrorCode, ErrorCachingMinTTL: 0 })),
    );
  });

  it("is in a stack that the others do not know, and that does not keep them from changing", () => {
    expect(JSON.stringify(templates.edge)).not.toContain("Fn::ImportValue");
    for (const template of [templates.data, api, templates.watch])
      expect(JSON.stringify(template)).not.toContain("TerminalEdge");
  });

  it("is not made if it is switched off", () => {
    expect(synthesize(customContext).edge).toBeUndefined();
  });
});

describe("the outputs of the edge stack", () => {
  it("are the address of both APIs", () => {
    const domainName = { "Fn::GetAtt": [distribution.id, "DomainName"] };
    expect(edge.Outputs).toEqual({
      BaseUrl: { Value: { "Fn::Join": ["", ["https://", domainName]] } },
      StreamUrl: { Value: { "Fn::Join": ["", ["wss://", domainName, "/stream"]] } },
    });
  });
});
