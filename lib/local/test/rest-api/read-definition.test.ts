import { describe, expect, it } from "vitest";
import type { ResolvedResource } from "../../src/cloudformation/resource.ts";
import { createRestApi } from "../../src/rest-api/rest-api.ts";
import {
  api,
  callers,
  deployment,
  guarded,
  proxyIntegration,
  readable,
  resource,
  route,
  stage,
  usageOf,
} from "./fixture.ts";
import { synthesized } from "./synthesized.ts";

const pets = route("GET /pets");

function create(...resources: ResolvedResource[]) {
  return createRestApi({
    api,
    resources,
    invoke: async () => ({ payload: "{}" }),
    mayInvoke: () => true,
    usagePlans: usageOf([]).plans,
  });
}

function changed(
  { properties, ...rest }: ResolvedResource,
  changes: Record<string, unknown>,
): ResolvedResource {
  return { ...rest, properties: { ...properties, ...changes } };
}

const integration = (changes: Record<string, unknown>) =>
  route("GET /pets", { Integration: { ...proxyIntegration, ...changes } });

const gatewayResponse = (changes: Record<string, unknown>) =>
  resource("GatewayResponse", "Unauthorized", { ResponseType: "UNAUTHORIZED", ...changes });

const method = (changes: Record<string, unknown>) => route("GET /pets", changes);
const withStage = (changes: Record<string, unknown>) => [changed(stage, changes), ...pets];
const withAuthorizer = (changes: Record<string, unknown>) => [
  stage,
  ...guarded("GET /pets"),
  changed(callers, changes),
];

