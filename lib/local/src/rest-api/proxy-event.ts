import type { ApiDefinition } from "./api-definition.ts";
import type { Call } from "./call.ts";
import { isBinary } from "./media-type.ts";
import { headerValues } from "./messages.ts";
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
