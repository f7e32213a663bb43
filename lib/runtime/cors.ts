import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import { environment } from "./environment.ts";
import { headerOf } from "./request.ts";

const allowedOrigins: readonly string[] = JSON.parse(environment("ALLOWED_ORIGINS"));

/** Lets a page of an allowed origin read the answer. Any other page gets no word of it. */
export function withCors(event: APIGatewayProxyEvent, result: APIGatewayProxyResult): APIGatewayProxyResult {
  if (allowedOrigins.length === 0) return result;
  const origin = headerOf(event, "origin");
  const allowed = origin !== undefined && allowedOrigins.includes(origin);
  return {
    ...result,
    headers: {
      ...result.headers,
      Vary: "Origin",
      ...(allowed && { "Access-Control-Allow-Origin": origin, "Access-Control-Allow-Credentials": "true" }),
    },
  };
}
