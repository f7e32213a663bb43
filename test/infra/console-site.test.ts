import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { consoleSiteProps } from "../../lib/infra/console-site.ts";
import { restMethods } from "../../lib/operations/operations.ts";
import { only, propertiesOf, resourcesOf, synthesize, type Template, withOutputs } from "./synthesized.ts";

const templates = synthesize();
const edge = withOutputs(templates.edge as Template, templates);
const bucket = only<Record<string, unknown>>(edge, "AWS::S3::Bucket");

type Deployment = Record<string, unknown> & { SourceMarkers?: Record<string, unknown>[] };

const deployments = Object.entries(resourcesOf<Deployment>(edge, "Custom::CDKBucketDeployment"));
const [hashed, page, docs, descriptions] = deployments.map(([, { Properties }]) => Properties);

type Config = {
  DistributionConfig: {
    CacheBehaviors: Record<string, unknown>[];
    Origins: { Id: string; [name: string]: unknown }[];
  };
};

const distribution = only<Config>(edge, "AWS::CloudFront::Distribution");
const { CacheBehaviors, Origins } = distribution.Properties.DistributionConfig;
const [exact, below] = CacheBehaviors.filter(({ PathPattern }) => String(PathPattern).startsWith("/console"));

describe("the bucket of the console", () => {
  it("opens only to the distribution, over TLS", () => {
    expect(bucket.Properties.PublicAccessBlockConfiguration).toEqual({
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    });
    const { PolicyDocument } = only<{ PolicyDocument: { Statement: object[] } }>(
      edge,
      "AWS::S3::BucketPolicy",
    ).Properties;
    expect(PolicyDocument.Statement).toMatchObject([
      { Effect: "Deny", Action: "s3:*", Condition: { Bool: { "aws:SecureTransport": "false" } } },
      {
        Effect: "Allow",
        Action: "s3:GetObject",
        Principal: { Service: "cloudfront.amazonaws.com" },
        Condition: { StringEquals: { "AWS:SourceArn": expect.anything() } },
      },
    ]);
    expect(JSON.stringify(PolicyDocument.Statement[1])).toContain(
      `:distribution/",{"Ref":"${distribution.id}"}`,
    );
  });

  it("gets files with hashed names first, which browsers keep for a year and later builds leave in place", () => {
    expect(hashed).toMatchObject({
      DestinationBucketName: { Ref: bucket.id },
      DestinationBucketKeyPrefix: "console",
      Exclude: ["*"],
      Include: ["files/*"],
      Prune: false,
      SystemMetadata: { "cache-control": "max-age=31536000, immutable" },
    });
    expect(deployments[1]?.[1].DependsOn).toContain(deployments[0]?.[0]);
  });

  it("gets the page and its configuration, which browsers ask for on each visit", () => {
    expect(page).toMatchObject({
      DestinationBucketKeyPrefix: "console",
      Exclude: ["files/*"],
      Prune: true,
      SystemMetadata: { "cache-control": "no-cache" },
    });
    const values = Object.values(page?.SourceMarkers?.at(-1) ?? {});
    const clients = Object.keys(resourcesOf(templates.data, "AWS::Cognito::UserPoolClient"));
    expect(values).toContainEqual({ Ref: clients[0] });
  });

  it("gets the documents for programs, all Markdown with its type and charset", () => {
    const metadata = { "cache-control": "no-cache" };
    expect(docs).toMatchObject({
      DestinationBucketKeyPrefix: "docs",
      Exclude: ["*.json"],
      SystemMetadata: { ...metadata, "content-type": "text/markdown; charset=utf-8" },
    });
    expect(descriptions).toMatchObject({
      DestinationBucketKeyPrefix: "docs",
      Exclude: ["*"],
      Include: ["*.json"],
      SystemMetadata: metadata,
    });
  });
});

