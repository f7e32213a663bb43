import { describe, expect, it } from "vitest";
import type { ResolvedResource } from "../../src/cloudformation/resource.ts";
import { readDefinition } from "../../src/websocket-api/definition.ts";
import { api, guarded, resource, route, stage, talking } from "./fixture.ts";

const functionArn = (name: string) => `arn:aws:lambda:us-east-1:000000000000:function:${name}`;

function changed(
  resources: readonly ResolvedResource[],
  type: string,
  changes: Record<string, unknown>,
): ResolvedResource[] {
  return resources.map((each) =>
    each.type === `AWS::ApiGatewayV2::${type}`
      ? { ...each, properties: { ...each.properties, ...changes } }
      : each,
  );
}

describe("readDefinition", () => {
  it("reads an API with all its parts", () => {
    const parts = [
      stage,
      ...guarded(),
      ...talking("ping"),
      ...changed(route("$default"), "Integration", { TimeoutInMillis: 5000 }),
      resource("Deployment", "Deployment", { Description: "first" }),
      resource("ApiMapping", "Mapping", { DomainName: "chat.example", Stage: "live" }),
      resource("Route", "foreign", { ApiId: "Other", Anything: 1 }),
      { logicalId: "Table", type: "AWS::DynamoDB::Table", properties: {} },
    ];
    expect(readDefinition(api, parts)).toStrictEqual({
      apiId: "Api",
      stage: "live",
      selection: ["type"],
      routes: new Map([
        ["$connect", { functionArn: functionArn("connect"), timeoutMs: 29_000, hasResponse: false }],
        ["ping", { functionArn: functionArn("ping"), timeoutMs: 29_000, hasResponse: true }],
        ["$default", { functionArn: functionArn("default"), timeoutMs: 5000, hasResponse: false }],
      ]),
      authorizer: { id: "Authorizer", functionArn: functionArn("authorize") },
      connectNeedsKey: false,
    });
  });

  it("accepts a stage with a deployment instead of AutoDeploy", () => {
    const deployed = changed([stage], "Stage", { AutoDeploy: false, DeploymentId: "Deployment" });
    expect(readDefinition(api, deployed)).toMatchObject({ stage: "live" });
  });

  it.each([
    ["$request.body.action", ["action"]],
    ["$request.body.message.kind-of", ["message", "kind-of"]],
  ])("reads the selection expression %s", (RouteSelectionExpression, selection) => {
    const [changedApi] = changed([api], "Api", { RouteSelectionExpression });
    expect(readDefinition(changedApi ?? api, [stage])).toMatchObject({ selection });
  });
});

