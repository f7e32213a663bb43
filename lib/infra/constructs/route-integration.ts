import { Stack } from "aws-cdk-lib";
import {
  WebSocketIntegrationType,
  WebSocketRouteIntegration,
  type WebSocketRouteIntegrationBindOptions,
  type WebSocketRouteIntegrationConfig,
} from "aws-cdk-lib/aws-apigatewayv2";
import { ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IFunction } from "aws-cdk-lib/aws-lambda";

/**
 * Has a function serve one route of one stage. CDK's own integration lets every route whose key ends alike invoke the
 * function: of `*subscribe`, unsubscribe is one.
 */
export class RouteIntegration extends WebSocketRouteIntegration {
  readonly #lambda: IFunction;
  readonly #stageName: string;

  constructor(lambda: IFunction, stageName: string) {
    super("Integration");
    this.#lambda = lambda;
    this.#stageName = stageName;
  }

  override bind({ route, scope }: WebSocketRouteIntegrationBindOptions): WebSocketRouteIntegrationConfig {
    const stack = Stack.of(scope);
    this.#lambda.addPermission("Permission", {
      scope,
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

/** The address at which API Gateway invokes a function. */
export function invocationUri(stack: Stack, lambda: IFunction): string {
  return stack.formatArn({
    service: "apigateway",
    account: "lambda",
    resource: "path/2015-03-31/functions",
    resourceName: `${lambda.functionArn}/invocations`,
  });
}
