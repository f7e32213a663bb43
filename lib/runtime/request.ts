import type { APIGatewayProxyEvent } from "aws-lambda";
import { type Request, schemas } from "../api/operation-schemas.ts";
import type { RestOperationName } from "../operations.ts";
import { InvalidRequest } from "./invalid-request.ts";
import { validate } from "./validate.ts";

/**
 * The parsed request of an operation.
 *
 * @throws {InvalidRequest}
 */
export function readRequest<Name extends RestOperationName>(
  name: Name,
  event: APIGatewayProxyEvent,
): Request<Name> {
  const { path, query, body } = { path: undefined, query: undefined, body: undefined, ...schemas[name] };
  return {
    path: path && validate(path, event.pathParameters ?? {}),
    query: query && validate(query, event.queryStringParameters ?? {}),
    body: body && validate(body, readJsonObject(event)),
  } as Request<Name>;
}

function readJsonObject(event: APIGatewayProxyEvent): object {
  // A browser sends this type across origins only after a preflight, so a cookie cannot be used from a foreign form.
  const type = headerOf(event, "content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") {
    throw new InvalidRequest("Content-Type must be application/json", "UNSUPPORTED_MEDIA_TYPE");
  }
  const body = parseJson(
    event.isBase64Encoded ? Buffer.from(event.body ?? "", "base64").toString() : event.body,
  );
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new InvalidRequest("The body must be a JSON object");
  }
  return body;
}

function parseJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    throw new InvalidRequest("The body must be valid JSON");
  }
}

/** A header whatever its case; of several, the last. */
export function headerOf(
  event: Pick<APIGatewayProxyEvent, "headers">,
  lowerCaseName: string,
): string | undefined {
  return Object.entries(event.headers ?? {}).find(([name]) => name.toLowerCase() === lowerCaseName)?.[1];
}
