import { notEmulated, type ResolvedResource, readProperties } from "../cloudformation/resource.ts";
import type { Authorizer } from "../rest-api/authorizer.ts";
import type { Throttle } from "../usage-plans/model.ts";
import * as schemas from "./property-schemas.ts";

/** A WebSocket API as described by its template. */
export type WebSocketApiDefinition = {
  apiId: string;
  stage: string;
  /** Path of keys to the route's name in a message body. */
  selection: readonly string[];
  /** Routes by route key, including `$connect`, `$disconnect` and `$default`, all of which are optional. */
  routes: ReadonlyMap<string, Route>;
  /** Authorizer of `$connect`. */
  authorizer: Authorizer | undefined;
  /** True if `$connect` requires an API key, which the authorizer returns. */
  connectNeedsKey: boolean;
};

export type Route = {
  functionArn: string;
  timeoutMs: number;
  /** True if the client gets the body of the function's answer. */
  hasResponse: boolean;
  /** Limit of the stage for this route, for all connections together. */
  throttle?: Throttle;
};

const TYPE = "AWS::ApiGatewayV2::";

const emulatedTypes = new Set(
  ["Api", "ApiMapping", "Authorizer", "Deployment", "Integration", "Route", "RouteResponse", "Stage"].map(
    (name) => TYPE + name,
  ),
);

/**
 * Reads a WebSocket API from its resources and ignores those of other services and APIs.
 *
 * @throws {StartupError} if something is not emulated; the message names the resource and the property
 */
export function readDefinition(
  api: ResolvedResource,
  all: readonly ResolvedResource[],
): WebSocketApiDefinition {
  const own = all.filter(
    ({ type, properties }) => type.startsWith(TYPE) && properties.ApiId === api.logicalId,
  );
  const unknown = own.find(({ type }) => !emulatedTypes.has(type));
  if (unknown) throw notEmulated(unknown, "the resource type");
  const ofType = (name: string) => own.filter(({ type }) => type === TYPE + name);

  const { RouteSelectionExpression, ApiKeySelectionExpression } = readProperties(schemas.api, api);
  for (const deployment of ofType("Deployment")) readProperties(schemas.deployment, deployment);
  const routes = ofType("Route").map((resource) => ({
    resource,
    properties: readProperties(schemas.route, resource),
  }));
  const integrations = readIntegrations(ofType("Integration"));
  const responding = readRouteResponses(ofType("RouteResponse"));
  const { stage, throttleOf } = readStage(api, ofType("Stage"));
  return {
    apiId: api.logicalId,
    stage,
    selection: RouteSelectionExpression,
    routes: new Map(
      routes.map(({ resource, properties }) => {
        const route = readRoute(resource, properties, integrations, responding);
        const throttle = throttleOf(properties.RouteKey);
        return [properties.RouteKey, { ...route, ...(throttle && { throttle }) }];
      }),
    ),
    authorizer: readConnectAuthorizer(routes, readAuthorizers(ofType("Authorizer"))),
    connectNeedsKey: readKeyUse(routes, ApiKeySelectionExpression),
  };
}

type ReadStage = { stage: string; throttleOf: (routeKey: string) => Throttle | undefined };

function readStage(api: ResolvedResource, stages: readonly ResolvedResource[]): ReadStage {
  const [stage, ...others] = stages;
  if (!stage || others.length > 0) throw notEmulated(api, `${stages.length} stages instead of one`);
  const { StageName, AutoDeploy, DeploymentId, RouteSettings } = readProperties(schemas.stage, stage);
  if (!AutoDeploy && DeploymentId === undefined) {
    throw notEmulated(stage, "a stage without a deployment (neither AutoDeploy nor DeploymentId)");
  }
  return {
    stage: StageName,
    throttleOf: (routeKey) => {
      const settings = RouteSettings[routeKey];
      if (settings === undefined || !("ThrottlingRateLimit" in settings)) return undefined;
      return { rateLimit: settings.ThrottlingRateLimit, burstLimit: settings.ThrottlingBurstLimit };
    },
  };
}

type Integrations = ReadonlyMap<string, Pick<Route, "functionArn" | "timeoutMs">>;

function readIntegrations(integrations: readonly ResolvedResource[]): Integrations {
  return new Map(
    integrations.map((integration) => {
      const { IntegrationUri, TimeoutInMillis } = readProperties(schemas.integration, integration);
      return [integration.logicalId, { functionArn: IntegrationUri, timeoutMs: TimeoutInMillis }];
    }),
  );
}

/** Collects the ids of routes that have a response. */
function readRouteResponses(responses: readonly ResolvedResource[]): ReadonlySet<string> {
  return new Set(responses.map((response) => readProperties(schemas.routeResponse, response).RouteId));
}

type RouteProperties = ReturnType<typeof readProperties<typeof schemas.route>>;

function readRoute(
  route: ResolvedResource,
  { Target, RouteResponseSelectionExpression }: RouteProperties,
  integrations: Integrations,
  responding: ReadonlySet<string>,
): Omit<Route, "throttle"> {
  const integration = integrations.get(Target);
  if (!integration) throw notEmulated(route, `Target "integrations/${Target}"`);
  const hasResponse = RouteResponseSelectionExpression !== undefined && responding.has(route.logicalId);
  return { ...integration, hasResponse };
}

function readAuthorizers(
  authorizers: readonly ResolvedResource[],
): ReadonlyMap<string | undefined, Authorizer> {
  return new Map(
    authorizers.map((authorizer) => {
      const { AuthorizerUri } = readProperties(schemas.authorizer, authorizer);
      const id = authorizer.logicalId;
      return [id, { id, functionArn: AuthorizerUri }];
    }),
  );
}

type ReadRoute = { resource: ResolvedResource; properties: RouteProperties };

/**
 * Accepts API keys only on `$connect` and only from the authorizer. AWS does not document that usage plans count
 * messages, and keys that clients send are not emulated.
 */
function readKeyUse(routes: readonly ReadRoute[], selection: string): boolean {
  const [needing, ...others] = routes.filter(({ properties }) => properties.ApiKeyRequired);
  const misplaced = [needing, ...others].find((each) => each && each.properties.RouteKey !== "$connect");
  if (misplaced) throw notEmulated(misplaced.resource, "ApiKeyRequired on another route than $connect");
  if (needing && selection !== "$context.authorizer.usageIdentifierKey")
    throw notEmulated(needing.resource, `ApiKeyRequired with a key of "${selection}"`);
  return needing !== undefined;
}

function readConnectAuthorizer(
  routes: readonly ReadRoute[],
  authorizers: ReadonlyMap<string | undefined, Authorizer>,
): Authorizer | undefined {
  const [guarded, ...others] = routes.filter(({ properties }) => properties.AuthorizationType === "CUSTOM");
  const misplaced = [guarded, ...others].find((each) => each && each.properties.RouteKey !== "$connect");
  if (misplaced) throw notEmulated(misplaced.resource, "an authorizer, which only $connect can have");
  if (!guarded) return undefined;
  const authorizer = authorizers.get(guarded.properties.AuthorizerId);
  if (!authorizer) throw notEmulated(guarded.resource, `AuthorizerId "${guarded.properties.AuthorizerId}"`);
  return authorizer;
}
