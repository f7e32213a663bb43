import { arn } from "../account.ts";
import { evaluatePolicy, type Verdict } from "./access-policy.ts";
import type { ApiDefinition, Authorizer } from "./api-definition.ts";
import { authorizerEvent } from "./authorizer-event.ts";
import { contextStrings, readAuthorizerResult } from "./authorizer-result.ts";
import type { Call } from "./call.ts";
import { type FunctionPort, invokeFunction } from "./function-port.ts";
import { GatewayFailure } from "./gateway-failure.ts";
import type { AuthorizerContext } from "./request-context.ts";

/** What an authorizer has found of a caller; `refusal` is set when its policy does not let the caller in. */
export type Authorization = {
  context: AuthorizerContext;
  /** The value of the caller's API key, for an API that takes it from here. */
  usageIdentifierKey: string | undefined;
  refusal: GatewayFailure | undefined;
};

const METHOD_ARN_BYTES = 1600;

/** @throws GatewayFailure when the authorizer has not come to a decision */
export async function authorize(
  call: Call,
  authorizer: Authorizer,
  { apiId, stage }: Pick<ApiDefinition, "apiId" | "stage">,
  functions: FunctionPort,
  now: () => Date,
): Promise<Authorization> {
  const methodArn = arn("execute-api", `${apiId}/${stage.name}/${call.request.method}${call.target.path}`);
  if (Buffer.byteLength(methodArn) > METHOD_ARN_BYTES) {
    throw new GatewayFailure("DEFAULT_4XX", { status: 414, told: "Request URI too long" });
  }

  const begun = now();
  const result = await invokeFunction(
    functions,
    {
      functionArn: authorizer.functionArn,
      sourceArn: arn("execute-api", `${apiId}/authorizers/${authorizer.id}`),
      event: authorizerEvent(call, methodArn, stage.variables),
    },
    "AUTHORIZER_CONFIGURATION_ERROR",
  );
  const { principalId, policyDocument, context, usageIdentifierKey } = readAuthorizerResult(result);
  return {
    context: {
      ...contextStrings(context),
      principalId,
      integrationLatency: now().getTime() - begun.getTime(),
    },
    usageIdentifierKey: usageIdentifierKey ?? undefined,
    refusal: refusalOf(evaluatePolicy(policyDocument, methodArn)),
  };
}

export function refusalOf(verdict: Verdict): GatewayFailure | undefined {
  switch (verdict) {
    case "allowed":
      return undefined;
    case "denied implicitly":
      return new GatewayFailure("ACCESS_DENIED");
    case "denied explicitly":
      return new GatewayFailure("ACCESS_DENIED", {
        told: "User is not authorized to access this resource with an explicit deny",
      });
  }
}
