import type { APIGatewayProxyResult } from "aws-lambda";

/** Response headers that pages may read, in addition to those that browsers always expose to them. */
export const exposedHeaders = ["ETag", "RateLimit-Policy", "Retry-After", "Idempotent-Replayed"];

/** Request headers that pages may send. */
export const acceptedHeaders = [
  "Authorization",
  "Content-Type",
  "Idempotency-Key",
  "If-Match",
  "If-None-Match",
  // Request headers that tracing libraries add to a page's requests.
  "X-Request-Id",
  "baggage",
  "traceparent",
  "tracestate",
];

/** Lets pages of an allowed origin read the response. */
export function withCors(
  result: APIGatewayProxyResult,
  origin: string | undefined,
  allowedOrigins: readonly string[],
): APIGatewayProxyResult {
  if (allowedOrigins.length === 0) return result;
  const isAllowed = origin !== undefined && allowedOrigins.includes(origin);
  return {
    ...result,
    headers: {
      ...result.headers,
      Vary: "Origin",
      ...(isAllowed && {
        "Access-Control-Allow-Origin": origin,
        "Access-Control-Allow-Credentials": "true",
        "Access-Control-Expose-Headers": exposedHeaders.join(", "),
      }),
    },
  };
}