describe("a part of a WebSocket API that is not emulated", () => {
  const all = [stage, ...guarded(), ...talking("ping")];
  const http = "arn:aws:apigateway:us-east-1:s3:path/bucket";

  it.each<[type: string, changes: Record<string, unknown>, logicalId: string, message: RegExp]>([
    ["Stage", { AutoDeploy: false }, "Stage", /neither AutoDeploy nor DeploymentId/],
    ["Stage", { StageVariables: { a: "b" } }, "Stage", /StageVariables$/],
    ["Stage", { ClientCertificateId: "x" }, "Stage", /ClientCertificateId$/],
    ["Stage", { RouteSettings: { ping: { ThrottlingRateLimit: 5 } } }, "Stage", /RouteSettings\.ping/],
    [
      "Stage",
      { DefaultRouteSettings: { ThrottlingRateLimit: 5 } },
      "Stage",
      /DefaultRouteSettings\.ThrottlingRateLimit$/,
    ],
    ["Route", { ApiKeyRequired: true }, "ping", /ApiKeyRequired on another route than \$connect/],
    ["Route", { RequestParameters: {} }, "$connect", /RequestParameters$/],
    ["Route", { ModelSelectionExpression: "$request.body.x" }, "$connect", /ModelSelectionExpression$/],
    ["Route", { AuthorizationType: "AWS_IAM" }, "$connect", /AuthorizationType/],
    ["Route", { RouteResponseSelectionExpression: "$x" }, "$connect", /RouteResponseSelectionExpression/],
    ["Route", { Target: undefined }, "$connect", /Target/],
    ["Route", { Target: "integrations/absent" }, "$connect", /Target "integrations\/absent"/],
    ["Route", { AuthorizationType: "CUSTOM", AuthorizerId: "absent" }, "ping", /only \$connect/],
    ["Authorizer", { AuthorizerType: "JWT" }, "Authorizer", /AuthorizerType/],
    ["Authorizer", { AuthorizerResultTtlInSeconds: 300 }, "Authorizer", /AuthorizerResultTtlInSeconds$/],
    ["Authorizer", { AuthorizerCredentialsArn: "x" }, "Authorizer", /AuthorizerCredentialsArn$/],
    ["Authorizer", { IdentitySource: ["route.request.header.x"] }, "Authorizer", /IdentitySource\.0$/],
    ["Authorizer", { AuthorizerUri: http }, "Authorizer", /AuthorizerUri/],
    ["Integration", { IntegrationType: "HTTP_PROXY" }, "to $connect", /IntegrationType/],
    ["Integration", { IntegrationType: "AWS" }, "to $connect", /IntegrationType/],
    ["Integration", { IntegrationUri: http }, "to $connect", /IntegrationUri/],
    ["Integration", { TimeoutInMillis: 30_000 }, "to $connect", /TimeoutInMillis/],
    ["Integration", { CredentialsArn: "x" }, "to $connect", /CredentialsArn$/],
    ["Integration", { RequestTemplates: {} }, "to $connect", /RequestTemplates$/],
    [
      "Integration",
      { ContentHandlingStrategy: "CONVERT_TO_BINARY" },
      "to $connect",
      /ContentHandlingStrategy$/,
    ],
    ["RouteResponse", { RouteResponseKey: "$x" }, "of ping", /RouteResponseKey/],
    ["RouteResponse", { ResponseModels: {} }, "of ping", /ResponseModels$/],
  ])("stops the runner for a part that is not emulated: %s %j", (type, changes, logicalId, message) => {
    const read = () => readDefinition(api, changed(all, type, changes));
    expect(read).toThrow(`${logicalId} (AWS::ApiGatewayV2::${type}) has something that is not emulated: `);
    expect(read).toThrow(message);
  });

  it.each<[changes: Record<string, unknown>, message: RegExp]>([
    [{ ProtocolType: "HTTP" }, /ProtocolType/],
    [{ RouteSelectionExpression: "$request.method" }, /selection expression/],
    [{ RouteSelectionExpression: "$request.header.x" }, /the selection expression "\$request\.header\.x"/],
    [{ RouteSelectionExpression: "$request.body" }, /selection expression/],
    [{ RouteSelectionExpression: undefined }, /RouteSelectionExpression/],
    [{ ApiKeySelectionExpression: "$request.querystring.key" }, /ApiKeySelectionExpression/],
    [{ DisableExecuteApiEndpoint: true }, /DisableExecuteApiEndpoint/],
    [{ CorsConfiguration: {} }, /CorsConfiguration$/],
    [{ Body: {} }, /Body$/],
  ])("stops the runner for an API with %j", (changes, message) => {
    const [changedApi] = changed([api], "Api", changes);
    expect(() => readDefinition(changedApi ?? api, all)).toThrow(message);
    expect(() => readDefinition(changedApi ?? api, all)).toThrow(
      "Api (AWS::ApiGatewayV2::Api) has something",
    );
  });

  it.each([
    ["no stage", []],
    ["a second stage", [stage, stage]],
  ])("stops the runner: %s", (_, stages) => {
    expect(() => readDefinition(api, stages)).toThrow(/^Api .*\d stages instead of one$/);
  });

  it("stops the runner: another resource type", () => {
    expect(() => readDefinition(api, [stage, resource("Model", "Model", {})])).toThrow(
      "Model (AWS::ApiGatewayV2::Model) has something that is not emulated: the resource type",
    );
  });

  it("stops the runner: an unknown authorizer", () => {
    const [connect, integration] = guarded();
    const parts = [stage, connect, integration].filter((each) => each !== undefined);
    expect(() => readDefinition(api, parts)).toThrow(
      '$connect (AWS::ApiGatewayV2::Route) has something that is not emulated: AuthorizerId "Authorizer"',
    );
  });
});
