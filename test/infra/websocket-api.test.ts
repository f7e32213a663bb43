import { describe, expect, it } from "vitest";
import { operationsOf } from "../../lib/operations/operations.ts";
import { customContext, logicalIdOf, only, propertiesOf, resourcesOf, synthesize } from "./synthesized.ts";

const plain = synthesize().api;
const { id: apiId, Properties: properties } = only(plain, "AWS::ApiGatewayV2::Api");

type RouteProperties = {
  AuthorizationType: string;
  AuthorizerId?: unknown;
  RouteKey: string;
  RouteResponseSelectionExpression?: string;
  Target: { "Fn::Join": [string, [string, { Ref: string }]] };
};
const routes = resourcesOf<RouteProperties>(plain, "AWS::ApiGatewayV2::Route");
const routeOf = (key: string) => {
  const [id, resource] =
    Object.entries(routes).find(([, { Properties }]) => Properties.RouteKey === key) ?? [];
  if (id === undefined || resource === undefined) throw new Error(`There is no route ${key}`);
  return { id, ...resource.Properties };
};

const uriOf = (name: string) => ({
  "Fn::Join": [
    "",
    [
      "arn:",
      { Ref: "AWS::Partition" },
      ":apigateway:",
      { Ref: "AWS::Region" },
      ":lambda:path/2015-03-31/functions/",
      { "Fn::GetAtt": [logicalIdOf(plain, name), "Arn"] },
      "/invocations",
    ],
  ],
});

describe("the WebSocket API", () => {
  it("selects the route by the type of a message, and keeps its default address", () => {
    expect(properties).toEqual({
      ApiKeySelectionExpression: "$context.authorizer.usageIdentifierKey",
      Description: expect.any(String),
      Name: "TerminalApiStream",
      ProtocolType: "WEBSOCKET",
      RouteSelectionExpression: "$request.body.type",
    });
  });

  it("has the routes of THE TABLE", () => {
    const keys = Object.values(routes).map(({ Properties }) => Properties.RouteKey);
    expect(keys.sort()).toEqual(
      operationsOf("websocket")
        .map(([, { route }]) => route)
        .sort(),
    );
  });

  it.each(operationsOf("websocket"))("serves the route of %s with its function", (name, { route }) => {
    const [prefix, { Ref }] = routeOf(route).Target["Fn::Join"][1];
    expect(prefix).toBe("integrations/");
    expect(resourcesOf(plain, "AWS::ApiGatewayV2::Integration")[Ref]?.Properties).toEqual({
      ApiId: { Ref: apiId },
      IntegrationType: "AWS_PROXY",
      IntegrationUri: uriOf(name),
    });
  });

  it("sends the results of functions to clients only if the functions do not push their replies", () => {
    const responses = propertiesOf(plain, "AWS::ApiGatewayV2::RouteResponse");
    const answered = ["ping", "$default"];
    const expected = answered.map((route) => ({
      ApiId: { Ref: apiId },
      RouteId: { Ref: routeOf(route).id },
      RouteResponseKey: "$default",
    }));
    expect(responses).toHaveLength(expected.length);
    expect(responses).toEqual(expect.arrayContaining(expected));
    for (const { Properties } of Object.values(routes))
      expect(Properties.RouteResponseSelectionExpression).toBe(
        answered.some((route) => route === Properties.RouteKey) ? "$default" : undefined,
      );
  });

  it("calls the authorizer before every connection, whatever its headers", () => {
    const authorizer = only(plain, "AWS::ApiGatewayV2::Authorizer");
    // With identity sources, API Gateway would refuse connections that lack one without calling the authorizer.
    expect(authorizer.Properties).toEqual({
      ApiId: { Ref: apiId },
      AuthorizerType: "REQUEST",
      AuthorizerUri: uriOf("authorizeConnection"),
      Name: "Authorizer",
    });
    const asking = Object.values(routes).filter(({ Properties }) => Properties.AuthorizationType !== "NONE");
    expect(asking.map(({ Properties }) => Properties)).toEqual([
      expect.objectContaining({
        RouteKey: "$connect",
        AuthorizationType: "CUSTOM",
        AuthorizerId: { Ref: authorizer.id },
      }),
    ]);
  });
});

