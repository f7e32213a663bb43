import { Validations } from "aws-cdk-lib";
import { WebSocketRoute } from "aws-cdk-lib/aws-apigatewayv2";
import type { WebSocketRow } from "../../operation-types.ts";
import type { ConnectionAuthorizer } from "./connection-authorizer.ts";
import type { OperationFunction } from "./operation-function.ts";
import { RouteIntegration } from "./route-integration.ts";
import type { StreamApi } from "./stream-api.ts";

/** Puts a row on its route of the WebSocket API. */
export function addStreamRoute(
  api: StreamApi,
  { route }: WebSocketRow,
  { lambda }: OperationFunction,
  authorizer: ConnectionAuthorizer,
): WebSocketRoute {
  const integration = new RouteIntegration(lambda, api.stage.stageName);
  if (route === "$connect")
    // As addRoute does it, which takes no word of keys. A usage plan counts who connects, and no message.
    return new WebSocketRoute(api, `${route}-Route`, {
      webSocketApi: api,
      routeKey: route,
      integration,
      authorizer,
      apiKeyRequired: true,
    });
  const added = api.addRoute(route, {
    integration,
    // What the function answers goes to the client. Without a response of the route, API Gateway drops it.
    returnResponse: route !== "$disconnect",
  });
  Validations.of(added).acknowledge({
    id: "AwsSolutions-APIG4",
    reason: "Who connects is authorized by $connect; a WebSocket API can ask an authorizer nowhere else.",
  });
  return added;
}
