import * as v from "valibot";
import { jsonObject, readJson } from "../http/json.ts";
import { type GatewayResponse, headerValues, isBinary, isSendable, type Pair } from "../http/messages.ts";
import type { InvokeResult } from "../lambda/invoke.ts";
import type { Call } from "./call.ts";
import type { ApiDefinition } from "./definition.ts";
import { GatewayFailure } from "./gateway-failure.ts";
import { integrationHeaders } from "./request-headers.ts";

/** The event of a function behind a proxy integration (payload format 1.0). */
export function proxyEvent(
  { request, target, pathParameters, context, traceId }: Call,
  { stage, binaryMediaTypes }: Pick<ApiDefinition, "stage" | "binaryMediaTypes">,
) {
  const headers = integrationHeaders(request, traceId);
  return {
    resource: context.resourcePath,
    path: target.path,
    httpMethod: request.method,
    headers: headers.single,
    multiValueHeaders: headers.multi,
    queryStringParameters: orNull(target.query.single),
    multiValueQueryStringParameters: orNull(target.query.multi),
    pathParameters: orNull(pathParameters),
    stageVariables: orNull(stage.variables),
    requestContext: context,
    ...eventBody(
      request.body,
      isBinary(binaryMediaTypes, headerValues(request.headers, "content-type").at(-1)),
    ),
  };
}

function eventBody(body: Buffer, binary: boolean): { body: string | null; isBase64Encoded: boolean } {
  if (body.length === 0) return { body: null, isBase64Encoded: false };
  return { body: body.toString(binary ? "base64" : "utf8"), isBase64Encoded: binary };
}

function orNull<Value>(map: Record<string, Value>): Record<string, Value> | null {
  return Object.keys(map).length === 0 ? null : map;
}

const headerValue = v.pipe(v.union([v.string(), v.boolean(), v.number()]), v.transform(String));
const headerName = v.pipe(
  v.string(),
  v.check((name) => isSendable([name, ""])),
);

/** Strict, as recorded: a single key more makes the whole answer malformed. All of it may be left out. */
const proxyResult = v.strictObject({
  statusCode: v.nullish(
    v.pipe(
      v.union([v.number(), v.pipe(v.string(), v.regex(/^\d+$/), v.transform(Number))]),
      v.integer(),
      v.minValue(200),
      v.maxValue(599),
    ),
    200,
  ),
  headers: v.nullish(v.pipe(jsonObject, v.record(headerName, headerValue)), {}),
  multiValueHeaders: v.nullish(v.pipe(jsonObject, v.record(headerName, v.array(headerValue))), {}),
  body: v.nullish(v.string(), ""),
  isBase64Encoded: v.nullish(v.boolean(), false),
});

/** Recorded: a function cannot set these; they arrive at the client under another name. */
const remapped = new Map(
  ["Connection", "Content-Length", "Date", "Server"].map((name) => [
    name.toLowerCase(),
    `x-amzn-Remapped-${name}`,
  ]),
);

/**
 * The HTTP answer that a function has given.
 *
 * @param acceptsBinary whether a body in base64 is decoded; it is passed on as it is otherwise
 * @throws GatewayFailure DEFAULT_5XX with status 502 for a failed function or a malformed answer
 */
export function proxyResponse(
  { payload, functionError }: InvokeResult,
  acceptsBinary: boolean,
): GatewayResponse {
  if (functionError) throw new GatewayFailure("DEFAULT_5XX", { reason: "the function has failed" });
  const result = readJson(proxyResult, payload);
  if ("malformedAt" in result) throw malformed(result.malformedAt);

  const { statusCode, body, isBase64Encoded, multiValueHeaders, ...single } = result.object;
  const headers = mergedHeaders(single.headers, multiValueHeaders);
  const unsendable = headers.find((header) => !isSendable(header));
  if (unsendable) throw malformed(`the value of ${unsendable[0]}`);
  const hasType = headers.some(([name]) => name.toLowerCase() === "content-type");
  return {
    status: statusCode,
    headers: hasType ? headers : [["Content-Type", "application/json"], ...headers],
    body: isBase64Encoded && acceptsBinary ? decoded(body) : Buffer.from(body),
  };
}

/** Recorded: the list comes first and decides the case of the name. A value of the list is not repeated. */
function mergedHeaders(single: Record<string, string>, multi: Record<string, string[]>): Pair[] {
  const listed = Object.entries(multi).flatMap(([name, values]) =>
    values.map((value): Pair => [name, value]),
  );
  const nameOf = new Map(listed.map(([name]) => [name.toLowerCase(), name]));
  const added = Object.entries(single)
    .map(([name, value]): Pair => [nameOf.get(name.toLowerCase()) ?? name, value])
    .filter(([name, value]) => !listed.some((pair) => pair[0] === name && pair[1] === value));
  return [...listed, ...added]
    .filter(([name]) => name.toLowerCase() !== "transfer-encoding")
    .map(([name, value]) => [remapped.get(name.toLowerCase()) ?? name, value]);
}

function decoded(body: string): Buffer {
  if (v.is(v.union([v.literal(""), v.pipe(v.string(), v.base64())]), body))
    return Buffer.from(body, "base64");
  throw new GatewayFailure("API_CONFIGURATION_ERROR", { reason: "the function's body is not base64" });
}

function malformed(where: string): GatewayFailure {
  return new GatewayFailure("DEFAULT_5XX", { reason: `the function's answer is malformed at ${where}` });
}
