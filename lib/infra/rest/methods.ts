import { Duration } from "aws-cdk-lib";
import {
  type CfnAuthorizer,
  LambdaIntegration,
  type Method,
  RequestAuthorizer,
  type RestApi,
} from "aws-cdk-lib/aws-apigateway";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import { restMethods } from "../../operations/operations.ts";
import type { RestMethod } from "../../operations/types.ts";
import { acceptedHeaders } from "../../runtime/cors.ts";
import type { OperationFunction } from "../functions/operation-functions.ts";

/**
 * Asks its function at every request. Results are not cached: API Gateway caches only by sources that are all present, and
 * the token may be in a header or in a cookie. A cached result would also outlive its token.
 */
export class TokenAuthorizer extends RequestAuthorizer {
  constructor(scope: Construct, id: string, handler: IFunction) {
    super(scope, id, { handler, identitySources: [], resultsCacheTtl: Duration.seconds(0) });
    // CDK writes the empty list as an empty string, which API Gateway does not document. Leaving it out is documented.
    (this.node.defaultChild as CfnAuthorizer).addPropertyDeletionOverride("IdentitySource");
  }
}

/** A method of the API with the function that serves it. */
export type Endpoint = { operation: OperationFunction; method: Method };

/** Adds a method. Callers need a token, and their usage plan counts every request. */
export function addEndpoint(
  api: RestApi,
  { method, path }: RestMethod,
  operation: OperationFunction,
  authorizer: TokenAuthorizer,
): Endpoint {
  const integration = new LambdaIntegration(operation.lambda, { allowTestInvoke: false });
  const options = { operationName: operation.name, authorizer, apiKeyRequired: true };
  return { operation, method: api.root.resourceForPath(path).addMethod(method, integration, options) };
}

/** Answers the preflight requests of browsers. Without allowed origins, there are no such answers. */
export function addPreflight(api: RestApi, allowedOrigins: readonly string[]): void {
  if (allowedOrigins.length === 0) return;
  const byPath = Map.groupBy(restMethods, ({ path }) => path);
  for (const [path, methods] of byPath)
    api.root.resourceForPath(path).addCorsPreflight({
      allowOrigins: [...allowedOrigins],
      allowCredentials: true,
      allowHeaders: [...acceptedHeaders],
      allowMethods: [...methods.map(({ method }) => method), "OPTIONS"],
      maxAge: Duration.minutes(10),
    });
}