describe("the distribution at the console's paths", () => {
  it("caches and compresses what the bucket has, for GET and HEAD", () => {
    expect({ ...exact, PathPattern: "/console/*" }).toEqual(below);
    const ofDocs = CacheBehaviors.filter(({ PathPattern }) => /docs|llms/.test(String(PathPattern)));
    expect(ofDocs).toEqual(["/docs/*", "/llms.txt"].map((PathPattern) => ({ ...below, PathPattern })));
    expect(below).toMatchObject({
      // Id of the policy CachingOptimized.
      CachePolicyId: "658327ea-f89d-4fab-a63d-7e88639e58f6",
      Compress: true,
      ViewerProtocolPolicy: "redirect-to-https",
    });
    expect(below).not.toHaveProperty("AllowedMethods");
    const origin = Origins.find(({ Id }) => Id === below?.TargetOriginId);
    expect(origin).toMatchObject({
      DomainName: { "Fn::GetAtt": [bucket.id, "RegionalDomainName"] },
      OriginAccessControlId: expect.anything(),
    });
    expect(origin).not.toHaveProperty("OriginCustomHeaders");
  });

  it.each([
    ["/console/", "/console/index.html"],
    ["/console/eth/0x1/1m", "/console/index.html"],
    ["/console/config.json", "/console/config.json"],
    ["/console/files/script-ABCDEFGH.js", "/console/files/script-ABCDEFGH.js"],
    ["/docs/api.md", "/docs/api.md"],
    ["/docs/api", "/docs/api"],
    ["/llms.txt", "/docs/llms.txt"],
  ])("answers %s with %s", (uri, file) => {
    expect(viewed(uri)).toEqual({ uri: file });
  });

  it("takes no path from the API", () => {
    const patterns = CacheBehaviors.map(({ PathPattern }) => String(PathPattern).replace("/*", "/"));
    const taken = restMethods.filter(({ path }) =>
      patterns.some((pattern) => `/${path}`.startsWith(pattern)),
    );
    expect(taken).toEqual([]);
  });

  it("sends browsers from /console to /console/", () => {
    expect(viewed("/console")).toMatchObject({
      statusCode: 308,
      headers: { location: { value: "/console/" } },
    });
  });

  it("adds headers that let the page run only its own scripts, over TLS and outside of frames", () => {
    const [{ ResponseHeadersPolicyConfig: config } = { ResponseHeadersPolicyConfig: {} }] = propertiesOf<{
      ResponseHeadersPolicyConfig: object;
    }>(edge, "AWS::CloudFront::ResponseHeadersPolicy");
    expect(config).toMatchObject({
      SecurityHeadersConfig: {
        ContentTypeOptions: { Override: true },
        FrameOptions: { FrameOption: "DENY" },
        StrictTransportSecurity: { AccessControlMaxAgeSec: 31_536_000 },
      },
    });
    const text = JSON.stringify(config);
    expect(text).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(text).toContain(
      `connect-src 'self' https://cognito-idp.",{"Ref":"AWS::Region"},".amazonaws.com https://trading-terminal-",{"Ref":"AWS::AccountId"},".auth.",{"Ref":"AWS::Region"},".amazoncognito.com; base-uri 'none'`,
    );
    expect(text).not.toMatch(/unsafe|\*/);
  });
});

describe("the sign-in of the console", () => {
  const issuer = { issuer: "https://id.example/tenant", audience: "terminal", jwksUri: "" };
  const chosen = {
    consoleOrigins: [],
    consoleScope: "openid",
    consoleDocs: undefined,
    consoleExplorers: { eth: "https://etherscan.io" },
    issuer,
  };

  it("uses the audience of the tokens as its client, and calls the issuer", () => {
    expect(consoleSiteProps({ ...chosen, consoleClientId: undefined }, issuer)).toEqual({
      config: {
        issuer: "https://id.example/tenant",
        clientId: "terminal",
        scope: "openid",
        explorers: { eth: "https://etherscan.io" },
      },
      origins: ["https://id.example"],
    });
  });

  it("names the audience to an issuer that knows the console as another client, and the documentation", () => {
    const context = {
      ...chosen,
      consoleClientId: "console",
      consoleDocs: "https://docs.example/",
      consoleOrigins: ["https://token.example"],
    };
    expect(consoleSiteProps(context, issuer)).toEqual({
      config: {
        issuer: "https://id.example/tenant",
        clientId: "console",
        scope: "openid",
        audience: "terminal",
        docs: "https://docs.example/",
        explorers: { eth: "https://etherscan.io" },
      },
      origins: ["https://id.example", "https://token.example"],
    });
  });
});

describe("a console that is off", () => {
  it("leaves no bucket and no path", () => {
    const without = synthesize({ console: false }).edge as Template;
    expect(resourcesOf(without, "AWS::S3::Bucket")).toEqual({});
    expect(JSON.stringify(without)).not.toContain("/console");
  });
});

/** Runs the function that sees each request first. */
function viewed(uri: string): unknown {
  const { FunctionCode } = only<{ FunctionCode: string }>(edge, "AWS::CloudFront::Function").Properties;
  return runInNewContext(`${FunctionCode}; handler({ request: { uri } })`, { uri });
}
