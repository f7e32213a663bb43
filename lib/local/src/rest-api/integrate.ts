import { arn } from "../account.ts";
import { type GatewayResponse, header } from "../http/messages.ts";
import { type Call, requestParameters } from "./call.ts";
import type { ApiDefinition, Integration } from "./definition.ts";
import { type FunctionPort, invokeFunction, within } from "./function-port.ts";
import { mockResponse } from "./mock-integration.ts";
import { proxyEvent, proxyResponse } from "./proxy-integration.ts";

/**
 * Gets a method's answer from its integration.
 *
 * @throws {GatewayFailure} if the integration fails
 */
export async function integrate(
  call: Call,
  integration: Integration,
  api: ApiDefinition,
  functions: FunctionPort,
): Promise<GatewayResponse> {
  const { request, context } = call;
  if (integration.type === "MOCK") {
    return mockResponse(integration, request.body.toString(), header(request, "content-type"), {
      context,
      parameters: requestParameters(call),
    });
  }
  const work = invokeFunction(
    functions,
    {
      functionArn: integration.functionArn,
      sourceArn: arn(
        "execute-api",
        `${api.apiId}/${api.stage.name}/${request.method}${context.resourcePath}`,
      ),
      event: proxyEvent(call),
    },
    "INTEGRATION_FAILURE",
  );
  return proxyResponse(await within(integration.timeoutMs, work));
}
