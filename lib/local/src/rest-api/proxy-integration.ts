import * as v from "valibot";
import { jsonObject, readJson } from "../http/json.ts";
import { type GatewayResponse, isSendable, type Pair } from "../http/messages.ts";
import type { InvokeResult } from "../lambda/invoke.ts";
import type { Call } from "./call.ts";
import { GatewayFailure } from "./gateway-failure.ts";
import { integrationHeaders } from "./request-headers.ts";

/** Builds the event of a function behind a proxy integration (payload format 1.0). Every body is passed on as text. */
export function proxyEvent({ request, target, pathParameters, context, traceId }: Call) {
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
    stageVariables: null,
    requestContext: context,
    body: request.body.length === 0 ? null : request.body.toString("utf8"),
    isBase64Encoded: false,
  };
}

function orNull<Value>(map: Record<string, Value>): Record<string, Value> | null {
  return Object.keys(map).length === 0 ? null : map;
}

const headerValue = v.pipe(v.union([v.string(), v.boolean(), v.number()]), v.transform(String));
const headerName = v.pipe(
  v.string(),
  v.check((name) => isSendable([name, ""])),
);

/** Strict. Recorded: one unknown key makes the whole answer malformed, and every known key is optional. */
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
  // Passes even an encoded body on as text, like API Gateway without binary media types.
  isBase64Encoded: v.nullish(v.boolean()),
});

/** Headers that a function cannot set. Recorded: the client gets them under other names. */
const remapped = new Map(
  ["Connection", "Content-Length", "Date", "Server"].map((name) => [
    name.toLowerCase(),
    `x-amzn-Remapped-${name}`,
  ]),
);

/**
 * Turns a function's result into an HTTP answer.
 *
 * @throws {GatewayFailure} DEFAULT_5XX with status 502 if the function failed or its answer is malformed
 */
export function proxyResponse({ payload, functionError }: InvokeResult): GatewayResponse {
  if (functionError) throw new GatewayFailure("DEFAULT_5XX", { reason: "the function failed" });
  const result = readJson(proxyResult, payload);
  if ("malformedAt" in result) throw malformed(result.malformedAt);

  const { statusCode, body, multiValueHeaders, ...single } = result.object;
  const headers = mergedHeaders(single.headers, multiValueHeaders);
  const unsendable = headers.find((header) => !isSendable(header));
  if (unsendable) throw malformed(`the value of ${unsendable[0]}`);
  const hasType = headers.some(([name]) => name.toLowerCase() === "content-type");
  return {
    status: statusCode,
    headers: hasType ? headers : [["Content-Type", "application/json"], ...headers],
    body: Buffer.from(body),
  };
}

/**
 * Merges headers. Recorded: `multiValueHeaders` come first and set the case of a name; a value that is in both is sent
 * once.
 */
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

function malformed(where: string): GatewayFailure {
  return new GatewayFailure("DEFAULT_5XX", { reason: `the function's answer is malformed at ${where}` });
}
