import { Stack, Validations } from "aws-cdk-lib";
import {
  WebSocketIntegrationType,
  WebSocketRoute,
  WebSocketRouteIntegration,
  type WebSocketRouteIntegrationBindOptions,
  type WebSocketRouteIntegrationConfig,
} from "aws-cdk-lib/aws-apigatewayv2";
import { ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import type { WebSocketRow } from "../../operations/types.ts";
import type { OperationFunction } from "../functions/operation-functions.ts";
import { type ConnectionAuthorizer, invocationUri } from "./connection-authorizer.ts";
import type { StreamApi } from "./stream-api.ts";

/** Adds a row's route to the WebSocket API. */
export function addStreamRoute(
  api: StreamApi,
  { route, pushesReplies }: WebSocketRow,
  { lambda }: OperationFunction,
  authorizer: ConnectionAuthorizer,
): WebSocketRoute {
  const integration = new RouteIntegration(lambda, api.stage.stageName);
  if (route === "$connect")
    // Requires an API key, which addRoute does not support. Usage plans count new connections, not messages.
    return new WebSocketRoute(api, `${route}-Route`, {
      webSocketApi: api,
      routeKey: route,
      integration,
      authorizer,
      apiKeyRequired: true,
    });
  const added = api.addRoute(route, {
    integration,
    returnResponse: route !== "$disconnect" && !pushesReplies,
  });
  Validations.of(added).acknowledge({
    id: "AwsSolutions-APIG4",
    reason: "$connect authorizes the client. A WebSocket API supports no authorizer on other routes.",
  });
  return added;
}

/**
 * Lets a function serve one route of one stage. CDK's own integration permits every route whose key ends in the same
 * way: `*subscribe` also matches unsubscribe.
 */
class RouteIntegration extends WebSocketRouteIntegration {
  readonly #lambda: IFunction;
  readonly #stageName: string;

  constructor(lambda: IFunction, stageName: string) {
    super("Integration");
    this.#lambda = lambda;
    this.#stageName = stageName;
  }

  override bind({ route, scope }: WebSocketRouteIntegrationBindOptions): WebSocketRouteIntegrationConfig {
    const stack = Stack.of(scope);
    // Adds the permission to the stack of the function, so that both are removed together.
    this.#lambda.addPermission(route.routeKey, {
      principal: new ServicePrincipal("apigateway.amazonaws.com"),
      sourceArn: stack.formatArn({
        service: "execute-api",
        resource: route.webSocketApi.apiId,
        resourceName: `${this.#stageName}/${route.routeKey}`,
      }),
    });
    return { type: WebSocketIntegrationType.AWS_PROXY, uri: invocationUri(stack, this.#lambda) };
  }
}
