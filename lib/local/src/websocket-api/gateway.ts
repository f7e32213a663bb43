import { arn } from "../account.ts";
import type { GatewayResponse } from "../http/messages.ts";
import { type FunctionPort, invokeFunction, within } from "../rest-api/function-port.ts";
import { GatewayFailure } from "../rest-api/gateway-failure.ts";
import { proxyResponse } from "../rest-api/proxy-integration.ts";
import type { UsagePlans } from "../usage-plans/usage-plans.ts";
import type { Route, WebSocketApiDefinition } from "./definition.ts";
import { type Occasion, type Peer, requestContext } from "./events.ts";

/** Dependencies for handling the events of a connection. */
export type Gateway = FunctionPort & {
  api: WebSocketApiDefinition;
  /** Usage plans, shared by all APIs. */
  usagePlans: UsagePlans;
  now: () => Date;
  /** Makes an id in the format of API Gateway. */
  newId: () => string;
  /** Called with reasons that the answer hides. They repeat nothing that a client has sent. */
  report: (line: string) => void;
};

export function contextOf({ api, now, newId }: Gateway, occasion: Occasion, peer: Peer) {
  return requestContext(occasion, peer, api, { requestId: newId(), now: now() });
}

/**
 * Reports the reason of a failure and returns the failure.
 *
 * @throws all other errors, which are faults of the emulation
 */
export function reported({ report }: Gateway, routeKey: string, error: unknown): GatewayFailure {
  if (!(error instanceof GatewayFailure)) throw error;
  if (error.reason) report(`${routeKey}: ${error.reason}`);
  return error;
}

/**
 * Invokes the function of a route.
 *
 * @throws {GatewayFailure} if its answer is late or malformed
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
  return proxyResponse(await within(timeoutMs, work));
}
