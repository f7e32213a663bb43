import { type GatewayRequest, header } from "../http/messages.ts";
import { type RequestTarget, readTarget } from "../http/paths.ts";
import { type DeployedApi, newRequestIds, type RequestContext, requestContext } from "./request-context.ts";
import { integrationHeaders } from "./request-headers.ts";

/** A request with all that is known about it so far. */
export type Call = {
  request: GatewayRequest;
  target: RequestTarget;
  /** Empty until the resource is found. */
  pathParameters: Record<string, string>;
  context: RequestContext;
  /** The client's X-Amzn-Trace-Id header, or a new id. */
  traceId: string;
};

/** @param newId makes a UUID */
export function openCall(request: GatewayRequest, api: DeployedApi, now: Date, newId: () => string): Call {
  const target = readTarget(request.target);
  const { traceId, ...ids } = newRequestIds(now, newId);
  return {
    request,
    target,
    pathParameters: {},
    context: requestContext(request, target.rawPath, api, ids, now),
    traceId: header(request, "x-amzn-trace-id") ?? traceId,
  };
}

/** Values of `method.request.<part>.<name>` and `$input.params()`. Recorded: names are case-sensitive. */
export type RequestParameters = Record<"header" | "querystring" | "path", Record<string, string>>;

export function requestParameters({ request, target, pathParameters, traceId }: Call): RequestParameters {
  return {
    header: integrationHeaders(request, traceId).single,
    querystring: target.query.single,
    path: pathParameters,
  };
}

/** A header value in a template: a constant or a parameter of the request. */
export type ParameterExpression =
  | { kind: "static"; value: string }
  | { kind: "request"; part: keyof RequestParameters; name: string };

/** @throws {Error} if the expression is not emulated */
export function readExpression(text: string): ParameterExpression {
  const [, value] = /^'(.*)'$/s.exec(text) ?? [];
  if (value !== undefined) return { kind: "static", value };
  const [, part, name] = /^method\.request\.(header|querystring|path)\.([^\s.]+)$/.exec(text) ?? [];
  if (part === undefined || name === undefined) throw new Error(`the expression "${text}"`);
  return { kind: "request", part: part as keyof RequestParameters, name };
}

export function evaluate(expression: ParameterExpression, parameters: RequestParameters): string | undefined {
  if (expression.kind === "static") return expression.value;
  const values = parameters[expression.part];
  return Object.hasOwn(values, expression.name) ? values[expression.name] : undefined;
}
