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

function create(resources: readonly ResolvedResource[], restApi = api) {
  return createRestApi({
    api: restApi,
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

/** Expects an API with these resources to stop the runner with a message that names one of them. */
function expectRefusal(resources: readonly ResolvedResource[], logicalId: string, message: RegExp) {
  const creating = () => create(resources);
  expect(creating).toThrow(new RegExp(`^${logicalId} \\(AWS::ApiGateway::\\w+\\) has something`));
  expect(creating).toThrow(message);
}

type Row = [name: string, changes: Record<string, unknown>, message: RegExp];

const lambdaUri = (name: string) =>
  `arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/${name}/invocations`;
const sqsUri = "arn:aws:apigateway:us-east-1:sqs:path/000000000000/queue";

describe("integrations that are not emulated", () => {
  it.each<Row>([
    ["of type HTTP", { Type: "HTTP" }, /Integration\.Type.*"HTTP"/],
    ["of type HTTP_PROXY", { Type: "HTTP_PROXY" }, /Integration\.Type/],
    ["of type AWS", { Type: "AWS" }, /Integration\.Type/],
    ["with a VPC link", { ConnectionType: "VPC_LINK" }, /Integration\.ConnectionType$/],
    ["with a role", { Credentials: "arn" }, /Integration\.Credentials$/],
    ["with mapped parameters", { RequestParameters: { a: "b" } }, /Integration\.RequestParameters$/],
    ["with a streamed response", { ResponseTransferMode: "STREAM" }, /ResponseTransferMode$/],
    ["that calls Lambda by GET", { IntegrationHttpMethod: "GET" }, /IntegrationHttpMethod/],
    ["with a timeout below 50 ms", { TimeoutInMillis: 49 }, /TimeoutInMillis/],
    ["of another service", { Uri: sqsUri }, /Integration\.Uri/],
    ["with a stage variable", { Uri: lambdaUri(`$${"{stageVariables.f}"}`) }, /Integration\.Uri/],
  ])("stops the runner for an integration %s", (_, changes, message) => {
    const resources = route("GET /pets", { Integration: { ...proxyIntegration, ...changes } });
    expectRefusal([stage, ...resources], "GET /pets", message);
  });
});

describe("methods that are not emulated", () => {
  it.each<Row>([
    ["without integration", { Integration: undefined }, /Integration/],
    ["with IAM", { AuthorizationType: "AWS_IAM" }, /AuthorizationType/],
    ["with Cognito", { AuthorizationType: "COGNITO_USER_POOLS" }, /AuthorizationType/],
    ["with a validator", { RequestValidatorId: "V" }, /RequestValidatorId$/],
    ["with a model", { RequestModels: { a: "b" } }, /RequestModels$/],
    ["of another name", { HttpMethod: "TRACE" }, /HttpMethod/],
    [
      "with an API key from a header",
      { ApiKeyRequired: true },
      /ApiKeyRequired with ApiKeySourceType HEADER/,
    ],
    [
      "with an unknown authorizer",
      { AuthorizationType: "CUSTOM", AuthorizerId: "None" },
      /AuthorizerId "None"/,
    ],
    ["of an unknown resource", { ResourceId: "Nowhere" }, /a reference to Nowhere/],
  ])("stops the runner for a method %s", (_, changes, message) => {
    expectRefusal([stage, ...route("GET /pets", changes)], "GET /pets", message);
  });
});

describe("stages that are not emulated", () => {
  const setting = (changes: object) => ({
    MethodSettings: [{ HttpMethod: "*", ResourcePath: "/*", ...changes }],
  });

  it.each<Row>([
    ["with variables", { Variables: { colour: "red" } }, /Variables$/],
    ["with a cache", { CacheClusterEnabled: true }, /CacheClusterEnabled/],
    ["with a canary", { CanarySetting: {} }, /CanarySetting$/],
    [
      "with a setting for all methods of one path",
      setting({ ResourcePath: "/~1pets", ThrottlingRateLimit: 1 }),
      /MethodSettings\.0: a setting for all methods of some paths/,
    ],
    [
      "with a setting for all paths of one method",
      setting({ HttpMethod: "GET", ThrottlingRateLimit: 1 }),
      /MethodSettings\.0: a setting for all methods of some paths/,
    ],
    ["with a method's cache", setting({ CachingEnabled: true }), /MethodSettings\.0\.CachingEnabled/],
    [
      "with a fractional burst",
      setting({ ThrottlingBurstLimit: 0.5 }),
      /MethodSettings\.0\.ThrottlingBurstLimit/,
    ],
  ])("stops the runner for a stage %s", (_, changes, message) => {
    expectRefusal([changed(stage, changes), ...pets], "Stage", message);
  });
});

describe("authorizers that are not emulated", () => {
  it.each<Row>([
    ["of type TOKEN", { Type: "TOKEN" }, /Type/],
    ["with a cache", { AuthorizerResultTtlInSeconds: 300 }, /AuthorizerResultTtlInSeconds/],
    ["with the default cache", { AuthorizerResultTtlInSeconds: undefined }, /AuthorizerResultTtl/],
    ["with an identity source", { IdentitySource: "method.request.header.Authorization" }, /IdentitySource/],
    ["with a role", { AuthorizerCredentials: "arn" }, /AuthorizerCredentials$/],
  ])("stops the runner for an authorizer %s", (_, changes, message) => {
    expectRefusal([stage, ...guarded("GET /pets"), changed(callers, changes)], "Authorizer", message);
  });
});

describe("gateway responses that are not emulated", () => {
  const header = (expression: string) => ({
    ResponseParameters: { "gatewayresponse.header.a": expression },
  });

  it.each<Row>([
    ["of an unknown type", { ResponseType: "TEAPOT" }, /ResponseType/],
    ["with a 1XX status", { StatusCode: "101" }, /StatusCode/],
    [
      "with a template for XML",
      { ResponseTemplates: { "application/xml": "<a/>" } },
      /ResponseTemplates\.application\/xml$/,
    ],
    [
      "with a parameter other than a header",
      { ResponseParameters: { "gatewayresponse.body": "'a'" } },
      /gatewayresponse\.body/,
    ],
    ["with a constant without quotes", header("b"), /the expression "b"/],
    ["with the request's body", header("method.request.body"), /the expression "method\.request\.body"/],
    ["with a context expression", header("context.requestId"), /the expression "context\.requestId"/],
  ])("stops the runner for a GatewayResponse %s", (_, changes, message) => {
    const properties = { ResponseType: "UNAUTHORIZED", ...changes };
    expectRefusal([stage, resource("GatewayResponse", "Response", properties)], "Response", message);
  });
});

describe("APIs that are not emulated", () => {
  it.each<[name: string, resources: ResolvedResource[], logicalId: string, message: RegExp]>([
    ["without a stage", pets, "Api", /0 stages/],
    ["with two stages", [stage, { ...stage, logicalId: "Other" }, ...pets], "Api", /2 stages/],
    ["with a model", [stage, resource("Model", "Model", {})], "Model", /the resource type/],
    [
      "with a validator",
      [stage, resource("RequestValidator", "Validator", {})],
      "Validator",
      /the resource type/,
    ],
    ["with a malformed path part", [stage, ...route("GET /a{b}")], "Api", /a\{b\}/],
    [
      "with a stage of a deployment",
      [stage, changed(deployment, { StageName: "x" })],
      "Deployment",
      /StageName$/,
    ],
  ])("stops the runner for an API %s", (_, resources, logicalId, message) => {
    expectRefusal(resources, logicalId, message);
  });

  it.each<[name: string, changes: Record<string, unknown>]>([
    ["with the default endpoint, which is edge-optimized,", { EndpointConfiguration: undefined }],
    ["with an edge-optimized endpoint", { EndpointConfiguration: { Types: ["EDGE"] } }],
    ["with a private endpoint", { EndpointConfiguration: { Types: ["PRIVATE"] } }],
    ["with a policy", { Policy: {} }],
    ["with an OpenAPI body", { Body: {} }],
    ["with compression beyond the limit", { MinimumCompressionSize: 10_485_761 }],
    ["with a disabled endpoint", { DisableExecuteApiEndpoint: true }],
    ["with binary media types", { BinaryMediaTypes: ["image/png"] }],
  ])("stops the runner for an API %s", (_, changes) => {
    const [property = ""] = Object.keys(changes);
    expect(() => create([stage, ...pets], changed(api, changes))).toThrow(
      new RegExp(`^Api \\(AWS::ApiGateway::RestApi\\) has .*${property}`),
    );
  });

  it("ignores resources of other APIs and services", () => {
    const others: ResolvedResource[] = [
      { logicalId: "Table", type: "AWS::DynamoDB::Table", properties: {} },
      { logicalId: "Socket", type: "AWS::ApiGatewayV2::Api", properties: {} },
      resource("Method", "Theirs", { RestApiId: "OtherApi", Integration: { Type: "HTTP" } }),
    ];
    expect(() => create([stage, ...pets, ...others])).not.toThrow();
  });

  const request = (method: string, target: string) => ({
    method,
    target,
    headers: [["Origin", "https://a.example"]] as const,
    body: Buffer.alloc(0),
    sourceIp: "127.0.0.1",
  });

  it("routes, authorizes, checks permissions and sends API Gateway's answers for an API that CDK synthesized", async () => {
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
