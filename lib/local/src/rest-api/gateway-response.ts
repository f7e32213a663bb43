import type { Call } from "./call.ts";
import { defaultResponses, type GatewayFailure, type ResponseType } from "./gateway-failure.ts";
import { type ResponseTemplate, readResponseTemplate } from "./gateway-response-template.ts";
import { isSendable } from "./header-text.ts";
import { type GatewayResponse, type Pair, withOverrides } from "./messages.ts";
import { evaluate, type ParameterExpression, requestParameters } from "./request-parameters.ts";

/** What a template says about one type of gateway response; what it leaves out stays at its default. */
export type GatewayResponseOverride = {
  status: number | undefined;
  headers: readonly { name: string; expression: ParameterExpression }[];
  template: ResponseTemplate | undefined;
};

export type GatewayResponseOverrides = ReadonlyMap<ResponseType, GatewayResponseOverride>;

const defaultTemplate = readResponseTemplate('{"message":$context.error.messageString}');

/** The answer to a request that API Gateway could not or would not pass on. */
export function gatewayResponse(
  failure: GatewayFailure,
  call: Call,
  overrides: GatewayResponseOverrides,
  stageVariables: Record<string, string>,
): GatewayResponse {
  const defaults: { errorType: string; template?: string } = defaultResponses[failure.type];
  const override =
    overrides.get(failure.type) ?? overrides.get(failure.status < 500 ? "DEFAULT_4XX" : "DEFAULT_5XX");
  const parameters = requestParameters(call);
  const template =
    override?.template ?? (defaults.template ? readResponseTemplate(defaults.template) : defaultTemplate);

  const error = {
    message: failure.told,
    messageString: JSON.stringify(failure.told),
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
    body: Buffer.from(template({ context: { ...call.context, error }, stageVariables })),
  };
}
