import type { APIGatewayProxyEvent, APIGatewayRequestAuthorizerEvent } from "aws-lambda";

export type Headers = Record<string, string | string[]>;

/** The two forms of headers in an event. Of several values, the single form keeps the last. */
export function headerForms(headers: Headers) {
  const entries = Object.entries(headers).map(([name, value]) => [name, [value].flat()] as const);
  return {
    headers: Object.fromEntries(entries.map(([name, values]) => [name, values.at(-1) as string])),
    multiValueHeaders: Object.fromEntries(entries),
  };
}

/** An event of the authorizer, with the parts that it reads. */
export function authorizerEvent(headers: Headers = {}): APIGatewayRequestAuthorizerEvent {
  const methodArn = "arn:aws:execute-api:us-east-1:000000000000:api/live/GET/listWallets";
  const requestContext = { identity: { sourceIp: "192.0.2.9" } };
  return {
    type: "REQUEST",
    methodArn,
    requestContext,
    ...headerForms(headers),
  } as APIGatewayRequestAuthorizerEvent;
}

/** The two forms of a query. Of several values, the single form keeps the last. Without a query, both are null. */
function queryForms(query: Record<string, string | string[]> | null) {
  const entries = Object.entries(query ?? {}).map(([name, value]) => [name, [value].flat()] as const);
  return {
    queryStringParameters:
      query && Object.fromEntries(entries.map(([name, values]) => [name, values.at(-1)])),
    multiValueQueryStringParameters: query && Object.fromEntries(entries),
  };
}

/** An event of a REST function for the user `alice`, with the parts that it reads. */
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
