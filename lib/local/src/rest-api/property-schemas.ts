import * as v from "valibot";
import { type ResponseType, responseTypes } from "./gateway-failure.ts";

/**
 * Schemas of the properties that each resource type may have. They are strict: a property that clients would notice and
 * that is not emulated stops the runner. An `unread` property has no effect on clients.
 */

const text = v.string();
const reference = v.string();
const unread = v.optional(v.unknown());
const off = v.optional(v.literal(false));

export const lambdaUri = v.pipe(
  v.string(),
  v.regex(/^arn:[\w-]+:apigateway:[\w-]+:lambda:path\/2015-03-31\/functions\/[\w:.$-]+\/invocations$/),
  v.transform((uri) => uri.slice(uri.indexOf("/functions/") + "/functions/".length, -"/invocations".length)),
);

export const restApi = v.strictObject({
  Name: unread,
  Description: unread,
  Tags: unread,
  FailOnWarnings: unread,
  // Methods that require a key need AUTHORIZER, which definition.ts checks.
  ApiKeySourceType: v.optional(v.picklist(["HEADER", "AUTHORIZER"]), "HEADER"),
  DisableExecuteApiEndpoint: off,
  MinimumCompressionSize: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(10_485_760))),
  // Required, because an API is edge-optimized by default, and CloudFront adds headers.
  EndpointConfiguration: v.strictObject({
    Types: v.strictTuple([v.literal("REGIONAL")]),
    IpAddressType: unread,
  }),
});

export const resource = v.strictObject({ RestApiId: reference, ParentId: reference, PathPart: text });

export const deployment = v.strictObject({ RestApiId: reference, Description: unread });

const methodSetting = v.pipe(
  v.strictObject({
    HttpMethod: text,
    ResourcePath: text,
    ThrottlingRateLimit: v.optional(v.pipe(v.number(), v.minValue(0))),
    ThrottlingBurstLimit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
    LoggingLevel: unread,
    MetricsEnabled: unread,
    DataTraceEnabled: unread,
    CachingEnabled: off,
  }),
  v.check(
    ({ HttpMethod, ResourcePath }) => (HttpMethod === "*") === (ResourcePath === "/*"),
    "a setting for all methods of some paths",
  ),
);

export const stage = v.strictObject({
  RestApiId: reference,
  DeploymentId: reference,
  StageName: v.pipe(text, v.regex(/^[\w-]+$/)),
  Description: unread,
  DocumentationVersion: unread,
  Tags: unread,
  TracingEnabled: unread,
  AccessLogSetting: unread,
  CacheClusterEnabled: off,
  MethodSettings: v.optional(v.array(methodSetting), []),
});

export const account = v.strictObject({ CloudWatchRoleArn: unread });

export const authorizer = v.strictObject({
  RestApiId: reference,
  Name: unread,
  AuthType: v.optional(v.literal("custom")),
  Type: v.literal("REQUEST"),
  AuthorizerUri: lambdaUri,
  // Must be 0. By default, results are cached for 300 seconds by identity sources, which is not emulated.
  AuthorizerResultTtlInSeconds: v.literal(0),
  IdentitySource: v.optional(v.literal("")),
});

const templates = v.strictObject({ "application/json": v.optional(text) });

export const gatewayResponse = v.strictObject({
  RestApiId: reference,
  ResponseType: v.picklist(responseTypes as [ResponseType, ...ResponseType[]]),
  StatusCode: v.optional(v.pipe(text, v.regex(/^[2-5]\d\d$/), v.transform(Number))),
  ResponseParameters: v.optional(v.record(v.string(), text), {}),
  ResponseTemplates: v.optional(templates, {}),
});

const lambdaProxyIntegration = v.strictObject({
  Type: v.literal("AWS_PROXY"),
  // Must be POST. Recorded: any other method makes every request a 500.
  IntegrationHttpMethod: v.literal("POST"),
  Uri: lambdaUri,
  PassthroughBehavior: unread,
  TimeoutInMillis: v.optional(v.pipe(v.number(), v.integer(), v.minValue(50)), 29_000),
});

const status = v.pipe(text, v.regex(/^[2-5]\d\d$/), v.transform(Number));

const mockIntegration = v.strictObject({
  Type: v.literal("MOCK"),
  IntegrationHttpMethod: unread,
  TimeoutInMillis: unread,
  PassthroughBehavior: v.optional(
    v.picklist(["WHEN_NO_MATCH", "WHEN_NO_TEMPLATES", "NEVER"]),
    "WHEN_NO_MATCH",
  ),
  RequestTemplates: v.optional(templates, {}),
  IntegrationResponses: v.optional(
    v.array(
      v.strictObject({
        StatusCode: status,
        SelectionPattern: v.optional(text),
        ResponseParameters: v.optional(v.record(v.string(), text), {}),
        ResponseTemplates: v.optional(templates, {}),
      }),
    ),
    [],
  ),
});

export const method = v.strictObject({
  RestApiId: reference,
  ResourceId: reference,
  HttpMethod: v.picklist(["ANY", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"]),
  OperationName: unread,
  // Has no effect, because only request validators use it.
  RequestParameters: unread,
  AuthorizationType: v.picklist(["NONE", "CUSTOM"]),
  AuthorizerId: v.optional(reference),
  ApiKeyRequired: v.optional(v.boolean(), false),
  Integration: v.variant("Type", [lambdaProxyIntegration, mockIntegration]),
  MethodResponses: v.optional(
    v.array(
      v.strictObject({
        StatusCode: status,
        ResponseParameters: v.optional(v.record(v.string(), v.boolean()), {}),
        ResponseModels: unread,
      }),
    ),
    [],
  ),
});

export type MethodProperties = v.InferOutput<typeof method>;
export type MockProperties = v.InferOutput<typeof mockIntegration>;
