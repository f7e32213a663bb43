import { notEmulated, type ResolvedResource, reading, readProperties } from "../cloudformation/resource.ts";
import type { Pair } from "../http/messages.ts";
import type { Throttle } from "../usage-plans/model.ts";
import { usageTypes } from "../usage-plans/read-usage.ts";
import { readStageThrottles } from "../usage-plans/stage-throttles.ts";
import type { Authorizer } from "./authorizer.ts";
import { readExpression } from "./call.ts";
import type { ResponseType } from "./gateway-failure.ts";
import {
  type GatewayResponseOverride,
  type GatewayResponseOverrides,
  readResponseTemplate,
} from "./gateway-response.ts";
import { readMappingTemplate } from "./mapping-template.ts";
import type { MockIntegration, MockResponse } from "./mock-integration.ts";
import type { MethodProperties, MockProperties } from "./property-schemas.ts";
import * as schemas from "./property-schemas.ts";

/** A REST API as described by its template. */
export type ApiDefinition = {
  apiId: string;
  stage: { name: string; deploymentId: string };
  /** The smallest response that is compressed, in bytes. Undefined without compression. */
  minimumCompressionSize: number | undefined;
  /** Resources that have methods. */
  resources: readonly ApiResource[];
  gatewayResponses: GatewayResponseOverrides;
};

export type ApiResource = {
  id: string;
  /** Path, for example `/pets/{id}`. */
  path: string;
  /** Methods by HTTP method or `ANY`. */
  methods: ReadonlyMap<string, Method>;
};

export type Method = {
  /** Name in the notation of stage settings, e.g. `/pets/{id}/GET`. */
  name: string;
  authorizer: Authorizer | undefined;
  /** True if a call needs an API key, which the authorizer returns. */
  apiKeyRequired: boolean;
  /** Limit of the stage for all callers together. */
  throttle: Throttle | undefined;
  integration: Integration;
};

export type Integration = LambdaIntegration | MockIntegration;

type LambdaIntegration = { type: "AWS_PROXY"; functionArn: string; timeoutMs: number };

const emulatedTypes = new Set([
  ...["Account", "Authorizer", "Deployment", "GatewayResponse", "Method", "Resource", "RestApi", "Stage"].map(
    (name) => `AWS::ApiGateway::${name}`,
  ),
  // Types that usage-plans/ reads, because they belong to no single API.
  ...usageTypes,
]);

/**
 * Reads a REST API from its resources and ignores those of other services and APIs.
 *
 * @throws {StartupError} if something is not emulated; the message names the resource and the property
 */
export function readDefinition(api: ResolvedResource, all: readonly ResolvedResource[]): ApiDefinition {
  const own = all.filter(({ type, properties }) => {
    return type.startsWith("AWS::ApiGateway::") && (properties.RestApiId ?? api.logicalId) === api.logicalId;
  });
  const unknown = own.find(({ type }) => !emulatedTypes.has(type));
  if (unknown) throw notEmulated(unknown, "the resource type");
  const ofType = (name: string) => own.filter(({ type }) => type === `AWS::ApiGateway::${name}`);

  const { ApiKeySourceType, MinimumCompressionSize } = readProperties(schemas.restApi, api);
  for (const account of ofType("Account")) readProperties(schemas.account, account);
  for (const deployment of ofType("Deployment")) readProperties(schemas.deployment, deployment);
  const { throttleOf, ...stage } = readStage(api, ofType("Stage"));
  return {
    apiId: api.logicalId,
    stage,
    minimumCompressionSize: MinimumCompressionSize,
    resources: readResources(api, ofType("Resource"), ofType("Method"), {
      authorizers: readAuthorizers(ofType("Authorizer")),
      throttleOf,
      keySource: ApiKeySourceType,
    }),
    gatewayResponses: new Map(ofType("GatewayResponse").map(readGatewayResponse)),
  };
}

/** Parts of the API that its methods depend on. */
type MethodContext = {
  authorizers: ReadonlyMap<string, Authorizer>;
  throttleOf: ReturnType<typeof readStageThrottles>;
  keySource: "HEADER" | "AUTHORIZER";
};

function readStage(
  api: ResolvedResource,
  stages: readonly ResolvedResource[],
): ApiDefinition["stage"] & Pick<MethodContext, "throttleOf"> {
  const [stage, ...others] = stages;
  if (!stage || others.length > 0) throw notEmulated(api, `${stages.length} stages instead of one`);
  const { StageName, DeploymentId, MethodSettings } = readProperties(schemas.stage, stage);
  return {
    name: StageName,
    deploymentId: DeploymentId,
    throttleOf: readStageThrottles(MethodSettings),
  };
}

function readAuthorizers(authorizers: readonly ResolvedResource[]): ReadonlyMap<string, Authorizer> {
  return new Map(
    authorizers.map((authorizer) => {
      const { AuthorizerUri } = readProperties(schemas.authorizer, authorizer);
      return [authorizer.logicalId, { id: authorizer.logicalId, functionArn: AuthorizerUri }];
    }),
  );
}

