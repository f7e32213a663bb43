import type { GatewayRequest, GatewayResponse } from "../../src/http/messages.ts";

export const behavior = {
  CachePolicyId: "4135ea2d-6df8-44a3-9df3-4b5a84be39ad",
  OriginRequestPolicyId: "b689b0a8-53d0-40ab-baf2-68738e2966ac",
  Compress: false,
  ViewerProtocolPolicy: "https-only",
};
export const cachingOptimized = "658327ea-f89d-4fab-a63d-7e88639e58f6";
const all = ["GET", "HEAD", "OPTIONS", "PUT", "PATCH", "POST", "DELETE"];
const CustomOriginConfig = { OriginProtocolPolicy: "https-only" };

export const config = {
  Enabled: true,
  Origins: [
    {
      Id: "rest",
      DomainName: "rest.example",
      OriginPath: "/live",
      OriginCustomHeaders: [{ HeaderName: "x-origin-key", HeaderValue: "secret" }],
      CustomOriginConfig,
    },
    { Id: "socket", DomainName: "socket.example", CustomOriginConfig },
    {
      Id: "files",
      DomainName: "files.example",
      OriginAccessControlId: "access",
      S3OriginConfig: { OriginAccessIdentity: "" },
    },
  ],
  DefaultCacheBehavior: { ...behavior, TargetOriginId: "rest", AllowedMethods: all },
  CacheBehaviors: [{ ...behavior, TargetOriginId: "socket", PathPattern: "stream" }],
};

export const bucket = (answer: (request: GatewayRequest) => GatewayResponse) => ({
  domainName: "files.example",
  stage: undefined,
  opensSockets: false,
  answer: async (request: GatewayRequest) => answer(request),
});

export const request = (target: string, changes: Partial<GatewayRequest> = {}): GatewayRequest => ({
  method: "GET",
  target,
  headers: [["Host", "api.localhost"]],
  body: Buffer.alloc(0),
  sourceIp: "127.0.0.1",
  ...changes,
});

export const distribution = { logicalId: "Edge", type: "AWS::CloudFront::Distribution" };