describe("a part of an API that is not emulated", () => {
  it.each<[name: string, resources: ResolvedResource[], who: string, what: RegExp]>([
    ["HTTP", [stage, ...integration({ Type: "HTTP" })], "GET /pets", /Integration\.Type.*"HTTP"/],
    ["HTTP_PROXY", [stage, ...integration({ Type: "HTTP_PROXY" })], "GET /pets", /Integration\.Type/],
    ["AWS", [stage, ...integration({ Type: "AWS" })], "GET /pets", /Integration\.Type/],
    ["no integration", [stage, ...method({ Integration: undefined })], "GET /pets", /Integration/],
    [
      "VPC link",
      [stage, ...integration({ ConnectionType: "VPC_LINK" })],
      "GET /pets",
      /Integration\.ConnectionType$/,
    ],
    ["a role", [stage, ...integration({ Credentials: "arn" })], "GET /pets", /Integration\.Credentials$/],
    [
      "mapped parameters",
      [stage, ...integration({ RequestParameters: { a: "b" } })],
      "GET /pets",
      /Integration\.RequestParameters$/,
    ],
    [
      "streaming",
      [stage, ...integration({ ResponseTransferMode: "STREAM" })],
      "GET /pets",
      /ResponseTransferMode$/,
    ],
    [
      "GET as Lambda's method",
      [stage, ...integration({ IntegrationHttpMethod: "GET" })],
      "GET /pets",
      /IntegrationHttpMethod/,
    ],
    [
      "a timeout below 50 ms",
      [stage, ...integration({ TimeoutInMillis: 49 })],
      "GET /pets",
      /TimeoutInMillis/,
    ],
    [
      "another service",
      [stage, ...integration({ Uri: "arn:aws:apigateway:us-east-1:sqs:path/000000000000/queue" })],
      "GET /pets",
      /Integration\.Uri/,
    ],
    [
      "a stage variable for the function",
      [
        stage,
        ...integration({
          Uri:
            "arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/$" +
            "{stageVariables.f}/invocations",
        }),
      ],
      "GET /pets",
      /Integration\.Uri/,
    ],
    ["IAM", [stage, ...method({ AuthorizationType: "AWS_IAM" })], "GET /pets", /AuthorizationType/],
    [
      "Cognito",
      [stage, ...method({ AuthorizationType: "COGNITO_USER_POOLS" })],
      "GET /pets",
      /AuthorizationType/,
    ],
    ["a validator", [stage, ...method({ RequestValidatorId: "V" })], "GET /pets", /RequestValidatorId$/],
    ["a model", [stage, ...method({ RequestModels: { a: "b" } })], "GET /pets", /RequestModels$/],
    [
      "an API key from a header",
      [stage, ...method({ ApiKeyRequired: true })],
      "GET /pets",
      /ApiKeyRequired with ApiKeySourceType HEADER/,
    ],
    ["an unknown method", [stage, ...method({ HttpMethod: "TRACE" })], "GET /pets", /HttpMethod/],
    ["an unknown authorizer", [stage, ...guarded("GET /pets")], "GET /pets", /AuthorizerId "Authorizer"/],
    ["an unknown resource", [stage, ...method({ ResourceId: "Nowhere" })], "GET /pets", /refers to Nowhere/],
    ["no stage", pets, "Api", /0 stages/],
    ["two stages", [stage, { ...stage, logicalId: "Other" }, ...pets], "Api", /2 stages/],
    ["stage variables", withStage({ Variables: { colour: "red" } }), "Stage", /Variables$/],
    ["a stage's cache", withStage({ CacheClusterEnabled: true }), "Stage", /CacheClusterEnabled/],
    ["a canary", withStage({ CanarySetting: {} }), "Stage", /CanarySetting$/],
    [
      "a setting for all methods of one path",
      withStage({ MethodSettings: [{ HttpMethod: "*", ResourcePath: "/~1pets", ThrottlingRateLimit: 1 }] }),
      "Stage",
      /MethodSettings\.0: a setting for all methods of some paths/,
    ],
    [
      "a setting for all paths of one method",
      withStage({ MethodSettings: [{ HttpMethod: "GET", ResourcePath: "/*", ThrottlingRateLimit: 1 }] }),
      "Stage",
      /MethodSettings\.0: a setting for all methods of some paths/,
    ],
    [
      "a method's cache",
      withStage({ MethodSettings: [{ HttpMethod: "*", ResourcePath: "/*", CachingEnabled: true }] }),
      "Stage",
      /MethodSettings\.0\.CachingEnabled/,
    ],
    [
      "a burst of half a request",
      withStage({ MethodSettings: [{ HttpMethod: "*", ResourcePath: "/*", ThrottlingBurstLimit: 0.5 }] }),
      "Stage",
      /MethodSettings\.0\.ThrottlingBurstLimit/,
    ],
    ["a token authorizer", withAuthorizer({ Type: "TOKEN" }), "Authorizer", /Type/],
    [
      "a cache",
      withAuthorizer({ AuthorizerResultTtlInSeconds: 300 }),
      "Authorizer",
      /AuthorizerResultTtlInSeconds/,
    ],
    [
      "the default cache",
      withAuthorizer({ AuthorizerResultTtlInSeconds: undefined }),
      "Authorizer",
      /AuthorizerResultTtl/,
    ],
    [
      "an identity source of the authorizer",
      withAuthorizer({ IdentitySource: "method.request.header.Authorization" }),
      "Authorizer",
      /IdentitySource/,
    ],
    [
      "an authorizer's role",
      withAuthorizer({ AuthorizerCredentials: "arn" }),
      "Authorizer",
      /AuthorizerCredentials$/,
    ],
    [
      "an unknown response type",
      [stage, gatewayResponse({ ResponseType: "TEAPOT" })],
      "Unauthorized",
      /ResponseType/,
    ],
    ["a 1XX response", [stage, gatewayResponse({ StatusCode: "101" })], "Unauthorized", /StatusCode/],
    [
      "a template for XML",
      [stage, gatewayResponse({ ResponseTemplates: { "application/xml": "<a/>" } })],
      "Unauthorized",
      /ResponseTemplates\.application\/xml$/,
    ],
    [
      "a response parameter other than a header",
      [stage, gatewayResponse({ ResponseParameters: { "gatewayresponse.body": "'a'" } })],
      "Unauthorized",
      /gatewayresponse\.body/,
    ],
    [
      "a constant without quotes",
      [stage, gatewayResponse({ ResponseParameters: { "gatewayresponse.header.a": "b" } })],
      "Unauthorized",
      /the expression "b"/,
    ],
    [
      "an expression",
      [stage, gatewayResponse({ ResponseParameters: { "gatewayresponse.header.a": "method.request.body" } })],
      "Unauthorized",
      /the expression "method\.request\.body"/,
    ],
    [
      "a context expression",
      [stage, gatewayResponse({ ResponseParameters: { "gatewayresponse.header.a": "context.requestId" } })],
      "Unauthorized",
      /the expression "context\.requestId"/,
    ],
    ["a model", [stage, resource("Model", "Model", {})], "Model", /the resource type/],
    ["a validator", [stage, resource("RequestValidator", "Validator", {})], "Validator", /the resource type/],
    ["a path part", [stage, ...route("GET /a{b}")], "Api", /a\{b\}/],
    [
      "a deployment's own stage",
      [stage, changed(deployment, { StageName: "x" })],
      "Deployment",
      /StageName$/,
    ],
  ])("stops the runner: %s", (_, resources, who, what) => {
    expect(() => create(...resources)).toThrow(what);
    expect(() => create(...resources)).toThrow(
      new RegExp(`^${who} \\(AWS::ApiGateway::\\w+\\) has something`),
    );
  });

  it.each<[name: string, changes: Record<string, unknown>]>([
    ["an edge-optimized API", { EndpointConfiguration: undefined }],
    ["an edge-optimized API", { EndpointConfiguration: { Types: ["EDGE"] } }],
    ["a private API", { EndpointConfiguration: { Types: ["PRIVATE"] } }],
    ["a policy", { Policy: {} }],
    ["an OpenAPI body", { Body: {} }],
    ["compression", { MinimumCompressionSize: 0 }],
    ["a switched-off endpoint", { DisableExecuteApiEndpoint: true }],
    ["binary media types", { BinaryMediaTypes: ["image/png"] }],
  ])("stops the runner: %s", (_, changes) => {
    const create = () =>
      createRestApi({
        api: changed(api, changes),
        resources: [stage, ...pets],
        invoke: async () => ({ payload: "{}" }),
        mayInvoke: () => true,
        usagePlans: usageOf([]).plans,
      });
    const [name = ""] = Object.keys(changes);
    expect(create).toThrow(new RegExp(`^Api \\(AWS::ApiGateway::RestApi\\) has .*${name}`));
  });
});