function readResources(
  api: ResolvedResource,
  resources: readonly ResolvedResource[],
  methods: readonly ResolvedResource[],
  methodContext: MethodContext,
): ApiResource[] {
  const pathOf = readPaths(api, resources);
  const found = new Map<string, ApiResource & { methods: Map<string, Method> }>();
  for (const method of methods) {
    const properties = readProperties(schemas.method, method);
    const id = properties.ResourceId;
    const resource = found.get(id) ?? { id, path: pathOf(id, method), methods: new Map() };
    found.set(id, resource);
    const name = `${resource.path}/${properties.HttpMethod}`;
    resource.methods.set(properties.HttpMethod, readMethod(method, name, properties, methodContext));
  }
  return [...found.values()];
}

/** @returns a lookup of paths by resource id; errors name the `referrer` */
function readPaths(api: ResolvedResource, resources: readonly ResolvedResource[]) {
  const byId = new Map(resources.map((resource) => [resource.logicalId, resource]));
  const rootId = `${api.logicalId}/root`;

  const pathOf = (id: string, referrer: ResolvedResource): string => {
    if (id === rootId) return "/";
    const resource = byId.get(id);
    if (!resource)
      throw notEmulated(referrer, `a reference to ${id}, which is not a resource of ${api.logicalId}`);
    const { ParentId, PathPart } = readProperties(schemas.resource, resource);
    return `${pathOf(ParentId, resource).replace(/\/$/, "")}/${PathPart}`;
  };
  return pathOf;
}

function readMethod(
  method: ResolvedResource,
  name: string,
  properties: schemas.MethodProperties,
  { authorizers, throttleOf, keySource }: MethodContext,
): Method {
  const { AuthorizationType, AuthorizerId = "", ApiKeyRequired } = properties;
  const authorizer = authorizers.get(AuthorizerId);
  if (AuthorizationType === "CUSTOM" && !authorizer)
    throw notEmulated(method, `AuthorizerId "${AuthorizerId}"`);
  if (ApiKeyRequired && keySource === "HEADER")
    throw notEmulated(method, "ApiKeyRequired with ApiKeySourceType HEADER (only AUTHORIZER is)");
  return {
    name,
    authorizer: AuthorizationType === "CUSTOM" ? authorizer : undefined,
    apiKeyRequired: ApiKeyRequired,
    throttle: throttleOf(name),
    integration: reading(method, () => readIntegration(properties)),
  };
}

function readGatewayResponse(resource: ResolvedResource): [ResponseType, GatewayResponseOverride] {
  const properties = readProperties(schemas.gatewayResponse, resource);
  const template = properties.ResponseTemplates["application/json"];
  return reading(resource, () => [
    properties.ResponseType,
    {
      status: properties.StatusCode,
      headers: Object.entries(properties.ResponseParameters).map(([target, expression]) => {
        const [, name] = /^gatewayresponse\.header\.([\w-]+)$/.exec(target) ?? [];
        if (name === undefined) throw new Error(`the response parameter "${target}"`);
        return { name, expression: readExpression(expression) };
      }),
      template: template === undefined ? undefined : readResponseTemplate(template),
    },
  ]);
}

/** @throws {Error} if a part of a mapping is not emulated */
function readIntegration({ Integration, MethodResponses }: MethodProperties): Integration {
  if (Integration.Type === "AWS_PROXY") {
    return { type: "AWS_PROXY", functionArn: Integration.Uri, timeoutMs: Integration.TimeoutInMillis };
  }
  return {
    type: "MOCK",
    passthrough: Integration.PassthroughBehavior,
    requestTemplate: readTemplate(Integration.RequestTemplates),
    responses: Integration.IntegrationResponses.map((response) =>
      readMockResponse(response, MethodResponses),
    ),
  };
}

function readMockResponse(
  response: MockProperties["IntegrationResponses"][number],
  methodResponses: MethodProperties["MethodResponses"],
): MockResponse {
  const { StatusCode, SelectionPattern, ResponseParameters, ResponseTemplates } = response;
  const declared = methodResponses.find((methodResponse) => methodResponse.StatusCode === StatusCode);
  if (!declared) throw new Error(`an integration response ${StatusCode} without a method response`);
  return {
    status: StatusCode,
    pattern: SelectionPattern ? new RegExp(`^(?:${SelectionPattern})$`) : undefined,
    headers: Object.entries(ResponseParameters).map(([target, expression]) => {
      if (!(target in declared.ResponseParameters)) {
        throw new Error(`"${target}", which the method response does not declare`);
      }
      return readHeader(target, expression);
    }),
    template: readTemplate(ResponseTemplates),
  };
}

function readHeader(target: string, expression: string): Pair {
  const [, name] = /^method\.response\.header\.([\w-]+)$/.exec(target) ?? [];
  const source = readExpression(expression);
  if (name === undefined || source.kind !== "static") throw new Error(`"${target}": ${expression}`);
  return [name, source.value];
}

function readTemplate(templates: { "application/json"?: string | undefined }) {
  const text = templates["application/json"];
  return text === undefined ? undefined : readMappingTemplate(text);
}
