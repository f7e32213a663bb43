import { type GatewayResponse, isSendable, type Pair, withOverrides } from "../http/messages.ts";
import { type Call, evaluate, type ParameterExpression, requestParameters } from "./call.ts";
import { defaultResponses, type GatewayFailure, type ResponseType } from "./gateway-failure.ts";
import {
  contextVariable,
  type ErrorContext,
  isContextVariable,
  type RequestContext,
} from "./request-context.ts";

/** Renders the body of a gateway response: text with simple variables, not VTL. */
type ResponseTemplate = (context: RequestContext & { error: ErrorContext }) => string;

const variable = /\$context\.([A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*)/g;
const directive = /#(set|if|elseif|else|end|foreach|macro|define|include|parse|evaluate|stop|break)\b/;

/**
 * Reads a template. It inserts values without JSON escaping.
 *
 * @throws {Error} if a directive or variable is not emulated
 */
export function readResponseTemplate(text: string): ResponseTemplate {
  const [unknown] = directive.exec(text) ?? /\$[!{A-Za-z_]+/.exec(text.replaceAll(variable, "")) ?? [];
  if (unknown) throw new Error(`"${unknown}" in a gateway response template`);
  for (const [whole, path = ""] of text.matchAll(variable)) {
    if (!isContextVariable(path)) throw new Error(`"${whole}" in a gateway response template`);
  }
  return (context) => text.replaceAll(variable, (_, path: string) => contextVariable(context, path));
}

/** Changes to one type of gateway response. Undefined parts keep their defaults. */
export type GatewayResponseOverride = {
  status: number | undefined;
  headers: readonly { name: string; expression: ParameterExpression }[];
  template: ResponseTemplate | undefined;
};

export type GatewayResponseOverrides = ReadonlyMap<ResponseType, GatewayResponseOverride>;

const defaultTemplate = readResponseTemplate('{"message":$context.error.messageString}');

/** Builds the answer to a request that failed before or in its integration. */
export function gatewayResponse(
  failure: GatewayFailure,
  call: Call,
  overrides: GatewayResponseOverrides,
): GatewayResponse {
  const defaults: { errorType: string; template?: string } = defaultResponses[failure.type];
  const override =
    overrides.get(failure.type) ?? overrides.get(failure.status < 500 ? "DEFAULT_4XX" : "DEFAULT_5XX");
  const parameters = requestParameters(call);
  const template =
    override?.template ?? (defaults.template ? readResponseTemplate(defaults.template) : defaultTemplate);

  const error = {
    message: failure.clientMessage,
    messageString: JSON.stringify(failure.clientMessage),
    responseType: failure.type,
  };
  return {
    status: override?.status ?? failure.status,
    headers: withOverrides(
      [
        ["Content-Type", "application/json"],
        ["x-amzn-ErrorType", defaults.errorType],
      ],
      (override?.headers ?? [])
        .flatMap(({ name, expression }): Pair[] => {
          const value = evaluate(expression, parameters);
          return value === undefined ? [] : [[name, value]];
        })
        .filter(isSendable),
    ),
    body: Buffer.from(template({ ...call.context, error })),
  };
}