describe("readDefinition", () => {
  it("ignores resources of other APIs and services", () => {
    const others: ResolvedResource[] = [
      { logicalId: "Table", type: "AWS::DynamoDB::Table", properties: {} },
      { logicalId: "Socket", type: "AWS::ApiGatewayV2::Api", properties: {} },
      resource("Method", "Theirs", { RestApiId: "OtherApi", Integration: { Type: "HTTP" } }),
    ];
    expect(() => create(stage, ...pets, ...others)).not.toThrow();
  });
});

describe("an API of CDK", () => {
  const request = (method: string, target: string) => ({
    method,
    target,
    headers: [["Origin", "https://a.example"]] as const,
    body: Buffer.alloc(0),
    sourceIp: "127.0.0.1",
  });

  it("routes, authorizes, checks permissions and has its own answers", async () => {
    const invoked: string[] = [];
    const asked: string[] = [];
    const restApi = createRestApi({
      usagePlans: usageOf([]).plans,
      ...synthesized("guarded"),
      invoke: async (arn, event) => {
        invoked.push(arn);
        const { methodArn } = event as { methodArn?: string };
        const policyDocument = { Statement: [{ Action: "*", Effect: "Allow", Resource: methodArn }] };
        return {
          payload: JSON.stringify(methodArn ? { principalId: "u1", policyDocument } : { statusCode: 201 }),
        };
      },
      mayInvoke: (_, sourceArn) => {
        asked.push(sourceArn);
        return true;
      },
    });

    expect(await restApi.handle(request("POST", "/pets/7"))).toMatchObject({
      status: 201,
    });
    expect(invoked).toHaveLength(2);
    expect(asked).toStrictEqual([
      expect.stringMatching(
        /^arn:aws:execute-api:us-east-1:000000000000:Api\w+\/authorizers\/ApiCallers\w+$/,
      ),
      expect.stringMatching(/^arn:aws:execute-api:us-east-1:000000000000:Api\w+\/live\/POST\/pets\/\{id\}$/),
    ]);

    expect(await restApi.handle(request("OPTIONS", "/pets/7"))).toMatchObject({
      status: 204,
    });
    expect(readable(await restApi.handle(request("GET", "/pets/7")))).toMatchObject({
      status: 404,
      headers: { "Access-Control-Allow-Origin": "https://a.example", Vary: "Origin" },
      body: '{"error":"Not found"}',
    });
  });
});
