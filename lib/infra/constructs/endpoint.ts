import { LambdaIntegration, type Method, type RestApi } from "aws-cdk-lib/aws-apigateway";
import type { RestRow } from "../../operation-types.ts";
import type { OperationFunction } from "./operation-function.ts";
import type { TokenAuthorizer } from "./token-authorizer.ts";

/** A method of the API with the function that serves it. */
export type Endpoint = { operation: OperationFunction; method: Method };

/** Puts a row on its route, for bearers of a token only, whose usage plan counts each request. */
export function addEndpoint(
  api: RestApi,
  { method, path }: RestRow,
  operation: OperationFunction,
  authorizer: TokenAuthorizer,
): Endpoint {
  const integration = new LambdaIntegration(operation.lambda, { allowTestInvoke: false });
  const options = { operationName: operation.name, authorizer, apiKeyRequired: true };
  return { operation, method: api.root.resourceForPath(path).addMethod(method, integration, options) };
}