describe("the WebSocket stage", () => {
  const stage = only<{ AccessLogSettings: { Format: string } }>(plain, "AWS::ApiGatewayV2::Stage");

  it("deploys the stage with each change, measures it as a whole, and writes no execution log", () => {
    expect(stage.Properties).toMatchObject({ StageName: "stream", AutoDeploy: true });
    expect(stage.Properties).not.toHaveProperty("DefaultRouteSettings");
  });

  it("logs nothing that clients choose in connections and messages", () => {
    const format: Record<string, string> = JSON.parse(stage.Properties.AccessLogSettings.Format);
    expect(Object.values(format).sort()).toEqual([
      "$context.authorizer.clientIp",
      "$context.authorizer.latency",
      "$context.authorizer.loggedUser",
      "$context.connectionId",
      "$context.error.responseType",
      "$context.eventType",
      "$context.extendedRequestId",
      "$context.identity.sourceIp",
      "$context.integrationLatency",
      "$context.requestId",
      "$context.requestTime",
      "$context.routeKey",
      "$context.status",
    ]);
  });

  it("creates the stage after the role that lets it write logs", () => {
    expect(stage.DependsOn).toContain(only(plain, "AWS::ApiGateway::Account").id);
  });
});

describe("the StreamUrl output", () => {
  it("outputs the address of the stage", () => {
    const { Value } = plain.Outputs.StreamUrl as { Value: { "Fn::Join": [string, unknown[]] } };
    expect(Value["Fn::Join"][1]).toEqual([
      "wss://",
      { Ref: apiId },
      ".execute-api.",
      { Ref: "AWS::Region" },
      ".",
      { Ref: "AWS::URLSuffix" },
      "/stream",
    ]);
    expect(plain.Outputs).not.toHaveProperty("StreamDomainTarget");
  });

  it("keeps StreamUrl the same, because the API keeps its logical id", () => {
    expect(apiId).toBe("Stream790BDEE4");
  });

  it("outputs the custom domain, if there is one, while pushes still use the default address", () => {
    const { streamCertificateArn } = customContext;
    const { api } = synthesize(customContext);
    const domain = only(api, "AWS::ApiGatewayV2::DomainName");
    expect(domain.Properties).toEqual({
      DomainName: "stream.example.com",
      DomainNameConfigurations: [
        { CertificateArn: streamCertificateArn, EndpointType: "REGIONAL", SecurityPolicy: "TLS_1_2" },
      ],
    });
    const mapping = only(api, "AWS::ApiGatewayV2::ApiMapping");
    expect(mapping.Properties).toEqual({
      ApiId: { Ref: apiId },
      DomainName: { Ref: domain.id },
      Stage: "stream",
    });
    expect(mapping.DependsOn).toContain(only(api, "AWS::ApiGatewayV2::Stage").id);
    expect(api.Outputs).toMatchObject({
      StreamUrl: { Value: "wss://stream.example.com" },
      StreamDomainTarget: { Value: { "Fn::GetAtt": [domain.id, "RegionalDomainName"] } },
    });
    expect(only(api, "AWS::ApiGatewayV2::Api").Properties).not.toHaveProperty("DisableExecuteApiEndpoint");
    expect(JSON.stringify(api.Resources)).not.toContain("https://stream.example.com");
  });
});

describe("the RecordExecutionsFunction output", () => {
  it("names the function that records executions", () => {
    expect(plain.Outputs.RecordExecutionsFunction).toEqual({
      Value: { Ref: logicalIdOf(plain, "recordExecutions") },
    });
  });
});
