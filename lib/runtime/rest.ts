import { createHash } from "node:crypto";
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from "aws-lambda";
import * as v from "valibot";
import type { CodeOf, ErrorAnswer, HttpErrorCode } from "../api/errors.ts";
import { type ErrorShape, envelopes, httpStatusOf, type OperationSchemas } from "../api/operation-schema.ts";
import type { Request, Schemas, Success } from "../api/operation-schemas.ts";
import { ChainUnavailable } from "../chains/hosts/host-fault.ts";
import { DomainError } from "../core/domain-error.ts";
import { isNamed, readEntityTags } from "../core/entity-tag.ts";
import type { RefusalOperationName, RestOperationName } from "../operations/operations.ts";
import { methodsWithBody } from "../operations/types.ts";
import { withCors } from "./cors.ts";
import { environment } from "./environment.ts";
import { inTime } from "./in-time.ts";
import { parseJson, RepeatedField } from "./json.ts";
import { logFault, logWarning } from "./log.ts";
import { bearerToken } from "./request-token.ts";
import { Unauthorized } from "./unauthorized.ts";
import { givenTwice, InvalidRequest, validate } from "./validate.ts";

/** A token from the Authorization header. */
type Bearer = { token: string; expiresAt: Date };

/** Caller of an operation, as identified by the authorizer, and the time of the call. */
type Call = {
  userID: string;
  /** Time at which the token's user signed in. Undefined if the issuer does not state it. */
  signedInAt: Date | undefined;
  /** Id of the program key that signed the request. Undefined if the user made it. */
  by: string | undefined;
  /**
   * Returns the token. It is a function, so that the token is never passed on or logged by mistake.
   *
   * @throws {Unauthorized} if the token came in a cookie.
   */
  bearer: () => Bearer;
  /**
   * Time at which API Gateway received the request, before the authorizer and a cold start of the function. Undefined if
   * somebody invokes the function directly.
   */
  receivedMs: number | undefined;
  now: Date;
};

type Answer<Name extends RestOperationName> = Success<Name> | WithHeaders<Success<Name>>;

type UseCase<Name extends RestOperationName> = (request: Request<Name> & Call) => Promise<Answer<Name>>;

/** Headers of a successful response. A header with several values is sent once for each value. */
type SuccessHeaders = Readonly<Record<string, string | string[]>>;

/** A successful response with additional headers. */
export class WithHeaders<Body> {
  readonly body: Body;
  readonly headers: SuccessHeaders;

  constructor(body: Body, headers: SuccessHeaders) {
    this.body = body;
    this.headers = headers;
  }
}

const allowedOrigins = environment("ALLOWED_ORIGINS");

/**
 * Wraps a REST function: parses the request by the operation's schemas, runs the use case, and responds with the fields
 * of the success schema. Errors get the operation's own shape.
 */
export function rest<Name extends RestOperationName>(
  name: Name,
  schemas: Schemas[Name],
  useCase: UseCase<Name>,
) {
  const { success: successSchema, ...ofErrors }: OperationSchemas = schemas;
  return async (event: APIGatewayProxyEvent, context?: Context): Promise<APIGatewayProxyResult> => {
    const now = new Date();
    try {
      const caller = callerOf(event);
      const request = { ...readRequest<Name>(schemas, event), ...caller, now };
      const result = await inTime(context, () => useCase(request));
      const { body, headers } = result instanceof WithHeaders ? result : new WithHeaders(result, {});
      return sent(event, success(v.parse(successSchema, body), headers));
    } catch (error) {
      if (error instanceof Unauthorized) return sent(event, answer(401, error.body));
      return sent(event, answerError(ofErrors, errorAnswer(name, error), now));
    }
  };
}

/**
 * Wraps a success in the general envelope. Must be called last, so that its timestamp is not earlier than any in the
 * data.
 */
export const enveloped = <Data>(data: Data) => ({
  success: true as const,
  data,
  timestamp: new Date().toISOString(),
});

/** Wraps a success in the general envelope. If the response repeats an earlier one, adds a header that says so. */
export const maybeReplayed = <Data>(data: Data, isReplayed: boolean) =>
  new WithHeaders(enveloped(data), isReplayed ? { "Idempotent-Replayed": "true" } : {});

