import { type GatewayRequest, headerValues } from "../http/messages.ts";
import { type RequestTarget, readTarget } from "../http/paths.ts";
import { type DeployedApi, newRequestIds, type RequestContext, requestContext } from "./request-context.ts";
import { integrationHeaders } from "./request-headers.ts";

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
export function openCall(request: GatewayRequest, api: DeployedApi, now: Date, newId: () => string): Call {
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

/** What `method.request.<part>.<name>` and `$input.params()` reach. Names are case-sensitive, as recorded. */
export type RequestParameters = Record<"header" | "querystring" | "path", Record<string, string>>;

export function requestParameters({ request, target, pathParameters, traceId }: Call): RequestParameters {
  return {
    header: integrationHeaders(request, traceId).single,
    querystring: target.query.single,
    path: pathParameters,
  };
}

/** A header value that a template asks for: a constant, or a parameter of the request. */
export type ParameterExpression =
  | { kind: "static"; value: string }
  | { kind: "request"; part: keyof RequestParameters; name: string };

/** @throws Error for an expression that is not emulated */
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
