import type { ApiDefinition } from "./api-definition.ts";
import { type GatewayRequest, headerValues } from "./messages.ts";
import { newRequestIds, type RequestContext, requestContext } from "./request-context.ts";
import { type RequestTarget, readTarget } from "./request-target.ts";

/** A request and what is known of it so far. */
export type Call = {
  request: GatewayRequest;
  target: RequestTarget;
  /** Empty until the resource is found. */
  pathParameters: Record<string, string>;
  context: RequestContext;
  /** Value of the X-Amzn-Trace-Id header: the client's, or a new one. */
  traceId: string;
};

/** @param newId makes a UUID */
export function openCall(request: GatewayRequest, api: ApiDefinition, now: Date, newId: () => string): Call {
  const target = readTarget(request.target);
  const { traceId, ...ids } = newRequestIds(now, newId);
  return {
    request,
    target,
    pathParameters: {},
    context: requestContext(request, target.rawPath, api, ids, now),
    traceId: headerValues(request.headers, "x-amzn-trace-id").at(-1) ?? traceId,
  };
}
