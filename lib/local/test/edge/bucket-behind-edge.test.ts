import { describe, expect, it } from "vitest";
import type { Resource } from "../../src/cloudformation/resource.ts";
import { createEdge } from "../../src/edge/edge.ts";
import { readResponseHeaders } from "../../src/edge/response-headers.ts";
import { readViewerFunction } from "../../src/edge/viewer-function.ts";
import { type GatewayRequest, header, json } from "../../src/http/messages.ts";
import { resourcesOf } from "../cloudformation/stack.ts";
import { bucket, cachingOptimized, config, distribution, request } from "./fixture.ts";

describe("a bucket behind an edge", () => {
  const code = `function handler({ request }) {
    if (request.uri === "/app") return { statusCode: 308, headers: { location: { value: "/app/" } } };
    if (!request.uri.includes(".")) request.uri = "/app/index.html";
    return request;
  }`;
  const resources = resourcesOf({
    Code: {
      Type: "AWS::CloudFront::Function",
      Properties: {
        Name: "code",
        AutoPublish: true,
        FunctionCode: code,
        FunctionConfig: { Runtime: "cloudfront-js-2.0" },
      },
    },
    Headers: {
      Type: "AWS::CloudFront::ResponseHeadersPolicy",
      Properties: {
        ResponseHeadersPolicyConfig: {
          Name: "headers",
          SecurityHeadersConfig: {
            ContentSecurityPolicy: { ContentSecurityPolicy: "default-src 'none'", Override: true },
            ContentTypeOptions: { Override: true },
            StrictTransportSecurity: { AccessControlMaxAgeSec: 60, Override: true },
          },
          CustomHeadersConfig: { Items: [{ Header: "Server", Value: "ours", Override: true }] },
        },
      },
    },
  });
  const [viewerFunction, headers] = resources.all;
  const parts = {
    viewerFunctions: new Map([["code", readViewerFunction(viewerFunction as Resource)]]),
    responseHeaders: new Map([["headers", readResponseHeaders(headers as Resource)]]),
  };
  const seen: GatewayRequest[] = [];
  const page = "<p>".repeat(500);
  const CacheBehaviors = ["app", "app/*"].map((PathPattern) => ({
    CachePolicyId: cachingOptimized,
    Compress: true,
    FunctionAssociations: [{ EventType: "viewer-request", FunctionARN: "code" }],
    PathPattern,
    ResponseHeadersPolicyId: "headers",
    TargetOriginId: "files",
    ViewerProtocolPolicy: "redirect-to-https",
  }));
  const Origins = config.Origins.filter(({ Id }) => Id !== "socket");
  const { answer } = createEdge({
    distribution: {
      ...distribution,
      properties: { DistributionConfig: { ...config, Origins, CacheBehaviors } },
    },
    servers: [
      { domainName: "rest.example", stage: "live", opensSockets: false, answer: async () => json(200, {}) },
      bucket((request) => {
        seen.push(request);
        const type: [string, string] = ["Content-Type", "text/html"];
        return { status: 200, headers: [type, ["ETag", '"1"'], ["Server", "S3"]], body: Buffer.from(page) };
      }),
    ],
    parts,
  });

  it("gets the path that the viewer function chooses, without the query", async () => {
    await answer(request("/app/a/b?code=1"));
    await answer(request("/app/a.js"));
    expect(seen.map(({ target }) => target)).toEqual(["/app/index.html", "/app/a.js"]);
  });

  it("is left alone if the viewer function answers itself", async () => {
    expect(await answer(request("/app"))).toMatchObject({
      status: 308,
      headers: expect.arrayContaining([["location", "/app/"]]),
    });
  });

  it("gets the policy's headers added to its answers, in place of its own", async () => {
    const found = await answer(request("/app/"));
    expect(found.headers).toEqual(
      expect.arrayContaining([
        ["Content-Security-Policy", "default-src 'none'"],
        ["X-Content-Type-Options", "nosniff"],
        ["Strict-Transport-Security", "max-age=60"],
        ["Server", "ours"],
      ]),
    );
    expect(found.headers).not.toContainEqual(["Server", "S3"]);
  });

  it.each([
    ["gzip, deflate, br", "br", 'W/"1"'],
    ["gzip", "gzip", 'W/"1"'],
    ["identity", undefined, '"1"'],
  ])("has its files compressed for viewers that accept %s", async (accepted, coding, etag) => {
    const found = await answer(request("/app/", { headers: [["Accept-Encoding", accepted]] }));
    expect([header(found, "content-encoding"), header(found, "etag")]).toEqual([coding, etag]);
    expect(found.body.length < page.length).toBe(coding !== undefined);
  });

  it.each([
    ["a throw", "function handler() { throw new Error('no'); }"],
    ["code made of text", "function handler() { return new Function('return { uri: 1 }')(); }"],
    ["no request", "function handler() { return {}; }"],
  ])("fails after a viewer function with %s, which sees nothing of Node", async (_, FunctionCode) => {
    const properties = { ...viewerFunction?.properties(), FunctionCode };
    const run = readViewerFunction({ ...viewerFunction, properties: () => properties } as Resource);
    expect(() => run(request("/"), "/")).toThrow();
    const typed = readViewerFunction({
      ...viewerFunction,
      properties: () => ({ ...properties, FunctionCode: "const handler = () => ({ uri: typeof process });" }),
    } as Resource);
    expect(typed(request("/"), "/")).toEqual({ target: "undefined" });
  });
});
