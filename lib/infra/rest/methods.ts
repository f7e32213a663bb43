import { Duration } from "aws-cdk-lib";
import {
  AwsIntegration,
  type CfnAuthorizer,
  type Method,
  RequestAuthorizer,
  type RestApi,
} from "aws-cdk-lib/aws-apigateway";
import { ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import { type ServedMethod, servedMethods } from "../../operations/operations.ts";
import { acceptedHeaders } from "../../runtime/cors.ts";
import type { OperationFunction } from "../functions/operation-functions.ts";
import { restStageName } from "./rest-api.ts";

/**
 * Invokes its function for every request. Results are not cached, because a cached result would outlive its token. API
 * Gateway also caches only if all identity sources are present, but the token may be in a header or in a cookie.
 */
export class TokenAuthorizer extends RequestAuthorizer {
  constructor(scope: Construct, id: string, handler: IFunction) {
    super(scope, id, { handler, identitySources: [], resultsCacheTtl: Duration.seconds(0) });
    // Removes the empty list, which CDK writes as an empty string. AWS documents only that the list may be left out.
    (this.node.defaultChild as CfnAuthorizer).addPropertyDeletionOverride("IdentitySource");
  }
}

/** A method of the API with its function. */
export type Endpoint = { operation: OperationFunction; method: Method };

/** Adds a method. Callers need a token, and every request counts against their usage plan. */
export function addEndpoint(
  api: RestApi,
  { method, path }: Pick<ServedMethod, "method" | "path">,
  operation: OperationFunction,
  authorizer: TokenAuthorizer,
): Endpoint {
  const { lambda } = operation;
  // Adds the permission to the function's stack. CDK's own integration would form a cycle: it adds the permission to
  // the API's stack, and refers to the stage.
  lambda.addPermission(`${method} ${path}`, {
    principal: new ServicePrincipal("apigateway.amazonaws.com"),
    sourceArn: api.arnForExecuteApi(method, path.replaceAll(/\{[^}]*\}/g, "*"), restStageName),
  });
  const integration = new AwsIntegration({
    proxy: true,
    service: "lambda",
    path: `2015-03-31/functions/${lambda.functionArn}/invocations`,
  });
  const options = { operationName: operation.name, authorizer, apiKeyRequired: true };
  return { operation, method: api.root.resourceForPath(path).addMethod(method, integration, options) };
}

/** Answers the preflight requests of browsers. Adds nothing if there are no allowed origins. */
export function addPreflight(api: RestApi, allowedOrigins: readonly string[]): void {
  if (allowedOrigins.length === 0) return;
  const byPath = Map.groupBy(servedMethods, ({ path }) => path);
  for (const [path, methods] of byPath)
    api.root.resourceForPath(path).addCorsPreflight({
      allowOrigins: [...allowedOrigins],
      allowCredentials: true,
      allowHeaders: [...acceptedHeaders],
      allowMethods: [...methods.map(({ method }) => method), "OPTIONS"],
      maxAge: Duration.minutes(10),
    });
}
