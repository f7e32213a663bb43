import type { Call } from "./call.ts";
import { integrationHeaders } from "./request-headers.ts";

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
