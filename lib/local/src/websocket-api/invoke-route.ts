import { arn } from "../account.ts";
import { type FunctionPort, invokeFunction, within } from "../rest-api/function-port.ts";
import type { GatewayResponse } from "../rest-api/messages.ts";
import { proxyResponse } from "../rest-api/proxy-response.ts";
import type { Route, WebSocketApiDefinition } from "./api-definition.ts";

/**
 * The answer of the function behind a route.
 *
 * @throws GatewayFailure when there is none in time, or it is malformed
 */
export async function invokeRoute(
  { apiId, stage }: WebSocketApiDefinition,
  routeKey: string,
  { functionArn, timeoutMs }: Route,
  event: object,
  functions: FunctionPort,
): Promise<GatewayResponse> {
  const sourceArn = arn("execute-api", `${apiId}/${stage}/${routeKey}`);
  const work = invokeFunction(functions, { functionArn, sourceArn, event }, "INTEGRATION_FAILURE");
  return proxyResponse(await within(timeoutMs, work), false);
}