/** Answers every readable request with the same error. */
export function refusal(name: RefusalOperationName, reason: () => DomainError) {
  return async (event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => {
    const now = new Date();
    try {
      if (methodsWithBody.includes(event.httpMethod)) readJsonObject(event);
      throw reason();
    } catch (error) {
      return sent(event, answerError({}, errorAnswer(name, error), now));
    }
  };
}

/**
 * @throws {Error} if the authorizer named no user; otherwise all such requests would share the data of one user.
 * @throws {Unauthorized} if a program has signed another body.
 */
function callerOf(event: APIGatewayProxyEvent): Omit<Call, "now"> {
  const { authorizer, requestTimeEpoch: receivedMs } = event.requestContext;
  const userID: unknown = authorizer?.principalId;
  if (typeof userID !== "string" || userID === "") throw new Error("The request has no user");
  const by: string | undefined = authorizer?.programKeyId ?? undefined;
  if (by !== undefined) checkBody(event, authorizer?.bodyHash);
  return { userID, by, signedInAt: dateOf(authorizer?.signedInAt), bearer, receivedMs };

  function bearer(): Bearer {
    const token = bearerToken(event);
    if (token === undefined) throw new Unauthorized({ error: "No token provided" });
    const expiresAt = dateOf(authorizer?.expiresAt);
    if (expiresAt === undefined) throw new Error("The authorizer gave no expiry of the token");
    return { token, expiresAt };
  }
}

/**
 * Compares the body as it was received with the hash that a program has signed.
 *
 * @throws {Unauthorized} if they differ, or if there is only one of them.
 */
function checkBody(event: APIGatewayProxyEvent, hash: unknown): void {
  const body = bodyOf(event);
  const received = body.length === 0 ? undefined : createHash("sha256").update(body).digest("base64url");
  if (received !== hash)
    throw new Unauthorized({
      error: "Token of another body: bh must be the SHA-256 of the body that is sent",
    });
}

/** Returns the body. Functions see no difference between an empty body and none. */
const bodyOf = ({ body, isBase64Encoded }: APIGatewayProxyEvent): string | Buffer =>
  isBase64Encoded && body ? Buffer.from(body, "base64") : (body ?? "");

/** Parses a time in seconds, which API Gateway passes on as text. */
function dateOf(seconds: unknown): Date | undefined {
  const number = Number(seconds ?? Number.NaN);
  return Number.isFinite(number) ? new Date(number * 1000) : undefined;
}

/** @throws {InvalidRequest} */
function readRequest<Name extends RestOperationName>(
  { path, query, headers, body }: OperationSchemas,
  event: APIGatewayProxyEvent,
): Request<Name> {
  return {
    path: path && validate(path, event.pathParameters ?? {}, "path"),
    query: query && validate(query, queryOf(event), "query"),
    body: body && validate(body, readJsonObject(event)),
    headers: headers && validate(headers, namedHeaders(event, headers), "header"),
  } as Request<Name>;
}

/**
 * @throws {InvalidRequest} if a parameter is given twice, because `queryStringParameters` keeps only the last value.
 */
function queryOf({ multiValueQueryStringParameters, queryStringParameters }: APIGatewayProxyEvent): object {
  for (const [name, values] of Object.entries(multiValueQueryStringParameters ?? {}))
    if ((values?.length ?? 0) > 1) throw givenTwice("query", name);
  return queryStringParameters ?? {};
}

/**
 * Selects the headers that a schema names. Header names are not case-sensitive.
 *
 * @throws {InvalidRequest} if a header that is not a list is given twice.
 */
function namedHeaders(event: APIGatewayProxyEvent, schema: v.GenericSchema): object {
  const { entries = {} } = schema as { entries?: object };
  return Object.fromEntries(
    Object.keys(entries).map((name) => {
      const lowerCaseName = name.toLowerCase();
      const lines = headerLines(event, lowerCaseName)?.length ?? 0;
      if (lines > 1 && !listHeaders.has(lowerCaseName)) throw givenTwice("header", name);
      return [name, headerOf(event, lowerCaseName)] as const;
    }),
  );
}

/** Sends no body if the caller's cache already has this response. */
function unlessCached(event: APIGatewayProxyEvent, result: APIGatewayProxyResult): APIGatewayProxyResult {
  const { "Content-Type": _, ...headers } = result.headers ?? {};
  const etag = headers.ETag;
  const tags = readEntityTags(headerOf(event, "if-none-match") ?? "");
  const isCached =
    ["GET", "HEAD"].includes(event.httpMethod) && etag !== undefined && tags && isNamed(String(etag), tags);
  return isCached ? { statusCode: 304, headers, body: "" } : result;
}

/** Completes a response with the headers that depend on the caller. */
function sent(event: APIGatewayProxyEvent, result: APIGatewayProxyResult): APIGatewayProxyResult {
  const answer = withCors(unlessCached(event, result), headerOf(event, "origin"), allowedOrigins);
  const policy: unknown = event.requestContext.authorizer?.rateLimitPolicy;
  if (typeof policy !== "string") return answer;
  return { ...answer, headers: { ...answer.headers, "RateLimit-Policy": policy } };
}

function readJsonObject(event: APIGatewayProxyEvent): object {
  // Requires a content type that browsers send across origins only after a preflight. So a form on another site cannot
  // make use of the cookie.
  const type = headerOf(event, "content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") {
    throw new InvalidRequest("Content-Type must be application/json", {
      code: "UNSUPPORTED_MEDIA_TYPE",
    });
  }
  const body = parseBody(bodyOf(event).toString());
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new InvalidRequest("The body must be a JSON object");
  }
  return body;
}

