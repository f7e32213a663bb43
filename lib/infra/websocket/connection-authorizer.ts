import { Stack } from "aws-cdk-lib";
import {
  CfnAuthorizer,
  type IWebSocketRouteAuthorizer,
  WebSocketAuthorizerType,
  type WebSocketRouteAuthorizerConfig,
} from "aws-cdk-lib/aws-apigatewayv2";
import { ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import type { StreamApi } from "./stream-api.ts";

/**
 * Invokes its function before a connection is opened. It has no identity sources: the token may be in a
 * header, in the subprotocols or in a cookie, and API Gateway answers 401 without invoking the function if a
 * listed source is absent. AWS documents them as optional for a REQUEST authorizer. CDK's own construct
 * requires them, and defaults to the Authorization header, which browsers cannot send.
 */
export class ConnectionAuthorizer extends Construct implements IWebSocketRouteAuthorizer {
  readonly #authorizer: CfnAuthorizer;

  constructor(api: StreamApi, id: string, lambda: IFunction) {
    super(api, id);
    const stack = Stack.of(this);
    this.#authorizer = new CfnAuthorizer(this, "Resource", {
      name: id,
      apiId: api.apiId,
      authorizerType: WebSocketAuthorizerType.LAMBDA,
      authorizerUri: invocationUri(stack, lambda),
    });
    lambda.addPermission("Permission", {
      scope: this,
      principal: new ServicePrincipal("apigateway.amazonaws.com"),
      sourceArn: stack.formatArn({
        service: "execute-api",
        resource: api.apiId,
        resourceName: `authorizers/${this.#authorizer.ref}`,
      }),
    });
  }

  bind(): WebSocketRouteAuthorizerConfig {
    return { authorizationType: "CUSTOM", authorizerId: this.#authorizer.ref };
  }
}

/** URI by which API Gateway invokes a function. */
export function invocationUri(stack: Stack, lambda: IFunction): string {
  return stack.formatArn({
    service: "apigateway",
    account: "lambda",
    resource: "path/2015-03-31/functions",
    resourceName: `${lambda.functionArn}/invocations`,
  });
}
