import * as v from "valibot";
import { lambdaUri } from "../rest-api/property-schemas.ts";
import { readSelection } from "./route-selection.ts";

/**
 * Schemas of the properties that each resource type may have. They are strict: a property that clients would notice and
 * that is not emulated stops the runner. An `unread` property has no effect on clients.
 */

const text = v.string();
const reference = v.string();
const unread = v.optional(v.unknown());
const off = v.optional(v.literal(false));

export const api = v.strictObject({
  ProtocolType: v.literal("WEBSOCKET"),
  RouteSelectionExpression: v.pipe(text, v.rawTransform(selection)),
  Name: unread,
  Description: unread,
  Tags: unread,
  IpAddressType: unread,
  ApiKeySelectionExpression: v.optional(
    v.picklist(["$request.header.x-api-key", "$context.authorizer.usageIdentifierKey"]),
    "$request.header.x-api-key",
  ),
  DisableExecuteApiEndpoint: off,
});

function selection({ dataset, addIssue, NEVER }: v.RawTransformContext<string>): string[] {
  const path = readSelection(dataset.value);
  if (path !== undefined) return path;
  addIssue({ message: `the selection expression "${dataset.value}"` });
  return NEVER;
}

const quiet = { LoggingLevel: unread, DetailedMetricsEnabled: unread, DataTraceEnabled: unread };

const limit = v.pipe(v.number(), v.minValue(0));

/** Requires both limits or none: AWS does not document the effect of only one. */
const routeSettings = v.union([
  v.strictObject({ ...quiet, ThrottlingRateLimit: limit, ThrottlingBurstLimit: v.pipe(limit, v.integer()) }),
  v.strictObject(quiet),
]);

export const stage = v.strictObject({
  ApiId: reference,
  StageName: v.pipe(text, v.regex(/^[\w-]+$/)),
  AutoDeploy: v.optional(v.boolean(), false),
  DeploymentId: v.optional(reference),
  Description: unread,
  Tags: unread,
  AccessLogSettings: unread,
  DefaultRouteSettings: v.optional(v.strictObject(quiet)),
  RouteSettings: v.optional(v.record(text, routeSettings), {}),
});

export const deployment = v.strictObject({ ApiId: reference, Description: unread, StageName: unread });

export const route = v.strictObject({
  ApiId: reference,
  RouteKey: text,
  Target: v.pipe(
    text,
    v.regex(/^integrations\/.+$/),
    v.transform((target) => target.slice("integrations/".length)),
  ),
  AuthorizationType: v.optional(v.picklist(["NONE", "CUSTOM"]), "NONE"),
  AuthorizerId: v.optional(reference),
  RouteResponseSelectionExpression: v.optional(v.literal("$default")),
  ApiKeyRequired: v.optional(v.boolean(), false),
  OperationName: unread,
});

export const routeResponse = v.strictObject({
  ApiId: reference,
  RouteId: reference,
  RouteResponseKey: v.literal("$default"),
});

export const integration = v.strictObject({
  ApiId: reference,
  IntegrationType: v.literal("AWS_PROXY"),
  IntegrationUri: lambdaUri,
  IntegrationMethod: v.optional(v.literal("POST")),
  ConnectionType: v.optional(v.literal("INTERNET")),
  TimeoutInMillis: v.optional(v.pipe(v.number(), v.integer(), v.minValue(50), v.maxValue(29_000)), 29_000),
  Description: unread,
});

export const authorizer = v.strictObject({
  ApiId: reference,
  Name: unread,
  AuthorizerType: v.literal("REQUEST"),
  AuthorizerUri: lambdaUri,
  IdentitySource: v.optional(v.strictTuple([])),
});
