import type { APIGatewayProxyEvent, APIGatewayRequestAuthorizerEvent } from "aws-lambda";

export type Headers = Record<string, string | string[]>;

/** Returns both forms of headers in an event. The single-value form keeps the last of several values. */
export function headerForms(headers: Headers) {
  const entries = Object.entries(headers).map(([name, value]) => [name, [value].flat()] as const);
  return {
    headers: Object.fromEntries(entries.map(([name, values]) => [name, values.at(-1) as string])),
    multiValueHeaders: Object.fromEntries(entries),
  };
}

/** Builds an authorizer event with the parts that the authorizer reads. */
export function authorizerEvent(headers: Headers = {}): APIGatewayRequestAuthorizerEvent {
  const methodArn = "arn:aws:execute-api:us-east-1:000000000000:api/live/GET/listWallets";
  const requestContext = { identity: { sourceIp: "192.0.2.9" }, path: "/live/listWallets" };
  return {
    type: "REQUEST",
    methodArn,
    httpMethod: "GET",
    path: "/listWallets",
    resource: "/listWallets",
    requestContext,
    ...headerForms(headers),
  } as APIGatewayRequestAuthorizerEvent;
}

/**
 * Returns both forms of a query. The single-value form keeps the last of several values. Without a query, both are
 * null.
 */
function queryForms(query: Record<string, string | string[]> | null) {
  const entries = Object.entries(query ?? {}).map(([name, value]) => [name, [value].flat()] as const);
  return {
    queryStringParameters:
      query && Object.fromEntries(entries.map(([name, values]) => [name, values.at(-1)])),
    multiValueQueryStringParameters: query && Object.fromEntries(entries),
  };
}

/** Builds an event for a REST function and the user `alice`, with the parts that functions read. */
export function restEvent(
  parts: { body?: unknown; headers?: Headers; path?: object; query?: Record<string, string | string[]> } = {},
): APIGatewayProxyEvent {
  const { body = null, headers = { "Content-Type": "application/json" }, path = null, query = null } = parts;
  return {
    ...headerForms(headers),
    body: body === null || typeof body === "string" ? body : JSON.stringify(body),
    isBase64Encoded: false,
    pathParameters: path,
    ...queryForms(query),
    requestContext: { authorizer: { principalId: "alice" } },
  } as unknown as APIGatewayProxyEvent;
}