function parseBody(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw error instanceof RepeatedField
      ? givenTwice("body", error.field)
      : new InvalidRequest("The body must be valid JSON");
  }
}

/** Joins the lines of a list header. For any other header, takes the last line. */
function headerOf(event: APIGatewayProxyEvent, lowerCaseName: string): string | undefined {
  const named = ([name]: [string, unknown]) => name.toLowerCase() === lowerCaseName;
  if (!listHeaders.has(lowerCaseName)) return Object.entries(event.headers ?? {}).find(named)?.[1];
  return headerLines(event, lowerCaseName)?.join(", ");
}

const headerLines = (event: APIGatewayProxyEvent, lowerCaseName: string): string[] | undefined =>
  Object.entries(event.multiValueHeaders ?? {}).find(([name]) => name.toLowerCase() === lowerCaseName)?.[1];

const listHeaders: ReadonlySet<string> = new Set(["if-match", "if-none-match"]);

/**
 * Seconds after which the client should repeat a request. Hosts that lag or are overloaded usually recover within
 * seconds.
 */
const retrySeconds: Partial<Record<HttpErrorCode, number>> = {
  CHAIN_UNAVAILABLE: 5,
  LOOK_LIMIT_REACHED: 60,
  REWARD_BUSY: 1,
} satisfies Record<CodeOf<429 | 503>, number>;

/** Keeps caches from storing a response, and browsers from guessing its content type. */
const answerHeaders = {
  "Content-Type": "application/json",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
};

/** Makes the response. If there is no body, the response is a 204 without a content type. */
function success(body: unknown, headers: SuccessHeaders): APIGatewayProxyResult {
  const named = Object.entries(headers);
  const single = Object.fromEntries(named.filter(([, value]) => typeof value === "string"));
  const multiple = Object.fromEntries(
    named.flatMap(([name, values]) => (typeof values === "string" ? [] : [[name, values]])),
  );
  const multiValueHeaders = Object.keys(multiple).length > 0 && { multiValueHeaders: multiple };
  if (body !== undefined) return { ...answer(200, body, single), ...multiValueHeaders };
  const { "Cache-Control": caching } = answerHeaders;
  return {
    statusCode: 204,
    headers: { "Cache-Control": caching, ...single },
    ...multiValueHeaders,
    body: "",
  };
}

function answer(statusCode: number, body: unknown, headers: object = {}): APIGatewayProxyResult {
  return { statusCode, headers: { ...answerHeaders, ...headers }, body: JSON.stringify(body) };
}

/** Turns an error that callers must not see into a 500, and logs the error by its name. */
function errorAnswer(operation: string, error: unknown): ErrorAnswer {
  if (error instanceof DomainError || error instanceof InvalidRequest) return error;
  if (error instanceof ChainUnavailable) {
    logWarning(operation, error);
    return { code: "CHAIN_UNAVAILABLE", message: "The chain cannot be reached now" };
  }
  logFault(operation, error);
  return { code: "INTERNAL_ERROR", message: "Internal server error" };
}

function answerError(
  { errorShapes: shapes = envelopes, statuses }: Pick<OperationSchemas, "errorShapes" | "statuses">,
  error: ErrorAnswer,
  now: Date,
): APIGatewayProxyResult {
  const status = httpStatusOf(error.code, statuses);
  const body = errorBody(status < 500 ? shapes.client : shapes.server, error, now);
  const seconds = retrySeconds[error.code];
  return answer(status, body, seconds === undefined ? {} : { "Retry-After": `${seconds}` });
}

function errorBody(shape: ErrorShape, { code, message, details }: ErrorAnswer, now: Date) {
  switch (shape) {
    case "message":
      return { message };
    case "error":
      return { error: message };
    case "envelope":
      return { success: false, error: { code, message, details }, timestamp: now.toISOString() };
  }
}
