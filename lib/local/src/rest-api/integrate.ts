import { arn } from "../account.ts";
import { type GatewayResponse, headerValues, isBinary } from "../http/messages.ts";
import { type Call, requestParameters } from "./call.ts";
import type { ApiDefinition, Integration } from "./definition.ts";
import { type FunctionPort, invokeFunction, within } from "./function-port.ts";
import { mockResponse } from "./mock-integration.ts";
import { proxyEvent, proxyResponse } from "./proxy-integration.ts";

/**
 * The answer of what stands behind a method.
 *
 * @throws GatewayFailure
 */
export async function integrate(
  call: Call,
  integration: Integration,
  api: ApiDefinition,
  functions: FunctionPort,
): Promise<GatewayResponse> {
  const { request, context } = call;
  if (integration.type === "MOCK") {
    const contentType = headerValues(request.headers, "content-type").at(-1);
    return mockResponse(integration, request.body.toString(), contentType, {
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
      event: proxyEvent(call, api),
    },
    "INTEGRATION_FAILURE",
  );
  const accept = headerValues(request.headers, "accept").at(0);
  return proxyResponse(await within(integration.timeoutMs, work), isBinary(api.binaryMediaTypes, accept));
}
