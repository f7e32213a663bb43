import type { Call } from "./call.ts";
import { authorizerHeaders } from "./request-headers.ts";

/**
 * The event of a REQUEST authorizer. Recorded: a map without entries is empty here, where a proxy event has null.
 *
 * @param methodArn of the method and path that are called
 */
export function authorizerEvent(
  { request, target, pathParameters, context, traceId }: Call,
  methodArn: string,
  stageVariables: Record<string, string>,
) {
  const headers = authorizerHeaders(request, traceId);
  return {
    type: "REQUEST",
    methodArn,
    resource: context.resourcePath,
    path: target.path,
    httpMethod: request.method,
    headers: headers.single,
    multiValueHeaders: headers.multi,
    queryStringParameters: target.query.single,
    multiValueQueryStringParameters: target.query.multi,
    pathParameters,
    stageVariables,
    requestContext: context,
  };
}
