import { describe, expect, it } from "vitest";
import { operationsOf } from "../../lib/operations.ts";
import { only, propertiesOf, type Resource, resourcesOf, synthesize, type Template } from "./synthesized.ts";

const plain = synthesize().api;
const open = synthesize({ allowedOrigins: ["https://app.example", "http://localhost:5173"] }).api;

type MethodProperties = {
  AuthorizationType: string;
  AuthorizerId?: unknown;
  HttpMethod: string;
  Integration: { Type: string; IntegrationResponses?: { ResponseParameters: Record<string, string> }[] };
  ResourceId: { Ref: string };
};
type PathProperties = { ParentId: { Ref?: string }; PathPart: string };

/** The methods with the paths that they are on. */
function routesOf(template: Template): [path: string, MethodProperties][] {
  const paths = resourcesOf<PathProperties>(template, "AWS::ApiGateway::Resource");
  const pathOf = (resource: Resource<PathProperties> | undefined): string =>
    resource
      ? `${pathOf(paths[resource.Properties.ParentId.Ref ?? ""])}/${resource.Properties.PathPart}`
      : "";
  return propertiesOf<MethodProperties>(template, "AWS::ApiGateway::Method").map((method) => [
    pathOf(paths[method.ResourceId.Ref]),
    method,
  ]);
}

const isPreflight = ([, { HttpMethod }]: [string, MethodProperties]) => HttpMethod === "OPTIONS";

describe("the routes", () => {
  it("are those of the table", () => {
    const routes = routesOf(plain).map(([path, { HttpMethod }]) => `${HttpMethod} ${path}`);
    expect(routes.sort()).toEqual(
      operationsOf("rest")
        .map(([, { method, path }]) => `${method} ${path}`)
        .sort(),
    );
  });

  it("all ask the authorizer, which is asked every time", () => {
    const authorizer = only(open, "AWS::ApiGateway::Authorizer");
    expect(authorizer.Properties).toMatchObject({ Type: "REQUEST", AuthorizerResultTtlInSeconds: 0 });
    expect(authorizer.Properties).not.toHaveProperty("IdentitySource");
    for (const [path, method] of routesOf(open).filter((route) => !isPreflight(route)))
      expect(method, path).toMatchObject({
        AuthorizationType: "CUSTOM",
        AuthorizerId: { Ref: authorizer.id },
        Integration: { Type: "AWS_PROXY", IntegrationHttpMethod: "POST" },
      });
  });
});

describe("the preflight", () => {
  it("is not answered without allowed origins", () => {
    expect(routesOf(plain).filter(isPreflight)).toEqual([]);
  });

  it("allows the listed origins to do with credentials what the route offers", () => {
    for (const [, { path, method }] of operationsOf("rest")) {
      const [, preflight] = routesOf(open).find((route) => route[0] === path && isPreflight(route)) ?? [];
      expect(preflight).toMatchObject({ AuthorizationType: "NONE", Integration: { Type: "MOCK" } });
      expect(preflight?.Integration.IntegrationResponses?.[0]?.ResponseParameters).toEqual({
        "method.response.header.Access-Control-Allow-Credentials": "'true'",
        "method.response.header.Access-Control-Allow-Headers": "'Authorization,Content-Type'",
        "method.response.header.Access-Control-Allow-Methods": `'${method},OPTIONS'`,
        "method.response.header.Access-Control-Allow-Origin": "'https://app.example'",
        "method.response.header.Access-Control-Max-Age": "'600'",
        "method.response.header.Vary": "'Origin'",
      });
    }
    expect(JSON.stringify(open)).toContain("http://localhost:5173");
    expect(JSON.stringify(open)).not.toMatch(/Allow-Origin[^,]*'\*'/);
  });
});

describe("the stage", () => {
  it("logs each request without what a caller may have put in it", () => {
    const stage = only<{ AccessLogSetting: { Format: string } }>(plain, "AWS::ApiGateway::Stage").Properties;
    const format: Record<string, string> = JSON.parse(stage.AccessLogSetting.Format);
    expect(Object.values(format).sort()).toEqual([
      "$context.authorizer.latency",
      "$context.authorizer.principalId",
      "$context.error.responseType",
      "$context.extendedRequestId",
      "$context.httpMethod",
      "$context.identity.sourceIp",
      "$context.integrationLatency",
      "$context.requestId",
      "$context.requestTime",
      "$context.resourcePath",
      "$context.responseLatency",
      "$context.responseLength",
      "$context.status",
    ]);
  });

  it("measures every method, and quotes no request in execution logs", () => {
    expect(only(plain, "AWS::ApiGateway::Stage").Properties).toMatchObject({
      StageName: "live",
      MethodSettings: [
        {
          HttpMethod: "*",
          ResourcePath: "/*",
          MetricsEnabled: true,
          DataTraceEnabled: false,
          LoggingLevel: "OFF",
        },
      ],
    });
  });

  it("forgets every log after a month", () => {
    for (const { RetentionInDays } of propertiesOf<{ RetentionInDays: number }>(plain, "AWS::Logs::LogGroup"))
      expect(RetentionInDays).toBe(30);
  });

  it("is deployed anew when a method or a gateway response changes, and after all of them", () => {
    const deployment = only(plain, "AWS::ApiGateway::Deployment");
    expect(deployment.id).not.toBe(only(open, "AWS::ApiGateway::Deployment").id);
    const parts = ["Method", "GatewayResponse"].map((type) => resourcesOf(plain, `AWS::ApiGateway::${type}`));
    expect(deployment.DependsOn).toEqual(expect.arrayContaining(parts.flatMap(Object.keys)));
  });
});

describe("the address", () => {
  it("is that of the stage, without a slash at its end", () => {
    const { Value } = plain.Outputs.BaseUrl as { Value: { "Fn::Join": [string, unknown[]] } };
    expect(Value["Fn::Join"][1]).toEqual([
      "https://",
      { Ref: only(plain, "AWS::ApiGateway::RestApi").id },
      ".execute-api.",
      { Ref: "AWS::Region" },
      ".",
      { Ref: "AWS::URLSuffix" },
      "/",
      { Ref: only(plain, "AWS::ApiGateway::Stage").id },
    ]);
    expect(plain.Outputs).not.toHaveProperty("DomainTarget");
  });

  it("stays the same from deploy to deploy", () => {
    expect(only(plain, "AWS::ApiGateway::RestApi").id).toBe("ApiF70053CD");
  });

  it("is the domain name alone where there is one", () => {
    const certificateArn = "arn:aws:acm:eu-west-1:111111111111:certificate/1";
    const { api } = synthesize({ domainName: "api.example.com", certificateArn });
    const domain = only(api, "AWS::ApiGateway::DomainName");
    expect(domain.Properties).toEqual({
      DomainName: "api.example.com",
      EndpointConfiguration: { Types: ["REGIONAL"] },
      RegionalCertificateArn: certificateArn,
      SecurityPolicy: "TLS_1_2",
    });
    expect(only(api, "AWS::ApiGateway::BasePathMapping").Properties).not.toHaveProperty("BasePath");
    expect(only(api, "AWS::ApiGateway::RestApi").Properties).toMatchObject({
      DisableExecuteApiEndpoint: true,
    });
    expect(api.Outputs).toMatchObject({
      BaseUrl: { Value: "https://api.example.com" },
      DomainTarget: { Value: { "Fn::GetAtt": [domain.id, "RegionalDomainName"] } },
    });
  });
});
