import { arn } from "../account.ts";
import { evaluatePolicy } from "../rest-api/access-policy.ts";
import { refusalOf } from "../rest-api/authorize.ts";
import { contextStrings, readAuthorizerResult } from "../rest-api/authorizer-result.ts";
import { type FunctionPort, invokeFunction } from "../rest-api/function-port.ts";
import { GatewayFailure } from "../rest-api/gateway-failure.ts";
import { type GatewayRequest, headerValues } from "../rest-api/messages.ts";
import type { AuthorizerContext } from "../rest-api/request-context.ts";
import type { ConnectAuthorizer, WebSocketApiDefinition } from "./api-definition.ts";
import type { authorizerEvent } from "./events.ts";

type Asked = {
  request: GatewayRequest;
  authorizer: ConnectAuthorizer;
  api: WebSocketApiDefinition;
  eventFor: (methodArn: string) => ReturnType<typeof authorizerEvent>;
};

/**
 * Has the authorizer decide on a request to connect.
 *
 * @returns what it has found, for the events of the connection, and the value of the caller's API key
 * @throws GatewayFailure when it does not let the client in, or has not come to a decision
 */
export async function authorize(
  { request, authorizer, api: { apiId, stage }, eventFor }: Asked,
  functions: FunctionPort,
  now: () => Date,
): Promise<{ context: AuthorizerContext; apiKey: string | undefined }> {
  const isThere = (name: string) => headerValues(request.headers, name).some((value) => value !== "");
  if (!authorizer.requiredHeaders.every(isThere)) throw new GatewayFailure("UNAUTHORIZED");

  const methodArn = arn("execute-api", `${apiId}/${stage}/$connect`);
  const begun = now();
  const result = await invokeFunction(
    functions,
    {
      functionArn: authorizer.functionArn,
      sourceArn: arn("execute-api", `${apiId}/authorizers/${authorizer.id}`),
      event: eventFor(methodArn),
    },
    "AUTHORIZER_CONFIGURATION_ERROR",
  );
  const { principalId, policyDocument, context, usageIdentifierKey } = readAuthorizerResult(result);
  const refusal = refusalOf(evaluatePolicy(policyDocument, methodArn));
  if (refusal) throw refusal;
  const integrationLatency = now().getTime() - begun.getTime();
  return {
    context: { ...contextStrings(context), principalId, integrationLatency },
    apiKey: usageIdentifierKey ?? undefined,
  };
}
