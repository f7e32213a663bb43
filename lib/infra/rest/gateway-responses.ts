import { ResponseType, type RestApi } from "aws-cdk-lib/aws-apigateway";
import { exposedHeaders } from "../../runtime/cors.ts";

type Answer = { type: ResponseType; body: string; statusCode?: string; headers?: Record<string, string> };

/** Combines both shapes of an error, because the gateway does not know which shape the route uses. */
const both = (message: string) => JSON.stringify({ error: message, message });

const internal = both("Internal server error");
const tooMany = { body: JSON.stringify({ error: "Too many requests" }), headers: { "Retry-After": "'1'" } };
const notFound = { body: JSON.stringify({ error: "Not found" }), statusCode: "404" };

/**
 * API Gateway's own responses. A status code on a DEFAULT type would apply to all other types too. No body
 * contains `$context.error.messageString`, because that can repeat the caller's token.
 */
const answers: readonly Answer[] = [
  // Sends the body that the authorizer puts into its context when it denies an invalid token. Throwing would count as a
  // failure of the authorizer.
  { type: ResponseType.ACCESS_DENIED, statusCode: "401", body: "$context.authorizer.unauthorized" },
  // The authorizer names no API key for requests that it forbids, and puts the body into its context.
  { type: ResponseType.INVALID_API_KEY, body: "$context.authorizer.forbidden" },
  {
    type: ResponseType.UNAUTHORIZED,
    statusCode: "401",
    body: JSON.stringify({ error: "No token provided" }),
  },
  { type: ResponseType.MISSING_AUTHENTICATION_TOKEN, ...notFound },
  { type: ResponseType.RESOURCE_NOT_FOUND, ...notFound },
  // Used for paths without a method, where API Gateway mistakes a bearer token for an AWS signature. No method of the
  // API uses signatures.
  { type: ResponseType.INVALID_SIGNATURE, ...notFound },
  { type: ResponseType.EXPIRED_TOKEN, ...notFound },
  { type: ResponseType.THROTTLED, ...tooMany },
  { type: ResponseType.QUOTA_EXCEEDED, ...tooMany },
  { type: ResponseType.REQUEST_TOO_LARGE, body: both("The request is too large") },
  { type: ResponseType.DEFAULT_4XX, body: both("The request was refused") },
  { type: ResponseType.AUTHORIZER_FAILURE, body: internal },
  { type: ResponseType.AUTHORIZER_CONFIGURATION_ERROR, body: internal },
  { type: ResponseType.API_CONFIGURATION_ERROR, body: internal },
  { type: ResponseType.INTEGRATION_FAILURE, body: internal },
  { type: ResponseType.INTEGRATION_TIMEOUT, body: both("The request timed out") },
  { type: ResponseType.DEFAULT_5XX, body: internal },
];

/** Gives API Gateway's own responses the service's error shapes. */
export function addGatewayResponses(api: RestApi, allowedOrigins: readonly string[]): void {
  const cors = Object.fromEntries(
    Object.entries(fixedCors(allowedOrigins)).map(([name, value]) => [name, `'${value}'`]),
  );
  for (const { type, body, statusCode, headers } of answers)
    api.addGatewayResponse(type.responseType, {
      type,
      templates: { "application/json": body },
      // Keeps the edge from caching errors.
      responseHeaders: { "Cache-Control": "'no-store'", ...headers, ...cors },
      ...(statusCode && { statusCode }),
    });
}

/**
 * CORS headers of responses with fixed headers. API Gateway and the firewall can name one origin only, so only pages of
 * the first allowed origin can read these responses.
 */
export function fixedCors([origin]: readonly string[]): Record<string, string> {
  if (origin === undefined) return {};
  return {
    "Access-Control-Allow-Origin": origin,
    "Access-Control-Allow-Credentials": "true",
    "Access-Control-Expose-Headers": exposedHeaders.join(", "),
    Vary: "Origin",
  };
}
