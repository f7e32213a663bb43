import { describe, expect, it } from "vitest";
import { restMethods } from "../../lib/operations/operations.ts";
import {
  customContext,
  only,
  propertiesOf,
  type Resource,
  resourcesOf,
  synthesize,
  type Template,
} from "./synthesized.ts";

const plain = synthesize().api;
const open = synthesize(customContext).api;

type MethodProperties = {
  AuthorizationType: string;
  AuthorizerId?: unknown;
  HttpMethod: string;
  Integration: {
    Type: string;
    Uri: unknown;
    IntegrationResponses?: { ResponseParameters: Record<string, string> }[];
  };
  ResourceId: { Ref: string };
};
type PathProperties = { ParentId: { Ref?: string }; PathPart: string };

/** Lists the methods, each with its path. */
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

describe("the methods", () => {
  it("has the methods of the table of operations, and for each GET a HEAD with the same function", () => {
    const functionOf = ({ Integration: { Uri } }: MethodProperties) => JSON.stringify(Uri);
    const routes = routesOf(plain).map(([path, method]) => [
      `${method.HttpMethod} ${path}`,
      functionOf(method),
    ]);
    const functions = Object.fromEntries(routes);
    const heads = restMethods.filter(({ method }) => method === "GET").map(({ path }) => `HEAD ${path}`);
    const named = restMethods.map(({ method, path }) => `${method} ${path}`);
    expect(Object.keys(functions).sort()).toEqual([...named, ...heads].sort());
    expect(routes).toHaveLength(named.length + heads.length);
    for (const head of heads) expect(functions[head]).toBe(functions[head.replace("HEAD", "GET")]);
  });

  it("protects every method with the authorizer, whose results are not cached", () => {
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

describe("the preflight methods", () => {
  it("creates no preflight methods without allowed origins", () => {
    expect(routesOf(plain).filter(isPreflight)).toEqual([]);
  });

  it("allows the listed origins, with credentials, for the methods of the path", () => {
    for (const [path, methods] of Map.groupBy(restMethods, ({ path }) => path)) {
      const [, preflight] = routesOf(open).find((route) => route[0] === path && isPreflight(route)) ?? [];
      expect(preflight).toMatchObject({ AuthorizationType: "NONE", Integration: { Type: "MOCK" } });
      expect(preflight?.Integration.IntegrationResponses?.[0]?.ResponseParameters).toEqual({
        "method.response.header.Access-Control-Allow-Credentials": "'true'",
        "method.response.header.Access-Control-Allow-Headers":
          "'Authorization,Content-Type,Idempotency-Key,If-Match,If-None-Match,X-Request-Id,baggage,traceparent,tracestate'",
        "method.response.header.Access-Control-Allow-Methods": `'${methods.map(({ method }) => (method === "GET" ? "GET,HEAD" : method)).join()},OPTIONS'`,
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
  it("logs nothing that callers choose", () => {
    const stage = only<{ AccessLogSetting: { Format: string } }>(plain, "AWS::ApiGateway::Stage").Properties;
    const format: Record<string, string> = JSON.parse(stage.AccessLogSetting.Format);
    expect(Object.values(format).sort()).toEqual([
      "$context.authorizer.clientIp",
      "$context.authorizer.latency",
      "$context.authorizer.loggedUser",
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

  it("measures the stage as a whole, and writes no execution log", () => {
    expect(only(plain, "AWS::ApiGateway::Stage").Properties).toMatchObject({
      StageName: "live",
      MethodSettings: expect.arrayContaining([
        {
          HttpMethod: "*",
          ResourcePath: "/*",
          MetricsEnabled: false,
          DataTraceEnabled: false,
          LoggingLevel: "OFF",
          ThrottlingRateLimit: 40,
          ThrottlingBurstLimit: 500,
        },
      ]),
    });
  });

  it("keeps every log for a month", () => {
    for (const { RetentionInDays } of propertiesOf<{ RetentionInDays: number }>(plain, "AWS::Logs::LogGroup"))
      expect(RetentionInDays).toBe(30);
  });

  it("redeploys the stage after a change of any method or gateway response", () => {
    const deployment = only(plain, "AWS::ApiGateway::Deployment");
    expect(deployment.id).not.toBe(only(open, "AWS::ApiGateway::Deployment").id);
    const parts = ["Method", "GatewayResponse"].map((type) => resourcesOf(plain, `AWS::ApiGateway::${type}`));
    expect(deployment.DependsOn).toEqual(expect.arrayContaining(parts.flatMap(Object.keys)));
  });
});

describe("the BaseUrl output", () => {
  it("outputs the address of the stage, without a trailing slash", () => {
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

  it("keeps BaseUrl the same, because the API keeps its logical id", () => {
    expect(only(plain, "AWS::ApiGateway::RestApi").id).toBe("ApiF70053CD");
  });

  it("outputs the custom domain, if there is one, and disables the default address", () => {
    const api = open;
    const domain = only(api, "AWS::ApiGateway::DomainName");
    expect(domain.Properties).toEqual({
      DomainName: "api.example.com",
      EndpointConfiguration: { Types: ["REGIONAL"] },
      RegionalCertificateArn: customContext.certificateArn,
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

type ResponseProperties = {
  ResponseParameters?: Record<string, string>;
  ResponseTemplates: Record<string, string>;
  ResponseType: string;
  StatusCode?: string;
};

const responsesOf = (context?: Record<string, unknown>) =>
  propertiesOf<ResponseProperties>(synthesize(context).api, "AWS::ApiGateway::GatewayResponse");

const fault = '{"error":"Internal server error","message":"Internal server error"}';

const expected: Record<string, [status: string | undefined, body: string]> = {
  ACCESS_DENIED: ["401", "$context.authorizer.unauthorized"],
  API_CONFIGURATION_ERROR: [undefined, fault],
  AUTHORIZER_CONFIGURATION_ERROR: [undefined, fault],
  AUTHORIZER_FAILURE: [undefined, fault],
  DEFAULT_4XX: [undefined, '{"error":"The request was refused","message":"The request was refused"}'],
  DEFAULT_5XX: [undefined, fault],
  EXPIRED_TOKEN: ["404", '{"error":"Not found"}'],
  INTEGRATION_FAILURE: [undefined, fault],
  INTEGRATION_TIMEOUT: [undefined, '{"error":"The request timed out","message":"The request timed out"}'],
  INVALID_API_KEY: [undefined, "$context.authorizer.forbidden"],
  INVALID_SIGNATURE: ["404", '{"error":"Not found"}'],
  MISSING_AUTHENTICATION_TOKEN: ["404", '{"error":"Not found"}'],
  QUOTA_EXCEEDED: [undefined, '{"error":"Too many requests"}'],
  REQUEST_TOO_LARGE: [undefined, '{"error":"The request is too large","message":"The request is too large"}'],
  RESOURCE_NOT_FOUND: ["404", '{"error":"Not found"}'],
  THROTTLED: [undefined, '{"error":"Too many requests"}'],
  UNAUTHORIZED: ["401", '{"error":"No token provided"}'],
};

describe("the gateway responses", () => {
  it("gives gateway responses the service's own statuses and bodies", () => {
    const responses = responsesOf().map(({ ResponseType, StatusCode, ResponseTemplates }) => {
      expect(Object.keys(ResponseTemplates)).toEqual(["application/json"]);
      return [ResponseType, [StatusCode, ResponseTemplates["application/json"]]];
    });
    expect(Object.fromEntries(responses)).toEqual(expected);
  });

  it("never echoes the request in gateway responses", () => {
    const templates = responsesOf().map(({ ResponseTemplates }) => ResponseTemplates["application/json"]);
    const variables = templates.flatMap((template) => template?.match(/\$[\w.]+/g) ?? []);
    expect(variables).toEqual(["$context.authorizer.unauthorized", "$context.authorizer.forbidden"]);
  });

  it("forbids caching gateway responses, sets Retry-After for throttled requests, and adds nothing without origins", () => {
    for (const { ResponseType, ResponseParameters } of responsesOf())
      expect(ResponseParameters, ResponseType).toEqual({
        "gatewayresponse.header.Cache-Control": "'no-store'",
        ...(["THROTTLED", "QUOTA_EXCEEDED"].includes(ResponseType) && {
          "gatewayresponse.header.Retry-After": "'1'",
        }),
      });
  });

  it("lets pages of the first allowed origin read gateway responses", () => {
    const responses = responsesOf(customContext);
    expect(responses).toHaveLength(Object.keys(expected).length);
    for (const { ResponseType, ResponseParameters } of responses)
      expect(ResponseParameters, ResponseType).toMatchObject({
        "gatewayresponse.header.Access-Control-Allow-Origin": "'https://app.example'",
        "gatewayresponse.header.Access-Control-Allow-Credentials": "'true'",
        "gatewayresponse.header.Access-Control-Expose-Headers":
          "'ETag, RateLimit-Policy, Retry-After, Idempotent-Replayed'",
        "gatewayresponse.header.Vary": "'Origin'",
      });
  });
});
